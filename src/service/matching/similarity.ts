/**
 * How alike two strings are: Jaro-Winkler, shared letter pairs, and word against word. Pure arithmetic on folded text.
 */

const LONGEST = 128
const usedA = new Uint8Array(LONGEST)
const usedB = new Uint8Array(LONGEST)

/** Jaro-Winkler similarity from 0 to 1 (prefix bonus 0.1 for up to four letters); reads the first 128 characters. */
export function jaroWinkler(a: string, b: string): number {
  if (a === b) return 1
  const lengthA = Math.min(a.length, LONGEST)
  const lengthB = Math.min(b.length, LONGEST)
  if (lengthA === 0 || lengthB === 0) return 0
  const window = Math.max(0, (Math.max(lengthA, lengthB) >> 1) - 1)
  usedA.fill(0, 0, lengthA)
  usedB.fill(0, 0, lengthB)
  let same = 0
  for (let i = 0; i < lengthA; i++) {
    const code = a.charCodeAt(i)
    const end = Math.min(lengthB - 1, i + window)
    for (let j = Math.max(0, i - window); j <= end; j++) {
      if (usedB[j] === 0 && b.charCodeAt(j) === code) {
        usedA[i] = 1
        usedB[j] = 1
        same++
        break
      }
    }
  }
  if (same === 0) return 0
  let moved = 0
  for (let i = 0, j = 0; i < lengthA; i++) {
    if (usedA[i] === 0) continue
    while (usedB[j] === 0) j++
    if (a.charCodeAt(i) !== b.charCodeAt(j)) moved++
    j++
  }
  const jaro = (same / lengthA + same / lengthB + (same - moved / 2) / same) / 3
  let prefix = 0
  while (prefix < 4 && prefix < lengthA && prefix < lengthB && a.charCodeAt(prefix) === b.charCodeAt(prefix)) prefix++
  return jaro + prefix * 0.1 * (1 - jaro)
}

/** A folded character as a number: space 0, letters 1–26, digits 27–36. */
export function charCode(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code >= 97 && code <= 122) return code - 96
  return code >= 48 && code <= 57 ? code - 21 : 0
}

/** How often each letter pair stands in a folded text. */
export interface Pairs {
  readonly counts: Uint8Array
  readonly total: number
}

/** Counts the letter pairs of a text, padded with a space at both ends. */
export function pairsOf(text: string): Pairs {
  const counts = new Uint8Array(37 * 37)
  let before = 0
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? charCode(text, i) : 0
    const pair = before * 37 + code
    counts[pair] = Math.min(255, (counts[pair] ?? 0) + 1)
    before = code
  }
  return { counts, total: text.length + 1 }
}

const left = new Uint8Array(37 * 37)

/** Dice coefficient of letter pairs, from 0 to 1. */
export function pairDice(pairs: Pairs, text: string): number {
  left.set(pairs.counts)
  let same = 0
  let before = 0
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? charCode(text, i) : 0
    const pair = before * 37 + code
    if (left[pair] !== 0) {
      left[pair]!--
      same++
    }
    before = code
  }
  return (2 * same) / (pairs.total + text.length + 1)
}

const hasDigit = (word: string): boolean => /\d/.test(word)

/** True when the short word is the long one without its vowels: `mchn` of `machinery`. */
function isSkeleton(short: string, long: string): boolean {
  if (short.length < 3 || /[aeiou]/.test(short.slice(1))) return false
  let at = 0
  for (const letter of short) {
    at = long.indexOf(letter, at) + 1
    if (at === 0) return false
  }
  return true
}

/**
 * Word against word, from 0 to 1: equal 1; a prefix of three or more letters 0.8 to 1 (a cut-off or abbreviated word); words with
 * digits never fuzzily; another first letter 0; a word without its vowels 0.8; otherwise Jaro-Winkler from 0.88.
 */
export function wordSimilarity(a: string, b: string): number {
  if (a === b) return 1
  if (a.charCodeAt(0) !== b.charCodeAt(0) || hasDigit(a) || hasDigit(b)) return 0
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  if (short.length >= 3 && long.startsWith(short)) return 0.8 + (0.2 * short.length) / long.length
  if (isSkeleton(short, long)) return 0.8
  if (short.length < 4) return 0
  const similarity = jaroWinkler(a, b)
  return similarity >= 0.88 ? similarity : 0
}
