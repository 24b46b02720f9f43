/**
 * Redacts an enriched file as text: line ends, delimiters, quotes, padding and damage stay as they are, and each cell becomes a
 * placeholder, except codes, counts and states in the columns of the service.
 */
import { MAPPINGS, TAGS } from '../../contract/index.ts'
import type { Redact } from './redact.ts'

const DELIMITERS = [',', ';', '\t', '|']

/** Columns of the service whose cells are no data of a company, each with the cells that are kept. */
const KEPT: Readonly<Record<string, RegExp>> = {
  'match.outcome': /^(?:matched|manualMatched|review|unmatched|duplicate|failed)$/,
  'match.score': /^\d{0,3}(?:\.\d{1,6})?$/,
  'match.matchScore': /^\d{0,3}(?:\.\d{1,6})?$/,
  'general.rowNumber': /^\s*-?\d{1,9}\s*$/,
  'general.duplicate': /^\s*(?:y|yes|n|no|true|false|0|1)\s*$/i,
  'general.banding': /^[A-Z]{0,2}\d{0,2}$/i,
  'general.pattern': /^[A-Z0-9]{0,8}$/i,
}

const plain = (name: string): string => name.toLowerCase().replace(/[\s_]+/g, '')

/** Columns that fettle's own service adds. */
const MATCH_COLUMNS = ['candidateId', 'candidateName', 'candidates', 'why', 'reason', 'register', 'otherIds']

const HEADERS: ReadonlySet<string> = new Set(
  [...MAPPINGS, ...TAGS.standard, ...Object.keys(KEPT), ...MATCH_COLUMNS.map(name => `match.${name}`)].map(plain),
)
const KEPT_BY_NAME: ReadonlyMap<string, RegExp> = new Map(Object.entries(KEPT).map(([name, kept]) => [plain(name), kept]))

/** A header of the interface, or of a file without one, is kept; any other is data of its owner. */
export const redactHeader = (cell: string, redact: Redact): string =>
  HEADERS.has(plain(cell)) || /^COLUMN [A-Z]{1,3}$/.test(cell) ? cell : redact.text(cell)

/** A cell may hold JSON, such as a list of candidates. */
export function redactCell(cell: string, redact: Redact): string {
  if (!/^\s*[[{]/.test(cell)) return redact.text(cell)
  try {
    return JSON.stringify(redact.json(JSON.parse(cell)))
  } catch {
    return redact.text(cell)
  }
}

interface Cell {
  readonly text: string
  readonly isQuoted: boolean
  /** What follows it: a delimiter, a line end, or nothing. */
  readonly end: string
}

const ENDS = ',;\t|\r\n'

/** Where the cell that is quoted at `from` ends, behind its last quote; null if it is not closed before the next cell. */
function endOfQuoted(text: string, from: number): number | null {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] === '"') continue
    return at + 1 === text.length || ENDS.includes(text[at + 1]!) ? at + 1 : null
  }
  return null
}

/** The cells of a text, and all that stands between them. */
function* cellsOf(text: string, delimiter: string): Generator<Cell> {
  for (let at = 0; at < text.length; ) {
    const close = text[at] === '"' ? endOfQuoted(text, at) : null
    let stop = close ?? at
    if (close === null) while (stop < text.length && !(text[stop] === delimiter || /[\r\n]/.test(text[stop]!))) stop += 1
    const cell = close === null ? text.slice(at, stop) : text.slice(at + 1, close - 1).replaceAll('""', '"')
    const end = text.startsWith('\r\n', stop) ? '\r\n' : (text[stop] ?? '')
    at = stop + end.length
    yield { text: cell, isQuoted: close !== null, end }
  }
}

function delimiterOf(text: string): string {
  const [line = ''] = text.split(/[\r\n]/, 1)
  const counts = DELIMITERS.map(one => ({ one, count: line.split(one).length }))
  return counts.reduce((most, next) => (next.count > most.count ? next : most)).one
}

/** Redacts delimited text with a header. */
export function redactTable(text: string, redact: Redact): string {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  const delimiter = delimiterOf(text)
  const kept: (RegExp | undefined)[] = []
  let isHeader = true
  let column = 0
  let written = mark
  for (const { text: cell, isQuoted, end } of cellsOf(text.slice(mark.length), delimiter)) {
    if (isHeader) kept.push(KEPT_BY_NAME.get(plain(cell)))
    const isKept = !isHeader && kept[column]?.test(cell) === true
    const shown = isHeader ? redactHeader(cell, redact) : isKept ? cell : redactCell(cell, redact)
    written += (isQuoted ? `"${shown.replaceAll('"', '""')}"` : shown) + end
    column += 1
    if (end !== delimiter) {
      isHeader = false
      column = 0
    }
  }
  return written
}
