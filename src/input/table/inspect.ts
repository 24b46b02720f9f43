/** Inspects an input: a file, or several files as one list, where the rows of each file follow the rows of the file before. */
import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { counted } from '../../counted.ts'
import { type Issue, issue } from '../../errors.ts'
import { versionAt } from '../../files/open-input.ts'
import { listFiles } from '../../files/paths.ts'
import type { InputFacts, InputFile, InputOptions, RejectReason, TableEdges } from '../../pipeline/model/types.ts'
import type { CellCounter } from '../scan/column-profiler.ts'
import { type InspectExtra, type InspectedFile, type Inspection, inspectFile, refuseChanged, refused } from './inspect-file.ts'
import type { RecordMark } from './record-offsets.ts'
import { readRejects, readRows } from './records.ts'
import { REJECT_WORDS } from './rejects.ts'
import { isOfBareQuotes } from './scan-issues.ts'
import { ALL_SHEETS, chooseSheets, differences, type Source } from './several.ts'

export type { Inspection } from './inspect-file.ts'

/** Options for a table when only its name is known. */
export const AS_FOUND = { encoding: 'auto', delimiter: 'auto', header: true, quotes: 'strict', sheet: null } as const

const MAX_ISSUES = 50
/** Places that are listed. */
const FEW = 5

/**
 * Reads the input once. Problems of the file are returned, never thrown (codes FETTLE_INPUT_*); an aborted signal
 * throws its reason. An input without any record has FETTLE_INPUT_EMPTY and facts of 0 columns.
 */
export async function inspect(given: AnyQuotes, extra: InspectExtra = {}): Promise<Inspection> {
  const found = await inspectRows(given, extra)
  const { facts, issues } = found
  if (given.sections !== 'skip' || extra.sections === undefined || facts === null || issues.some(isError)) return found
  // The name of its sheet is not a cell of the row.
  const ownCells = (row: readonly string[]): readonly string[] => (namesSheets(facts) ? row.slice(0, -1) : row)
  const reader = extra.sections(facts.header && ownCells(facts.header))
  let read = 0
  for await (const row of readRows(facts, extra.root)) {
    if (++read % 1000 === 0) extra.signal?.throwIfAborted()
    reader.add(ownCells(row))
  }
  const { found: sections, doubtful } = reader.end()
  if (sections.length + doubtful.length === 0) return found
  const lines = new Map([...sections, ...doubtful].map(({ row }) => [row, 0]))
  const omit = new Set(sections.map(({ row }) => row))
  const again = await inspectRows({ ...given, quotes: facts.quotes }, { ...extra, sections: undefined, omit, lines })
  if (again.facts !== null && again.facts.sha256 !== facts.sha256) return refuseChanged(facts.path)
  const notices = issues.filter(({ code, severity }) => code === 'FETTLE_INPUT_QUOTE' && severity === 'info')
  return {
    ...again,
    issues: [...(given.quotes === 'auto' ? notices : []), ...again.issues],
    sections: { found: sections, doubtful, lines },
  }
}

const namesSheets = ({ files = [] }: InputFacts): boolean =>
  files.some(({ packed }) => packed?.as === 'xlsx' && packed.naming !== undefined)

/** As `inspect`; the rows in `extra.omit` are headings and totals. */
async function inspectRows(given: AnyQuotes, extra: InspectExtra): Promise<Inspection> {
  if (given.quotes === 'auto') return inspectQuotes({ ...given, quotes: 'strict' }, extra)
  const options = { ...given, quotes: given.quotes }
  const found = await inspectList(options, extra)
  const { rejects, ...strict } = options
  if (rejects === undefined) return found
  const rejected = found.facts?.rejected === undefined ? null : await rejectedIssue(found.facts, rejects, extra.root)
  const issues = rejected === null ? found.issues : [rejected, ...found.issues]
  const refusals = issues.filter(({ code, severity }) => code === 'FETTLE_INPUT_REJECTS' && severity === 'error')
  if (refusals.length === 0) return { ...found, issues }
  // Refused as without `rejects`: with the places of all rows that cannot be read.
  const refused = await inspectList(strict, { ...extra, watch: undefined })
  return { ...refused, issues: [...refusals, ...refused.issues] }
}

/** `auto`: relaxed where that alone makes every row readable, and no cell is read in two ways. */
type AnyQuotes = Omit<InputOptions, 'quotes'> & { readonly quotes: InputOptions['quotes'] | 'auto' }

const isError = ({ severity }: Issue): boolean => severity === 'error'

async function inspectQuotes(options: InputOptions, extra: InspectExtra): Promise<Inspection> {
  const strict = await inspectRows(options, extra)
  const errors = strict.issues.filter(isError)
  if (errors.length === 0 || !errors.every(isOfBareQuotes)) return strict
  const relaxed = await inspectRows({ ...options, quotes: 'relaxed' }, extra)
  if (relaxed.facts === null || relaxed.issues.some(isError)) return strict
  const [first] = errors
  const { path, columns } = relaxed.facts
  const message = `${path}: quotes inside cells are read as text; every row has ${counted(columns, 'cell')} that way`
  const notice = issue('FETTLE_INPUT_QUOTE', message, { severity: 'info', at: first!.at, hint: null })
  return { ...relaxed, issues: [notice, ...relaxed.issues] }
}

/** Returns how many rows cannot be read, as an error with the first of them if they are more than the limit. */
async function rejectedIssue(
  facts: InputFacts,
  { value, unit, text }: NonNullable<InputOptions['rejects']>,
  root?: string,
): Promise<Issue> {
  const { path, rows } = facts
  const rejected = facts.rejected!
  const all = rows + rejected.rows
  // A list without a row that can be read is not an empty one.
  const isOver = rejected.rows / (unit === 'share' ? all : 1) > value || rows === (facts.emptyRows ?? 0)
  const reasons = Object.entries(rejected.reasons).map(([reason, count]) => `${REJECT_WORDS[reason as RejectReason]}: ${count}`)
  const found = `${rejected.rows} of ${counted(all, 'row')} of ${path} cannot be read (${reasons.join(', ')})`
  const about = { at: { file: path, line: null, column: null }, count: rejected.rows }
  if (!isOver) {
    const message = `${found} and ${rejected.rows === 1 ? 'is' : 'are'} left out, as failed`
    return issue('FETTLE_INPUT_REJECTS', message, {
      ...about,
      severity: 'warn',
      hint: 'The rejects file of the run has these rows.',
    })
  }
  const first: string[] = []
  for await (const { file, line, why } of readRejects(facts, root)) {
    first.push(`${facts.files === undefined ? '' : `${file}, `}line ${line} (${why})`)
    if (first.length === FEW) break
  }
  const more = rejected.rows > first.length ? ' …' : ''
  return issue('FETTLE_INPUT_REJECTS', `${found}, and input.rejects.max allows ${text}: ${first.join(', ')}${more}`, about)
}

async function inspectList(options: InputOptions, extra: InspectExtra): Promise<Inspection> {
  const files = await listFiles(options.path, extra.root)
  if (files !== null && 'code' in files) return refused(files)
  if (options.sheet === ALL_SHEETS) {
    const paths = files ?? [options.path]
    const before = await listVersions(paths, extra.root)
    const chosen = await chooseSheets(paths, options, extra)
    if ('facts' in chosen) return chosen
    const found = await inspectFiles(chosen.list, options, extra)
    const after = await listVersions(paths, extra.root)
    const changed = paths.find((_, at) => after[at] !== before[at])
    if (changed !== undefined) return refuseChanged(changed)
    return { ...found, issues: [chosen.choice, ...found.issues] }
  }
  if (files === null) return inspectFile(options, extra)
  return inspectFiles(
    files.map(path => ({ path })),
    options,
    extra,
  )
}

const listVersions = (paths: readonly string[], root = ''): Promise<(string | null)[]> =>
  Promise.all(
    paths.map(path =>
      versionAt(resolve(root, path)).then(
        ({ id }) => id,
        () => null,
      ),
    ),
  )

async function inspectFiles(files: readonly Source[], options: InputOptions, extra: InspectExtra): Promise<Inspection> {
  const issues: Issue[] = []
  const edges: TableEdges[] = []
  const found: Found[number][] = []
  let rows = 0
  /** The counters of the first file, which count on. */
  let counters: readonly CellCounter[] | undefined
  for (const source of files) {
    const namesSheet = source.sheet !== undefined
    const inspected = await inspectFile({ ...options, ...source }, extra, { rows, counters, namesSheet })
    if (inspected.table !== null) counters ??= inspected.cells
    issues.push(...inspected.issues)
    edges.push(...inspected.edges)
    if (inspected.facts === null || inspected.table === null) continue
    const first = found[0]?.facts
    if (first !== undefined) issues.push(...differences(inspected.facts, first))
    found.push({ facts: inspected.facts, marks: inspected.marks, table: inspected.table })
    rows += inspected.facts.rows
  }
  const none = { issues: issues.slice(0, MAX_ISSUES), cells: [], marks: [], edges }
  if (found.length < files.length) return { ...none, facts: null }
  return { ...none, facts: joinFacts(options.path, found), cells: counters ?? [], marks: joinMarks(found) }
}

type Found = readonly (Pick<InspectedFile, 'marks'> & {
  readonly facts: InputFacts
  readonly table: NonNullable<InspectedFile['table']>
})[]

function joinFacts(path: string, found: Found): InputFacts {
  const all = found.map(({ facts }) => facts)
  const [first] = all as [InputFacts]
  const sum = (of: (facts: InputFacts) => number): number => all.reduce((total, facts) => total + of(facts), 0)
  const hash = createHash('sha256')
  for (const { path, sha256 } of all) hash.update(`${sha256}  ${path}\n`)
  return {
    path,
    bytes: sum(facts => facts.bytes),
    files: found.map(({ facts, table }): InputFile => {
      const { path, bytes, sha256, rows, rejected, encoding, packed, skipped, linesBefore } = facts
      return { path, bytes, sha256, rows, rejected, headBytes: table.headBytes, encoding, packed, skipped, linesBefore }
    }),
    mtimeMs: Math.max(...all.map(facts => facts.mtimeMs)),
    sha256: hash.digest('hex'),
    encoding: all.find(facts => facts.encoding !== 'utf-8')?.encoding ?? 'utf-8',
    bom: false,
    delimiter: first.delimiter,
    delimiterEvidence: first.delimiterEvidence,
    // The text of a sheet has proper quotes, which read the same in both ways.
    quotes: all.some(({ quotes }) => quotes === 'relaxed') ? 'relaxed' : 'strict',
    header: first.header,
    columns: first.columns,
    rows: sum(facts => facts.rows),
    rejected: joinRejected(all),
    emptyRows: sum(facts => facts.emptyRows ?? 0) || undefined,
    sections: all.some(({ sections }) => sections) ? all.flatMap(({ sections = [] }) => sections) : undefined,
    blankLines: sum(facts => facts.blankLines),
    lineEnd: all.every(facts => facts.lineEnd === first.lineEnd) ? first.lineEnd : 'mixed',
  }
}

function joinRejected(all: readonly InputFacts[]): InputFacts['rejected'] {
  const found = all.flatMap(({ rejected }) => rejected ?? [])
  if (found.length === 0) return undefined
  const reasons: Record<string, number> = {}
  for (const own of found)
    for (const [reason, count] of Object.entries(own.reasons)) reasons[reason] = (reasons[reason] ?? 0) + count
  return { rows: found.reduce((sum, { rows }) => sum + rows, 0), reasons }
}

/** Places in the joined text, as `tableText` yields it. */
function joinMarks(found: Found): RecordMark[] {
  const marks: RecordMark[] = []
  let records = 0
  let offset = 0
  for (const [at, { facts, marks: own, table }] of found.entries()) {
    const skipped = at === 0 || facts.header === null ? { records: 0, bytes: 0 } : { records: 1, bytes: table.headBytes }
    for (const mark of own)
      if (mark.records >= skipped.records && mark.offset >= skipped.bytes)
        marks.push({ records: records + mark.records - skipped.records, offset: offset + mark.offset - skipped.bytes })
    records += facts.rows + (facts.header === null ? 0 : 1) - skipped.records
    offset += table.bytes - skipped.bytes + (table.endsLine ? 0 : 1)
  }
  return marks
}
