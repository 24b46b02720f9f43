/**
 * The decisions file: any table with the columns `fingerprint` and `decision`, in whatever dialect a spreadsheet left it. All that
 * is wrong with it comes at once. A line without a decision is one that nobody has decided yet.
 */
import { extname } from 'node:path'
import { FettleError, type Issue, issue } from '../../errors.ts'
import { writeAtomic } from '../../files/atomic-file.ts'
import { csvText } from '../../formats/text-formats.ts'
import { inspect } from '../../input/table/inspect.ts'
import { parseRows, parserOptions, tableText } from '../../input/table/records.ts'
import type { InputFacts } from '../../pipeline/model/types.ts'
import { FINGERPRINT } from '../row-fingerprint.ts'
import { contradictions, DECISION_COLUMNS, type Decision, decisionCells } from './decisions.ts'

/** What a decisions file says, and what is wrong with it. */
export interface DecisionsRead {
  readonly lines: readonly Decision[]
  readonly issues: readonly Issue[]
}

const FROM_FILE = { encoding: 'auto', delimiter: 'auto', header: true, quotes: 'strict', sheet: null } as const
/** Problems named one by one; more of them are one problem. */
const MOST = 20
const DAY = /^\d{4}-\d\d-\d\d$/
const TIME = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/

/** Reads a decisions file. A file without lines decides nothing; one that is not there is the caller's to judge. */
export async function readDecisions(path: string, root = ''): Promise<DecisionsRead> {
  const { facts, issues } = await inspect({ ...FROM_FILE, path }, { root })
  const errors = issues.filter(({ severity, code }) => severity === 'error' && code !== 'FETTLE_INPUT_EMPTY')
  if (errors.length > 0) return { lines: [], issues: errors.map(one => ({ ...one, code: 'FETTLE_DECISIONS' })) }
  if (facts === null || facts.rows === 0) return { lines: [], issues: [] }
  return readLines(facts, root)
}

/** As `readDecisions`, for whoever can do nothing but stop. Throws FETTLE_DECISIONS with all problems. */
export async function requireDecisions(path: string, root = ''): Promise<readonly Decision[]> {
  const { lines, issues } = await readDecisions(path, root)
  const [first] = issues
  if (first === undefined) return lines
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
  throw new FettleError('FETTLE_DECISIONS', first.message + more, { at: first.at, issues })
}

/** Writes a decisions file whole, or leaves the old one. Throws FETTLE_OUTPUT_WRITE. */
export async function writeDecisions(path: string, lines: readonly Decision[]): Promise<void> {
  if (extname(path).toLowerCase() !== '.csv')
    throw new FettleError('FETTLE_OUTPUT_WRITE', `cannot write ${path}: decisions are kept in a .csv file`)
  await writeAtomic(path, decisionsText(lines))
}

const STYLE = { delimiter: ',', lineEnd: '\n', columns: DECISION_COLUMNS.length }

/** Decisions as CSV. */
export const decisionsText = (lines: readonly Decision[]): string =>
  csvText([DECISION_COLUMNS, ...lines.map(decisionCells)], STYLE).replaceAll('\0', '')

async function readLines(facts: InputFacts, root: string): Promise<DecisionsRead> {
  const header = (facts.header ?? []).map(name => name.trim().toLowerCase())
  const places = DECISION_COLUMNS.map(column => header.indexOf(column.toLowerCase()))
  const complain = (message: string, line: number): Issue =>
    issue('FETTLE_DECISIONS', `${facts.path}: ${message}`, { at: { file: facts.path, line, column: null } })
  const missing = DECISION_COLUMNS.slice(0, 2).filter((_, at) => places[at] === -1)
  if (missing.length > 0) {
    const has = (facts.header ?? []).slice(0, 10).join(', ')
    return { lines: [], issues: [complain(`there is no column ${missing.join(' and ')} (there is ${has})`, 1)] }
  }
  const lines: Decision[] = []
  const numbers: number[] = []
  const issues: Issue[] = []
  const options = { ...parserOptions(facts.delimiter, facts.quotes), info: true }
  const records = parseRows(tableText(facts, root), options) as AsyncIterable<unknown>
  let isHeader = true
  for await (const { record, info } of records as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
    if (isHeader) {
      isHeader = false
      continue
    }
    const line = lineOf(record, places)
    if (line === null) continue
    const wrong = whatIsWrong(line)
    const number = info.lines + (facts.linesBefore ?? 0)
    if (wrong !== null) issues.push(complain(wrong, number))
    lines.push(line as Decision)
    numbers.push(number)
  }
  for (const [before, at] of issues.length === 0 ? contradictions(lines) : [])
    issues.push(complain(`accepts another company for the row that line ${numbers[before]} accepts one for`, numbers[at]!))
  const rest = issues.length - MOST
  if (rest > 0) issues.splice(MOST, rest, complain(`${rest} more lines are wrong`, numbers.at(-1)!))
  return { lines: issues.length > 0 ? [] : lines, issues }
}

/** What keeps a spreadsheet from taking a cell for a formula is no part of it. */
const NEUTRALISED = /^'(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/

type Line = Omit<Decision, 'decision'> & { readonly decision: string }

/** Null for a line without a decision. */
function lineOf(cells: readonly string[], places: readonly number[]): Line | null {
  const values = DECISION_COLUMNS.map(
    (column, at) => [column, (cells[places[at]!] ?? '').trim().replace(NEUTRALISED, '')] as const,
  )
  const line = Object.fromEntries(values) as unknown as Line
  return line.decision === '' ? null : { ...line, decision: line.decision.toLowerCase() }
}

function whatIsWrong({ fingerprint, decision, company, at, expires }: Line): string | null {
  if (!FINGERPRINT.test(fingerprint)) return `${JSON.stringify(fingerprint)} is no fingerprint of a row`
  if (!['accept', 'reject', 'undo'].includes(decision))
    return `${JSON.stringify(decision)} is no decision: expected accept, reject or undo`
  if (decision === 'accept' && company === '') return 'accept needs a company'
  if (at !== '' && !isTime(at, TIME)) return `at: ${JSON.stringify(at)} is no date such as 2026-11-21`
  if (expires !== '' && !isTime(expires, DAY)) return `expires: ${JSON.stringify(expires)} is no date such as 2027-11-21`
  return null
}

/** Of the form, and on the calendar. */
const isTime = (text: string, form: RegExp): boolean => {
  if (!form.test(text)) return false
  const day = text.slice(0, 10)
  const time = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day)
}
