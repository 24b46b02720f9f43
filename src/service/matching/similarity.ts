/** String similarity of normalised text: Jaro-Winkler, letter bigrams, and word by word. */

const MAX_LENGTH = 128
const usedA = new Uint8Array(MAX_LENGTH)
const usedB = new Uint8Array(MAX_LENGTH)

/** Jaro-Winkler similarity from 0 to 1 (prefix bonus 0.1 for up to four letters); reads the first 128 characters. */
export function jaroWinkler(a: string, b: string): number {
  if (a === b) return 1
  const lengthA = Math.min(a.length, MAX_LENGTH)
  const lengthB = Math.min(b.length, MAX_LENGTH)
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

/** Codes of the characters of normalised text: space 0, letters 1–26, digits 27–36. */
const CHARACTER_CODES = Uint8Array.from({ length: 256 }, (_, code) =>
  code >= 97 && code <= 122 ? code - 96 : code >= 48 && code <= 57 ? code - 21 : 0,
)

export const charCode = (text: string, at: number): number => CHARACTER_CODES[text.charCodeAt(at) & 0xff]!

const BIGRAMS = 37 * 37

/** The letter bigrams of a normalised text as numbers. The text is padded with a space at both ends. */
export function listBigrams(text: string): number[] {
  const bigrams: number[] = []
  let before = 0
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? charCode(text, i) : 0
    bigrams.push(before * 37 + code)
    before = code
  }
  return bigrams
}

/** Count of each bigram without a counterpart; all 0 between two calls. */
const unpaired = new Uint16Array(BIGRAMS)

/** Dice coefficient of bigrams, from 0 to 1, with a text given as the first `length` of `letters`. */
export function bigramDice(bigrams: readonly number[], letters: Uint8Array, length: number): number {
  for (const pair of bigrams) unpaired[pair]!++
  let same = 0
  let before = 0
  for (let i = 0; i <= length; i++) {
    const code = i < length ? CHARACTER_CODES[letters[i]!]! : 0
    const pair = before * 37 + code
    if (unpaired[pair] !== 0) {
      unpaired[pair]!--
      same++
    }
    before = code
  }
  for (const pair of bigrams) unpaired[pair] = 0
  return (2 * same) / (bigrams.length + length + 1)
}

export function bigramSimilarity(a: string, b: string): number {
  const letters = Uint8Array.from(b, letter => letter.charCodeAt(0))
  return bigramDice(listBigrams(a), letters, letters.length)
}

const BELOW_LETTERS = 58

function hasDigit(word: string): boolean {
  for (let at = 0; at < word.length; at++) if (word.charCodeAt(at) < BELOW_LETTERS) return true
  return false
}

/**
 * Whether the short word is the long one without vowels or with only some letters: `mchn` of `machinery`, `cntrs` of `centers`.
 */
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

const MAX_WORD = 32
let above = new Uint8Array(MAX_WORD + 1)
let row = new Uint8Array(MAX_WORD + 1)
let below = new Uint8Array(MAX_WORD + 1)

/** Damerau-Levenshtein distance (optimal string alignment); `most` + 1 when it is larger than `most`. */
export function countEdits(a: string, b: string, most: number): number {
  if (a.length > MAX_WORD || b.length > MAX_WORD) return most + 1
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

/** The letters of a word as bits. */
export function lettersOf(word: string): number {
  let bits = 0
  for (let at = 0; at < word.length; at++) bits |= 1 << (word.charCodeAt(at) & 31)
  return bits
}

function countBits(bits: number): number {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++
  return count
}

/** Edits of a misspelt word: one is allowed from four letters on, two from eight on. */
const mostEdits = (length: number): number => (length < 4 ? 0 : length < 8 ? 1 : 2)

/** Whether one word is certainly not the other misspelt, by their lengths and letters (`lettersOf`). */
export function areFar(a: string, b: string, lettersA: number, lettersB: number): boolean {
  const most = mostEdits(Math.max(a.length, b.length))
  // An edit changes two letters at most.
  return Math.abs(a.length - b.length) > most || most === 0 || countBits(lettersA ^ lettersB) > 2 * most
}

/** Similarity of a misspelt word by its edits; else 0. */
function misspelt(a: string, b: string): number {
  if (areFar(a, b, lettersOf(a), lettersOf(b))) return 0
  const length = Math.max(a.length, b.length)
  const most = mostEdits(length)
  const edits = countEdits(a, b, most)
  return edits > most ? 0 : 1 - edits / length
}

/**
 * Similarity of two words, from 0 to 1: equal 1; a prefix of three or more letters 0.8 to 1 (a cut-off or abbreviated word), of two
 * letters 0.75; a contraction 0.8; a misspelling by its edits; words with digits only when equal.
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
