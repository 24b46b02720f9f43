/**
 * Where the table lies in the text of a file: behind a byte-order mark, lines to skip and a `sep=` line, before other lines to
 * skip. It knows lines, not records.
 */

import { byteOrderMark, makeDecoder } from '../text/encoding.ts'
import { sepLine } from './dialect.ts'

const LF = 0x0a
const CR = 0x0d

/** The part of a text that is not skipped: bytes of UTF-8 without byte-order mark. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Cuts the table out of text in UTF-8 that comes in pieces; the `sep=` line must lie whole in one of them. */
export class TableRange {
  readonly #span: Span | undefined
  /** Bytes of text before the piece at hand; -1 while there may still be a mark. */
  #at = -1
  #isBefore = true

  constructor(span?: Span) {
    this.#span = span
  }

  /** What of a piece belongs to the table. */
  cut(piece: Buffer): Buffer {
    let text = piece
    if (this.#at < 0) {
      text = piece.subarray(byteOrderMark(piece)?.bytes ?? 0)
      this.#at = 0
    }
    const start = Math.max(0, (this.#span?.from ?? 0) - this.#at)
    const end = Math.max(0, (this.#span?.to ?? Number.POSITIVE_INFINITY) - this.#at)
    this.#at += text.length
    if (start >= text.length && text.length > 0) return text.subarray(text.length)
    const table = text.subarray(start, end)
    if (!this.#isBefore || table.length === 0) return table
    this.#isBefore = false
    return table.subarray(sepLine(table)?.bytes ?? 0)
  }
}

/** Where line `number` (from 0) of a text begins; null when it has fewer lines. */
export function lineStart(text: Buffer, number: number): number | null {
  let at = 0
  for (let line = 0; line < number; line++) {
    const end = lineEnd(text, at)
    if (end === text.length) return null
    at = text[end] === CR && text[end + 1] === LF ? end + 2 : end + 1
  }
  return at
}

function lineEnd(text: Buffer, from: number): number {
  let at = from
  while (at < text.length && text[at] !== LF && text[at] !== CR) at++
  return at
}

/** Where the last so many lines of a file begin that are not blank, in its text without mark; null when it has fewer. */
export async function tailStart(pieces: AsyncIterable<Buffer>, encoding: string, lines: number): Promise<number | null> {
  const decoder = encoding === 'utf-8' ? null : makeDecoder(encoding)
  /** Starts of the latest lines that are not blank. */
  const starts: number[] = []
  let at = -1
  let isInLine = false
  const take = (piece: Buffer): void => {
    const text = at < 0 ? piece.subarray(byteOrderMark(piece)?.bytes ?? 0) : piece
    if (at < 0) at = 0
    for (let i = 0; i < text.length; i++) {
      const isBreak = text[i] === LF || text[i] === CR
      if (!isBreak && !isInLine) {
        starts.push(at + i)
        if (starts.length > lines) starts.shift()
      }
      isInLine = !isBreak
    }
    at += text.length
  }
  try {
    for await (const piece of pieces) take(decoder === null ? piece : Buffer.from(decoder.decode(piece)))
    if (decoder !== null) take(Buffer.from(decoder.end()))
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    // Bytes that the encoding does not have are told by whoever reads the whole file.
    return Number.MAX_SAFE_INTEGER
  }
  return starts.length < lines ? null : starts[0]!
}
