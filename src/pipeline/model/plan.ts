/**
 * The plan: a pipeline resolved against its input. This schema is the only declaration of its keys: the types are inferred, the journal
 * and the queue prove a recorded plan by it, and the fingerprint follows its marks. A plan holds no secret.
 */
import { z } from 'zod'
import { COMPANY_NUMBERS, type Dataset, type Mapping, type Product, THRESHOLDS } from '../../contract/index.ts'
import { TABLE_PARTS, tableSchema } from '../../decide/table.ts'
import type { Issue } from '../../errors.ts'
import type { OutputFormat } from '../../formats/index.ts'
import type { SheetColumn } from '../../model/columns.ts'

const text = z.string()
const count = z.number()
const flag = z.boolean()
/** Present only where it holds. */
const mark = z.literal(true).exactOptional()
/** A word of a list to which a newer minor version may add. */
const word = <T extends string>() => text as unknown as z.ZodType<T>
const object = <T extends z.ZodRawShape>(shape: T) => z.object(shape).readonly()
const list = <T extends z.ZodType>(item: T) => z.array(item).readonly()
const record = <T extends z.ZodType>(value: T) => z.record(text, value).readonly()

/** What may differ between two plans of the same work. */
export const PLAN_FACTS = z.registry<{
  /** A resume takes the value from the present pipeline file, not from the recorded plan. */
  readonly live?: true
}>()
/** The value changes nothing that is sent or written: it is left out of the fingerprint. */
const free = <T extends z.ZodType>(schema: T): T => withFacts(schema, {})
/** Likewise, and a resume takes it from the present pipeline file. */
const live = <T extends z.ZodType>(schema: T): T => withFacts(schema, { live: true })
function withFacts<T extends z.ZodType>(schema: T, facts: { readonly live?: true }): T {
  const own = schema.clone()
  PLAN_FACTS.add(own, facts)
  return own
}

const column = object({ header: text.nullable(), index: count })

/** `numbers`, `booleans`: columns (from 0) with values of this type alone; absent for none. */
const numbers = list(count).exactOptional()
const sheetColumn = object({
  index: count,
  is: z.enum(['number', 'date', 'boolean']).exactOptional(),
  format: z.union([text, count]).exactOptional(),
  width: z.number().exactOptional(),
}) satisfies z.ZodType<SheetColumn>
/** How a file is packed. Of a workbook, one sheet is read; JSON lines and Parquet are read as a table. */
const PACKINGS = [
  { as: z.literal('gzip') },
  /** `naming`: of one of several sheets, the header of the column that names the sheet, and its line; 0 without a header. */
  {
    as: z.literal('xlsx'),
    sheet: text,
    columns: list(sheetColumn).exactOptional(),
    naming: object({ header: text, line: count }).exactOptional(),
  },
  /** `columns`: the keys of the records. */
  { as: z.literal('jsonl'), gzip: mark, columns: list(text), numbers, booleans: numbers },
  /** `types`: of each column, such as `decimal(10,2)`. */
  { as: z.literal('parquet'), types: list(text) },
] as const
const packing = z.union([object(PACKINGS[0]), object(PACKINGS[1]), object(PACKINGS[2]), object(PACKINGS[3])])
const packed = z.intersection(packing, object({ bytes: count }))
/** The query whose rows are the input, and the types of its columns, as `model/columns.ts` names them. */
const query = object({ sql: text, types: list(text) })

const source = {
  path: text,
  bytes: count,
  /** Of a file that is packed: how, and how many bytes there are in it. */
  packed: packed.exactOptional(),
  /**
   * Of a file with lines around its table: how many were skipped, and the range of the table, in bytes of the content as UTF-8
   * without byte-order mark.
   */
  skipped: object({ head: count, tail: count, from: count, to: count }).exactOptional(),
  /** Lines above the table, which were skipped or are a `sep=` line; absent for none. */
  linesBefore: count.exactOptional(),
  /** Of the bytes on disk, lower-case hex. */
  sha256: text,
  /** Resolved: `utf-8`, `windows-1252` … */
  encoding: text,
  rows: count,
  /** Rows that cannot be read, by reason, which `rows` are counted without; absent for none. */
  rejected: object({ rows: count, reasons: record(count) }).exactOptional(),
}
const inputFile = object({ ...source, headBytes: count })

export const FACTS_SHAPE = {
  ...source,
  /**
   * Of an input of several files: all of them, in order. `path` is then a folder or has wildcards, `bytes` and `rows` are sums, and
   * `sha256` is the digest of the hashes and paths.
   */
  files: list(inputFile).exactOptional(),
  /** Of a database. `path` is its address, and the facts are about the copy of its rows. */
  query: query.exactOptional(),
  /** A local file that is copied among the runs until its run is over: its own path. */
  kept: free(text.exactOptional()),
  mtimeMs: free(count),
  bom: flag,
  delimiter: text,
  /** Why this delimiter was chosen, for people: `"," 8 in every one of 200 records; ";" none`. */
  delimiterEvidence: free(text),
  quotes: z.enum(['strict', 'relaxed']),
  /** Header cells in order, null for a file without a header. */
  header: list(text).nullable(),
  columns: count,
  /** How many rows are not sent: rows without a value in any cell, and all of `sections`; absent for none. */
  emptyRows: count.exactOptional(),
  /** The numbers of rows that are headings, totals or the header again, from 1; absent for none. */
  sections: list(count).exactOptional(),
  blankLines: count,
  /** `lf`, `crlf`, `cr` or `mixed`. */
  lineEnd: text,
}
const inputFacts = object(FACTS_SHAPE)

const mapping = object({
  mapping: word<Mapping>(),
  /** The header it was resolved from, null when given by index. */
  header: text.nullable(),
  /** Zero-based column of what is sent; a constant stands behind the columns of the input. */
  index: count,
  /** Digits to pad all-digit cells to with zeros on the left, null for none. */
  pad: count.nullable(),
  /** The same text in every row, read from no column. */
  value: text.exactOptional(),
  /** Space around a cell is left out, and space in it is one blank. */
  trim: mark,
})

const columnProfile = object({
  /** Null for the key, when its column is mapped to nothing. */
  mapping: word<Mapping>().nullable(),
  header: text.nullable(),
  /** Zero-based. */
  index: count,
  isKey: flag,
  /** Rows with a value. */
  filled: count,
  distinct: count,
  /** `distinct` is right within 5 %, as a rule. */
  isEstimate: flag,
  /** The first different values, cut; `***` where they are masked, none where no row content may be kept. */
  examples: list(text),
})

const listColumn = object({
  header: text.nullable(),
  /** Cells that are not empty; how many of them are a number, and a date. */
  filled: count,
  numbers: count,
  dates: count,
})

const threshold = object({
  text,
  operator: z.enum(['<', '<=', '>', '>=']),
  value: count,
  unit: z.enum(['rows', 'share']),
})
const check = object({
  name: word<CheckName>(),
  warn: threshold.nullable(),
  fail: threshold.nullable(),
  /** Of `screened`: an older search does not count, in milliseconds. */
  within: count.exactOptional(),
})

const service = z.union([
  object({ kind: z.literal('embedded') }),
  object({
    kind: z.literal('remote'),
    /** Base address ending in a version segment, without a trailing slash. */
    url: text,
    rate: object({ requests: count, perMs: count }).nullable(),
    /** Hosts a download link may name besides the service's own; `*.` means any subdomain. */
    fileHosts: list(text),
    insecure: flag,
  }),
])

/** `snapshotDate` and `sha256` are null for the sample, which is part of the package. */
const register = object({ name: text, snapshotDate: text.nullable(), sha256: text.nullable() })

const output = object({
  path: text,
  format: word<OutputFormat>(),
  /** `*` means the input's columns that are neither in `own` nor in `replaced`, in order; the rest are enrichment tags or match.* columns. */
  columns: list(text),
  /** Names for some of the columns; absent for none. */
  rename: record(text).exactOptional(),
  /** Columns of the input that `columns` names, and their indices in it; absent for none. */
  own: record(count).exactOptional(),
  /** Indices of columns of the input that an earlier result added and this output adds again; absent for none. */
  replaced: list(count).exactOptional(),
  /** `snake`: every other column is named in lower case with underscores. */
  names: z.literal('snake').exactOptional(),
  /** `path` is a table of a database; how it changes when it exists. */
  table: object({ mode: z.enum(['replace', 'append', 'upsert']), key: list(text) }).exactOptional(),
  unmatched: text.nullable(),
  review: text.nullable(),
  /** Rows of the list that cannot be read; absent: such a list is refused. */
  rejects: text.exactOptional(),
  /** Absent: files of a run whose checks fail get names of their own. */
  onFail: z.literal('replace').exactOptional(),
  /** The user named `path` on the command line: it may lie outside the project. */
  isAnywhere: mark,
  /** Folders outside the project that the user allows outputs in. */
  roots: list(text).exactOptional(),
})

const shard = object({
  /** From 1. */
  number: count,
  of: count,
  /** Rows before its own. */
  from: count,
  /** Rows sent before its own: those, or the different ones among them. */
  asked: count,
  /** In bytes of the text of the table: where the header ends, and where the rows lie; null for its end. */
  span: object({ head: count, from: count, to: count.nullable() }),
})

const rule = object({
  code: count,
  param0: text.exactOptional(),
  param1: text.exactOptional(),
  param2: text.exactOptional(),
})
const portfolio = object({
  /** `name` or `id` is not null. */
  name: text.nullable(),
  id: count.nullable(),
  /** The column that becomes a company's reference, null for none. */
  reference: column.nullable(),
  /** By country; `default` switches on every rule of the country. Absent: rules are left alone. */
  rules: record(z.union([z.literal('default'), list(rule)])).exactOptional(),
  /** Companies are compared and sent as a file. */
  sync: mark,
  /** Companies that are gone from the list are removed, unless they are more than the share `max` of the portfolio. */
  remove: object({ max: count.nullable() }).exactOptional(),
})
const screen = object({
  datasets: list(word<Dataset>()),
  /** Least score of a hit, 0 to 100. */
  threshold: z.literal(THRESHOLDS),
  /** Upper-case codes; empty for all countries. */
  countries: list(text),
  /** Most searches, one credit each; null for no limit. */
  budget: count.nullable(),
  /** `age`: of the imported lists, in milliseconds. */
  lists: object({ age: count }).exactOptional(),
  /** The imported lists are proved before the run: limits that must not hold, and how many names are changed. */
  verify: object({ fail: list(text), sample: count }).exactOptional(),
  /** The directors of the companies are searched for as well. */
  people: z.literal('directors').exactOptional(),
  /** Searches are put under monitoring. `remove`: as in portfolios, the share of the monitored searches. */
  monitor: object({ remove: object({ max: count.nullable() }) }).exactOptional(),
  /** The file of new hits of searches under monitoring. */
  alerts: text.exactOptional(),
  /** What people decided about hits: a file applied to them. */
  decisions: text.exactOptional(),
})
const accept = object({
  /** Bands that stay matched; null for all but the bands of `review`. */
  banding: list(text).nullable(),
  /** Bands for a person to look at. */
  review: list(text),
  /** Part of the pattern -> the upper-case letters it may have. */
  pattern: record(text).nullable(),
})
const candidates = object({
  /** In the order in which they are asked about. */
  for: list(z.enum(['review', 'unmatched'])),
  /** Most questions. */
  limit: count,
  /** Most credits, one a question or fetched company; null for no limit. */
  budget: count.nullable(),
  /** How the tags of accepted companies are fetched; null: not at all. */
  fetch: z.enum(['job', 'report']).nullable(),
})

/** `asOf`: the day of the decisions if the pipeline names one; `waits`: they need the searches of the run; `events`: the events of its portfolio. */
const decide = object({ path: text, asOf: text.nullable(), table: tableSchema, waits: mark, events: mark })

/** A decision tree of the service, by name or id, with the columns of its fields; `budget`: most runs of it, null for no limit. */
const tree = object({ name: text, fields: record(TABLE_PARTS.field), budget: count.nullable() })

const parts = list(object({ from: count, rows: count }))
const age = count.optional()
/** In milliseconds. `screen`: AML searches, `candidates`: questions for candidates, `decide`: runs of a decision tree; absent: each run asks again. */
const reuse = object({
  ...{ matched: count, unmatched: count, review: count, screen: age, candidates: age, decide: age },
  /** Searches that are older than a day are used. */
  acceptStale: mark,
})
/** Once the rows of a run that uses earlier answers are chosen. */
const known = object({
  /** Rows and jobs that would be sent without earlier answers. */
  sent: count,
  parts,
  /** Rows that have an earlier answer. */
  rows: count,
  /** The digest of the choice, a file of the run directory. */
  choice: text,
  /** Different searches about these rows that an earlier run paid. */
  searches: object({
    ...{ screen: count, candidates: count, oldest: text.exactOptional() },
    /** AML searches at a service that names its lists: those are made again that a changed entry may concern. */
    unproven: count.exactOptional(),
  }).exactOptional(),
  /** budget.credits of a shard by all of its rows, where another part of the whole is for those that are sent. */
  credits: count.nullable().exactOptional(),
})

/** The fields that the report needs. */
export const issueSchema = z.object({
  code: text,
  severity: text,
  message: text,
  count,
  rows: z.array(count),
}) as unknown as z.ZodType<Issue>

export const PLAN_SHAPE = {
  version: z.literal(1),
  name: text,
  description: free(text.nullable()),
  tags: free(list(text)),
  /** The pipeline file as given on the command line. */
  file: free(text),
  service,
  /** Registers of the embedded service; absent for a remote service, which has its own. */
  register: list(register).exactOptional(),
  input: inputFacts,
  /** The row's own id, null when the pipeline names none. */
  key: column.nullable(),
  /** The target of the project file; absent without one. */
  target: text.optional(),
  /** Only the first rows up to this count, null for all. */
  limit: count.nullable(),
  /** Absent: the run is about all of them. */
  shard: shard.exactOptional(),
  /** Of a run that joins the results of shards: how many there were. */
  merged: count.exactOptional(),
  /** Rows of the input that are accounted for: all, the limit, or the rows of the shard. */
  rows: count,
  /** Of these, the empty ones, which are not sent; absent for none. */
  skipped: count.exactOptional(),
  /** Rows that are sent: all of the others, or each different one once. */
  sent: count,
  /** Rows that are alike on the mapped cells are sent once. */
  collapse: flag,
  /** Whether the company numbers of the list are relied on; absent: the service judges by the list. */
  companyNumbers: z.enum(COMPANY_NUMBERS).exactOptional(),
  /** The share of the matches that should be right; absent: as the service has it. */
  precision: z.number().exactOptional(),
  /** One a remote job: the first of its rows among those that are sent, from 0, and how many it has. */
  parts,
  /** Only the mapped columns are sent; absent: all of them. */
  send: z.literal('mapped').exactOptional(),
  /** How long answers of earlier runs are used, by what the service answered; null: they are not. */
  reuse: free(reuse.nullable()),
  /** Absent until the rows with an earlier answer are chosen; then `sent` and `parts` are the others. */
  known: free(known.exactOptional()),
  /** Remote jobs side by side. */
  concurrency: live(count),
  /**
   * Why the file cannot be sent byte for byte, in words (`encoding windows-1252`, `pad`, `limit`, `quotes: relaxed`); empty when
   * it can.
   */
  preparation: free(list(text)),
  mappings: list(mapping),
  /** What was counted in the columns above; absent where nothing was. */
  profile: free(list(columnProfile).exactOptional()),
  /** All columns of the list, and what later lists are held to; absent where nothing is compared. */
  contract: free(object({ expect: z.enum(['known', 'exact']), columns: list(listColumn) }).exactOptional()),
  /** Null: the run ends when matched. */
  enrich: object({ product: word<Product>(), tags: list(text) }).nullable(),
  /** By tag, what the service calls the column of the enriched file; absent: its tag. */
  headers: live(record(text).exactOptional()),
  budget: object({
    rows: count.nullable(),
    credits: count.nullable(),
    month: count.exactOptional(),
    account: z.literal('refuse').exactOptional(),
  }),
  poll: live(object({ everyMs: count, maxMs: count, timeoutMs: count })),
  retry: live(object({ attempts: count })),
  /** Milliseconds; absent: runs stay. */
  retention: live(count.exactOptional()),
  checks: live(list(check)),
  output: output.nullable(),
  /** Which matches of the service stand; null: all. */
  accept: accept.nullable(),
  /** What people decided about rows: a file applied to the output, null for none. */
  decisions: live(text.nullable()),
  /** What a decision does that applies no longer; null or absent: the run fails. */
  undone: live(word<'warn' | 'fail'>().nullable().exactOptional()),
  /** Which rows the service is asked about again, for companies that they may be; null: none. */
  candidates: candidates.nullable(),
  /** Where the companies found are added; null: nowhere. */
  portfolio: portfolio.nullable(),
  /** Events of the portfolio are written to this file, and marked as processed once it is in place; absent: none are read. */
  events: object({ output: text, mark: flag }).exactOptional(),
  /** How the companies found are screened; null: not at all. */
  screen: screen.nullable(),
  /** The rows of the list that are one company are found; absent: they are not. */
  dedupe: object({ keep: z.enum(['filled', 'first']) }).exactOptional(),
  /** Each match is compared with its row; absent: only where a column or a check asks for it. */
  audit: mark,
  /** Where the rows of matches are looked up; absent: the answer alone is compared. */
  auditRegister: list(register).exactOptional(),
  /** The table that decides about the rows, as it was when the run was planned; absent: none. */
  decide: decide.exactOptional(),
  /** The decision tree of the service that decides about the companies found; absent: none. */
  tree: tree.exactOptional(),
  /** The day on which the run was planned, which is the day of its decisions unless the pipeline names one. */
  decideOn: free(text.exactOptional()),
  /** What happens to the remote jobs once all results are written; absent: nothing. */
  after: free(z.literal('archive').exactOptional()),
  /** What row content may enter reports: none, rows in review, or those, the unmatched and duplicates. `mask` names mappings or headers. */
  report: live(object({ rows: z.enum(['none', 'review', 'all']), mask: list(text) })),
  /** Warnings found while planning. */
  issues: free(list(issueSchema)),
  /** Digest of the work, see planning/fingerprint.ts. */
  fingerprint: free(text),
}
export const planSchema = object(PLAN_SHAPE)

/** A pipeline resolved against its input: `check` prints it and `run` executes it. */
export type Plan = z.infer<typeof planSchema>
/** What one pass over the whole input found. Rows are records without the header; blank lines are not rows. */
export type InputFacts = z.infer<typeof inputFacts>
/** One of several files of an input. `headBytes`: the header in the text of its table, which is skipped after the first file. */
export type InputFile = z.infer<typeof inputFile>
export type InputQuery = z.infer<typeof query>
export type Packing = z.infer<typeof packing>
/** One mapping, resolved: the service's name and the column it is read from. */
export type PlannedMapping = z.infer<typeof mapping>
/** What the whole input holds in a mapped column or in the key, regardless of the limit of a run. */
export type ColumnProfile = z.infer<typeof columnProfile>
/** A count or a share with a comparison, as written: `< 90%`, `> 500`. A share is held as 0 to 1. */
export type Threshold = z.infer<typeof threshold>
/** The service; credentials are never part of it. */
export type PlannedService = z.infer<typeof service>
/** A register that the embedded service of a run matches against, as it was when the run was planned. */
export type PlannedRegister = z.infer<typeof register>
/** The result files a run writes. */
export type PlannedOutput = z.infer<typeof output>
/** Which rows of the input a run is about, where several runs share it. */
export type Shard = z.infer<typeof shard>
export type PlannedPortfolio = z.infer<typeof portfolio>
export type PlannedRule = z.infer<typeof rule>
export type PlannedScreen = z.infer<typeof screen>
export type PlannedAccept = z.infer<typeof accept>
export type PlannedDecide = z.infer<typeof decide>
export type PlannedTree = z.infer<typeof tree>
export type PlannedCandidates = z.infer<typeof candidates>
export type PlannedReuse = z.infer<typeof reuse>
/** Of a run that uses earlier answers, once its rows are chosen. */
export type KnownRows = z.infer<typeof known>
export type KnownSearches = NonNullable<KnownRows['searches']>

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
  | 'doubtful'
  | 'declined'
  | 'referred'
  | 'screened'
  | 'hits'
/** What a check of the list looks at before anything is sent, as a share of what the last good run had. */
export type ListCheckName = 'rows' | 'filled'
export type CheckName = ResultCheckName | ListCheckName
/** One entry of `checks:`. */
export type PlannedCheck<Name extends CheckName = CheckName> = Plan['checks'][number] & { readonly name: Name }
