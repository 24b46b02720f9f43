/**
 * Counts UTF-8 text that was decoded as windows-1252 or Latin-1 and encoded again: `Ã¼` for `ü`, `â€™` for `’`. The search for bytes
 * that are rare in any language costs next to nothing.
 */

const MOST = 10_000
/** The longest pattern is `â€`. */
const MAX_BYTES = 5

/** Bytes to search for, and their distance from the start of the pattern, whose first character is two bytes, 0xC3 the first. */
const NEEDLES: readonly (readonly [needle: Uint8Array | number, before: number])[] = [
  [0xc2, 2], // Ã¼, Â£, Å¡, Ð°: the second character is one of U+0080 to U+00BF
  [Buffer.from([0x83, 0xc5]), 1], // Ãœ, ÃŸ
  [Buffer.from([0x83, 0xe2]), 1], // Ã„, Ã–, Ã‰
  [Buffer.from([0xa2, 0xe2, 0x82, 0xac]), 1], // â€
]

/**
 * The patterns. Excluded are characters that may follow such a capital in correct text: a no-break space, closing quotes, ®, ™, an
 * ellipsis. A file in which `LÃ®` means `Lî` has other matches.
 */
const PLACE = /^(?:Â[\u00a0-¿]|[ÃÄÅÎÏÐÑ][¡-\u00ad¯-º¼-¿]|Ã[€„†‡‰Š‹ŒŽ‘–šœžŸ]|â€)/u

/** Counts matches in UTF-8 text cut anywhere, up to 10,000. */
export class Mojibake {
  count = 0
  example = ''
  /** The last bytes, too few for a complete pattern. */
  #tail: Buffer = Buffer.alloc(0)

  /** `1 place looks`, `at least 10000 places look`. */
  get places(): string {
    return this.count === 1 ? '1 place looks' : `${this.count === MOST ? 'at least ' : ''}${this.count} places look`
  }

  /** Returns the offsets of the matches in a piece, in order; 0 for one that began in the previous piece. */
  push(piece: Buffer): number[] {
    const border = Buffer.concat([this.#tail, piece.subarray(0, MAX_BYTES - 1)])
    const before = this.#tail.length
    const cut = this.#places(border).filter(({ start, text }) => start < before && start + Buffer.byteLength(text) > before)
    const found = [...cut.map(({ text }) => ({ start: 0, text })), ...this.#places(piece)].sort((a, b) => a.start - b.start)
    if (this.count === 0) this.example = found[0]?.text ?? ''
    const tail = piece.length < MAX_BYTES ? border : piece
    this.#tail = Buffer.from(tail.subarray(Math.max(0, tail.length - MAX_BYTES + 1)))
    this.count = Math.min(MOST, this.count + found.length)
    return found.map(({ start }) => start)
  }

  #places(bytes: Buffer): { readonly start: number; readonly text: string }[] {
    const found: { start: number; text: string }[] = []
    for (const [needle, before] of NEEDLES) {
      for (let at = bytes.indexOf(needle); at !== -1 && this.count + found.length < MOST; at = bytes.indexOf(needle, at + 1)) {
        const start = at - before
        if (start < 0 || bytes[start] !== 0xc3) continue
        const [text] = PLACE.exec(bytes.toString('utf8', start, start + MAX_BYTES)) ?? []
        if (text !== undefined) found.push({ start, text })
      }
    }
    return found
  }
}
