/**
 * From the scanner to the counters: which columns are looked at, and cells put together again where the end of a piece cut them.
 * It counts nothing itself.
 */
import type { CellCounter } from './inspect-cells.ts'

/** So much of a cell that began in a piece before is kept. */
const KEPT_BYTES = 256
const NOTHING = new Uint8Array(0)

/** Every cell of the column is shown. */
const ALWAYS = 1
/** Only cells that may be blank are: most columns are watched for nothing else, and most of their cells are not. */
const IF_BLANK = 2

/** True when a cell is to be shown in a column looked at so; one that began in a piece before may be blank. */
const isShown = (look: number | undefined, piece: Uint8Array, start: number, end: number): boolean =>
  look === ALWAYS ||
  (look === IF_BLANK &&
    (end - start < 3 || start < 0 || piece[start] === 0x20 || (piece[start] === 0x22 && piece[start + 1] === 0x20)))

/** Shows the cells of some columns to their counters; the cells of a header are names and are not shown. */
export class CellTap {
  /** For each zero-based column whether its cells are shown: never (0), `ALWAYS`, or `IF_BLANK`. */
  readonly looks: Uint8Array
  readonly #counters: readonly (CellCounter | undefined)[]
  readonly #headers: number
  #kept: Uint8Array = NOTHING

  constructor(counters: readonly CellCounter[], hasHeader: boolean, maxColumns: number) {
    const byColumn: CellCounter[] = []
    this.looks = new Uint8Array(maxColumns)
    for (const counter of counters) {
      byColumn[counter.index] = counter
      this.looks[counter.index] = counter.countsBlanksOnly ? IF_BLANK : ALWAYS
    }
    this.#counters = byColumn
    this.#headers = hasHeader ? 1 : 0
  }

  /** Takes the cell of `column` from `start` (negative: in a piece before) to `end`; `record` counts from 0. */
  read(column: number, piece: Uint8Array, start: number, end: number, record: number): void {
    if (record < this.#headers || !isShown(this.looks[column], piece, start, end)) return
    const row = record - this.#headers + 1
    const counter = this.#counters[column]!
    if (start >= 0) counter.add(piece, start, end, row)
    else {
      const whole = Buffer.concat([this.#kept, piece.subarray(0, Math.min(end, KEPT_BYTES))])
      counter.add(whole, 0, whole.length, row, end - start)
    }
  }

  /** Keeps the head of the cell that began at `start` and is cut by the end of the piece. */
  keep(piece: Uint8Array, start: number): void {
    const before = start < 0 ? this.#kept : NOTHING
    const from = Math.max(start, 0)
    this.#kept = Buffer.concat([before, piece.subarray(from, from + Math.max(0, KEPT_BYTES - before.length))])
  }
}
