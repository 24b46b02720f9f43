/** Compares the columns of a list with the columns in the last good run, as `input.columns` asks. */
import { listSome } from '../counted.ts'
import { filledRows } from '../model/list.ts'
import type { Plan } from '../pipeline/index.ts'

interface Difference {
  readonly text: string
  /** Also where new columns are welcome. */
  readonly isLoss: boolean
}

/** Shorter columns and lists are not judged by their cells. */
const FEW = 5
/** A column that has fewer cells than this share of the rows may well have none in the next list. */
const RARE = 0.05
/** A column is of a kind if this share of its cells is, and no longer if less than half of them are. */
const MOST = 0.9

type Listed = Pick<Plan, 'input' | 'contract'>
type Column = NonNullable<Plan['contract']>['columns'][number]

/** What differs; nothing where the pipeline compares nothing. `before`: the last good run, which may not have counted cells. */
export function compareColumns(now: Listed, before: Listed): { readonly warn: string[]; readonly fail: string[] } {
  const found: Record<'warn' | 'fail', string[]> = { warn: [], fail: [] }
  if (now.contract === undefined) return found
  const { expect } = now.contract
  const differences = [...compareHeaders(now.input, before.input), ...compareCells(now, before)]
  for (const { text, isLoss } of differences) found[isLoss || expect === 'exact' ? 'fail' : 'warn'].push(text)
  const [is, was] = [now, before].map(({ input }) => headerText(input)) as [string, string]
  if (is === was) return found
  for (const texts of Object.values(found)) if (texts.length > 0) texts.push(`columns before: ${was}`, `columns now: ${is}`)
  return found
}

const quote = (name: string): string => JSON.stringify(name)

const headerText = ({ header, columns }: Plan['input']): string =>
  header === null ? `${columns}, without a header` : listSome(header.map(quote), 40)

function compareHeaders({ header: now, columns }: Plan['input'], { header: before, columns: had }: Plan['input']): Difference[] {
  if (now === null || before === null) {
    if ((now === null) !== (before === null))
      return [{ text: now === null ? 'the list has no header' : 'the list has a header', isLoss: true }]
    return columns === had ? [] : [{ text: `the list has ${columns} columns, and had ${had}`, isLoss: columns < had }]
  }
  const [is, was] = [numberRepeated(now), numberRepeated(before)]
  const lost = was.filter(name => !is.includes(name))
  const added = is.filter(name => !was.includes(name))
  const renamed = new Map(lost.flatMap(name => renamedTo(name, { is, was, lost, added })))
  const kept = (names: readonly string[], others: readonly string[]): string[] => names.filter(name => others.includes(name))
  const moved = kept(is, was).filter((name, at) => name !== kept(was, is)[at])
  return [
    ...lost.map((name): Difference => {
      const other = renamed.get(name)
      const text = other === undefined ? `is missing` : `is ${quote(other)} now, or is missing`
      return { text: `the column ${quote(name)} ${text}`, isLoss: true }
    }),
    ...added
      .filter(name => ![...renamed.values()].includes(name))
      .map((name): Difference => ({ text: `the column ${quote(name)} is new`, isLoss: false })),
    ...(moved.length === 0 ? [] : [{ text: `columns moved: ${moved.map(quote).join(', ')}`, isLoss: false }]),
  ]
}

/** Headers may occur twice. */
const numberRepeated = (names: readonly string[]): string[] =>
  names.map((name, at) => {
    const earlier = names.slice(0, at).filter(other => other === name).length
    return earlier === 0 ? name : `${name} (${earlier + 1})`
  })

interface Headers {
  readonly is: readonly string[]
  readonly was: readonly string[]
  readonly lost: readonly string[]
  readonly added: readonly string[]
}

/** A lost and a new column that stand in one place, or are the only ones, may be one column. */
function renamedTo(name: string, { is, was, lost, added }: Headers): [string, string][] {
  const other = lost.length === 1 && added.length === 1 ? added[0] : is[was.indexOf(name)]
  return other !== undefined && added.includes(other) ? [[name, other]] : []
}

/** Columns of both lists that have no cells any more, or cells of another kind. */
function compareCells(now: Listed, before: Listed): Difference[] {
  const was = before.contract?.columns
  if (was === undefined) return []
  const keys = (columns: readonly Column[]): string[] =>
    columns.some(({ header }) => header === null)
      ? columns.map((_, at) => `${at + 1}`)
      : numberRepeated(columns.map(({ header }) => header!)).map(quote)
  const [rows, rowsBefore] = [filledRows(now.input), filledRows(before.input)]
  const namesBefore = keys(was)
  return keys(now.contract!.columns).flatMap((name, at): Difference[] => {
    const column = now.contract!.columns[at]!
    const other = was[namesBefore.indexOf(name)]
    if (other === undefined || other.filled < FEW || rows < FEW) return []
    if (column.filled === 0)
      return other.filled < rowsBefore * RARE
        ? []
        : [{ text: `the column ${name} is empty, and was filled in ${other.filled} of ${rowsBefore} rows`, isLoss: true }]
    const kind = KINDS.find(count => count.of(other) >= other.filled * MOST)
    if (kind === undefined || column.filled < FEW || kind.of(column) >= column.filled / 2) return []
    const share = `${kind.of(column)} of ${column.filled} cells are`
    return [{ text: `the column ${name} had ${kind.name}: ${share} now`, isLoss: true }]
  })
}

const KINDS: readonly { readonly name: string; readonly of: (column: Column) => number }[] = [
  { name: 'numbers', of: ({ numbers }) => numbers },
  { name: 'dates', of: ({ dates }) => dates },
  { name: 'text', of: ({ filled, numbers, dates }) => filled - numbers - dates },
]
