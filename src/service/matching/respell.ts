/**
 * Reads a misspelt name by the words of the index: a scanner's digits and letters (`C0MMERC1AL`, `Bumley`), a spelling error in a word that is
 * spelled out or shortened (`DISTRIBBUTION`), two words written as one, or one as two.
 */
import { isLegalWord, LONG_WORDS, plainWord } from '../../normalise/company-name.ts'
import { splitWords } from '../../normalise/text.ts'
import type { MatchIndex } from './blocking/match-index.ts'
import { areFar, countEdits, lettersOf } from './similarity.ts'

const DIGITS: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'li',
  2: 'z',
  3: 'e',
  4: 'a',
  5: 's',
  6: 'g',
  7: 't',
  8: 'b',
  9: 'g',
}
/** What a scanner takes for one another. */
const SHAPES: readonly (readonly [string, string])[] = [
  ['rn', 'm'],
  ['cl', 'd'],
  ['vv', 'w'],
  ['ii', 'n'],
]
const MAX_VARIANTS = 16
const [SHORTEST, SHORTEST_PART] = [5, 4]

const isKnown = (index: MatchIndex, word: string): boolean => index.dictionary.number(plainWord(word)) >= 0 || isLegalWord(word)

function* variantsOf(word: string): Generator<string> {
  if (/\d/.test(word)) {
    let all = ['']
    for (const letter of word) {
      const options = DIGITS[letter] ?? letter
      all = all.flatMap(start => [...options].map(option => start + option)).slice(0, MAX_VARIANTS)
    }
    yield* all
    return
  }
  for (const [from, to] of SHAPES) {
    if (!word.includes(from)) continue
    yield word.replace(from, to)
    yield word.replaceAll(from, to)
  }
}

const LONG = LONG_WORDS.map(word => ({ word, letters: lettersOf(word) }))

const mostEdits = (length: number): number => (length < 10 ? 1 : 2)

function readWord(index: MatchIndex, word: string, at: number): string {
  const hasDigit = /\d/.test(word)
  if (word.length < (hasDigit ? 3 : SHORTEST) || (hasDigit && !/[a-z].*[a-z]/.test(word)) || isKnown(index, word)) return word
  for (const variant of variantsOf(word)) if (isKnown(index, variant)) return variant
  if (hasDigit) return word
  const letters = lettersOf(word)
  const close = LONG.find(
    long =>
      long.word.charCodeAt(0) === word.charCodeAt(0) &&
      !areFar(word, long.word, letters, long.letters) &&
      countEdits(word, long.word, mostEdits(long.word.length)) <= mostEdits(long.word.length),
  )
  if (close !== undefined) return close.word
  // The first word may be a brand made of two.
  for (let end = SHORTEST_PART; at > 0 && end <= word.length - SHORTEST_PART; end++) {
    const [first, second] = [word.slice(0, end), word.slice(end)]
    if (isKnown(index, first) && isKnown(index, second)) return `${first} ${second}`
  }
  return word
}

/** The name with the words of the index; null for one that has them already, or none that is near. */
export function respell(index: MatchIndex, text: string): string | null {
  const words = splitWords(text)
  const read = words.map((word, at) => readWord(index, word, at))
  return read.some((word, at) => word !== words[at]) ? read.join(' ') : null
}
