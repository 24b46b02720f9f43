/**
 * Text to plain words: lower-case a–z and 0–9 parted by single spaces. Knows scripts and punctuation, nothing about companies.
 * Every expression here is linear in the length of the text.
 */
import anyAscii from 'any-ascii'

/** Longer cells are not names or addresses; the engine does not read them (matching goal: any input answered within 50 ms). */
const LONGEST_TEXT = 500

const NOT_ASCII = /[^\x00-\x7f]/

const isLetter = (word: string): boolean => word.length === 1 && word >= 'a' && word <= 'z'

/** `s.p.a` to `spa`, `pharmaceut.gr` to two words: dots between single letters join, other dots part. */
function splitDots(word: string): string[] {
  const parts = word.split('.').filter(part => part !== '')
  return parts.length > 1 && parts.every(part => part.length === 1) ? [parts.join('')] : parts
}

/**
 * The words of a text. Accents, case and punctuation go; other scripts are transliterated; `&` and `+` become `and`;
 * apostrophes vanish; dotted and spaced initials join (`S. p. A.` is `spa`). Texts over LONGEST_TEXT characters have no words.
 */
export function words(text: string): string[] {
  if (text.length > LONGEST_TEXT) return []
  const ascii = NOT_ASCII.test(text) ? anyAscii(text.normalize('NFKD').replace(/\p{M}+/gu, '')) : text
  const plain = ascii
    .toLowerCase()
    .replace(/['`]+/g, '')
    .replace(/[&+]/g, ' and ')
    .replace(/[^a-z0-9.]+/g, ' ')
  const found: string[] = []
  let initials = ''
  for (const piece of plain.split(' ')) {
    const parts = piece.includes('.') ? splitDots(piece) : [piece]
    for (const word of parts) {
      if (word === '') continue
      if (isLetter(word)) {
        initials += word
        continue
      }
      if (initials !== '') found.push(initials)
      initials = ''
      found.push(word)
    }
  }
  if (initials !== '') found.push(initials)
  return found
}

/** The words of a text, joined by spaces. Folding twice gives the same as folding once. */
export const fold = (text: string): string => words(text).join(' ')
