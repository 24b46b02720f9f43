/** Finds the rows of a list that are one company, and writes the list with its groups. The list is its own register. */
import { errorOfIssues, type FettleError, issue } from '../errors.ts'
import { openSink } from '../files/atomic-file.ts'
import type { OutputFormat } from '../formats/index.ts'
import { openFormat } from '../formats/writers.ts'
import { readRows } from '../input/table/records.ts'
import { verifyPlanned } from '../input/table/verify-unchanged.ts'
import { TEXT } from '../model/columns.ts'
import { type InspectedTable, registerCell } from './table-register.ts'

export type Keep =
  | { readonly by: 'filled' | 'first' }
  | { readonly by: 'newest'; readonly column: number }
  | { readonly by: 'value'; readonly column: number; readonly value: string }

export interface Deduped {
  readonly rows: number
  /** Groups, of one row too. */
  readonly companies: number
  /** Groups of several rows. */
  readonly groups: number
  /** Rows beyond the first of each group. */
  readonly duplicates: number
  /** Pairs of groups that may be one company. */
  readonly doubts: number
  /** The largest groups, at most five: names and rows, from 1. */
  readonly examples: readonly { readonly name: string; readonly rows: readonly number[]; readonly size: number }[]
}

const COLUMNS = ['dup.group', 'dup.size', 'dup.keep', 'dup.perhaps'] as const
const BATCH = 500
/** Companies that are compared before other work has its turn. */
const AT_ONCE = 200
const EXAMPLES = 5
const SHOWN_ROWS = 6

/** What a row is compared by; rows with the same cells are compared once. */
const FIELDS = [
  ...(['name', 'country', 'orgNumber', 'vatNumber', 'address1', 'address2', 'town', 'postcode', 'phone', 'email'] as const),
  ...(['website', 'status'] as const),
]

/** Name, orgNumber and vatNumber: without one of them a row may be of any company. */
const IDENTIFYING = [0, 2, 3]

interface DedupeOptions {
  readonly keep: Keep
  readonly output: { readonly path: string; readonly format: OutputFormat }
  readonly cwd: string
  readonly signal: AbortSignal
}

interface ReadList {
  /** The company of each row as a number, -1 for a row without a name and a number, which nothing shows to be another's. */
  readonly companyOf: number[]
  /** The cells of each company as JSON, sorted. */
  readonly companies: readonly string[]
  /** By the rule to keep a row: a greater one is kept. */
  readonly rank: readonly (string | number)[]
  readonly filled: readonly number[]
  /** All cells of a row, for rows that are equal by the rule. */
  readonly texts: readonly string[]
}

/** Throws FETTLE_INPUT_READ, FETTLE_INPUT_CHANGED, FETTLE_INPUT_COLUMNS, FETTLE_OUTPUT_WRITE. */
export async function dedupeList(table: InspectedTable, options: DedupeOptions): Promise<Deduped> {
  const list = await readList(table, options)
  const { groups, doubts } = await groupCompanies(list.companies, options.signal)
  const { groupOf, members, numberOf } = numberGroups(list.companyOf, groups)
  const kept = new Set(members.map(rows => rows.reduce((best, row) => (isKept(list, options.keep, row, best) ? row : best))))
  const perhaps = new Map<number, number>()
  const pairs = new Set<string>()
  for (const { a, b } of doubts) {
    const [one, other] = [numberOf.get(groups[a]!)!, numberOf.get(groups[b]!)!]
    pairs.add(one < other ? `${one} ${other}` : `${other} ${one}`)
    if (!perhaps.has(one)) perhaps.set(one, other)
    if (!perhaps.has(other)) perhaps.set(other, one)
  }
  await writeRows(table, options, row => {
    const group = groupOf[row]!
    const doubt = perhaps.get(group)
    const size = members[group]!.length
    return [String(group + 1), String(size), kept.has(row) ? 'yes' : 'no', doubt === undefined ? '' : String(doubt + 1)]
  })
  const large = members.filter(rows => rows.length > 1)
  const nameOf = (row: number): string => (JSON.parse(list.companies[list.companyOf[row]!]!) as string[])[0]!
  return {
    rows: groupOf.length,
    companies: members.length,
    groups: large.length,
    duplicates: groupOf.length - members.length,
    doubts: pairs.size,
    examples: [...large]
      .sort((a, b) => b.length - a.length || a[0]! - b[0]!)
      .slice(0, EXAMPLES)
      .map(rows => ({
        name: nameOf(rows.find(row => kept.has(row))!),
        rows: rows.slice(0, SHOWN_ROWS).map(row => row + 1),
        size: rows.length,
      })),
  }
}

async function readList({ inspected, columns }: InspectedTable, { keep, cwd, signal }: DedupeOptions): Promise<ReadList> {
  const { normaliseCountry } = await import('../normalise/country.ts')
  const byCells = new Map<string, number>()
  const cellsOf: number[] = []
  const rank: (string | number)[] = []
  const filled: number[] = []
  const texts: string[] = []
  const wrong: number[] = []
  const kinds = new Set<string>()
  for await (const row of readRows(inspected.facts, cwd)) {
    if (cellsOf.length % 1000 === 0) signal.throwIfAborted()
    const cells = FIELDS.map(field => registerCell(columns, row, field))
    cells[1] = normaliseCountry(cells[1]!)
    const key = IDENTIFYING.every(at => cells[at] === '') ? '' : JSON.stringify(cells)
    const known = key === '' ? -1 : (byCells.get(key) ?? byCells.size)
    if (known === byCells.size) byCells.set(key, known)
    const ranked = rankOf(keep, row)
    if (ranked === null) wrong.push(cellsOf.length + 1)
    else if (keep.by === 'newest' && ranked !== Number.NEGATIVE_INFINITY)
      kinds.add((row[keep.column] ?? '').includes('-') ? 'days' : 'numbers')
    cellsOf.push(known)
    rank.push(ranked ?? '')
    filled.push(row.reduce((count, cell) => (cell.trim() === '' ? count : count + 1), 0))
    texts.push(row.join('\n'))
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
  const companies = [...byCells.keys()].sort()
  const place = new Map(companies.map((cells, at) => [byCells.get(cells)!, at]))
  return { companyOf: cellsOf.map(number => place.get(number) ?? -1), companies, rank, filled, texts }
}

/** `2026-01-31`, with a time or without, or a number; null for another text. An empty cell is the oldest. */
function rankOf(keep: Keep, row: readonly string[]): string | number | null {
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

function refuseKeep({ facts, columns }: InspectedTable['inspected'], keep: Keep, why: string, hint: string): FettleError {
  const column = 'column' in keep ? (columns[keep.column]?.header ?? `#${keep.column + 1}`) : ''
  return errorOfIssues([issue('FETTLE_INPUT_COLUMNS', `column ${column} of ${facts.path} ${why}`, { hint })])
}

function notDays(inspected: InspectedTable['inspected'], keep: Keep, rows: readonly number[]): FettleError {
  const shown = rows.slice(0, SHOWN_ROWS).join(', ') + (rows.length > SHOWN_ROWS ? ` and ${rows.length - SHOWN_ROWS} more` : '')
  const hint = 'Write days as 2026-01-31, or choose the kept row by another rule.'
  return refuseKeep(inspected, keep, `has cells that are neither a day nor a number: row ${shown}`, hint)
}

/** Whether `row` is kept rather than `best`; the last word has the order of the rows. */
function isKept({ rank, filled, texts }: ReadList, keep: Keep, row: number, best: number): boolean {
  if (keep.by === 'first') return row < best
  if (rank[row] !== rank[best]) return rank[row]! > rank[best]!
  if (filled[row] !== filled[best]) return filled[row]! > filled[best]!
  return texts[row]! < texts[best]!
}

async function groupCompanies(companies: readonly string[], signal: AbortSignal) {
  const { buildIndex, ListClusters } = await import('../service/matching/index.ts')
  const clusters = new ListClusters(buildIndex(readCompanies(companies)))
  for (let at = 0; at < companies.length; at++) {
    if (at % AT_ONCE === 0) {
      await new Promise(resolve => setImmediate(resolve))
      signal.throwIfAborted()
    }
    clusters.compare(at)
  }
  return clusters.finish()
}

function* readCompanies(companies: readonly string[]) {
  for (const [at, cells] of companies.entries()) {
    const fields = JSON.parse(cells) as string[]
    const values = Object.fromEntries(FIELDS.map((field, place) => [field, fields[place]!])) as Record<
      (typeof FIELDS)[number],
      string
    >
    // In the order of the ids, by which ties are broken.
    const id = String(at).padStart(9, '0')
    yield { ...values, id, connectId: id, tradingNames: [], previousNames: [] }
  }
}

/** Numbers the groups in the order of their first rows. */
function numberGroups(companyOf: readonly number[], groups: Int32Array) {
  const numberOf = new Map<number, number>()
  const members: number[][] = []
  const groupOf = companyOf.map((company, row) => {
    const known = company === -1 ? undefined : numberOf.get(groups[company]!)
    const group = known ?? members.length
    if (known === undefined) members.push([])
    if (company !== -1) numberOf.set(groups[company]!, group)
    members[group]!.push(row)
    return group
  })
  return { groupOf, members, numberOf }
}

/** The columns of the list, without groups that it has, and the new ones. */
async function writeRows(
  { inspected: { facts } }: InspectedTable,
  { output, cwd, signal }: DedupeOptions,
  cellsOf: (row: number) => readonly string[],
): Promise<void> {
  const verify = await verifyPlanned(facts, { root: cwd, signal })
  const header = facts.header ?? Array.from({ length: facts.columns }, (_, at) => `column ${at + 1}`)
  const own = [...header.keys()].filter(at => !(COLUMNS as readonly string[]).includes(header[at]!))
  const names = [...own.map(at => header[at]!), ...COLUMNS]
  const types = names.map(() => TEXT)
  const { head, render, end } = await openFormat(
    output.format,
    { names, title: 'groups', delimiter: facts.delimiter, types },
    output.path,
  )
  const sink = await openSink(output.path, { isShared: true })
  try {
    await sink.write(Buffer.from(head))
    let batch: string[][] = []
    const flush = async (): Promise<void> => {
      if (batch.length > 0) await sink.write(Buffer.from(render(batch)))
      batch = []
    }
    let at = 0
    for await (const row of readRows(facts, cwd)) {
      batch.push([...own.map(place => row[place] ?? ''), ...cellsOf(at++)])
      if (batch.length < BATCH) continue
      signal.throwIfAborted()
      await flush()
    }
    await flush()
    await verify('read')
    await sink.write(Buffer.from(end?.() ?? ''))
    await sink.finish()
    await sink.publish()
  } finally {
    await sink.discard()
  }
}
