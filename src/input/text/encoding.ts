/**
 * Byte-order marks, strict UTF-8 across piece borders, and decoders for named encodings. Nothing is guessed: text without a mark is
 * UTF-8 or needs a name.
 */
import { isUtf8 } from 'node:buffer'
import { type Issue, issue } from '../../errors.ts'

export interface Mark {
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be'
  readonly bytes: number
}

export function byteOrderMark(head: Uint8Array): Mark | null {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: 'utf-8', bytes: 3 }
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: 'utf-16le', bytes: 2 }
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: 'utf-16be', bytes: 2 }
  return null
}

/** Decodes pieces of bytes, cut anywhere; throws a TypeError on bytes that the encoding does not have. */
export interface Decoder {
  decode(piece: Uint8Array): string
  end(): string
}

/**
 * A decoder for a canonical name. Byte-order marks are left out of the text. It is strict, or writes U+FFFD for bytes that the encoding
 * does not have.
 */
export function makeDecoder(encoding: string, isStrict = true): Decoder {
  if (encoding === 'windows-1252')
    return { decode: piece => (isStrict ? decodeWindows1252(piece) : asWindows1252(piece)), end: () => '' }
  const decoder = new TextDecoder(encoding, { fatal: isStrict })
  return { decode: piece => decoder.decode(piece, { stream: true }), end: () => decoder.decode() }
}

// Node 20's TextDecoder reads windows-1252 as Latin-1 (0x80 becomes U+0080, not the euro sign): test "the euro sign".
const HIGH = '€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ'

function decodeWindows1252(piece: Uint8Array): string {
  return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, character => {
      const read = HIGH[character.charCodeAt(0) - 0x80]!
      if (read === '\0') throw new TypeError(`windows-1252 has no character 0x${character.charCodeAt(0).toString(16)}`)
      return read
    })
}

/** How windows-1252 reads bytes; those that it does not have become U+FFFD. */
export function asWindows1252({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength)
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, character => HIGH[character.charCodeAt(0) - 0x80]!.replace('\0', '\ufffd'))
}

/** The byte that windows-1252, or Latin-1 where it has none, reads as a character; null without one. */
export function asByteOfWindows1252(code: number): number | null {
  if (code <= 0xff) return code
  const at = HIGH.indexOf(String.fromCharCode(code))
  return at === -1 ? null : 0x80 + at
}

/** Characters in a range of UTF-8: all bytes but continuation bytes. */
export function characters(bytes: Uint8Array, from: number, to: number): number {
  let count = 0
  for (let i = from; i < to; i++) if ((bytes[i]! & 0xc0) !== 0x80) count++
  return count
}

export const REPLACEMENT = Buffer.from('\ufffd')

/** UTF-8 as text; bytes that are not UTF-8 are shown as `\xFC`. */
export function escapeInvalid(bytes: Buffer): string {
  let text = ''
  let rest = bytes
  while (!isUtf8(rest)) {
    const at = firstInvalid(rest)
    text += `${rest.toString('utf8', 0, at)}\\x${rest[at]!.toString(16).toUpperCase().padStart(2, '0')}`
    rest = rest.subarray(at + 1)
  }
  return text + rest.toString()
}

export class Utf8Check {
  replacements = 0
  #pending: Buffer = Buffer.alloc(0)

  /** Offset in `piece` of the first sequence that is not UTF-8 (negative: it began in the previous piece), null when the piece is valid. */
  push(piece: Buffer): number | null {
    let from = 0
    if (this.#pending.length > 0) {
      const need = sequenceLength(this.#pending[0]!) - this.#pending.length
      from = Math.min(need, piece.length)
      const joined = Buffer.concat([this.#pending, piece.subarray(0, from)])
      if (from < need) {
        this.#pending = joined
        return null
      }
      if (!isUtf8(joined)) return -this.#pending.length
      if (joined.equals(REPLACEMENT)) this.replacements++
    }
    const to = Math.max(from, wholeCharacters(piece))
    const whole = piece.subarray(from, to)
    if (!isUtf8(whole)) return from + firstInvalid(whole)
    for (let at = whole.indexOf(REPLACEMENT); at !== -1; at = whole.indexOf(REPLACEMENT, at + 3)) this.replacements++
    this.#pending = Buffer.from(piece.subarray(to))
    return null
  }

  end(): number {
    return this.#pending.length
  }
}

const sequenceLength = (lead: number): number => (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1)

/** The offset of the last, incomplete character of a piece; its length when every character is complete. */
function wholeCharacters(piece: Buffer): number {
  for (let back = 1; back <= Math.min(3, piece.length); back++) {
    const byte = piece[piece.length - back]!
    if ((byte & 0xc0) === 0x80) continue
    return byte >= 0xc0 && byte <= 0xf4 && sequenceLength(byte) > back ? piece.length - back : piece.length
  }
  return piece.length
}

/** Start of the first invalid sequence, by bisection: only called on the one piece that is not UTF-8. */
function firstInvalid(bytes: Buffer): number {
  const isValidTo = (end: number): boolean => isUtf8(bytes.subarray(0, wholeCharacters(bytes.subarray(0, end))))
  let valid = 0
  let invalid = bytes.length
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1
    if (isValidTo(middle)) valid = middle
    else invalid = middle
  }
  return wholeCharacters(bytes.subarray(0, valid))
}

/** Finds the first byte that `encoding` cannot decode, by a second, slower pass; it is in the piece that begins at `pieceStart`. */
export async function undecodable(
  path: string,
  pieces: AsyncIterable<Buffer>,
  encoding: string,
  pieceStart: number,
): Promise<Issue> {
  const decoder = makeDecoder(encoding)
  let offset = 0
  let line = 1
  const read = (text: string): void => {
    line += text.match(/\r\n|\n|\r/g)?.length ?? 0
  }
  try {
    for await (const piece of pieces) {
      if (offset < pieceStart) {
        read(decoder.decode(piece))
        offset += piece.length
        continue
      }
      for (let i = 0; i < piece.length; i++, offset++) read(decoder.decode(piece.subarray(i, i + 1)))
    }
    decoder.end()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
  const message = `${path} is not ${encoding}: byte at offset ${offset}, line ${line} has no meaning in it`
  return issue('FETTLE_INPUT_ENCODING', message, { at: { file: path, line, column: null }, hint: 'Name another encoding.' })
}
