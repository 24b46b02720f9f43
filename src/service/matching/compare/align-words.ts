/** Aligns the words of two names: first equal words, then similar ones, then two words written as one. */
import type { MatchIndex } from '../blocking/match-index.ts'
import type { QueryName } from '../query.ts'
import { areFar, wordSimilarity } from '../similarity.ts'

/** How well each side is covered; the word pairs themselves are not kept. */
export interface Alignment {
  query: number
  company: number
  matched: number
  missCompany: number
  /** Number of words without any counterpart on each side. */
  extraQuery: number
  extraCompany: number
}

const MAX_WORDS = 32
/** Coverage of a word that matches only by initials. */
const INITIALS = 0.85
const alikeQuery = new Float64Array(MAX_WORDS)
const alikeCompany = new Float64Array(MAX_WORDS)
const weightQuery = new Float64Array(MAX_WORDS)
const result: Alignment = { query: 0, company: 0, matched: 0, missCompany: 0, extraQuery: 0, extraCompany: 0 }

/** Similarity of a query word and a dictionary word, computed once per pair; most pairs are far apart, which is seen faster than looked up. */
export function cachedSimilarity(index: MatchIndex, name: QueryName, at: number, id: number): number {
  if (name.numbers[at] === id) return 1
  const [word, other] = [name.words[at]!, index.dictionary.word(id)]
  if (word.charCodeAt(0) !== other.charCodeAt(0) && areFar(word, other, name.letters[at]!, index.dictionary.letters(id))) return 0
  const key = at * index.dictionary.size + id
  const known = name.alike.get(key)
  if (known !== undefined) return known
  const found = wordSimilarity(word, other)
  name.alike.set(key, found)
  return found
}

const isJoined = (whole: string, first: string, second: string): boolean =>
  whole.length === first.length + second.length && whole.startsWith(first) && whole.endsWith(second)

/** Two neighbouring words of one side written as one on the other: `good will` and `goodwill`. */
function joinNeighbours(index: MatchIndex, name: QueryName, start: number, length: number): void {
  const word = (at: number): string => index.dictionary.word(index.wordIds[start + at]!)
  for (let i = 0; i < name.words.length; i++) {
    for (let j = 0; j < length; j++) {
      if (alikeQuery[i] === 0 && alikeQuery[i + 1] === 0 && i + 1 < name.words.length && alikeCompany[j] === 0) {
        if (isJoined(word(j), name.words[i]!, name.words[i + 1]!)) alikeQuery[i] = alikeQuery[i + 1] = alikeCompany[j] = 1
      }
      if (alikeCompany[j] === 0 && j + 1 < length && alikeCompany[j + 1] === 0 && alikeQuery[i] === 0) {
        if (isJoined(name.words[i]!, word(j), word(j + 1))) alikeQuery[i] = alikeCompany[j] = alikeCompany[j + 1] = 1
      }
    }
  }
}

/** A word of one side that is the initials of neighbouring words on the other: `igh` and `international group holdings`. */
function joinInitials(index: MatchIndex, name: QueryName, start: number, length: number): void {
  const theirs = (at: number): string => index.dictionary.word(index.wordIds[start + at]!)
  const ours = (at: number): string => name.words[at]!
  cover(ours, name.words.length, alikeQuery, theirs, length, alikeCompany)
  cover(theirs, length, alikeCompany, ours, name.words.length, alikeQuery)
}

function cover(
  short: (at: number) => string,
  shorts: number,
  alikeShort: Float64Array,
  long: (at: number) => string,
  longs: number,
  alikeLong: Float64Array,
): void {
  for (let i = 0; i < shorts; i++) {
    const word = short(i)
    if (alikeShort[i] !== 0 || word.length < 2 || word.length > 5) continue
    for (let j = 0; j + word.length <= longs; j++) {
      let at = 0
      while (at < word.length && alikeLong[j + at] === 0 && long(j + at).charCodeAt(0) === word.charCodeAt(at)) at++
      if (at < word.length) continue
      alikeShort[i] = INITIALS
      alikeLong.fill(INITIALS, j, j + word.length)
      break
    }
  }
}

/** Aligns a query name with a document. The next call overwrites the result. */
export function align(index: MatchIndex, name: QueryName, document: number): Alignment {
  const start = index.wordStarts[document]!
  const length = index.wordStarts[document + 1]! - start
  const { idf } = index.byWord
  const size = name.words.length
  alikeCompany.fill(0, 0, length)
  let open = 0
  for (let i = 0; i < size; i++) {
    alikeQuery[i] = 0
    weightQuery[i] = name.weights[i]!
    const number = name.numbers[i]!
    for (let j = 0; number >= 0 && j < length; j++) {
      if (alikeCompany[j] === 0 && index.wordIds[start + j] === number) {
        alikeQuery[i] = alikeCompany[j] = 1
        break
      }
    }
    if (alikeQuery[i] === 0) open++
  }
  for (let i = 0; open > 0 && i < size; i++) {
    if (alikeQuery[i] !== 0) continue
    let best = 0
    let at = -1
    for (let j = 0; j < length; j++) {
      if (alikeCompany[j] !== 0) continue
      const alike = cachedSimilarity(index, name, i, index.wordIds[start + j]!)
      if (alike > best) {
        best = alike
        at = j
      }
    }
    if (at < 0) continue
    open--
    alikeQuery[i] = alikeCompany[at] = best
    // A cut-off or misspelt word weighs as much as its counterpart.
    weightQuery[i] = idf[index.wordIds[start + at]!]!
  }
  if (open > 0) {
    joinNeighbours(index, name, start, length)
    joinInitials(index, name, start, length)
  }

  let all = 0
  let agreed = 0
  result.missCompany = result.extraQuery = result.extraCompany = 0
  for (let i = 0; i < size; i++) {
    const weight = weightQuery[i]!
    all += weight
    agreed += weight * alikeQuery[i]!
    if (alikeQuery[i] === 0) result.extraQuery++
  }
  result.query = agreed / all
  result.matched = agreed
  all = agreed = 0
  for (let j = 0; j < length; j++) {
    const weight = idf[index.wordIds[start + j]!]!
    all += weight
    agreed += weight * alikeCompany[j]!
    if (alikeCompany[j] === 0) result.extraCompany++
    result.missCompany = Math.max(result.missCompany, weight * (1 - alikeCompany[j]!))
  }
  result.company = agreed / all
  return result
}
