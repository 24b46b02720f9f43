/** Counts records without a value: nothing but delimiters, blanks and pairs of quotes. Works on bytes, in pieces cut anywhere. */

const QUOTE = 0x22

const START = 0 // before the first byte of a cell
const BLANK = 1 // in an unquoted cell of blanks
const QUOTED = 2 // in a quoted cell of blanks
const CLOSED = 3 // after its closing quote
const FILLED = 4

const FIRST = 4

export class EmptyRecords {
  count = 0
  /** The numbers (from 1) of the first four. */
  readonly first: number[] = []
  #state = START
  readonly #delimiter: number

  constructor(delimiter: number) {
    this.#delimiter = delimiter
  }

  /** Ends the record of this number, which has been added. */
  end(record: number): void {
    if (this.#state === FILLED) return
    this.count++
    if (this.first.length < FIRST) this.first.push(record)
  }

  begin(): void {
    this.#state = START
  }

  /** Adds bytes of a record, its line end excluded. Of most records it reads one byte. */
  add(piece: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to && this.#state !== FILLED; at++) this.#state = this.#after(piece[at]!)
  }

  #after(byte: number): number {
    const state = this.#state
    if (byte === this.#delimiter && state !== QUOTED) return START
    if (byte === QUOTE) return state === START ? QUOTED : state === QUOTED ? CLOSED : FILLED
    if (byte !== 0x20 && !(byte >= 0x09 && byte <= 0x0d)) return FILLED
    return state === QUOTED ? QUOTED : state === CLOSED ? FILLED : BLANK
  }
}
