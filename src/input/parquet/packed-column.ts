/** The cells of a column as CSV, one after another in one buffer: strings of a hundred thousand rows would take several times the memory. */
import type { ColumnType } from '../../model/column-types.ts'
import { textOf } from './column-type.ts'

const [QUOTE, COMMA, LINE_FEED, CARRIAGE_RETURN] = [0x22, 0x2c, 0x0a, 0x0d]
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export class PackedColumn {
  rows = 0
  #bytes = Buffer.allocUnsafe(64 * 1024)
  #ends = new Uint32Array(0)

  /** Empties it for other rows: its memory is used again. */
  clear(rows: number): void {
    this.rows = 0
    if (rows > this.#ends.length) this.#ends = new Uint32Array(rows)
  }

  /** Bytes of the first rows. */
  size(rows: number): number {
    return rows === 0 ? 0 : this.#ends[rows - 1]!
  }

  /** Throws as textOf does. */
  add(type: ColumnType, raw: Parameters<typeof textOf>[1]): void {
    const at = this.size(this.rows)
    this.#ends[this.rows] =
      raw instanceof Uint8Array && type.is === 'string' ? this.#quoted(raw, at) : this.#plain(textOf(type, raw), at)
    this.rows++
  }

  /** Numbers and moments, which need no quotes. */
  #plain(text: string, at: number): number {
    this.#reserve(at + text.length)
    return at + this.#bytes.write(text, at, 'latin1')
  }

  #quoted(cell: Uint8Array, at: number): number {
    let isAscii = true
    let hasQuotes = false
    for (let index = 0; index < cell.length; index++) {
      const byte = cell[index]!
      if (byte >= 0x80) isAscii = false
      else if (byte === QUOTE || byte === COMMA || byte === LINE_FEED || byte === CARRIAGE_RETURN) hasQuotes = true
    }
    if (!isAscii) utf8.decode(cell)
    this.#reserve(at + 2 * cell.length + 2)
    const bytes = this.#bytes
    let end = at
    if (hasQuotes) bytes[end++] = QUOTE
    for (let index = 0; index < cell.length; index++) {
      const byte = cell[index]!
      if (byte === QUOTE) bytes[end++] = QUOTE
      bytes[end++] = byte
    }
    if (hasQuotes) bytes[end++] = QUOTE
    return end
  }

  #reserve(size: number): void {
    if (size <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(size, Math.ceil(this.#bytes.length * 1.5)))
    this.#bytes.copy(larger)
    this.#bytes = larger
  }

  /** Copies a cell, and returns where it ends. */
  copy(row: number, target: Buffer, at: number): number {
    return at + this.#bytes.copy(target, at, this.size(row), this.#ends[row]!)
  }
}

/** Rows of the columns as lines. */
export function linesOf(columns: readonly PackedColumn[], from: number, to: number): Buffer {
  const separators = (to - from) * (columns.length + 2)
  const lines = Buffer.allocUnsafe(columns.reduce((sum, column) => sum + column.size(to) - column.size(from), separators))
  let at = 0
  for (let row = from; row < to; row++) {
    for (const column of columns) {
      const end = column.copy(row, lines, at)
      // A lone empty cell would be a blank line, and a blank line is no row.
      at = end === at && columns.length === 1 ? lines.write('""', at) + at : end
      lines[at++] = COMMA
    }
    lines[at - 1] = LINE_FEED
  }
  return lines.subarray(0, at)
}
