/**
 * Types of facts about an input and of the plan, which combines them with the pipeline. A plan holds no secret; the journal stores
 * it unchanged.
 */
import type { CompanyNumbers, Mapping, Product } from '../../contract/index.ts'
import type { Issue } from '../../errors.ts'
import type { OutputFormat } from '../../formats/index.ts'
import type { OutputColumns } from '../../model/column-names.ts'
import type { InputQuery, Packing } from './packing.ts'
import type {
  KnownRows,
  PlannedAccept,
  PlannedCandidates,
  PlannedEvents,
  PlannedPortfolio,
  PlannedReuse,
  PlannedScreen,
} from './planned-stages.ts'

export type { CellCounts, ValueWarning, WatchedColumn } from './cell-counts.ts'
export type { InputQuery, Packing } from './packing.ts'
export type {
  KnownRows,
  KnownSearches,
  PlannedAccept,
  PlannedCandidates,
  PlannedEvents,
  PlannedPortfolio,
  PlannedReuse,
  PlannedRule,
  PlannedScreen,
} from './planned-stages.ts'

export interface SkippedLines<Count = number | 'auto'> {
  readonly head: Count
  readonly tail: Count
}

/** How the pipeline wants the input read; `auto` is resolved from the file. */
export interface InputOptions {
  readonly path: string
  /** `auto`, or a name that TextDecoder supports. */
  readonly encoding: string
  /** `auto`, or one character. */
  readonly delimiter: string
  readonly header: boolean
  readonly quotes: 'strict' | 'relaxed'
  /** Lines above the table and below it that are no part of it: how many, or `auto`, those that are recognised. */
  readonly skip?: SkippedLines
  /** Which sheet of a workbook: its name, its number from 1, or null for the first with content. */
  readonly sheet: string | number | null
  /** Of a database: the query whose rows are the input. */
  readonly sql?: string
}

/** One of several files of an input. `headBytes`: the header in the text of its table, which is skipped after the first file. */
export interface InputFile
  extends Pick<InputFacts, 'path' | 'bytes' | 'sha256' | 'rows' | 'encoding' | 'packed' | 'skipped' | 'linesBefore'> {
  readonly headBytes: number
}

/** What one pass over the whole input found. Rows are records without the header; blank lines are not rows. */
export interface InputFacts {
  readonly path: string
  readonly bytes: number
  /**
   * Of an input of several files: all of them, in order. `path` is then a folder or has wildcards, `bytes` and `rows` are sums, and
   * `sha256` is that of the hashes and paths.
   */
  readonly files?: readonly InputFile[]
  /** Of a database. `path` is its address, and the facts are those of the copy of its rows. */
  readonly query?: InputQuery
  /** Of a file that is packed: how, and how many bytes there are in it. */
  readonly packed?: Packing & { readonly bytes: number }
  /**
   * Of a file with lines around its table: how many were skipped, and the range of the table, in bytes of the content as UTF-8
   * without byte-order mark.
   */
  readonly skipped?: { readonly head: number; readonly tail: number; readonly from: number; readonly to: number }
  /** Lines above the table that are no part of it, those that were skipped and a `sep=` line; absent for none. */
  readonly linesBefore?: number
  /** A local file that is copied among the runs until its run is over: its own path, true in earlier journals. */
  readonly kept?: string | true
  readonly mtimeMs: number
  /** Of the bytes on disk, lower-case hex. */
  readonly sha256: string
  /** Resolved: `utf-8`, `windows-1252` … */
  readonly encoding: string
  readonly bom: boolean
  readonly delimiter: string
  /** Why this delimiter was chosen, for people: `"," 8 in every one of 200 records; ";" none`. */
  readonly delimiterEvidence: string
  readonly quotes: 'strict' | 'relaxed'
  /** Header cells in order, null for a file without a header. */
  readonly header: readonly string[] | null
  readonly columns: number
  readonly rows: number
  /** Of these, those without a value in any cell, which are not sent; absent for none. */
  readonly emptyRows?: number
  readonly blankLines: number
  /** `lf`, `crlf`, `cr` or `mixed`. */
  readonly lineEnd: string
}

/** A line at an end of a table, as cells; `lines` is more than 1 where a quoted cell holds line breaks. */
export interface EdgeLine {
  readonly cells: readonly string[]
  readonly lines: number
}

/**
 * The first and the last lines of the table of a file, blank ones included; `isAll`: both are the complete table. `skipped` surround
 * it, those below from line `belowAt` on.
 */
export interface TableEdges {
  readonly file: string
  readonly first: readonly EdgeLine[]
  readonly last: readonly EdgeLine[]
  readonly isAll: boolean
  readonly skipped: { readonly above: readonly EdgeLine[]; readonly below: readonly EdgeLine[]; readonly belowAt: number }
}

/** One mapping, resolved: the service's name and the column it is read from. */
export interface PlannedMapping {
  readonly mapping: Mapping
  /** The header it was resolved from, null when given by index. */
  readonly header: string | null
  /** Zero-based column of what goes up; a constant stands behind the columns of the input. */
  readonly index: number
  /** Digits to pad all-digit cells to with zeros on the left, null for none. */
  readonly pad: number | null
  /** The same text in every row, read from no column. */
  readonly value?: string
  /** Space around a cell is left out, and space in it is one blank. */
  readonly trim?: true
}

/** What the whole input holds in a mapped column or in the key, regardless of the limit of a run. */
export interface ColumnProfile {
  /** Null for the key, when its column is mapped to nothing. */
  readonly mapping: Mapping | null
  readonly header: string | null
  /** Zero-based. */
  readonly index: number
  readonly isKey: boolean
  /** Rows with a value. */
  readonly filled: number
  readonly distinct: number
  /** `distinct` is right within 5 %, as a rule. */
  readonly isEstimate: boolean
  /** The first different values, cut; `***` where they are masked, none where no row content may be kept. */
  readonly examples: readonly string[]
}

/** A count or a share with a comparison, as written: `< 90%`, `> 500`. A share is held as 0 to 1. */
export interface Threshold {
  readonly text: string
  readonly operator: '<' | '<=' | '>' | '>='
  readonly value: number
  readonly unit: 'rows' | 'share'
}

/** What a check of the result looks at; each is a count of rows and its share of all rows, drift is a share only. */
export type ResultCheckName =
  | 'matched'
  | 'unmatched'
  | 'review'
  | 'duplicates'
  | 'failed'
  | 'drift'
  | 'changed'
  | 'lost'
  | 'moved'

/** What a check of the list looks at before anything is sent, as a share of what the last good run had. */
export type ListCheckName = 'rows' | 'filled'

export type CheckName = ResultCheckName | ListCheckName

/** One entry of `checks:`. */
export interface PlannedCheck<Name extends CheckName = CheckName> {
  readonly name: Name
  readonly warn: Threshold | null
  readonly fail: Threshold | null
}

/** The service; credentials are never part of it. */
export type PlannedService =
  | { readonly kind: 'embedded' }
  | {
      readonly kind: 'remote'
      /** Base address ending in a version segment, without a trailing slash. */
      readonly url: string
      readonly rate: { readonly requests: number; readonly perMs: number } | null
      /** Hosts a download link may name besides the service's own; `*.` means any subdomain. */
      readonly fileHosts: readonly string[]
      readonly insecure: boolean
    }

/** A register that the embedded service of a run matches against, as it was when the run was planned. */
export interface PlannedRegister {
  readonly name: string
  /** Null for the sample, which is part of the package. */
  readonly snapshotDate: string | null
  readonly sha256: string | null
}

/** The result files a run writes. */
export interface PlannedOutput extends OutputColumns {
  readonly path: string
  readonly format: OutputFormat
  /** `path` is a table of a database; how it changes when it exists. */
  readonly table?: { readonly mode: 'replace' | 'append' | 'upsert'; readonly key: readonly string[] }
  readonly unmatched: string | null
  readonly review: string | null
  /** Absent: files of a run whose checks fail get names of their own. */
  readonly onFail?: 'replace'
  /** The user named `path` on the command line: it may lie outside the project. */
  readonly isAnywhere?: true
  /** Folders outside the project that the user allows outputs in. */
  readonly roots?: readonly string[]
}

/** Which rows of the input a run is about, where several runs share it. */
export interface Shard {
  /** From 1. */
  readonly number: number
  readonly of: number
  /** Rows before its own. */
  readonly from: number
  /** Rows that went up before its own: those, or the different ones among them. */
  readonly asked: number
  /** In bytes of the text of the table: where the header ends, and where the rows lie; null for its end. */
  readonly span: { readonly head: number; readonly from: number; readonly to: number | null }
}

/** A pipeline resolved against its input: `check` prints it and `run` executes it. */
export interface Plan {
  readonly version: 1
  readonly name: string
  readonly description: string | null
  readonly tags: readonly string[]
  /** The pipeline file as given on the command line. */
  readonly file: string
  readonly service: PlannedService
  /** Absent for a remote service, which has its own registers, and in earlier journals. */
  readonly register?: readonly PlannedRegister[]
  readonly input: InputFacts
  /** The row's own id, null when the pipeline names none. */
  readonly key: { readonly header: string | null; readonly index: number } | null
  /** The target of the project file; absent without one. */
  readonly target?: string | undefined
  /** Only the first rows up to this count, null for all. */
  readonly limit: number | null
  /** Absent: the run is about all of them. */
  readonly shard?: Shard
  /** Of a run that joins the results of shards: how many there were. */
  readonly merged?: number
  /** Rows of the input that are accounted for: all, the limit, or those of the shard. */
  readonly rows: number
  readonly skipped?: number // of these, the empty ones, which are not sent; absent for none
  /** Rows that go up: all of the others, or each different one once. */
  readonly sent: number
  /** Rows that are alike on the mapped cells go up once. */
  readonly collapse: boolean
  /** Whether the company numbers of the list are relied on; absent: the service judges by the list. */
  readonly companyNumbers?: CompanyNumbers
  /** One a remote job: the first of its rows among those that go up, from 0, and how many it has. */
  readonly parts: readonly { readonly from: number; readonly rows: number }[]
  /** Only the mapped columns go up; absent: all of them. */
  readonly send?: 'mapped'
  /** Null or absent: answers of earlier runs are not used. */
  readonly reuse?: PlannedReuse | null
  /** Absent until the rows with an earlier answer are chosen; then `sent` and `parts` are the others. */
  readonly known?: KnownRows
  /** Remote jobs side by side. */
  readonly concurrency: number
  /**
   * Why the file cannot go up byte for byte, in words (`encoding windows-1252`, `pad`, `limit`, `quotes: relaxed`); empty when
   * it can.
   */
  readonly preparation: readonly string[]
  readonly mappings: readonly PlannedMapping[]
  /** What was counted in the columns above; absent in journals from before profiles. */
  readonly profile?: readonly ColumnProfile[]
  /** Null: the run ends when matched. */
  readonly enrich: { readonly product: Product; readonly tags: readonly string[] } | null
  /** By tag, what the service calls the column of the enriched file; absent: its tag. */
  readonly headers?: Readonly<Record<string, string>>
  readonly budget: {
    readonly rows: number | null
    readonly credits: number | null
    readonly month?: number
    readonly account?: 'refuse'
  }
  readonly poll: { readonly everyMs: number; readonly maxMs: number; readonly timeoutMs: number }
  readonly retry: { readonly attempts: number }
  readonly retention?: number // milliseconds; absent: runs stay
  readonly checks: readonly PlannedCheck[]
  readonly output: PlannedOutput | null
  /** Null: every match of the service stands. Absent in earlier journals. */
  readonly accept?: PlannedAccept | null
  /** What people decided about rows: a file applied to the output, null for none. */
  readonly decisions: string | null
  /** What a decision does that applies no longer; null or absent: the run fails. */
  readonly undone?: 'warn' | 'fail' | null
  /** Null: the service is asked for no candidates. Absent in earlier journals. */
  readonly candidates?: PlannedCandidates | null
  /** Null: companies are added to no portfolio. Absent, as `screen`, in earlier journals. */
  readonly portfolio?: PlannedPortfolio | null
  /** Absent: no events are read. */
  readonly events?: PlannedEvents
  /** Null: companies are not screened. */
  readonly screen?: PlannedScreen | null
  /** What happens to the remote jobs once all results are written; absent: nothing. */
  readonly after?: 'archive'
  /** What row content may enter reports: none, rows in review, or those and the unmatched. `mask` names mappings or headers. */
  readonly report: { readonly rows: 'none' | 'review' | 'all'; readonly mask: readonly string[] }
  /** Warnings found while planning. */
  readonly issues: readonly Issue[]
  /** Digest of the work, see planning/fingerprint.ts. */
  readonly fingerprint: string
}
