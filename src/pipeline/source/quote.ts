/** Foreign text made safe and visible for a message: quoted, cut, hidden characters escaped. */
import { listSome } from '../../counted.ts'

// Controls, soft hyphen, every space but U+0020, zero-width and bidirectional marks, the byte-order mark, lone surrogates.
const HIDDEN = /[\u0000-\u001f\u007f-\u00a0\u00ad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]|\p{Cs}/gu

/** The text in double quotes with hidden characters as `\u00a0`, cut after 60 characters. */
export function show(text: string): string {
  const cut = text.length > 60 ? `${text.slice(0, 60)}…` : text
  const escaped = cut.replaceAll('\\', '\\\\').replaceAll('"', '\\"')
  return `"${escaped.replace(HIDDEN, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`
}

export const hasHidden = (text: string): boolean => text.search(HIDDEN) >= 0

/** A header as the eye reads it: case, hidden characters and spaces aside. Two headers with one look are easily confused. */
export const looks = (text: string): string => text.normalize('NFKC').replace(HIDDEN, ' ').replace(/\s+/g, '').toLowerCase()

/** Quoted texts, comma between them, the first twenty only. */
export const showList = (texts: readonly string[]): string => listSome(texts.map(show), 20)
