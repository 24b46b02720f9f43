/**
 * Counts what the cells of chosen columns contain: empty cells, distinct values, digits, repeated keys, formulas. Works on the bytes
 * of one cell at a time, which the scanner passes on and which joins those that the end of a piece cut.
 */
import { neutralise } from '../../formats/formula-guard.ts'
import { OUTPUT_FORMATS } from '../../formats/index.ts'
import { isNoName, MOST_NO_NAME } from '../../model/no-name.ts'
import type { CellCounts, ValueWarning, WatchedColumn } from '../../pipeline/model/types.ts'
import { DistinctCounter, Hash, HashTable } from './distinct-counter.ts'

const MAX_CELL = OUTPUT_FORMATS.xlsx.limits.cell

/** Bytes of a value that are compared; callers must pass at least these, and the quotes. */
const MAX_VALUE_BYTES = 1_000

const QUOTE = 0x22
const SPACE = 0x20
const ZERO = 0x30
const NINE = 0x39
const MAX_DIGITS = 33
/** A power of two. A column with more distinct values does not list countries; further values are not counted. */
const MAX_VALUES = 1_024
const FIRST_ROWS = 3
const EXAMPLES = 3
const EXAMPLE = 60
/** A number that a spreadsheet wrote with an exponent because it was too long for its cell. */
const EXPONENT = /^[+-]?\d+([.,]\d+)?[eE][+-]?\d+$/
const DATE = /^(\d{4}-\d\d-\d\d([T ].*)?|\d{1,2}([./-])\d{1,2}\3(\d{4}|\d\d))$/
const NUMBER = /^[+-]?(\d[\d.,'\s]*|[.,]\d+)%?$/
/** No number or date is longer. */
const MAX_KIND = 40

/** The signs of formulas, and the first byte of their wide and small forms: a cell without one of them runs nothing. */
const SIGNS = new Set([...Buffer.from('=+-@'), 0xef])

class Count implements ValueWarning {
  count = 0
  readonly rows: number[] = []

  add(row: number): void {
    if (this.count++ < FIRST_ROWS) this.rows.push(row)
  }

  omit(count: number, rows: readonly number[]): void {
    this.count -= count
    const kept = this.rows.filter(row => !rows.includes(row))
    this.rows.splice(0, this.rows.length, ...kept)
  }
}

class Values {
  readonly #table = new HashTable(2 * MAX_VALUES)
  readonly #bySlot: { readonly text: string; readonly oddity: Count }[] = []

  /** The count of a value that was seen before or is one of the first; undefined for others. */
  find(hash: Hash, bytes: DataView, start: number, end: number): Count | undefined {
    const known = this.#table.findSlot(hash)
    const slot = known < 0 ? ~known : known
    if (known < 0) {
      if (this.#table.size === MAX_VALUES) return undefined
      this.#table.take(slot, hash)
      this.#bySlot[slot] = { text: readText(bytes, start, Math.min(end, start + 100)), oddity: new Count() }
    }
    return this.#bySlot[slot]!.oddity
  }

  all(): (ValueWarning & { readonly text: string })[] {
    return this.#bySlot.flatMap(({ text, oddity: { count, rows } }) => ({ text, count, rows }))
  }
}

/** The counts of one column; `add` expects a cell as in the file, quotes included. */
export class CellCounter implements CellCounts {
  readonly index: number
  readonly empty = new Count()
  readonly examples: string[] = []
  readonly notDigits = new Count()
  readonly noNames = new Count()
  readonly exponents = new Count()
  readonly formulas = new Count()
  readonly tooLong = new Count()
  readonly repeated = new Count()
  readonly digits: Count[] = []
  readonly kinds = { numbers: 0, dates: 0 }
  leadingZeros = 0
  readonly #delimiter: string
  readonly #names: boolean
  readonly #numbers: boolean
  readonly #formulas: boolean
  readonly #lengths: boolean
  readonly #isKey: boolean
  readonly #kinds: boolean
  readonly #hash = new Hash()
  readonly #distinct: DistinctCounter | null
  readonly #values: Values | null

  /** `delimiter`: the character between cells, also in an output for a spreadsheet. */
  constructor({ index, of }: WatchedColumn, delimiter: string) {
    this.index = index
    this.#delimiter = delimiter
    this.#names = of.includes('names')
    this.#numbers = of.includes('numbers')
    this.#formulas = of.includes('formulas')
    this.#lengths = of.includes('lengths')
    this.#isKey = of.includes('keys')
    this.#kinds = of.includes('kinds')
    this.#distinct = this.#isKey || of.includes('profile') ? new DistinctCounter(this.#isKey) : null
    this.#values = of.includes('values') ? new Values() : null
  }

  /** Leaves out the cells of empty rows; `rows` are the first of them. */
  omit({ count, rows }: ValueWarning): void {
    this.empty.omit(count, rows)
  }

  get distinct(): CellCounts['distinct'] {
    return { count: this.#distinct?.count ?? 0, isEstimate: this.#distinct?.isEstimate ?? false }
  }

  get values(): readonly (ValueWarning & { readonly text: string })[] {
    return this.#values?.all() ?? []
  }

  /** Counts the cell in `bytes` from `from` to `to`, of data row `row`. */
  add(bytes: DataView, from: number, to: number, row: number): void {
    if (this.#lengths && to - from > MAX_CELL && isTooLong(readText(bytes, from, to), to - from)) this.tooLong.add(row)
    this.#count(bytes, from, to, row)
  }

  /** Counts a cell of `length` bytes by its beginning, which is enough for a long one. */
  addBeginning(bytes: DataView, length: number, row: number): void {
    if (this.#lengths && length > MAX_CELL && isTooLong(readText(bytes, 0, bytes.byteLength), length)) this.tooLong.add(row)
    this.#count(bytes, 0, bytes.byteLength, row)
  }

  #count(bytes: DataView, from: number, to: number, row: number): void {
    let start = from
    let end = to
    const isQuoted = end - start > 1 && bytes.getUint8(start) === QUOTE
    if (isQuoted) {
      start++
      end--
    }
    if (this.#formulas && this.#isFormula(bytes, start, end)) this.formulas.add(row)
    while (start < end && bytes.getUint8(start) === SPACE) start++
    if (end - start > MAX_VALUE_BYTES) end = start + MAX_VALUE_BYTES
    while (start < end && bytes.getUint8(end - 1) === SPACE) end--
    if (start === end) {
      this.empty.add(row)
      return
    }
    if (this.#kinds && end - start <= MAX_KIND) this.#addKind(bytes, start, end)
    if (this.#distinct === null) return
    if (this.#names && end - start <= MOST_NO_NAME && isNoName(readText(bytes, start, end))) this.noNames.add(row)
    if (this.#numbers) this.#addNumber(bytes, start, end, row)
    this.#hash.take(bytes, start, end)
    if (this.#values !== null) this.#values.find(this.#hash, bytes, start, end)?.add(row)
    if (!this.#distinct.add(this.#hash)) {
      if (this.#isKey) this.repeated.add(row)
    } else if (this.examples.length < EXAMPLES) this.examples.push(example(bytes, start, end, isQuoted))
  }

  #isFormula(bytes: DataView, start: number, end: number): boolean {
    let at = start
    while (at < end && !SIGNS.has(bytes.getUint8(at))) at++
    if (at === end) return false
    const cell = readText(bytes, start, end).replaceAll('""', '"')
    return neutralise(cell, this.#delimiter) !== cell
  }

  /** Only a cell that begins with a digit, a sign or a point is worth a string. */
  #addKind(bytes: DataView, start: number, end: number): void {
    const first = bytes.getUint8(start)
    if (first < 0x2b || first > NINE) return
    const cell = readText(bytes, start, end)
    if (DATE.test(cell)) this.kinds.dates++
    else if (NUMBER.test(cell)) this.kinds.numbers++
  }

  #addNumber(bytes: DataView, start: number, end: number, row: number): void {
    let at = start
    while (at < end && bytes.getUint8(at) >= ZERO && bytes.getUint8(at) <= NINE) at++
    if (at === end) {
      const length = Math.min(end - start, MAX_DIGITS)
      this.digits[length] ??= new Count()
      this.digits[length].add(row)
      if (bytes.getUint8(start) === ZERO) this.leadingZeros++
      return
    }
    this.notDigits.add(row)
    // Only a cell that begins with a digit is worth a string.
    if (at > start && end - start < 32 && EXPONENT.test(readText(bytes, start, end))) this.exponents.add(row)
  }
}

/** Three bytes hold one character at least; shorter cells are always complete. */
const isTooLong = (text: string, length: number): boolean =>
  Buffer.byteLength(text) < length
    ? length > 3 * MAX_CELL
    : text.replace(/^"([\s\S]*)"$/, '$1').replaceAll('""', '"').length > MAX_CELL

const readText = ({ buffer, byteOffset }: DataView, start: number, end: number): string =>
  Buffer.from(buffer, byteOffset + start, end - start).toString()

function example(bytes: DataView, start: number, end: number, isQuoted: boolean): string {
  // Eight bytes for a character: four of UTF-8, doubled if they are quotes.
  const whole = readText(bytes, start, Math.min(end, start + 8 * EXAMPLE))
  const characters = [...(isQuoted ? whole.replaceAll('""', '"') : whole)]
  return characters.length <= EXAMPLE ? characters.join('') : `${characters.slice(0, EXAMPLE - 1).join('')}…`
}

/** Bytes kept of a cell that began in an earlier piece: a value, and spaces or a quote before it. */
const KEPT_BYTES = MAX_VALUE_BYTES + 24
/** Cells of a column collected before they are counted: their text is still in the processor's cache then. */
const ROOM = 3 * 512
const NOTHING = new Uint8Array(0)

/**
 * Passes the cells of some columns, the header excepted, to their counters. Cells are collected while the scanner runs and counted
 * column by column: counting each at once would slow the scanner's loop, and values of one column resemble each other.
 */
export class CellTap {
  /** For each zero-based column the number of its counter from 1, or 0 without a counter. */
  readonly looks: Uint16Array
  readonly #counters: readonly CellCounter[]
  readonly #headers: number
  readonly #rowsBefore: number
  /** Start, end and row of each collected cell per counter, and the next free index. */
  readonly #noted: Int32Array
  readonly #next: Int32Array
  readonly #omit: ReadonlySet<number> | null
  #piece: Uint8Array = NOTHING
  #kept: Uint8Array = NOTHING

  /** `rowsBefore`: rows of the list before the first one here; the cells of rows in `omit` are not counted. */
  constructor(
    counters: readonly CellCounter[],
    hasHeader: boolean,
    maxColumns: number,
    { rowsBefore = 0, omit = null }: { readonly rowsBefore?: number; readonly omit?: ReadonlySet<number> | null } = {},
  ) {
    this.#omit = omit
    this.looks = new Uint16Array(maxColumns)
    for (const [number, { index }] of counters.entries()) this.looks[index] = number + 1
    this.#counters = counters
    this.#headers = hasHeader ? 1 : 0
    this.#rowsBefore = rowsBefore
    this.#noted = new Int32Array(counters.length * ROOM)
    this.#next = Int32Array.from(counters.keys(), number => number * ROOM)
  }

  /** Begins a piece of the list. */
  enter(piece: Uint8Array): void {
    this.#piece = piece
  }

  /** Collects the cell of `column` from `start` (negative: in an earlier piece) to `end`; `record` counts from 0. */
  read(column: number, start: number, end: number, record: number): void {
    const number = this.looks[column]! - 1
    if (number < 0 || record < this.#headers) return
    const row = record - this.#headers + 1 + this.#rowsBefore
    if (this.#omit?.has(row)) return
    const noted = this.#noted
    const at = this.#next[number]!
    noted[at] = start
    noted[at + 1] = end
    noted[at + 2] = row
    this.#next[number] = at + 3
    if (at + 3 === (number + 1) * ROOM) this.#show(number)
  }

  /** Ends a piece: counts its collected cells, and keeps the head of the cell that began at `start` and is cut by the end. */
  leave(start: number): void {
    for (const number of this.#counters.keys()) this.#show(number)
    const before = start < 0 ? this.#kept : NOTHING
    const from = Math.max(start, 0)
    this.#kept = Buffer.concat([before, this.#piece.subarray(from, from + Math.max(0, KEPT_BYTES - before.length))])
  }

  #show(number: number): void {
    const piece = this.#piece
    const counter = this.#counters[number]!
    const noted = this.#noted
    const view = makeView(piece)
    const end = this.#next[number]!
    this.#next[number] = number * ROOM
    for (let at = number * ROOM; at < end; at += 3) {
      if (noted[at]! >= 0) counter.add(view, noted[at]!, noted[at + 1]!, noted[at + 2]!)
      else {
        const whole = Buffer.concat([this.#kept, piece.subarray(0, Math.min(noted[at + 1]!, KEPT_BYTES))])
        counter.addBeginning(makeView(whole), noted[at + 1]! - noted[at]!, noted[at + 2]!)
      }
    }
  }
}

const makeView = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView => new DataView(buffer, byteOffset, byteLength)
