/** Writes the output files of a run: rows go to temporary files, which all get their names at the end. */
import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { FettleError } from '../../errors.ts'
import { openSink, type Sink, type SinkOptions } from '../../files/atomic-file.ts'
import type { FileContext } from '../../files/open-input.ts'
import { neutralise } from '../../formats/formula-guard.ts'
import { formatFacts, formatOfOutput } from '../../formats/index.ts'
import { csvText, type RowFormat } from '../../formats/text-formats.ts'
import { openFormat } from '../../formats/writers.ts'
import type { SheetLook } from '../../formats/xlsx.ts'
import { readRejects } from '../../input/table/records.ts'
import {
  type ColumnType,
  columnName,
  columnTypeOf,
  GROUP_COLUMNS,
  listColumns,
  outputNames,
  type SheetColumn,
  TEXT,
} from '../../model/columns.ts'
import { explainInWords } from '../../model/reasons.ts'
import type { ChangeCounts, Outcomes, OutputFile, PublishedResults, UnfitColumn, UnknownCompanies } from '../../model/results.ts'
import type { Packing, Plan, PlannedOutput } from '../../pipeline/model/types.ts'
import { acceptColumns } from '../accept.ts'
import type { AnsweredJob } from '../answers.ts'
import type { AuditRegister } from '../audit.ts'
import { DECISION_CELLS } from '../decide-rows.ts'
import type { AcceptedTags, RowResult } from '../decisions/apply-decisions.ts'
import type { Decisions } from '../decisions/decisions.ts'
import { type EnrichedColumns, NO_COLUMNS } from '../enriched-columns.ts'
import type { RowOutcome } from '../enriched-file.ts'
import type { HitDecisions } from '../hits/judge-hits.ts'
import { SCREEN_CELLS } from '../hits/screened-hits.ts'
import type { JoinedRow, RowSink } from '../row-sink.ts'

/** A run whose rows were kept. */
export interface Baseline {
  readonly runId: string
  readonly workDir: string
}

/** What checks look at besides outcomes. */
interface Found extends Pick<PublishedResults, 'decisions' | 'audit' | 'decide'> {
  readonly changes: ChangeCounts | null
}

/** The tags of companies as the registers of a run have them. */
export interface CompanyTags extends AcceptedTags {
  /** The companies asked for that the registers do not have; null for none. */
  unknown(): UnknownCompanies | null
  close(): void
}

export interface ResultsOptions extends FileContext {
  /** Reads the decisions to apply; called when outputs are written. */
  readonly decisions?: () => Promise<Decisions | null>
  /** Opens the registers of the run for the tags of accepted companies; absent for a remote service. */
  readonly companyTags?: (() => Promise<CompanyTags>) | undefined
  /** Reads the decisions about hits; called when they are applied. */
  readonly hitDecisions?: () => Promise<HitDecisions | null>
  /** Whether the outcomes of all rows fail a check, so that the outputs of the last good run stay. */
  readonly isRejected?: (outcomes: Outcomes, found: Found) => boolean
  /** Reads decisions files that the run does not apply: the file by row. Called when the run has no decision. */
  readonly otherDecisions?: () => Promise<ReadonlyMap<string, string>>
  /** The run to compare the rows with. */
  readonly baseline?: Baseline | null
  /** Finds what the columns `dup.*` have for each row, from 1. */
  readonly groups?: (plan: Plan) => Promise<RowGroups>
  /** Opens the registers of the audit. */
  readonly auditRegister?: (plan: Plan) => Promise<AuditRegister>
  /** Keeps the answers of these jobs for later runs; absent: they are not kept. */
  readonly answerSink?: ((jobs: readonly AnsweredJob[]) => RowSink) | undefined
  /** Permissions of the outputs; those that the umask leaves if absent. */
  readonly mode?: number | undefined
  /** Opens the sink of an output; a local file when absent. */
  readonly openSink?: (path: string, options: SinkOptions) => Promise<Sink>
}

type RowGroups = (row: number) => Readonly<Record<string, string>>

const BATCH = 500
const REJECT_COLUMNS = ['file', 'line', 'reason', 'row']

/** Where an output may lie, for its sink. */
export const placeOf = (output: PlannedOutput, path: string, root: string): Pick<SinkOptions, 'root' | 'roots' | 'isIgnored'> =>
  // A folder that the user named outside the project is not ours to keep out of a repository.
  output.isAnywhere === true && path === output.path
    ? { root, roots: null }
    : { root, roots: output.roots ?? [], isIgnored: true }

/** `out/list.rejected.csv`, `out/list.rejected.csv.gz` */
const rejectedName = (path: string): string => path.replace(/(\.[^./\\]*(?:\.gz)?)?$/i, '.rejected$1')

interface Writer {
  readonly kind: OutputFile['kind']
  readonly includes: (outcome: RowOutcome) => boolean
  readonly sink: Sink
  format: RowFormat | null
  /** Its columns, by the first answers. */
  chosen: readonly string[]
  batch: string[][]
  rows: number
}

type Layout = ReturnType<typeof makeLayout>

/** All output files of a plan. Throws FETTLE_OUTPUT_WRITE; always call `discard`. */
export class Writers implements RowSink {
  readonly #plan: Plan
  readonly #output: PlannedOutput
  readonly #writers: Writer[] = []
  /** By the columns of the answers, and by file. */
  #layouts = new Map<EnrichedColumns, Layout[]>()
  readonly #missing = new Set<string>()
  readonly #groups: RowGroups | null

  private constructor(plan: Plan, output: PlannedOutput, groups: RowGroups | null) {
    this.#plan = plan
    this.#output = output
    this.#groups = groups
  }

  static async open(plan: Plan, output: PlannedOutput, workDir: string, extra: ResultsOptions): Promise<Writers> {
    const tag = createHash('sha256').update(resolve(workDir)).digest('hex').slice(0, 12)
    const files = [
      { kind: 'output', path: output.path, includes: () => true },
      { kind: 'unmatched', path: output.unmatched, includes: (outcome: RowOutcome) => outcome === 'unmatched' },
      { kind: 'review', path: output.review, includes: (outcome: RowOutcome) => outcome === 'review' },
    ] as const
    const all = new Writers(plan, output, await groupsOf(plan, output, extra))
    try {
      for (const { kind, path, includes } of files) {
        if (path === null) continue
        const place = placeOf(output, path, extra.root ?? '.')
        const sink = await (extra.openSink ?? openSink)(path, { ...place, tag, isShared: true, mode: extra.mode })
        all.#writers.push({ kind, includes, sink, format: null, chosen: [], batch: [], rows: 0 })
      }
      if (output.rejects !== undefined) await all.#writeRejects(output.rejects, { tag, mode: extra.mode }, extra.root ?? '.')
      return all
    } catch (error) {
      await all.discard()
      throw error
    }
  }

  /** Rows that cannot be read are not joined: they are read from the list. */
  async #writeRejects(path: string, options: Pick<SinkOptions, 'tag' | 'mode'>, root: string): Promise<void> {
    const sink = await openSink(path, { ...placeOf(this.#output, path, root), ...options, isShared: true })
    const style = { names: REJECT_COLUMNS, types: [], title: '', delimiter: ',' }
    const writer: Writer = {
      ...{ kind: 'rejects', includes: () => false, sink, chosen: [], batch: [], rows: 0 },
      format: await openFormat('excel', style, path),
    }
    this.#writers.push(writer)
    await sink.write(Buffer.from(writer.format!.head))
    for await (const { file, line, why, text } of readRejects(this.#plan.input, root)) {
      writer.rows++
      writer.batch.push([file, String(line), why, text])
      if (writer.batch.length >= BATCH) await flush(writer)
    }
  }

  async begin(columns: EnrichedColumns): Promise<void> {
    if (columns !== NO_COLUMNS) for (const name of missingColumns(this.#plan, this.#output, columns)) this.#missing.add(name)
    for (const writer of this.#writers) {
      // The first part with answers decides the columns of the review file.
      if (writer.format !== null || (columns === NO_COLUMNS && writer.kind === 'review')) continue
      writer.chosen = chosenColumns(this.#plan, this.#output, columns, writer.kind)
      const layout = this.#makeWriterLayout(writer, columns)
      const { names, types } = layout
      writer.sink.columns?.(names.map((name, column) => ({ name, type: types[column]!.name })))
      writer.format = await this.#formatFor(writer.sink.path, layout)
      await writer.sink.write(Buffer.from(writer.format.head))
    }
    this.#layouts.clear()
  }

  #makeWriterLayout({ sink: { path }, chosen }: Writer, columns: EnrichedColumns): Layout {
    return makeLayout(this.#plan, this.#output, columns, { path, chosen, groups: this.#groups })
  }

  #findLayouts(columns: EnrichedColumns): readonly Layout[] {
    let found = this.#layouts.get(columns)
    if (found === undefined) {
      found = this.#writers.map(writer => this.#makeWriterLayout(writer, columns))
      this.#layouts.set(columns, found)
    }
    return found
  }

  #formatFor(path: string, { names, types, sheetColumns }: Pick<Layout, 'names' | 'types' | 'sheetColumns'>): Promise<RowFormat> {
    const { name, input } = this.#plan
    const title = input.packed?.as === 'xlsx' ? input.packed.sheet : name
    // A spreadsheet reads no tabs in a file .csv.
    const delimiter = input.delimiter === '\t' && this.#output.format === 'excel' ? ',' : input.delimiter
    const table = { names, types, sheetColumns, title, delimiter }
    return openFormat(formatOfOutput(path, this.#output.format), table, path)
  }

  async add(joined: JoinedRow): Promise<void> {
    const { result } = joined
    const layouts = this.#findLayouts(result.columns)
    for (const [at, writer] of this.#writers.entries()) {
      if (!writer.includes(result.outcome)) continue
      writer.rows++
      writer.batch.push(layouts[at]!.row(joined))
      if (writer.batch.length >= BATCH) await flush(writer)
    }
  }

  /** Rejected files get separate names, so that the files of the last good run stay; one without a choice of names is not written. */
  async publishFiles(isRejected: boolean): Promise<OutputFile[]> {
    const files: OutputFile[] = []
    const writers = this.#writers.filter(({ sink }) => !isRejected || sink.hasFixedName !== true)
    const chooseName = ({ sink: { path } }: Writer): string => (isRejected ? rejectedName(path) : path)
    for (const writer of writers) {
      await flush(writer)
      await writer.sink.write(Buffer.from(writer.format?.end?.() ?? ''))
      const sha256 = await writer.sink.finish()
      files.push({ kind: writer.kind, path: chooseName(writer), rows: writer.rows, bytes: writer.sink.bytes, sha256 })
    }
    for (const writer of writers) await writer.sink.publish(...(isRejected ? [chooseName(writer)] : []))
    return files
  }

  /** Chosen columns that the service did not deliver. */
  missing(): string[] {
    return [...this.#missing]
  }

  /** Cells that the types of their columns cannot hold, by file. */
  unfit(): UnfitColumn[] {
    return this.#writers.flatMap(({ sink: { path }, format }) => (format?.unfit?.() ?? []).map(cell => ({ ...cell, path })))
  }

  async discard(): Promise<void> {
    for (const { sink } of this.#writers) await sink.discard()
  }
}

/** Null where no column has them. */
async function groupsOf(plan: Plan, { columns }: PlannedOutput, { groups }: ResultsOptions): Promise<RowGroups | null> {
  if (plan.dedupe === undefined || !columns.some(name => GROUPS.has(name))) return null
  if (groups === undefined) throw new FettleError('FETTLE_BUG', 'nothing finds the groups of rows')
  return groups(plan)
}

async function flush(writer: Writer): Promise<void> {
  if (writer.batch.length === 0) return
  const rows = rendered(writer)
  writer.batch = []
  await writer.sink.write(Buffer.from(rows))
}

function rendered({ format, batch, sink: { path } }: Writer): string | Buffer {
  try {
    return format!.render(batch)
  } catch (error) {
    if (!FettleError.is(error)) throw error
    throw new FettleError(error.code, `cannot write ${path}: ${error.message}`, {
      hint: 'The run directory keeps the enriched rows. For the next run name a .csv file as output.',
    })
  }
}

/** Replaces the file atomically by a table for people: CSV for spreadsheets, or a workbook. Throws FETTLE_OUTPUT_WRITE, FETTLE_OUTPUT_LIMIT. */
export async function writeTable(
  path: string,
  format: 'csv' | 'xlsx',
  names: readonly string[],
  rows: readonly (readonly string[])[],
  sheetColumns: readonly (SheetLook | undefined)[] = [],
): Promise<void> {
  const table = { names, title: 'review', delimiter: ',', sheetColumns }
  const { head, render, end } = await openFormat(format === 'csv' ? 'excel' : format, table)
  const sink = await openSink(path, { isShared: true })
  try {
    for (const part of [head, render(rows), end?.() ?? '']) await sink.write(Buffer.from(part))
    await sink.finish()
    await sink.publish()
  } finally {
    await sink.discard()
  }
}

/** Rows as CSV; formulas are neutralised, as in every table for people. */
export const tableText = (rows: readonly (readonly string[])[]): string =>
  csvText(
    rows.map(row => row.map(cell => neutralise(cell, ','))),
    { delimiter: ',', lineEnd: '\n', columns: rows[0]?.length ?? 1 },
  )

/** Columns that are not text; the service documents no type of any other. */
const COLUMN_TYPES: Readonly<Record<string, string>> = {
  'match.score': 'double',
  'match.matchScore': 'double',
  'general.rowNumber': 'int64',
  'general.duplicateId': 'int64',
  'general.duplicate': 'boolean',
  'general.active': 'boolean',
  'answer.reused': 'boolean',
  'screen.hits': 'int64',
  'screen.cleared': 'int64',
  'screen.confirmed': 'int64',
  'screen.back': 'int64',
}

/** Days, as the embedded service writes them. */
const DAYS: readonly string[] = ['general.incorporationDate', 'general.establishDate']

const typeOfTag = (name: string, { service }: Plan): ColumnType =>
  columnTypeOf(COLUMN_TYPES[name] ?? (service.kind === 'embedded' && DAYS.includes(name) ? 'date' : 'string'))

const CANDIDATE = ['match.candidateId', 'match.candidateName']

/** The type that a column has in every file of the list. */
function inputType(plan: Plan, at: number): ColumnType {
  const { files, packed, query } = plan.input
  if (query !== undefined) return columnTypeOf(query.types[at] ?? '')
  const [first = TEXT, ...others] = (files ?? [{ packed }]).map(file => fileType(file.packed, at))
  return others.every(({ name }) => name === first.name) ? first : TEXT
}

function fileType(packed: Packing | undefined, at: number): ColumnType {
  if (packed?.as === 'parquet') return columnTypeOf(packed.types[at] ?? '')
  if (packed?.as === 'jsonl')
    return columnTypeOf(packed.numbers?.includes(at) ? 'double' : packed.booleans?.includes(at) ? 'boolean' : '')
  return TEXT
}

/** How a column of the file was in the workbook that it is read from. */
export const sheetColumn = (packed: Packing | undefined, at: number): SheetColumn | undefined =>
  packed?.as === 'xlsx' ? packed.columns?.find(({ index }) => index === at) : undefined

/** How a column was in a workbook; of several files as in the first, where all have the same kind of cells in it. */
function inputSheetColumn({ input: { files, packed } }: Plan, at: number): SheetColumn | undefined {
  const [first, ...others] = (files ?? [{ packed }]).map(file => sheetColumn(file.packed, at))
  return others.every(other => other?.is === first?.is) ? first : undefined
}

/** Tags that the enriched file lacks, chosen or used by `accept`; `match.*` columns exist in the embedded service only and do not count. */
const missingColumns = ({ accept }: Plan, output: PlannedOutput, columns: EnrichedColumns): string[] =>
  [...new Set([...output.columns, ...acceptColumns(accept ?? null)])].filter(
    name =>
      name !== '*' &&
      output.own?.[name] === undefined &&
      !/^(?:match|answer|decision|dup|screen)(?:\.|$)/.test(name) &&
      columns.find(name) === -1,
  )

/** The columns of the file of this kind: the output's, and the best candidate for rows in review. */
function chosenColumns(plan: Plan, output: PlannedOutput, columns: EnrichedColumns, kind: OutputFile['kind']): string[] {
  const hasCandidate = (name: string): boolean => columns.find(name) !== -1 || plan.accept != null || plan.candidates != null
  const extra = kind === 'review' ? CANDIDATE.filter(name => hasCandidate(name) && !output.columns.includes(name)) : []
  return [...output.columns, ...extra]
}

/** What is known of an answer itself. */
const ANSWER_CELLS: Readonly<Record<string, (given: RowResult['given']) => string>> = {
  'answer.at': ({ at }) => at,
  'answer.job': ({ job }) => job,
  'answer.reused': ({ reused }) => (reused ? 'Y' : 'N'),
}

const GROUPS: ReadonlySet<string> = new Set(GROUP_COLUMNS)

type WrittenRow = Pick<JoinedRow, 'number' | 'inputRow' | 'result' | 'isRepeat' | 'audit' | 'ruled' | 'screened' | 'unscreened'>

interface LayoutFile {
  readonly groups: RowGroups | null
  readonly path: string
  readonly chosen: readonly string[]
}

/**
 * The layout of the file at `path`, with the columns `chosen`; a file of rows in review has the best candidate, too. A chosen column that the
 * service did not deliver stays empty, except `match.outcome`, which follows from the rest: the rows are paid for by then, so a
 * missing column must not lose them.
 */
function makeLayout(plan: Plan, output: PlannedOutput, columns: EnrichedColumns, { path, chosen, groups }: LayoutFile) {
  const { isForPeople } = formatFacts(formatOfOutput(path, output.format))
  const headers = plan.input.header ?? Array.from({ length: plan.input.columns }, (_, index) => columnName(index))
  const places = listColumns({ ...output, columns: chosen }, headers.length).map(({ name, index }) => ({
    ...{ name, index },
    at: index === null ? columns.find(name) : -1,
  }))
  const outputCell = (name: string, at: number, joined: WrittenRow): string => {
    const { number, result, isRepeat, audit, ruled } = joined
    const { row, outcome, overrideCell, given } = result
    if (groups !== null && GROUPS.has(name)) return outcome === 'skipped' ? '' : groups(number)[name]!
    if (name === 'match.doubt') return audit?.text ?? ''
    if (name === 'match.outcome') return outcome
    const ofTable = DECISION_CELLS[name]
    if (ofTable !== undefined) return ruled === null ? '' : ofTable(ruled)
    const ofScreen = SCREEN_CELLS[name]
    if (ofScreen !== undefined && plan.screen != null) return ofScreen(joined)
    const ofAnswer = ANSWER_CELLS[name]
    if (ofAnswer !== undefined) return outcome === 'skipped' ? '' : ofAnswer(given)
    if (name === 'general.duplicate' && isRepeat && outcome === 'duplicate') return 'Y'
    const cell = overrideCell?.(name) ?? row[at] ?? ''
    if (name !== 'match.why' || !isForPeople) return cell
    const reason = overrideCell?.('match.reason') ?? row[columns.find('match.reason')] ?? ''
    return explainInWords(cell, outcome === 'review' ? reason : null)
  }
  return {
    types: places.map(({ name, index }): ColumnType => (index === null ? typeOfTag(name, plan) : inputType(plan, index))),
    names: outputNames({ ...output, columns: chosen }, headers),
    sheetColumns: places.map(({ index }) => (index === null ? undefined : inputSheetColumn(plan, index))),
    row: (joined: WrittenRow): string[] =>
      places.map(({ name, index, at }) => (index === null ? outputCell(name, at, joined) : (joined.inputRow[index] ?? ''))),
  }
}
