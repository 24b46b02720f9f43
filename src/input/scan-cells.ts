/**
 * From the scanner to the counters: which columns are looked at, and cells put together again where the end of a piece cut them.
 * It counts nothing itself.
 */
import { type CellCounter, MAX_VALUE_BYTES } from './inspect-cells.ts'

/** So much of a cell that began in a piece before is kept: a value, and what may stand before it. */
const KEPT_BYTES = MAX_VALUE_BYTES + 24
/** So many cells of a column are noted before they are shown: their text is still near the processor then. */
const NOTED = 512
const NOTHING = new Uint8Array(0)

/**
 * Shows the cells of some columns to their counters; the cells of a header are names and are not shown. Cells are noted while
 * the scanner runs and shown column by column: counted one at a time they would be compiled into its loop, and what is known of
 * the cell before would help with none.
 */
export class CellTap {
  /** For each zero-based column 1 when its cells are shown, 0 when not. */
  readonly looks: Uint8Array
  readonly #columns: Column[] = []
  readonly #headers: number
  #kept: Uint8Array = NOTHING

  constructor(counters: readonly CellCounter[], hasHeader: boolean, maxColumns: number) {
    this.looks = new Uint8Array(maxColumns)
    for (const counter of counters) {
      this.#columns[counter.index] = { counter, noted: new Int32Array(3 * NOTED), end: 0 }
      this.looks[counter.index] = 1
    }
    this.#headers = hasHeader ? 1 : 0
  }

  /** Takes the cell of `column` from `start` (negative: in a piece before) to `end`; `record` counts from 0. */
  read(column: number, piece: Uint8Array, start: number, end: number, record: number): void {
    if (record < this.#headers || this.looks[column] !== 1) return
    const one = this.#columns[column]!
    const at = one.end
    one.noted[at] = start
    one.noted[at + 1] = end
    one.noted[at + 2] = record - this.#headers + 1
    one.end = at + 3
    if (one.end === 3 * NOTED) this.#show(one, piece)
  }

  /** Ends a piece: shows what is noted of it, and keeps the head of the cell that began at `start` and is cut by its end. */
  leave(piece: Uint8Array, start: number): void {
    for (const one of this.#columns) if (one !== undefined) this.#show(one, piece)
    const before = start < 0 ? this.#kept : NOTHING
    const from = Math.max(start, 0)
    this.#kept = Buffer.concat([before, piece.subarray(from, from + Math.max(0, KEPT_BYTES - before.length))])
  }

  #show(column: Column, piece: Uint8Array): void {
    const { counter, noted } = column
    const view = viewOf(piece)
    for (let at = 0; at < column.end; at += 3) {
      if (noted[at]! >= 0) counter.add(view, noted[at]!, noted[at + 1]!, noted[at + 2]!)
      else {
        const whole = Buffer.concat([this.#kept, piece.subarray(0, Math.min(noted[at + 1]!, KEPT_BYTES))])
        counter.add(viewOf(whole), 0, whole.length, noted[at + 2]!, noted[at + 1]! - noted[at]!)
      }
    }
    column.end = 0
  }
}

interface Column {
  readonly counter: CellCounter
  /** Start, end and row of each cell. */
  readonly noted: Int32Array
  end: number
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView => new DataView(buffer, byteOffset, byteLength)
