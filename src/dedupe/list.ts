/** Reads a list for `dedupe`: the companies that its rows are, and which row is kept rather than another. */

import { hash } from 'node:crypto'
import { listSome } from '../counted.ts'
import { errorOfIssues, type FettleError, issue } from '../errors.ts'
import { readRows } from '../input/table/records.ts'
import { skippedRows } from '../input/upload/upload-row.ts'
import { isNoName } from '../model/no-name.ts'
import { normaliseCountry } from '../normalise/country.ts'
import { type InspectedTable, registerCell } from '../prepare/table-register.ts'

export type Keep =
  | { readonly by: 'filled' | 'first' }
  | { readonly by: 'newest'; readonly column: number }
  | { readonly by: 'value'; readonly column: number; readonly value: string }

/** What a row is compared by; rows with the same cells are compared once. */
export const FIELDS = [
  ...(['name', 'country', 'orgNumber', 'vatNumber', 'address1', 'address2', 'town', 'postcode', 'phone', 'email'] as const),
  ...(['website', 'status', 'tradingNames', 'previousNames'] as const),
]

/** Name, orgNumber, vatNumber and trading names: without one of them a row may be of any company. */
const IDENTIFYING = [0, 2, 3, 12]

const NAME_LISTS = [12, 13]

/** Names in one cell are parted by |. */
export const listNames = (cell: string): string[] =>
  cell
    .split('|')
    .map(name => name.trim())
    .filter(name => name !== '')

/** The company of a row that is empty, a heading or a total. */
export const SKIPPED = -2

/** Rows that a message names. */
export const SHOWN_ROWS = 6

export interface ReadList {
  /** The company of each row as a number; -1 for a row without a name and a number, which nothing shows to be another's; or SKIPPED. */
  readonly companyOf: number[]
  /** The cells of each company as JSON, sorted; emptied by the index that is made of them. */
  readonly companies: string[]
  /** By the rule to keep a row: a greater one is kept. */
  readonly rank: readonly (string | number)[]
  readonly filled: readonly number[]
  /** A digest of all cells of a row, for rows that are equal by the rule. */
  readonly digests: readonly number[]
}

type ListTable = Pick<InspectedTable, 'columns'> & {
  readonly inspected: Pick<InspectedTable['inspected'], 'facts' | 'columns'>
}

interface ReadOptions {
  readonly keep: Keep
  readonly cwd: string
  /** Those that are skipped have no cell. Absent: the rows as they are in the list. */
  readonly rows?: AsyncIterable<readonly string[]>
  readonly signal: AbortSignal
}

/** Throws FETTLE_INPUT_READ, FETTLE_INPUT_COLUMNS. */
export async function readList({ inspected, columns }: ListTable, { keep, cwd, signal, rows }: ReadOptions): Promise<ReadList> {
  const byCells = new Map<string, number>()
  const cellsOf: number[] = []
  const rank: (string | number)[] = []
  const filled: number[] = []
  const digests: number[] = []
  const wrong: number[] = []
  const kinds = new Set<string>()
  const isSkipped = rows === undefined ? skippedRows(inspected.facts) : (row: readonly string[]) => row.length === 0
  for await (const row of rows ?? readRows(inspected.facts, cwd)) {
    if (cellsOf.length % 1000 === 0) signal.throwIfAborted()
    const cells = FIELDS.map(field => registerCell(columns, row, field))
    if (isNoName(cells[0]!)) cells[0] = ''
    cells[1] = normaliseCountry(cells[1]!)
    for (const at of NAME_LISTS) if (cells[at] !== '') cells[at] = listNames(cells[at]!).join('|')
    const isOut = isSkipped(row, cellsOf.length + 1)
    const key = isOut || IDENTIFYING.every(at => cells[at] === '') ? '' : JSON.stringify(cells)
    const known = isOut ? SKIPPED : key === '' ? -1 : (byCells.get(key) ?? byCells.size)
    if (known === byCells.size) byCells.set(key, known)
    const ranked = isOut ? Number.NEGATIVE_INFINITY : readRank(keep, row)
    if (ranked === null) wrong.push(cellsOf.length + 1)
    else if (keep.by === 'newest' && ranked !== Number.NEGATIVE_INFINITY)
      kinds.add((row[keep.column] ?? '').includes('-') ? 'days' : 'numbers')
    cellsOf.push(known)
    rank.push(ranked ?? '')
    filled.push(row.reduce((count, cell) => (cell.trim() === '' ? count : count + 1), 0))
    digests.push(hash('sha256', row.join('\n'), 'buffer').readUIntBE(0, 6))
  }
  if (wrong.length > 0) throw notDays(inspected, keep, wrong)
  if (kinds.size > 1)
    throw refuseKeep(
      inspected,
      keep,
      'has days and numbers, and nothing shows which of them are newer',
      'Write all of them as 2026-01-31.',
    )
  if (keep.by === 'value' && !rank.includes(1))
    throw refuseKeep(inspected, keep, `has no cell ${JSON.stringify(keep.value)}`, 'Name a value that the column has.')
  const texts = [...byCells.keys()]
  byCells.clear()
  const order = Uint32Array.from(texts.keys()).sort((a, b) => (texts[a]! < texts[b]! ? -1 : 1))
  const place = new Uint32Array(order.length)
  for (const [at, number] of order.entries()) place[number] = at
  const companyOf = cellsOf.map(number => (number < 0 ? number : place[number]!))
  return { companyOf, companies: Array.from(order, number => texts[number]!), rank, filled, digests }
}

/** `2026-01-31`, with a time or without, or a number; null for another text. An empty cell is the oldest. */
function readRank(keep: Keep, row: readonly string[]): string | number | null {
  if (!('column' in keep)) return 0
  const cell = (row[keep.column] ?? '').trim()
  if (keep.by === 'value') return cell.toLowerCase() === keep.value.toLowerCase() ? 1 : 0
  if (cell === '') return Number.NEGATIVE_INFINITY
  if (/^\d{4}-\d\d-\d\d([T ][\d:.]+Z?)?$/.test(cell)) {
    const day = Date.parse(/\d$/.test(cell) && cell.length > 10 ? `${cell.replace(' ', 'T')}Z` : cell.replace(' ', 'T'))
    return Number.isNaN(day) ? null : day
  }
  return /^\d+(\.\d+)?$/.test(cell) ? Number(cell) : null
}

function refuseKeep({ facts, columns }: ListTable['inspected'], keep: Keep, why: string, hint: string): FettleError {
  const column = 'column' in keep ? (columns[keep.column]?.header ?? `#${keep.column + 1}`) : ''
  return errorOfIssues([issue('FETTLE_INPUT_COLUMNS', `column ${column} of ${facts.path} ${why}`, { hint })])
}

function notDays(inspected: ListTable['inspected'], keep: Keep, rows: readonly number[]): FettleError {
  const shown = listSome(rows.map(String), SHOWN_ROWS)
  const hint = 'Write days as 2026-01-31, or choose the kept row by another rule.'
  return refuseKeep(inspected, keep, `has cells that are neither a day nor a number: row ${shown}`, hint)
}

/** Whether `row` is kept rather than `best`; the last word has the order of the rows. */
export function isKept({ companyOf, rank, filled, digests }: ReadList, keep: Keep, row: number, best: number): boolean {
  if (keep.by === 'first') return row < best
  if (rank[row] !== rank[best]) return rank[row]! > rank[best]!
  if (filled[row] !== filled[best]) return filled[row]! > filled[best]!
  if (companyOf[row] !== companyOf[best]) return companyOf[row]! < companyOf[best]!
  return digests[row]! < digests[best]!
}
