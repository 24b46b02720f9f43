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

/** NumberColumn of the characters of folded text: space 0, letters 1–26, digits 27–36. */
const NUMBERS = Uint8Array.from({ length: 256 }, (_, code) =>
  code >= 97 && code <= 122 ? code - 96 : code >= 48 && code <= 57 ? code - 21 : 0,
)

/** The number of a folded character. */
export const charCode = (text: string, at: number): number => NUMBERS[text.charCodeAt(at) & 0xff]!

const PAIRS = 37 * 37

/** The letter pairs of a folded text, padded with a space at both ends, as numbers. */
export function bigramsOf(text: string): number[] {
  const pairs: number[] = []
  let before = 0
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? charCode(text, i) : 0
    pairs.push(before * 37 + code)
    before = code
  }
  return pairs
}

/** How often each pair is left over; all 0 between two calls. */
const left = new Uint16Array(PAIRS)

/** Dice coefficient of letter pairs, from 0 to 1, with a folded text given as the first `length` of `letters`. */
export function bigramDice(pairs: readonly number[], letters: Uint8Array, length: number): number {
  for (const pair of pairs) left[pair]!++
  let same = 0
  let before = 0
  for (let i = 0; i <= length; i++) {
    const code = i < length ? NUMBERS[letters[i]!]! : 0
    const pair = before * 37 + code
    if (left[pair] !== 0) {
      left[pair]!--
      same++
    }
    before = code
  }
  for (const pair of pairs) left[pair] = 0
  return (2 * same) / (pairs.length + length + 1)
}

/** The same of two folded texts. */
export function bigramSimilarity(a: string, b: string): number {
  const letters = Uint8Array.from(b, letter => letter.charCodeAt(0))
  return bigramDice(bigramsOf(a), letters, letters.length)
}

/** Digits stand below all letters. */
const BELOW_LETTERS = 58

function hasDigit(word: string): boolean {
  for (let at = 0; at < word.length; at++) if (word.charCodeAt(at) < BELOW_LETTERS) return true
  return false
}

/** True when the short word is the long one without its vowels, or drawn together to its ends: `mchn` of `machinery`, `cntrs` of `centers`. */
function isContraction(short: string, long: string): boolean {
  if (short.length < 3 || long.length < short.length + 2) return false
  if (short.charCodeAt(short.length - 1) !== long.charCodeAt(long.length - 1) && /[aeiou]/.test(short.slice(1))) return false
  let at = 0
  for (let letter = 0; letter < short.length; letter++) {
    at = long.indexOf(short.charAt(letter), at) + 1
    if (at === 0) return false
  }
  return true
}

/** Longest word that is looked at for misspelling. */
const LONGEST_WORD = 32
let above = new Uint8Array(LONGEST_WORD + 1)
let row = new Uint8Array(LONGEST_WORD + 1)
let below = new Uint8Array(LONGEST_WORD + 1)

/** Edits from one word to the other (a letter more, less, another, or two swapped); `most` + 1 when there are more. */
function editsOf(a: string, b: string, most: number): number {
  if (a.length > LONGEST_WORD || b.length > LONGEST_WORD) return most + 1
  for (let j = 0; j <= b.length; j++) row[j] = j
  for (let i = 1; i <= a.length; i++) {
    below[0] = i
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1)
      let edits = Math.min(row[j]! + 1, below[j - 1]! + 1, row[j - 1]! + (same ? 0 : 1))
      if (i > 1 && j > 1 && a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1))
        edits = Math.min(edits, above[j - 2]! + 1)
      below[j] = edits
      if (edits < least) least = edits
    }
    if (least > most) return most + 1
    const free = above
    above = row
    row = below
    below = free
  }
  return Math.min(row[b.length]!, most + 1)
}

/** The letters of a word, a bit each. */
function lettersOf(word: string): number {
  let bits = 0
  for (let at = 0; at < word.length; at++) bits |= 1 << (word.charCodeAt(at) & 31)
  return bits
}

/** How many bits are set. */
function bitsOf(bits: number): number {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++
  return count
}

/** One edit in words from four letters on, two from eight on: what is left of 1 when each edit takes its share; else 0. */
function misspelt(a: string, b: string): number {
  const length = Math.max(a.length, b.length)
  const most = length < 4 ? 0 : length < 8 ? 1 : 2
  if (Math.abs(a.length - b.length) > most) return 0
  // An edit changes two letters at most.
  if (most === 0 || bitsOf(lettersOf(a) ^ lettersOf(b)) > 2 * most) return 0
  const edits = editsOf(a, b, most)
  return edits > most ? 0 : 1 - edits / length
}

/**
 * Word against word, from 0 to 1: equal 1; a prefix of three or more letters 0.8 to 1 (a cut-off or abbreviated word); words with
 * digits never fuzzily; another first letter 0; a word without its vowels 0.8; otherwise Jaro-Winkler from 0.88.
 */
export function wordSimilarity(a: string, b: string): number {
  if (a === b) return 1
  if (hasDigit(a) || hasDigit(b)) return 0
  if (a.charCodeAt(0) !== b.charCodeAt(0)) return misspelt(a, b)
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  if (short.length >= 3 && long.startsWith(short)) return 0.8 + (0.2 * short.length) / long.length
  if (short.length === 2 && long.length >= 4 && long.startsWith(short)) return 0.75
  if (isContraction(short, long)) return 0.8
  return misspelt(a, b)
}
