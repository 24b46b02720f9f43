/**
 * Decisions of users about rows, one line per row and company, and the file that holds them. Later lines override earlier ones;
 * expired lines are ignored.
 */
import { extname } from 'node:path'
import { FettleError, type Issue, issue, type Place } from '../../errors.ts'
import { type SinkOptions, writeAtomic } from '../../files/atomic-file.ts'
import { withoutGuard } from '../../formats/formula-guard.ts'
import { csvText } from '../../formats/text-formats.ts'
import { AS_FOUND, inspect } from '../../input/table/inspect.ts'
import { parseRows, parserOptions, tableText } from '../../input/table/records.ts'
import { FINGERPRINT } from '../row-fingerprint.ts'
import { DECISION_COLUMNS, type Decision } from './decision.ts'

export interface Verdict {
  readonly accepted: Decision | null
  readonly rejected: ReadonlyMap<string, Decision>
  readonly none: Decision | null
}

const OPEN: Verdict = { accepted: null, rejected: new Map(), none: null }

function after({ accepted, rejected, none }: Verdict, line: Decision): Verdict {
  const { decision, company } = line
  if (decision === 'undo') return OPEN
  if (decision === 'accept')
    return { accepted: line, rejected: new Map([...rejected].filter(([id]) => id !== company)), none: null }
  if (company === '') return { accepted: null, rejected, none: line }
  return {
    accepted: accepted?.company === company ? null : accepted,
    rejected: new Map([...rejected, [company, line]]),
    none,
  }
}

const isDecided = ({ accepted, rejected, none }: Verdict): boolean => accepted !== null || rejected.size > 0 || none !== null

export class Decisions {
  readonly expired: number
  readonly #verdicts = new Map<string, Verdict>()

  /** `today` is a UTC day, such as 2026-11-21. */
  constructor(lines: readonly Decision[], today: string) {
    const valid = lines.filter(({ expires }) => expires === '' || expires >= today)
    this.expired = lines.length - valid.length
    for (const line of valid) this.#verdicts.set(line.fingerprint, after(this.of(line.fingerprint) ?? OPEN, line))
    for (const [fingerprint, verdict] of this.#verdicts) if (!isDecided(verdict)) this.#verdicts.delete(fingerprint)
  }

  get rows(): number {
    return this.#verdicts.size
  }

  of(fingerprint: string): Verdict | undefined {
    return this.#verdicts.get(fingerprint)
  }

  /** The decisions about a row by the first of its fingerprints that has any. */
  about(fingerprints: readonly string[]): Verdict | undefined {
    const found = fingerprints.find(fingerprint => this.#verdicts.has(fingerprint))
    return found === undefined ? undefined : this.of(found)
  }

  /** All lines in force. */
  lines(): Decision[] {
    return this.linesAbout(this.#verdicts.keys())
  }

  /** The lines in force about these rows. */
  linesAbout(fingerprints: Iterable<string>): Decision[] {
    return [...fingerprints].flatMap(fingerprint => {
      const { accepted, rejected, none } = this.of(fingerprint) ?? OPEN
      return [...rejected.values(), none, accepted].filter(line => line !== null)
    })
  }
}

/** Pairs of lines that accept different companies for one row: the first pair of each row. */
function contradictions(lines: readonly Decision[]): (readonly [earlier: number, later: number])[] {
  const accepted = new Map<string, number>()
  const found = new Map<string, readonly [number, number]>()
  for (const [at, { fingerprint, decision, company }] of lines.entries()) {
    const before = accepted.get(fingerprint)
    if (decision === 'accept') {
      if (before !== undefined && lines[before]!.company !== company && !found.has(fingerprint))
        found.set(fingerprint, [before, at])
      accepted.set(fingerprint, at)
    } else if (before !== undefined && (decision === 'undo' || company === '' || company === lines[before]!.company))
      accepted.delete(fingerprint)
  }
  return [...found.values()]
}

/** Adds lines to the lines of a file: new decisions about a row replace all earlier ones. */
export function mergeDecisions(old: readonly Decision[], added: readonly Decision[]): Decision[] {
  const replaced = new Set(added.map(({ fingerprint }) => fingerprint))
  const undone = (line: Decision, at: number): boolean =>
    added.slice(at).some(later => later.decision === 'undo' && later.fingerprint === line.fingerprint)
  const hasUndo = added.some(({ decision }) => decision === 'undo')
  return [
    ...old.filter(({ fingerprint }) => !replaced.has(fingerprint)),
    ...(hasUndo ? added.filter((line, at) => !undone(line, at)) : added),
  ]
}

/** What a person writes beside a row that stays open. */
export const LATER = 'later'

/** Problems listed one by one; the rest are counted. */
const MOST = 20
const DAY = /^\d{4}-\d\d-\d\d$/
const TIME = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/

export interface DecisionLines<Column extends string> {
  /** The cells by column, '' for a column that the table lacks, and the line of the file. */
  readonly lines: readonly {
    readonly cells: Readonly<Record<Column, string>>
    readonly line: number
    /** Where the cell begins in its line, from 1; null for a column that the table lacks. */
    readonly columnOf: (column: Column) => number | null
  }[]
  readonly issues: Issue[]
}

/** A problem of a line of a decisions file. */
export const decisionIssue = (file: string, message: string, line: number): Issue =>
  issue('FETTLE_DECISIONS', `${file}: ${message}`, { at: { file, line, column: null } })

/** The company of a line that has no decision. */
interface OpenLine extends Place, Pick<Decision, 'fingerprint' | 'company'> {}

/** Reads a table of decisions with these columns, in any order; the first `needed` must be there. */
export async function readDecisionTable<Column extends string>(
  path: string,
  root: string,
  columns: readonly Column[],
  needed: number,
): Promise<DecisionLines<Column>> {
  const { facts, issues } = await inspect({ ...AS_FOUND, path }, { root })
  const errors = issues.filter(({ severity, code }) => severity === 'error' && code !== 'FETTLE_INPUT_EMPTY')
  if (errors.length > 0) return { lines: [], issues: errors.map((error): Issue => ({ ...error, code: 'FETTLE_DECISIONS' })) }
  if (facts === null || facts.rows === 0) return { lines: [], issues: [] }
  const header = (facts.header ?? []).map(name => name.trim().toLowerCase())
  const places = columns.map(column => header.indexOf(column.toLowerCase()))
  const missing = columns.slice(0, needed).filter((_, at) => places[at] === -1)
  if (missing.length > 0) {
    const has = (facts.header ?? []).slice(0, 10).join(', ')
    const last = missing.length === 1 ? 'column' : 'columns'
    const named = [missing.slice(0, -1).join(', '), missing.at(-1)].filter(text => text !== '').join(' and ')
    const message = `the ${last} ${named} ${missing.length === 1 ? 'is' : 'are'} missing (its columns: ${has})`
    return { lines: [], issues: [decisionIssue(facts.path, message, 1)] }
  }
  const lines: DecisionLines<Column>['lines'][number][] = []
  const options = { ...parserOptions(facts.delimiter, facts.quotes), info: true, raw: true }
  const records = parseRows(tableText(facts, root), options) as AsyncIterable<unknown>
  let isHeader = true
  type Parsed = { readonly record: string[]; readonly raw: string; readonly info: { readonly lines: number } }
  for await (const { record, raw, info } of records as AsyncIterable<Parsed>) {
    if (!isHeader) {
      const cells = columns.map((column, at) => [column, withoutGuard((record[places[at]!] ?? '').trim(), ',')] as const)
      lines.push({
        cells: Object.fromEntries(cells) as Record<Column, string>,
        line: info.lines + (facts.linesBefore ?? 0),
        columnOf: column => cellStart(raw, places[columns.indexOf(column)]!, facts.delimiter),
      })
    }
    isHeader = false
  }
  return { lines, issues: [] }
}

function cellStart(record: string, cell: number, delimiter: string): number | null {
  if (cell === -1) return null
  let [seen, isQuoted] = [0, false]
  for (let at = 0; at < record.length; at++) {
    if (seen === cell) return at + 1
    if (record[at] === '"') isQuoted = !isQuoted
    else if (record[at] === delimiter && !isQuoted) seen++
  }
  return record.length
}

/**
 * Reads a decisions file: any table with the columns `fingerprint` and `decision`. Returns all problems at once. Lines without a
 * decision are skipped.
 */
export async function readDecisions(path: string, root = ''): Promise<ReadLines<Decision>> {
  const { lines, issues } = await readPlacedDecisions(path, root)
  return { lines, issues }
}

/** The same. `places`: the company of each line; `open`: companies of lines without a decision. */
export async function readPlacedDecisions(path: string, root = '') {
  const table = await readDecisionTable(path, root, DECISION_COLUMNS, 2)
  if (table.issues.length > 0) return { lines: [], issues: table.issues, places: [], open: [] }
  const issues: Issue[] = []
  const lines: Decision[] = []
  const numbers: number[] = []
  const places: Place[] = []
  const open: OpenLine[] = []
  for (const { cells, line: number, columnOf } of table.lines) {
    const line = { ...cells, decision: cells.decision.toLowerCase() }
    const place = { file: path, line: number, column: columnOf('company') }
    if (line.decision === '' && line.company !== '') open.push({ ...place, fingerprint: line.fingerprint, company: line.company })
    if (line.decision === '' || line.decision === LATER) continue
    const problem = findProblem(line)
    if (problem !== null) issues.push(decisionIssue(path, problem, number))
    lines.push(line as Decision)
    numbers.push(number)
    places.push(place)
  }
  for (const [before, at] of issues.length === 0 ? contradictions(lines) : [])
    issues.push(decisionIssue(path, `line ${numbers[before]} already accepts a different company for this row`, numbers[at]!))
  return { lines: issues.length > 0 ? [] : lines, issues: fewIssues(issues, path), places, open }
}

/** The first problems, and how many more there are. */
export function fewIssues(issues: readonly Issue[], path: string): Issue[] {
  const rest = issues.length - MOST
  if (rest <= 0) return [...issues]
  return [...issues.slice(0, MOST), decisionIssue(path, `${rest} more lines are wrong`, issues.at(-1)!.at!.line!)]
}

interface ReadLines<Line> {
  readonly lines: readonly Line[]
  readonly issues: readonly Issue[]
}

/** Throws FETTLE_DECISIONS. */
export function requireLines<Line>({ lines, issues }: ReadLines<Line>): readonly Line[] {
  const [first] = issues
  if (first === undefined) return lines
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
  throw new FettleError('FETTLE_DECISIONS', first.message + more, { at: first.at, issues })
}

export const requireDecisions = async (path: string, root = ''): Promise<readonly Decision[]> =>
  requireLines(await readDecisions(path, root))

export async function writeDecisions(
  path: string,
  lines: readonly Decision[],
  { isShared = true, ...place }: Pick<SinkOptions, 'isShared' | 'root' | 'roots'> = {},
): Promise<void> {
  if (extname(path).toLowerCase() !== '.csv')
    throw new FettleError('FETTLE_OUTPUT_WRITE', `cannot write ${path}: decisions are stored in a .csv file`)
  await writeAtomic(path, decisionsText(lines), { isShared, ...place })
}

const STYLE = { delimiter: ',', lineEnd: '\n', columns: DECISION_COLUMNS.length }

export const decisionsText = (lines: readonly Decision[]): string =>
  csvText([DECISION_COLUMNS, ...lines.map(line => DECISION_COLUMNS.map(column => line[column]))], STYLE).replaceAll('\0', '')

type Line = Omit<Decision, 'decision'> & { readonly decision: string }

function findProblem({ fingerprint, decision, company, at, expires }: Line): string | null {
  if (!FINGERPRINT.test(fingerprint)) return `${JSON.stringify(fingerprint)} is not a fingerprint of a row`
  if (!['accept', 'reject', 'undo'].includes(decision))
    return `${JSON.stringify(decision)} is not a decision: expected accept, reject, later or undo`
  if (decision === 'accept' && company === '') return 'accept needs a company'
  if (at !== '' && !isMoment(at)) return `at: ${JSON.stringify(at)} is not a date such as 2026-11-21`
  if (expires !== '' && !isDay(expires)) return `expires: ${JSON.stringify(expires)} is not a date such as 2027-11-21`
  return null
}

export const isDay = (text: string): boolean => isTime(text, DAY)
export const isMoment = (text: string): boolean => isTime(text, TIME)

const isTime = (text: string, form: RegExp): boolean => {
  if (!form.test(text)) return false
  const day = text.slice(0, 10)
  const time = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day)
}
