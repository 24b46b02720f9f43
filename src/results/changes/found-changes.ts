/** The changes between two lists: how many of each kind, and the rows that are listed. */
import { type ChangeCause, type ChangeCounts, type ChangeKind, noChanges, type RowChange } from '../../model/changes.ts'
import type { RowState, RowStates } from './row-states.ts'

/** The places of the common columns in both lists. */
export type Columns = readonly [before: readonly number[], after: readonly number[]]

/** A row, or its number in its list where it has to be read again; null without one. */
export type Place = RowState | number | null

export interface Kind {
  readonly kind: ChangeKind
  readonly cause: ChangeCause
}

interface Found extends Kind {
  /** The number of the row in the second list, or in the first for one that is gone. */
  readonly order: number
  readonly before: Place
  readonly after: Place
}

/** Counts changes and keeps the first `most` of each kind. */
export class FoundChanges {
  readonly counts: ChangeCounts = noChanges()
  readonly #most: number
  readonly #found = new Map<ChangeKind, Found[]>()

  constructor(most: number) {
    this.#most = most
  }

  add(change: Found): void {
    this.counts[change.kind]++
    if (this.#most === 0) return
    const found = this.#found.get(change.kind) ?? []
    if (found.length === 0) this.#found.set(change.kind, found)
    found.push(change)
    if (found.length >= 2 * this.#most) keepFirst(found, this.#most)
  }

  async listed(before: RowStates, after: RowStates, common: readonly string[], columns: Columns): Promise<RowChange[]> {
    for (const found of this.#found.values()) keepFirst(found, this.#most)
    const all = [...this.#found].flatMap(([kind, found]) => (kind === 'gone' ? [] : found)).sort((a, b) => a.order - b.order)
    all.push(...(this.#found.get('gone') ?? []))
    const was = await readAgain(
      before,
      all.map(one => one.before),
    )
    const is = await readAgain(
      after,
      all.map(one => one.after),
    )
    return all.map(({ kind, cause }, at) => listed({ kind, cause }, was[at]!, is[at]!, common, columns))
  }
}

function keepFirst(found: Found[], most: number): void {
  found.sort((a, b) => a.order - b.order)
  if (found.length > most) found.length = most
}

/** The rows at these places. */
async function readAgain(list: RowStates, places: readonly Place[]): Promise<(RowState | null)[]> {
  const numbers = new Set(places.filter(place => typeof place === 'number'))
  const rows = new Map<number, RowState>()
  if (numbers.size > 0) {
    let number = 0
    for await (const row of list.rows()) {
      if (numbers.has(number++)) rows.set(number - 1, row)
      if (rows.size === numbers.size) break
    }
  }
  return places.map(place => (typeof place === 'number' ? rows.get(place)! : place))
}

const placeOf = ({ outcome, company }: RowState) => ({ outcome, company: { ...company } })

function listed(
  { kind, cause }: Kind,
  before: RowState | null,
  after: RowState | null,
  columns: readonly string[],
  [atBefore, atAfter]: Columns,
): RowChange {
  const { key, name } = (after ?? before)!
  const cells = columns.map((column, n) => ({
    ...{ name: column, before: before?.data[atBefore[n]!] ?? '', after: after?.data[atAfter[n]!] ?? '' },
  }))
  return {
    ...{ kind, cause, row: after?.row ?? null, key, name, before: before && placeOf(before), after: after && placeOf(after) },
    columns: kind === 'changed' ? cells.filter(one => one.before !== one.after) : [],
  }
}
