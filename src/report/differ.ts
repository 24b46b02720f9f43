/** Compares two texts by their words: which words of one the other lacks. */
import { MASK } from '../model/list.ts'

export interface Word {
  readonly text: string
  readonly differs: boolean
}

/** The compared form of a word: without case, accents and punctuation, `&` as `and`. */
const bare = (word: string): string =>
  word === '&'
    ? 'and'
    : word
        .normalize('NFKD')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, '')

/** The words of a text, marked if `other` lacks them. Beside an empty or masked text nothing differs. */
export function wordsBeside(text: string, other: string): Word[] {
  if (other === '' || text === MASK || other === MASK) return [{ text, differs: false }]
  const known = new Set(other.split(/\s+/).map(bare))
  return text.split(/(\s+)/).map(word => ({ text: word, differs: bare(word) !== '' && !known.has(bare(word)) }))
}
