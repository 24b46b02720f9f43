/**
 * From the scanner to the counters: which columns are looked at, and cells put together again where the end of a piece cut them.
 * It counts nothing itself.
 */
import { type CellCounter, MAX_VALUE_BYTES } from './column-profiler.ts'

/** So much of a cell that began in a piece before is kept: a value, and what may stand before it. */
const KEPT_BYTES = MAX_VALUE_BYTES + 24
/** So many cells of a column are noted before they are shown: their text is still near the processor then. */
const ROOM = 3 * 512
const NOTHING = new Uint8Array(0)

/**
 * Shows the cells of some columns to their counters; the cells of a header are names and are not shown. Cells are noted while
 * the scanner runs and shown column by column: counted one at a time they would be compiled into its loop, and what is known of
 * the cell before would help with none.
 */
export class CellTap {
  /** For each zero-based column 0 when its cells are not shown, or the number of its counter from 1. */
  readonly looks: Uint16Array
  readonly #counters: readonly CellCounter[]
  readonly #headers: number
  /** Start, end and row of each cell, with room for so many of each counter; and where the next one goes. */
  readonly #noted: Int32Array
  readonly #next: Int32Array
  #kept: Uint8Array = NOTHING

  constructor(counters: readonly CellCounter[], hasHeader: boolean, maxColumns: number) {
    this.looks = new Uint16Array(maxColumns)
    for (const [number, { index }] of counters.entries()) this.looks[index] = number + 1
    this.#counters = counters
    this.#headers = hasHeader ? 1 : 0
    this.#noted = new Int32Array(counters.length * ROOM)
    this.#next = Int32Array.from(counters.keys(), number => number * ROOM)
  }

  /** Takes the cell of `column` from `start` (negative: in a piece before) to `end`; `record` counts from 0. */
  read(column: number, piece: Uint8Array, start: number, end: number, record: number): void {
    const number = this.looks[column]! - 1
    if (number < 0 || record < this.#headers) return
    const noted = this.#noted
    const at = this.#next[number]!
    noted[at] = start
    noted[at + 1] = end
    noted[at + 2] = record - this.#headers + 1
    this.#next[number] = at + 3
    if (at + 3 === (number + 1) * ROOM) this.#show(number, piece)
  }

  /** Ends a piece: shows what is noted of it, and keeps the head of the cell that began at `start` and is cut by its end. */
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
