/** Turns the problems of the scanner into issues: one per place or kind, at most fifty, then a count. */
import { counted } from '../../counted.ts'
import { action, type ErrorCode, type Issue, issue, type Place } from '../../errors.ts'
import type { SkippedLines, ValueWarning } from '../../pipeline/model/types.ts'
import { MAX_COLUMNS, MAX_RECORD_BYTES, type Problem, type ProblemKind, type RecordScanner } from '../scan/record-scanner.ts'
import { delimiterName } from './dialect.ts'

const MAX_ISSUES = 50
const WITHOUT = 'Without a pipeline file, pass the number.'
const RELAXED = 'If quotes inside cells are meant, set input.quotes: relaxed.'

const WORDS: Readonly<Record<ProblemKind, { code: ErrorCode; text: string; hint?: string }>> = {
  unclosed: { code: 'FETTLE_INPUT_QUOTE', text: 'the quote that opens here is never closed', hint: 'Close it, or remove it.' },
  bareQuote: { code: 'FETTLE_INPUT_QUOTE', text: 'a quote is inside a cell that is not quoted', hint: RELAXED },
  spaceBeforeQuote: { code: 'FETTLE_INPUT_QUOTE', text: 'a space is before the opening quote', hint: 'Remove the space.' },
  afterQuote: { code: 'FETTLE_INPUT_QUOTE', text: 'text follows a closing quote', hint: RELAXED },
  merged: {
    code: 'FETTLE_INPUT_QUOTE',
    text: 'a quoted cell joins lines that would be rows by themselves',
    hint: 'Look for a quote that is not closed.',
  },
  nul: { code: 'FETTLE_INPUT_NUL', text: 'a NUL byte' },
  bytes: { code: 'FETTLE_INPUT_LIMIT', text: `a record of more than ${MAX_RECORD_BYTES} bytes begins here` },
  columns: {
    code: 'FETTLE_INPUT_LIMIT',
    text: `a record of more than ${MAX_COLUMNS} columns`,
    hint: 'Remove columns that are not needed.',
  },
}

interface TableNotes {
  readonly file: string
  readonly hasHeader: boolean
  readonly quotes: 'strict' | 'relaxed'
  readonly delimiter: string
  /** Lines before the table, which the scanner did not read. */
  readonly linesBefore: number
  /** Lines that input.skip leaves out. */
  readonly skip: SkippedLines<number>
}

export function scanIssues(scanner: RecordScanner, notes: TableNotes): Issue[] {
  const place = (line: number, column: number | null): Place => ({ file: notes.file, line: line + notes.linesBefore, column })
  const dataRow = (record: number): number => (notes.hasHeader ? record - 1 : record)
  const issues = scanner.problems.map(problem => {
    const { code, text, hint } = WORDS[problem.kind]
    const isSuspicion = problem.kind === 'merged' && notes.quotes === 'strict'
    return issue(isSuspicion ? 'FETTLE_INPUT_SUSPECT' : code, text, {
      severity: isSuspicion ? 'warn' : 'error',
      at: place(problem.line, problem.column),
      rows: [dataRow(problem.record)].filter(row => row > 0),
      hint,
    })
  })
  const listed = joinSame(issues.sort(bySeverityThenPlace)).slice(0, MAX_ISSUES)
  const total = [...scanner.counts.values()].reduce((sum, count) => sum + count, 0)
  const places = listed.reduce((sum, { count }) => sum + count, 0)
  if (total > places) listed.push(theRest(scanner.counts, scanner.problems, total - places, notes.file))
  return [...listed, ...raggedIssues(scanner, notes, place, dataRow), ...trailingIssues(scanner, notes)]
}

/** The same problem several times in a line is one issue, at its first place. */
function joinSame(issues: readonly Issue[]): Issue[] {
  const joined: Issue[] = []
  for (const next of issues) {
    const last = joined.at(-1)
    if (last !== undefined && last.at?.line === next.at?.line && last.message === next.message)
      joined[joined.length - 1] = { ...last, count: last.count + 1 }
    else joined.push(next)
  }
  return joined
}

const bySeverityThenPlace = (a: Issue, b: Issue): number =>
  Number(a.severity !== 'error') - Number(b.severity !== 'error') || (a.at?.line ?? 0) - (b.at?.line ?? 0)

function theRest(counts: RecordScanner['counts'], listed: readonly Problem[], more: number, file: string): Issue {
  const code = WORDS[listed[0]!.kind].code
  const sums = [...counts].map(([kind, count]) => `${WORDS[kind].text}: ${count}`).join('; ')
  return issue(code, `and ${more} more places (in all: ${sums})`, { at: { file, line: null, column: null }, count: more })
}

function raggedIssues(
  scanner: RecordScanner,
  { delimiter, skip }: TableNotes,
  place: (line: number, column: number | null) => Place,
  dataRow: (record: number) => number,
): Issue[] {
  const first = scanner.ragged[0]
  if (first === undefined) return []
  const usual = scanner.usualWidth
  const start = scanner.firstLines.get(usual)
  // A first row of half the cells or fewer is a title, not a header; one cell more or less is damage.
  if (start !== undefined && scanner.columns * 2 <= usual && scanner.widths[usual]! > 2) {
    const message = `the first row has ${cells(scanner.columns)} but ${scanner.widths[usual]} of ${scanner.records} records have ${usual}: the table seems to begin at line ${place(start, null).line}`
    const until = place(start, null).line! - 1
    return [
      issue('FETTLE_INPUT_FIELDS', message, {
        at: place(start, null),
        count: scanner.raggedCount,
        hint: `Set input.skip.head: ${until} if the ${until === 1 ? 'line above is not a header' : 'lines above are not headers'}, or fix the first row. ${WITHOUT}`,
        action: action('clean', '--skip-head', String(until), 'FILE'),
      }),
    ]
  }
  const lineOf = (line: number): number | null => place(line, null).line
  const found = scanner.ragged
    .map(({ line, lastLine, count, found }) =>
      count === 1 ? `line ${lineOf(line)} has ${found}` : `lines ${lineOf(line)} to ${lineOf(lastLine)} have ${found}`,
    )
    .join(', ')
  const listed = scanner.ragged.reduce((sum, { count }) => sum + count, 0)
  const total = scanner.raggedCount > listed ? `, … ${scanner.raggedCount} rows in all` : ''
  const message = `${cells(scanner.columns)} expected (delimiter ${delimiterName(delimiter)}), but ${found}${total}`
  const rows = scanner.ragged.slice(0, FIRST_ROWS).map(row => dataRow(row.record))
  const isAtEnd = scanner.records - first.record < scanner.raggedCount
  const tail = scanner.line - (scanner.openEnded ? 0 : 1) - first.line + 1 + skip.tail
  return [
    issue('FETTLE_INPUT_FIELDS', message, {
      at: place(first.line, null),
      count: scanner.raggedCount,
      rows,
      hint: isAtEnd ? `Set input.skip.tail: ${tail} if they are not rows, or fix the lines named. ${WITHOUT}` : undefined,
      action: isAtEnd ? action('clean', '--skip-tail', String(tail), 'FILE') : undefined,
    }),
  ]
}

function trailingIssues(scanner: RecordScanner, { delimiter, file }: TableNotes): Issue[] {
  if (scanner.columns < 2 || scanner.records < 2 || scanner.trailingEmpty < scanner.records) return []
  const message = `every row ends with the delimiter ${delimiterName(delimiter)}: the last column is empty throughout`
  return [
    issue('FETTLE_INPUT_SUSPECT', message, { severity: 'warn', at: { file, line: null, column: null }, count: scanner.records }),
  ]
}

/** Every place of the issue is a quote within a cell that does not begin with one. */
export const isOfBareQuotes = ({ code, message }: Issue): boolean =>
  code === 'FETTLE_INPUT_QUOTE' &&
  Object.entries(WORDS).every(([kind, { text }]) => message.includes(text) === (kind === 'bareQuote'))

const cells = (count: number): string => counted(count, 'cell')

/**
 * Warns about header rows: cells that are empty, repeated or differ only invisibly, and a first row of the wrong kind. Whether a
 * mapped column is affected is decided where mappings are resolved.
 */
export function headerIssues(first: readonly string[], rows: readonly string[][], hasHeader: boolean, at: Place): Issue[] {
  const warn = (message: string, rest: Partial<Issue> = {}): Issue =>
    issue('FETTLE_INPUT_SUSPECT', message, { severity: 'warn', at, ...rest })
  if (hasHeader) return [...cellIssues(first, warn), ...dataIssues(first, warn)]
  const proof = typedBelow(first, rows)
  if (proof === null) return []
  return [warn(`the first row looks like a header: ${proof}`, { hint: 'Set input.header: true if it is one.' })]
}

type Warn = (message: string, rest?: Partial<Issue>) => Issue

function cellIssues(header: readonly string[], warn: Warn): Issue[] {
  const issues: Issue[] = []
  const places = new Map<string, number[]>()
  header.forEach((cell, index) => {
    if (cell.trim() === '')
      issues.push(warn(`the header of column ${index + 1} is empty`, { hint: 'Map it by index if it is needed.' }))
    else places.set(appearance(cell), [...(places.get(appearance(cell)) ?? []), index])
  })
  for (const indexes of places.values()) {
    if (indexes.length < 2) {
      issues.push(...hiddenIssues(header[indexes[0]!]!, indexes[0]!, warn))
      continue
    }
    const cells = indexes.map(index => header[index]!)
    const where = indexes.map(index => index + 1).join(', ')
    const isSame = cells.every(cell => cell === cells[0])
    const message = isSame
      ? `the header ${escaped(cells[0]!)} occurs ${indexes.length} times (columns ${where})`
      : `headers differ only in case, spaces or invisible characters: ${cells.map(escaped).join(', ')} (columns ${where})`
    issues.push(warn(message, { column: cells[0]!, count: indexes.length, hint: 'Map such columns by index.' }))
  }
  return issues
}

function hiddenIssues(cell: string, index: number, warn: Warn): Issue[] {
  if (!HIDDEN.test(cell)) return []
  const message = `the header ${escaped(cell)} of column ${index + 1} contains invisible characters, or ones that look like a space`
  return [warn(message, { column: cell, hint: `Map it by index, as in name: { index: ${index} }, or fix the header.` })]
}

function dataIssues(header: readonly string[], warn: Warn): Issue[] {
  const found = header.flatMap((cell, index) => {
    const kind = dataKind(cell)
    return kind === null ? [] : [`column ${index + 1} is ${kind}, ${escaped(cell)}`]
  })
  if (found.length === 0) return []
  const shown = found.slice(0, 3).join('; ')
  return [
    warn(`the header looks like data: ${shown}`, {
      count: found.length,
      hint: 'Set input.header: false if the file has no header.',
    }),
  ]
}

/** The kind of a cell that cannot be a column name; a bare year or short number can. */
function dataKind(cell: string): string | null {
  const text = cell.trim()
  if (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)) return 'an e-mail address'
  if (/^https?:\/\//i.test(text)) return 'a web address'
  if (/^(\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{4})$/.test(text)) return 'a date'
  if (/^[+-]?\d+[.,]\d+$/.test(text) || /^[+-]?\d{5,}$/.test(text)) return 'a number'
  return null
}

function typedBelow(first: readonly string[], rows: readonly string[][]): string | null {
  if (rows.length < 3 || first.some(cell => dataKind(cell) !== null || cell.trim() === '')) return null
  const index = first.findIndex((cell, at) => !/\d/.test(cell) && rows.every(row => dataKind(row[at] ?? '') !== null))
  return index === -1
    ? null
    : `column ${index + 1} has ${dataKind(rows[0]![index]!)} in every row but the first, which is ${escaped(first[index]!)}`
}

/** Characters that are invisible or look like a space; joiners are legitimate in Persian and Hindi. */
const HIDDEN =
  /[\u007f-\u00a0\u00ad\u200b\u200e\u200f\u2000-\u200a\u2028-\u202f\u205f-\u2069\u3000\ufeff]|(?<![^\u0000-\u02ff])[\u200c\u200d]/

/** What of a cell can be seen: without invisible characters, case and the width of spaces. */
export const appearance = (cell: string): string =>
  cell
    .normalize('NFKC')
    .replace(/[\u200b-\u200f\u2060\ufeff\u00ad]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()

const escaped = (cell: string): string =>
  JSON.stringify(cell).replace(
    /[\u007f-\u00a0\u00ad\u2000-\u200f\u2028-\u202f\u205f-\u2069\u3000\ufeff]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const FIRST_ROWS = 3

/** The data rows without a value, and the first three of them. */
export function emptyRowsIn({ empty }: RecordScanner, hasHeader: boolean): ValueWarning {
  const headers = hasHeader ? 1 : 0
  const first = empty.first.filter(record => record > headers)
  return {
    count: empty.count - (empty.first.length - first.length),
    rows: first.slice(0, FIRST_ROWS).map(record => record - headers),
  }
}

export function emptyRowsIssue(path: string, { count, rows: first }: ValueWarning, rows: number, at: Place): Issue {
  const [are, they, keep] = count === 1 ? ['is', 'it is', 'keeps'] : ['are', 'they are', 'keep']
  const message = `${count} of ${rows} rows of ${path} ${are} empty (first in row ${first.join(', ')}): ${they} not sent, and ${keep} the place in the output with the outcome skipped`
  return issue('FETTLE_INPUT_LINES', message, { severity: 'info', at, count, rows: first, hint: null })
}
