/**
 * What the cells of chosen columns hold, counted while the scanner passes: empty ones, digits, values, repeated keys, formulas.
 * It sees the bytes of one cell at a time and makes hardly any strings; it judges nothing and words nothing.
 */
import type { CellCounts, Oddity, WatchedColumn } from '../pipeline/types.ts'
import { hashOf, KeySet } from './inspect-keys.ts'
import { MAX_CELL } from './xlsx-write.ts'

const QUOTE = 0x22
const SPACE = 0x20
const ZERO = 0x30
const NINE = 0x39
/** Longer runs of digits are counted together. */
const MAX_DIGITS = 33
/** A column of more different values than this is no list of countries; the rest of them are not counted. */
const MAX_VALUES = 1_000
const FIRST_ROWS = 3
/** How a spreadsheet writes a number too long for its cell. */
const EXPONENT = /^[+-]?\d+([.,]\d+)?[eE][+-]?\d+$/
/** What makes a spreadsheet take a cell for a formula; the same set as in formats.ts, as far as it is one byte. */
const FORMULA = new Set(Buffer.from('=+-@\t\r\n\0'))

class Count implements Oddity {
  count = 0
  readonly rows: number[] = []

  add(row: number): void {
    if (this.count++ < FIRST_ROWS) this.rows.push(row)
  }
}

/** Values by their hash. */
type Values = Map<number, { readonly text: string; readonly oddity: Count }>

/** The counts of one column; `add` takes a cell as it stands in the file, quotes included. */
export class CellCounter implements CellCounts {
  readonly index: number
  readonly empty = new Count()
  readonly notDigits = new Count()
  readonly exponents = new Count()
  readonly formulas = new Count()
  readonly tooLong = new Count()
  readonly repeated = new Count()
  readonly digits: Count[] = []
  leadingZeros = 0
  /** Nothing but empty cells is counted. */
  readonly countsBlanksOnly: boolean
  readonly #numbers: boolean
  readonly #formulas: boolean
  readonly #lengths: boolean
  readonly #keys: KeySet | null
  readonly #values: Values | null

  constructor({ index, of }: WatchedColumn) {
    this.index = index
    this.countsBlanksOnly = of.length === 0
    this.#numbers = of.includes('numbers')
    this.#formulas = of.includes('formulas')
    this.#lengths = of.includes('lengths')
    this.#keys = of.includes('keys') ? new KeySet() : null
    this.#values = of.includes('values') ? new Map() : null
  }

  /** Each different value with its count. */
  get values(): readonly (Oddity & { readonly text: string })[] {
    return [...(this.#values?.values() ?? [])].map(({ text, oddity: { count, rows } }) => ({ text, count, rows }))
  }

  /**
   * Counts the cell in `bytes` from `from` to `to`, of data row `row`. A long one may be given by its beginning: `length` is how
   * many bytes it has.
   */
  add(bytes: Uint8Array, from: number, to: number, row: number, length = to - from): void {
    if (this.#lengths && length > MAX_CELL && isTooLong(bytes.subarray(from, to), length)) this.tooLong.add(row)
    let start = from
    let end = to
    if (end - start > 1 && bytes[start] === QUOTE) {
      start++
      end--
    }
    if (this.#formulas && start < end && FORMULA.has(bytes[start]!)) this.formulas.add(row)
    while (start < end && bytes[start] === SPACE) start++
    while (start < end && bytes[end - 1] === SPACE) end--
    if (start === end) {
      this.empty.add(row)
      return
    }
    if (this.#numbers) this.#addNumber(bytes, start, end, row)
    if (this.#values !== null) this.#addValue(this.#values, bytes, start, end, row)
    if (this.#keys !== null && !this.#keys.add(bytes, start, end)) this.repeated.add(row)
  }

  #addNumber(bytes: Uint8Array, start: number, end: number, row: number): void {
    let at = start
    while (at < end && bytes[at]! >= ZERO && bytes[at]! <= NINE) at++
    if (at === end) {
      const length = Math.min(end - start, MAX_DIGITS)
      this.digits[length] ??= new Count()
      this.digits[length].add(row)
      if (bytes[start] === ZERO) this.leadingZeros++
      return
    }
    this.notDigits.add(row)
    // A digit, then anything: only such a cell is worth a string.
    if (at > start && end - start < 32 && EXPONENT.test(latin(bytes, start, end))) this.exponents.add(row)
  }

  #addValue(values: Values, bytes: Uint8Array, start: number, end: number, row: number): void {
    const hash = hashOf(bytes, start, end)
    const known = values.get(hash)
    if (known !== undefined) known.oddity.add(row)
    else if (values.size < MAX_VALUES) {
      const oddity = new Count()
      oddity.add(row)
      values.set(hash, { text: Buffer.from(bytes.subarray(start, Math.min(end, start + 100))).toString(), oddity })
    }
  }
}

/** Three bytes give one character at least; fewer can be told of a cell that is there whole. */
const isTooLong = (bytes: Uint8Array, length: number): boolean =>
  bytes.length < length
    ? length > 3 * MAX_CELL
    : Buffer.from(bytes)
        .toString()
        .replace(/^"([\s\S]*)"$/, '$1')
        .replaceAll('""', '"').length > MAX_CELL

const latin = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1')
