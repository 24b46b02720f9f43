/**
 * Compares the rows of two runs, or of two outputs: what is new, gone, found, lost, moved to another company, changed, or decided.
 * About 80 bytes of memory for each row of the first; rows that are listed are read a second time.
 */
import { digestOf } from '../../files/file-chunks.ts'
import { DigestIndex } from '../../input/upload/row-dedupe.ts'
import { type ChangeCause, type ChangeCounts, type ChangeKind, noChanges, type RowChange } from '../../model/changes.ts'
import { isFound, type RowState, type RowStates } from './row-states.ts'

/** Words of 32 bits: question, company and data as 64-bit digests, then flags. */
const WORDS = 7
const FOUND = 1
const DECIDED = 2

class Facts {
  #words = new Uint32Array(4096 * WORDS)

  set(at: number, digests: readonly Buffer[], flags: number): void {
    if ((at + 1) * WORDS > this.#words.length) {
      const words = new Uint32Array(this.#words.length * 2)
      words.set(this.#words)
      this.#words = words
    }
    for (const [n, digest] of digests.entries()) {
      this.#words[at * WORDS + n * 2] = digest.readUInt32LE(0)
      this.#words[at * WORDS + n * 2 + 1] = digest.readUInt32LE(4)
    }
    this.#words[at * WORDS + 6] = flags
  }

  flags(at: number): number {
    return this.#words[at * WORDS + 6]!
  }

  isSame(at: number, n: number, digest: Buffer): boolean {
    const word = at * WORDS + n * 2
    return this.#words[word] === digest.readUInt32LE(0) && this.#words[word + 1] === digest.readUInt32LE(4)
  }
}

/** Numbers rows by their id; of equal ids the second of one list is the second of the other. */
class RowNumbers {
  readonly #index: DigestIndex
  /** How often an id was repeated so far in the current list. */
  #repeats = new Map<number, number>()
  #seen = new Uint8Array(4096)

  constructor(index: DigestIndex) {
    this.#index = index
  }

  /** Another list begins. */
  restart(): void {
    this.#repeats = new Map()
    this.#seen = new Uint8Array(this.#seen.length)
  }

  of(id: string): number {
    const first = this.#index.add(digestOf(id))
    if (!this.#mark(first)) return first
    const times = (this.#repeats.get(first) ?? 0) + 1
    this.#repeats.set(first, times)
    const repeat = this.#index.add(digestOf(`${id} ${times}`))
    this.#mark(repeat)
    return repeat
  }

  isSeen(at: number): boolean {
    return this.#seen[at] === 1
  }

  /** Whether the row was there before in this list. */
  #mark(at: number): boolean {
    if (at >= this.#seen.length) {
      const seen = new Uint8Array(Math.max(at + 1, this.#seen.length * 2))
      seen.set(this.#seen)
      this.#seen = seen
    }
    const was = this.#seen[at] === 1
    this.#seen[at] = 1
    return was
  }
}

interface Found {
  readonly kind: ChangeKind
  readonly cause: ChangeCause
  readonly after: RowState
}

export interface Comparison {
  readonly counts: ChangeCounts
  /** In the order of the second list, then rows that are gone; of each kind the first `most`. */
  readonly rows: readonly RowChange[]
}

/** Null when the rows cannot be compared: one list has another key column. */
export async function compareStates(
  before: RowStates,
  after: RowStates,
  most = Number.POSITIVE_INFINITY,
): Promise<Comparison | null> {
  if (before.head.by !== after.head.by) return null
  const common = after.head.columns.filter(name => before.head.columns.includes(name))
  const picker = ({ head }: RowStates) => common.map(name => head.columns.indexOf(name))
  const digestsOf = ({ question, company, data }: RowState, at: readonly number[]): Buffer[] =>
    [question, company.id, JSON.stringify(at.map(place => data[place] ?? ''))].map(digestOf)
  const numbers = new RowNumbers(new DigestIndex())
  const facts = new Facts()
  const atBefore = picker(before)
  let size = 0
  for await (const row of before.rows()) {
    facts.set(numbers.of(row.id), digestsOf(row, atBefore), (isFound(row) ? FOUND : 0) | (row.decision === '' ? 0 : DECIDED))
    size++
  }
  numbers.restart()

  const counts = noChanges()
  const found = new Map<number, Found>()
  const atAfter = picker(after)
  let kept = 0
  for await (const row of after.rows()) {
    const at = numbers.of(row.id)
    if (at < size) kept++
    const change = at >= size ? ({ kind: 'new', cause: 'list' } as const) : changeOf(facts, at, row, digestsOf(row, atAfter))
    if (change === null) continue
    if (counts[change.kind]++ < most) found.set(at, { ...change, after: row })
  }

  const rows = [...found].flatMap(([at, { after: row, ...change }]) =>
    at < size ? [] : [{ ...change, row: row.row, key: row.key, name: row.name, before: null, after: placeOf(row), columns: [] }],
  ) as RowChange[]
  counts.gone = size - kept
  const gone: RowChange[] = []
  const reader = new RowNumbers(new DigestIndex())
  let left = found.size - rows.length + Math.min(most, counts.gone)
  if (left > 0)
    for await (const row of before.rows()) {
      const at = reader.of(row.id)
      const change = found.get(at)
      if (change !== undefined) rows.push(listed(row, change, common, [atBefore, atAfter]))
      else if (!numbers.isSeen(at) && gone.length < most)
        gone.push({
          ...({ kind: 'gone', cause: 'list', row: null, key: row.key, name: row.name } as const),
          ...{ before: placeOf(row), after: null, columns: [] },
        })
      else continue
      if (--left === 0) break
    }
  return { counts, rows: [...rows.sort((a, b) => a.row! - b.row!), ...gone] }
}

function changeOf(
  facts: Facts,
  at: number,
  row: RowState,
  [question, company, data]: readonly Buffer[],
): Pick<Found, 'kind' | 'cause'> | null {
  const was = facts.flags(at)
  const isDecided = row.decision !== ''
  const wasFound = (was & FOUND) !== 0
  const isSameCompany = facts.isSame(at, 1, company!)
  const wasDecided = (was & DECIDED) !== 0
  const cause: ChangeCause = isDecided !== wasDecided ? 'decision' : facts.isSame(at, 0, question!) ? 'answer' : 'list'
  const moves = wasFound !== isFound(row) || !isSameCompany
  if (isDecided && (!wasDecided || moves)) return { kind: 'decided', cause: 'decision' }
  if (wasFound && !isFound(row)) return { kind: 'lost', cause }
  if (!wasFound) return isFound(row) ? { kind: 'matched', cause } : null
  if (!isSameCompany) return { kind: 'moved', cause }
  return facts.isSame(at, 2, data!) ? null : { kind: 'changed', cause: 'company' }
}

const placeOf = ({ outcome, company }: RowState) => ({ outcome, company: { ...company } })

function listed(
  before: RowState,
  { kind, cause, after }: Found,
  columns: readonly string[],
  [atBefore, atAfter]: readonly [readonly number[], readonly number[]],
): RowChange {
  const cells = columns.map((name, n) => ({
    ...{ name, before: before.data[atBefore[n]!] ?? '', after: after.data[atAfter[n]!] ?? '' },
  }))
  return {
    ...{ kind, cause, row: after.row, key: after.key, name: after.name, before: placeOf(before), after: placeOf(after) },
    columns: kind === 'changed' ? cells.filter(one => one.before !== one.after) : [],
  }
}
