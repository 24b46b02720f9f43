/** Passes cells from the scanner to the counters of their columns, and joins cells that the end of a piece cut. */
import { type CellCounter, MAX_VALUE_BYTES } from './column-profiler.ts'

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
  #kept: Uint8Array = NOTHING

  /** `rowsBefore`: rows of the list before the first one here. */
  constructor(counters: readonly CellCounter[], hasHeader: boolean, maxColumns: number, rowsBefore = 0) {
    this.looks = new Uint16Array(maxColumns)
    for (const [number, { index }] of counters.entries()) this.looks[index] = number + 1
    this.#counters = counters
    this.#headers = hasHeader ? 1 : 0
    this.#rowsBefore = rowsBefore
    this.#noted = new Int32Array(counters.length * ROOM)
    this.#next = Int32Array.from(counters.keys(), number => number * ROOM)
  }

  /** Collects the cell of `column` from `start` (negative: in an earlier piece) to `end`; `record` counts from 0. */
  read(column: number, piece: Uint8Array, start: number, end: number, record: number): void {
    const number = this.looks[column]! - 1
    if (number < 0 || record < this.#headers) return
    const noted = this.#noted
    const at = this.#next[number]!
    noted[at] = start
    noted[at + 1] = end
    noted[at + 2] = record - this.#headers + 1 + this.#rowsBefore
    this.#next[number] = at + 3
    if (at + 3 === (number + 1) * ROOM) this.#show(number, piece)
  }

  /** Ends a piece: counts its collected cells, and keeps the head of the cell that began at `start` and is cut by the end. */
  leave(piece: Uint8Array, start: number): void {
    for (const number of this.#counters.keys()) this.#show(number, piece)
    const before = start < 0 ? this.#kept : NOTHING
    const from = Math.max(start, 0)
    this.#kept = Buffer.concat([before, piece.subarray(from, from + Math.max(0, KEPT_BYTES - before.length))])
  }

  #show(number: number, piece: Uint8Array): void {
    const counter = this.#counters[number]!
    const noted = this.#noted
    const view = viewOf(piece)
    const end = this.#next[number]!
    this.#next[number] = number * ROOM
    for (let at = number * ROOM; at < end; at += 3) {
      if (noted[at]! >= 0) counter.add(view, noted[at]!, noted[at + 1]!, noted[at + 2]!)
      else {
        const whole = Buffer.concat([this.#kept, piece.subarray(0, Math.min(noted[at + 1]!, KEPT_BYTES))])
        counter.add(viewOf(whole), 0, whole.length, noted[at + 2]!, noted[at + 1]! - noted[at]!)
      }
    }
  }
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView => new DataView(buffer, byteOffset, byteLength)
