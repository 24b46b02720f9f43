/**
 * Compares the rows of two runs, or of two outputs: what is new, gone, found, lost, moved to another company, changed, or decided.
 * About 80 bytes of memory for each row of the first; rows that are listed are read a second time.
 */
import { digestOf } from '../../files/file-chunks.ts'
import { DigestIndex } from '../../input/upload/row-dedupe.ts'
import { type ChangeCause, type ChangeCounts, type ChangeKind, noChanges, type RowChange } from '../../model/changes.ts'
import { isFound, type RowState, type RowStates } from './row-states.ts'

/** Digests of 64 bits that are kept of a row; the last, of company and data, only where data are compared. */
const [QUESTION, COMPANY, ANSWER] = [0, 1, 2]
const FOUND = 1
const DECIDED = 2

/** Of each row its flags, then its digests, in words of 32 bits. */
class Facts {
  readonly #width: number
  #words: Uint32Array<ArrayBuffer>

  constructor(digests: number, expected: number) {
    this.#width = 1 + 2 * digests
    this.#words = new Uint32Array(Math.max(4096, expected) * this.#width)
  }

  set(at: number, flags: number): void {
    if ((at + 1) * this.#width > this.#words.length) {
      const words = new Uint32Array(this.#words.length * 2)
      words.set(this.#words)
      this.#words = words
    }
    this.#words[at * this.#width] = flags
  }

  setDigest(at: number, n: number, digest: Buffer): void {
    const word = at * this.#width + 1 + n * 2
    this.#words[word] = digest.readUInt32LE(0)
    this.#words[word + 1] = digest.readUInt32LE(4)
  }

  flags(at: number): number {
    return this.#words[at * this.#width]!
  }

  isSame(at: number, n: number, digest: Buffer): boolean {
    const word = at * this.#width + 1 + n * 2
    return this.#words[word] === digest.readUInt32LE(0) && this.#words[word + 1] === digest.readUInt32LE(4)
  }
}

/** Numbers rows by their id; of equal ids the second of one list is the second of the other. */
class RowNumbers {
  readonly #index: DigestIndex
  /** How often an id was repeated so far in the current list. */
  #repeats = new Map<number, number>()
  #seen: Uint8Array<ArrayBuffer>

  constructor(expected: number) {
    this.#index = new DigestIndex(expected)
    this.#seen = new Uint8Array(Math.max(4096, expected))
  }

  /** Another list begins. Returns which rows the last one had. */
  restart(): Uint8Array {
    const seen = this.#seen
    this.#repeats = new Map()
    this.#seen = new Uint8Array(seen.length)
    return seen
  }

  of(id: string): number {
    const first = this.#index.add(bytesOf(id))
    if (!this.#mark(first)) return first
    const times = (this.#repeats.get(first) ?? 0) + 1
    this.#repeats.set(first, times)
    const repeat = this.#index.add(digestOf(`${id} ${times}`))
    this.#mark(repeat)
    return repeat
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

/** The last 16 bytes of an id or a question, which is hexadecimal digits of a digest; of any other text a digest. */
function bytesOf(text: string): Buffer {
  return DIGEST.write(text.slice(-32), 'hex') === 16 ? DIGEST : digestOf(text)
}
const DIGEST = Buffer.alloc(16)

/** Of the company and its data in these columns. */
const answerDigest = ({ company, data }: RowState, columns: readonly number[]): Buffer =>
  digestOf(JSON.stringify([company.id, ...columns.map(place => data[place] ?? '')]))

/**
 * Null when the rows cannot be compared: one list has another key column. `most`: rows to list of each kind; `expected`: about how many
 * rows the lists have.
 */
export async function compareStates(
  before: RowStates,
  after: RowStates,
  most = Number.POSITIVE_INFINITY,
  expected = 0,
): Promise<Comparison | null> {
  if (before.head.by !== after.head.by) return null
  const common = after.head.columns.filter(name => before.head.columns.includes(name))
  const picker = ({ head }: RowStates) => common.map(name => head.columns.indexOf(name))
  const numbers = new RowNumbers(expected)
  const facts = new Facts(common.length === 0 ? 2 : 3, expected)
  const atBefore = picker(before)
  let size = 0
  for await (const row of before.rows()) {
    const at = numbers.of(row.id)
    facts.set(at, (isFound(row) ? FOUND : 0) | (row.decision === '' ? 0 : DECIDED))
    facts.setDigest(at, QUESTION, bytesOf(row.question))
    facts.setDigest(at, COMPANY, digestOf(row.company.id))
    if (common.length > 0) facts.setDigest(at, ANSWER, answerDigest(row, atBefore))
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
    const change = at >= size ? ({ kind: 'new', cause: 'list' } as const) : changeOf(facts, at, row, atAfter)
    if (change === null) continue
    if (counts[change.kind]++ < most) found.set(at, { ...change, after: row })
  }

  const rows = [...found].flatMap(([at, { after: row, ...change }]) =>
    at < size ? [] : [{ ...change, row: row.row, key: row.key, name: row.name, before: null, after: placeOf(row), columns: [] }],
  ) as RowChange[]
  counts.gone = size - kept
  const gone: RowChange[] = []
  const isInAfter = numbers.restart()
  let left = found.size - rows.length + Math.min(most, counts.gone)
  if (left > 0)
    for await (const row of before.rows()) {
      const at = numbers.of(row.id)
      const change = found.get(at)
      if (change !== undefined) rows.push(listed(row, change, common, [atBefore, atAfter]))
      else if (isInAfter[at] !== 1 && gone.length < most)
        gone.push({
          ...({ kind: 'gone', cause: 'list', row: null, key: row.key, name: row.name } as const),
          ...{ before: placeOf(row), after: null, columns: [] },
        })
      else continue
      if (--left === 0) break
    }
  return { counts, rows: [...rows.sort((a, b) => a.row! - b.row!), ...gone] }
}

function changeOf(facts: Facts, at: number, row: RowState, columns: readonly number[]): Pick<Found, 'kind' | 'cause'> | null {
  const was = facts.flags(at)
  const isDecided = row.decision !== ''
  const wasFound = (was & FOUND) !== 0
  const isSameAnswer = columns.length > 0 && facts.isSame(at, ANSWER, answerDigest(row, columns))
  const isSameCompany = isSameAnswer || facts.isSame(at, COMPANY, digestOf(row.company.id))
  const wasDecided = (was & DECIDED) !== 0
  const cause: ChangeCause =
    isDecided !== wasDecided ? 'decision' : facts.isSame(at, QUESTION, bytesOf(row.question)) ? 'answer' : 'list'
  const moves = wasFound !== isFound(row) || !isSameCompany
  if (isDecided && (!wasDecided || moves)) return { kind: 'decided', cause: 'decision' }
  if (wasFound && !isFound(row)) return { kind: 'lost', cause }
  if (!wasFound) return isFound(row) ? { kind: 'matched', cause } : null
  if (!isSameCompany) return { kind: 'moved', cause }
  return isSameAnswer || columns.length === 0 ? null : { kind: 'changed', cause: 'company' }
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
