/**
 * Compares the rows of two runs, or of two outputs: what is new, gone, found, lost, moved to another company, changed, or decided. Both
 * lists are read side by side: memory is needed only for rows whose partner comes later in the other list, or never.
 */
import { digestOf } from '../../files/file-chunks.ts'
import {
  type ChangeCause,
  type ChangeCounts,
  type ChangeKind,
  noChanges,
  type RowChange,
  type RunChanges,
} from '../../model/results.ts'
import { isFound } from '../decisions/apply-decisions.ts'
import { PendingRows } from './pending-rows.ts'
import type { RowState, RowStates } from './row-states.ts'

/** Digests that are kept of a row; the last, of company and data, only where data are compared. */
const [QUESTION, COMPANY, RULED, OF_LIST, OTHERS, ANSWER] = [0, 1, 2, 3, 4, 5]
const FOUND = 1
const DECIDED = 2
const IS_AFTER = 4
const REVIEW = 8
const FAILED = 16
/** What a row without a company is. */
const OUTCOME = REVIEW | FAILED

/** Rows that wait and are kept whole; any other that is listed is read again. */
const MOST_WHOLE = 1000

/** The last 16 bytes of an id or a question, which is hexadecimal digits of a digest; of any other text a digest. */
function readBytes(text: string): Buffer {
  return DIGEST.write(text.slice(-32), 'hex') === 16 ? DIGEST : digestOf(text)
}
const DIGEST = Buffer.alloc(16)

/** Of the company and its data in these columns. */
const answerDigest = ({ company, data }: RowState, columns: readonly number[]): Buffer =>
  digestOf(JSON.stringify([company.id, ...columns.map(place => data[place] ?? '')]))

/**
 * Null when the rows cannot be compared: one list has another key column. Of equal ids the second of one list is the second of the
 * other. Lists the first `most` rows of each kind: in the order of the second list, then rows that are gone.
 */
export async function compareStates(
  before: RowStates,
  after: RowStates,
  most = Number.POSITIVE_INFINITY,
): Promise<Pick<RunChanges, 'counts' | 'rows'> | null> {
  if (before.head.by !== after.head.by) return null
  const common = after.head.columns.filter(name => before.head.columns.includes(name))
  const picker = ({ head }: RowStates) => common.map(name => head.columns.indexOf(name))
  const columns: Columns = [picker(before), picker(after)]
  const changes = new FoundChanges(most)
  const waiting = new WaitingRows(columns, changes, before.head.isDecided === true && after.head.isDecided === true)
  const lists = [before.rows()[Symbol.asyncIterator](), after.rows()[Symbol.asyncIterator]()] as const
  try {
    /** The list that is behind the other one, and catches up. */
    let behind: Side | null = null
    for (;;) {
      const a = behind === AFTER ? null : await next(lists[BEFORE])
      const b = behind === BEFORE ? null : await next(lists[AFTER])
      if (a === null && behind !== AFTER) waiting.end(BEFORE)
      if (b === null && behind !== BEFORE) waiting.end(AFTER)
      if (a === null && b === null) {
        if (behind === null) break
        behind = null
      } else if (a !== null && b !== null && a.id === b.id && !waiting.has(a.id)) waiting.pass(a, b)
      else behind = waiting.add(a, b)
    }
  } finally {
    for (const list of lists) await list.return?.()
  }
  waiting.finish()
  return { counts: changes.counts, rows: await changes.listed(before, after, common, columns) }
}

const next = async (list: AsyncIterator<RowState>): Promise<RowState | null> => {
  const { value, done } = await list.next()
  return done === true ? null : value
}

const BEFORE = 0
const AFTER = 1
type Side = typeof BEFORE | typeof AFTER

/** Pairs rows of the two lists. */
class WaitingRows {
  readonly #isDecided: boolean
  readonly #columns: Columns
  readonly #changes: FoundChanges
  readonly #rows: PendingRows
  /** Some of them whole. */
  readonly #whole = new Map<number, RowState>()
  /** Rows that were read of each list. */
  readonly #read: [number, number] = [0, 0]
  readonly #hasEnded: [boolean, boolean] = [false, false]

  constructor(columns: Columns, changes: FoundChanges, isDecided: boolean) {
    this.#isDecided = isDecided
    this.#columns = columns
    this.#changes = changes
    this.#rows = new PendingRows(this.#comparesData ? 6 : 5)
  }

  has(id: string): boolean {
    return this.#rows.size > 0 && this.#rows.find(readBytes(id)) !== -1
  }

  /** Two rows that are a pair, while no other row with their id waits. */
  pass(before: RowState, after: RowState): void {
    this.#read[BEFORE]++
    const order = this.#read[AFTER]++
    const readData = ({ data }: RowState, side: Side): string[] => this.#columns[side].map(at => data[at] ?? '')
    const isSameCompany = before.company.id === after.company.id
    const same = {
      question: before.question === after.question,
      company: isSameCompany,
      data: isSameCompany && sameTexts(readData(before, BEFORE), readData(after, AFTER)),
      ruled: before.ruled === after.ruled,
      read: compareRead(after, (part, half) => readOf(before)[part] === half),
    }
    this.#addPair(same, readFlags(before), readFlags(after), { order, before, after })
  }

  /** A row that lost what a decision gave it is `undone` as well. */
  #addPair(same: Same, was: number, is: number, row: { order: number; before: Place; after: Place }): void {
    if (this.#isDecided && !same.ruled) this.#changes.add({ kind: 'ruled', cause: findReason(same, this.#comparesData), ...row })
    const change = findChange(was, is, this.#comparesData, same)
    if (change === null) return
    this.#changes.add({ ...change, ...row })
    const isUndone = (was & DECIDED) !== 0 && (is & DECIDED) === 0 && change.kind !== 'changed'
    if (isUndone) this.#changes.add({ ...change, ...row, kind: 'undone' })
  }

  /** The next row of each list, null for none. Returns the list that is behind the other one now. */
  add(before: RowState | null, after: RowState | null): Side | null {
    const partners = [before && this.#addOne(BEFORE, before), after && this.#addOne(AFTER, after)] as const
    const isBehind = (side: Side): boolean => {
      const partner = partners[side]
      return partner !== null && this.#read[1 - side]! - 1 > partner
    }
    if (isBehind(BEFORE) === isBehind(AFTER)) return null
    return isBehind(BEFORE) ? BEFORE : AFTER
  }

  /** A list has no more rows. */
  end(side: Side): void {
    this.#hasEnded[side] = true
  }

  /** After the last row: those that wait have no partner. */
  finish(): void {
    for (const at of this.#rows.all()) {
      const number = this.#rows.number(at)
      this.#addAlone((this.#rows.flags(at) & IS_AFTER) === 0 ? BEFORE : AFTER, this.#whole.get(at) ?? number, number)
    }
  }

  #addAlone(side: Side, row: Place, order: number): void {
    const isNew = side === AFTER
    const places = { before: isNew ? null : row, after: isNew ? row : null }
    this.#changes.add({ kind: isNew ? 'new' : 'gone', cause: 'list', order, ...places })
  }

  get #comparesData(): boolean {
    return this.#columns[AFTER].length > 0
  }

  /** The number of its partner, which waited; null where it waits for one now. */
  #addOne(side: Side, row: RowState): number | null {
    const number = this.#read[side]++
    const id = readBytes(row.id)
    const found = this.#rows.find(id)
    const isOfSide = found !== -1 && ((this.#rows.flags(found) & IS_AFTER) !== 0) === (side === AFTER)
    if (found === -1 || isOfSide) {
      if (this.#hasEnded[1 - side] === true) this.#addAlone(side, row, number)
      else this.#wait(side, row, id, number)
      return null
    }
    const partner = this.#rows.number(found)
    const flags: [number, number] = [readFlags(row), readFlags(row)]
    flags[1 - side] = this.#rows.flags(found)
    const isSame = (n: number, digest: Buffer): boolean => this.#rows.isSame(found, n, digest)
    const same = {
      question: isSame(QUESTION, readBytes(row.question)),
      company: isSame(COMPANY, digestOf(row.company.id)),
      data: this.#comparesData && isSame(ANSWER, answerDigest(row, this.#columns[side])),
      ruled: isSame(RULED, digestOf(row.ruled)),
      read: compareRead(row, (part, half) => isSame(part === 0 ? OF_LIST : OTHERS, digestOf(half))),
    }
    const other = this.#whole.get(found) ?? partner
    const [before, after] = side === AFTER ? [other, row] : [row, other]
    this.#addPair(same, ...flags, { order: side === AFTER ? number : partner, before, after })
    this.#rows.remove(found)
    this.#whole.delete(found)
    return partner
  }

  #wait(side: Side, row: RowState, id: Buffer, number: number): void {
    const at = this.#rows.add(id, readFlags(row) | (side === AFTER ? IS_AFTER : 0), number)
    this.#rows.setDigest(at, QUESTION, readBytes(row.question))
    this.#rows.setDigest(at, COMPANY, digestOf(row.company.id))
    this.#rows.setDigest(at, RULED, digestOf(row.ruled))
    for (const [part, half] of readOf(row).entries()) this.#rows.setDigest(at, part === 0 ? OF_LIST : OTHERS, digestOf(half))
    if (this.#comparesData) this.#rows.setDigest(at, ANSWER, answerDigest(row, this.#columns[side]))
    if (this.#whole.size < MOST_WHOLE) this.#whole.set(at, row)
  }
}

const FLAGS: Readonly<Record<string, number>> = { review: REVIEW, failed: FAILED }

const readFlags = (row: RowState): number =>
  (isFound(row) ? FOUND : (FLAGS[row.outcome] ?? 0)) | (row.decision === '' ? 0 : DECIDED)

const sameTexts = (texts: readonly string[], other: readonly string[]): boolean => texts.every((text, at) => text === other[at])

/** The digests of what a decision was made from: cells of the list, and everything else. */
const readOf = ({ read }: RowState): readonly [string, string] => [read.slice(0, 16), read.slice(16)]

/** What is the same of what both decisions were made from; null where that is not known. */
function compareRead(row: RowState, isSame: (part: number, half: string) => boolean) {
  const [ofList, others] = readOf(row)
  return row.read === '' ? null : { ofList: isSame(0, ofList), others: isSame(1, others) }
}

/** What is the same in both rows; `data`: the company and its data; `ruled`: what a table or a tree decided, and `read` from what. */
type Same = Readonly<Record<'question' | 'company' | 'data' | 'ruled', boolean>> & {
  readonly read: ReturnType<typeof compareRead>
}

/** Why it is decided otherwise: from the same cells by other rules, or by the rules of another day. */
function findReason({ question, company, data, read }: Same, comparesData: boolean): ChangeCause {
  if (read?.ofList === true && read.others) return 'rule'
  if (!question || read?.ofList === false) return 'list'
  if (!company) return 'answer'
  return read !== null || (comparesData && !data) ? 'company' : 'rule'
}

function findChange(before: number, after: number, comparesData: boolean, same: Same): Kind | null {
  const [wasFound, isFound] = [(before & FOUND) !== 0, (after & FOUND) !== 0]
  const [wasDecided, isDecided] = [(before & DECIDED) !== 0, (after & DECIDED) !== 0]
  const cause: ChangeCause = isDecided !== wasDecided ? 'decision' : same.question ? 'answer' : 'list'
  const moves = wasFound !== isFound || !same.company
  if (isDecided && (!wasDecided || moves)) return { kind: 'decided', cause: 'decision' }
  if (wasFound && !isFound) return { kind: 'lost', cause }
  if (!wasFound && isFound) return { kind: 'matched', cause }
  if (!wasFound) return (before & OUTCOME) === (after & OUTCOME) ? null : { kind: 'outcome', cause }
  if (!same.company) return { kind: 'moved', cause }
  return same.data || !comparesData ? null : { kind: 'changed', cause: 'company' }
}

/** The places of the common columns in both lists. */
type Columns = readonly [before: readonly number[], after: readonly number[]]

/** A row, or its number in its list where it has to be read again; null without one. */
type Place = RowState | number | null

interface Kind {
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
class FoundChanges {
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

  async listed(before: RowStates, after: RowStates, common: readonly string[], [atBefore, atAfter]: Columns) {
    for (const found of this.#found.values()) keepFirst(found, this.#most)
    const all = [...this.#found].flatMap(([kind, found]) => (kind === 'gone' ? [] : found)).sort((a, b) => a.order - b.order)
    all.push(...(this.#found.get('gone') ?? []))
    const was = await readAgain(before, all, 'before')
    const is = await readAgain(after, all, 'after')
    return all.map(({ kind, cause }, at): RowChange => {
      const [old, now] = [was[at]!, is[at]!]
      const { key, name } = (now ?? old)!
      const cells = common.map((column, n) => {
        return { name: column, before: old?.data[atBefore[n]!] ?? '', after: now?.data[atAfter[n]!] ?? '' }
      })
      const differing = kind === 'changed' ? cells.filter(cell => cell.before !== cell.after) : []
      const places = { before: old && describePlace(old), after: now && describePlace(now) }
      return { kind, cause, row: now?.row ?? null, key, name, ...places, columns: differing }
    })
  }
}

function keepFirst(found: Found[], most: number): void {
  found.sort((a, b) => a.order - b.order)
  if (found.length > most) found.length = most
}

/** The rows at the places of one side. */
async function readAgain(list: RowStates, found: readonly Found[], side: 'before' | 'after'): Promise<(RowState | null)[]> {
  const places = found.map(change => change[side])
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

const describePlace = ({ outcome, company, ruled }: RowState) => ({
  outcome,
  company: { ...company },
  ruled: ruled === '' ? undefined : ruled,
})
