/** Normalises text to lower-case words of a–z and 0–9. Every expression is linear in the length of the text. */
import anyAscii from 'any-ascii'
import { unifyScript } from './scripts.ts'

/** Longer cells are neither names nor addresses and have no words (goal: any input is matched within 50 ms). */
export const MAX_TEXT = 500

const DOT = 46
const MARKS = /['`&+]/
const NOT_ASCII = /[^\x00-\x7f]/

const isLetter = (word: string): boolean => word.length === 1 && word >= 'a' && word <= 'z'

/** `s.p.a` to `spa`, `pharmaceut.gr` to two words: dots join single letters and separate other words. */
function splitDots(word: string): string[] {
  const parts = word.split('.').filter(part => part !== '')
  return parts.length > 1 && parts.every(part => part.length === 1) ? [parts.join('')] : parts
}

/**
 * The words of a text without accents, case and punctuation. Other scripts are transliterated, `&` and `+` become `and`, apostrophes
 * are removed, dotted and spaced initials are joined (`S. p. A.` is `spa`). A text over MAX_TEXT characters has no words.
 */
export function splitWords(text: string): string[] {
  if (text.length > MAX_TEXT) return []
  const ascii = NOT_ASCII.test(text) ? anyAscii(unifyScript(text)) : text
  const lower = ascii.toLowerCase()
  const plain = MARKS.test(lower) ? lower.replace(/['`]+/g, '').replace(/[&+]/g, ' and ') : lower
  const found: string[] = []
  let initials = ''
  const note = (word: string): void => {
    if (isLetter(word)) {
      initials += word
      return
    }
    if (initials !== '') found.push(initials)
    initials = ''
    if (word !== '') found.push(word)
  }
  let start = -1
  let hasDot = false
  for (let at = 0; at <= plain.length; at++) {
    const code = at < plain.length ? plain.charCodeAt(at) : 0
    if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === DOT) {
      if (start < 0) start = at
      if (code === DOT) hasDot = true
    } else if (start >= 0) {
      const piece = plain.slice(start, at)
      if (hasDot) for (const word of splitDots(piece)) note(word)
      else note(piece)
      start = -1
      hasDot = false
    }
  }
  note('')
  return found
}

export const normaliseText = (text: string): string => splitWords(text).join(' ')
