/**
 * Warns about header rows: cells that are empty, repeated or differ only invisibly, and a first row of the wrong kind. Whether a
 * mapped column is affected is decided where mappings are resolved.
 */
import { type Issue, issue, type Place } from '../../errors.ts'

export function headerIssues(first: readonly string[], rows: readonly string[][], hasHeader: boolean, at: Place): Issue[] {
  const warn = (message: string, rest: Partial<Issue> = {}): Issue =>
    issue('FETTLE_INPUT_SUSPECT', message, { severity: 'warn', at, ...rest })
  if (!hasHeader) {
    const proof = typedBelow(first, rows)
    return proof === null
      ? []
      : [warn(`the first row looks like a header: ${proof}`, { hint: 'Set input.header: true if it is one.' })]
  }
  return [...cellIssues(first, warn), ...dataIssues(first, warn)]
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

const appearance = (cell: string): string =>
  cell
    .normalize('NFKC')
    .replace(/[\u200b-\u200f\u2060\ufeff\u00ad]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()

const escaped = (cell: string): string =>
  JSON.stringify(cell).replace(
    /[\u007f-\u00a0\u00ad\u2000-\u200f\u2028-\u202f\u205f-\u2069\u3000\ufeff]/g,
    one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
