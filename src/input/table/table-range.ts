/** Finds the table in the text of a file: after a byte-order mark, skipped lines and a `sep=` line, before skipped lines at the end. */

import { readHead } from '../../files/file-chunks.ts'
import { openInput } from '../../files/open-input.ts'
import type { InputFacts } from '../../pipeline/model/types.ts'
import { byteOrderMark, makeDecoder } from '../text/encoding.ts'
import { changed } from './verify-unchanged.ts'

const LF = 0x0a
const CR = 0x0d

/** A byte range in UTF-8 text without byte-order mark. */
export interface Span {
  readonly from: number
  readonly to: number
}

/**
 * The line `sep=;` above the header, as Excel writes and reads it, of a table in UTF-8 without byte-order mark; null without one.
 * `bytes` include the line end.
 */
export function sepLine(head: Buffer): { readonly delimiter: string; readonly bytes: number } | null {
  const found = /^"?sep=([\x01-\x7e])"?(\r\n|\n|\r)/i.exec(head.subarray(0, 16).toString('latin1'))
  return found ? { delimiter: found[1]!, bytes: found[0].length } : null
}

/** Cuts the table out of UTF-8 text in pieces; the `sep=` line must be complete in one of them. */
export class TableRange {
  readonly #span: Span | undefined
  /** Bytes of text before the current piece; -1 before the first, which may have a mark. */
  #at = -1
  #isBefore = true

  readonly #onAfter: (text: Buffer) => void

  /** `onAfter` receives the text behind the span. */
  constructor(span?: Span, onAfter: (text: Buffer) => void = () => {}) {
    this.#span = span
    this.#onAfter = onAfter
  }

  cut(piece: Buffer): Buffer {
    let text = piece
    if (this.#at < 0) {
      text = piece.subarray(byteOrderMark(piece)?.bytes ?? 0)
      this.#at = 0
    }
    const start = Math.max(0, (this.#span?.from ?? 0) - this.#at)
    const end = Math.max(0, (this.#span?.to ?? Number.POSITIVE_INFINITY) - this.#at)
    this.#at += text.length
    if (end < text.length) this.#onAfter(text.subarray(end))
    if (start >= text.length && text.length > 0) return text.subarray(text.length)
    const table = text.subarray(start, end)
    if (!this.#isBefore || table.length === 0) return table
    this.#isBefore = false
    return table.subarray(sepLine(table)?.bytes ?? 0)
  }
}

/** The offset of line `number` (from 0); null when the text has fewer lines. */
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

/** The pieces in UTF-8. Throws a TypeError for bytes that the encoding does not have, unless `isStrict` is false. */
export async function* decoded(pieces: AsyncIterable<Buffer>, encoding: string, isStrict = true): AsyncGenerator<Buffer> {
  if (encoding === 'utf-8') return yield* pieces
  const decoder = makeDecoder(encoding, isStrict)
  for await (const piece of pieces) yield Buffer.from(decoder.decode(piece))
  yield Buffer.from(decoder.end())
}

/** The offset of the last `lines` lines, blank ones included, in the text without mark; null when there are fewer. */
export async function tailStart(
  pieces: AsyncIterable<Buffer>,
  encoding: string,
  lines: number,
  isStrict = true,
): Promise<number | null> {
  /** Starts of the last lines, and of one more: a line break at the very end starts no line. */
  const starts = [0]
  let at = -1
  let last = 0
  const take = (piece: Buffer): void => {
    const text = at < 0 ? piece.subarray(byteOrderMark(piece)?.bytes ?? 0) : piece
    if (at < 0) at = 0
    for (const byte of text) {
      at++
      if (byte === LF && last === CR) starts[starts.length - 1] = at
      else if (byte === LF || byte === CR) {
        starts.push(at)
        if (starts.length > lines + 1) starts.shift()
      }
      last = byte
    }
  }
  try {
    for await (const text of decoded(pieces, encoding, isStrict)) take(text)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    // The pass over the file reports bytes that the encoding does not have.
    return Number.MAX_SAFE_INTEGER
  }
  if (starts.at(-1) === at) starts.pop()
  return starts.length < lines ? null : starts.at(-lines)!
}

/** The byte range of the table in an unpacked UTF-8 file, and the length of its byte-order mark. Throws FETTLE_INPUT_CHANGED when the file is missing. */
export async function tablePlace(input: InputFacts, root: string | undefined): Promise<Span & { readonly mark: number }> {
  const opened = await openInput(input.path, root)
  if ('code' in opened) throw changed(input, opened.message)
  try {
    const mark = byteOrderMark(await readHead(opened.handle, 3))?.bytes ?? 0
    const { from: start, to } = input.skipped ?? { from: 0, to: Number.POSITIVE_INFINITY }
    const { buffer, bytesRead } = await opened.handle.read(Buffer.alloc(16), 0, 16, mark + start)
    const from = mark + start + (sepLine(buffer.subarray(0, bytesRead))?.bytes ?? 0)
    return { mark, from, to: Math.min(input.bytes, mark + to) }
  } finally {
    await opened.handle.close()
  }
}

export const isSeekable = ({ encoding, packed, files, rejected }: InputFacts): boolean =>
  encoding === 'utf-8' && packed === undefined && files === undefined && rejected === undefined
