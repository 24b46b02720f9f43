/**
 * Fills the name features of one query name against one document. Their words are aligned: first equal ones, then similar ones, then two
 * words written as one.
 */

import { areOfTwoLaws } from '../../../normalise/company-name.ts'
import { distinctWords, isGroupWord, isTransliterated, marksDiffer } from '../../../normalise/name-marks.ts'
import { type MatchIndex, readDigits, readWords } from '../blocking/match-index.ts'
import { AT, type Vector } from '../features.ts'
import type { QueryName } from '../query.ts'
import { areFar, bigramDice, wordSimilarity } from '../similarity.ts'

const MAX_WORDS = 32
/** Coverage of a word that matches only by initials. */
const INITIALS = 0.85
const alikeQuery = new Float64Array(MAX_WORDS)
const alikeCompany = new Float64Array(MAX_WORDS)
const weightQuery = new Float64Array(MAX_WORDS)
/** How well each side is covered; the word pairs themselves are not kept. `extra…`: number of words without any counterpart on each side. */
const result = { query: 0, company: 0, matched: 0, missCompany: 0, extraQuery: 0, extraCompany: 0 }

/** Similarity of a query word and a dictionary word, computed once per pair; most pairs are far apart, which is seen faster than looked up. */
function cachedSimilarity(index: MatchIndex, name: QueryName, at: number, id: number): number {
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
    for (let j = 0; alikeQuery[i] === 0 && j < length; j++) {
      if (alikeCompany[j] !== 0) continue
      if (i + 1 < name.words.length && alikeQuery[i + 1] === 0 && isJoined(word(j), name.words[i]!, name.words[i + 1]!))
        alikeQuery[i] = alikeQuery[i + 1] = alikeCompany[j] = 1
      else if (j + 1 < length && alikeCompany[j + 1] === 0 && isJoined(name.words[i]!, word(j), word(j + 1)))
        alikeQuery[i] = alikeCompany[j] = alikeCompany[j + 1] = 1
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
function align(index: MatchIndex, name: QueryName, document: number): Readonly<typeof result> {
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

/** The words of the current document without spaces, as bytes: building a string would cost more than all comparisons. */
let letters = new Uint8Array(1024)

/** Reads a document's words into `letters` and returns their length. */
function readLetters(index: MatchIndex, document: number): number {
  const { wordStarts, wordIds, dictionary } = index
  let length = 0
  for (let at = wordStarts[document]!; at < wordStarts[document + 1]!; at++)
    length = dictionary.copy(wordIds[at]!, letters, length)
  if (length <= letters.length) return length
  letters = new Uint8Array(length)
  return readLetters(index, document)
}

/** Length of the common prefix of a text and `letters`. */
function commonPrefix(text: string, length: number): number {
  let at = 0
  while (at < length && at < text.length && letters[at] === text.charCodeAt(at)) at++
  return at
}

function digitsIn(index: MatchIndex, document: number, length: number): string {
  let at = 0
  while (at < length && letters[at]! >= 97) at++
  if (at === length) return ''
  return readDigits(readWords(index, document))
}

/** Whether the text is the first letters of the document's words, three or more. */
function isInitials({ wordStarts, wordIds, dictionary }: MatchIndex, document: number, text: string): boolean {
  const start = wordStarts[document]!
  const count = wordStarts[document + 1]! - start
  if (count < 3 || count !== text.length) return false
  for (let at = 0; at < count; at++) if (dictionary.word(wordIds[start + at]!).charAt(0) !== text.charAt(at)) return false
  return true
}

/** Share of the name that the label of a web domain equals; a prefix counts from five letters. */
function domainShare({ labels }: MatchIndex, company: number, joined: string): number {
  if (joined.length < 4 || labels.first(company) !== joined.charCodeAt(0)) return 0
  const label = labels.at(company)
  if (label === joined) return 1
  const [short, long] = label.length < joined.length ? [label, joined] : [joined, label]
  return short.length >= 5 && long.startsWith(short) ? short.length / long.length : 0
}

/** `marksDiffer`, computed once for each of the marks that candidates have. */
function markDifference({ marks, markDifferences }: QueryName, others: string, hasOwnWords: boolean): number {
  if (marks === others) return 0
  if (!hasOwnWords) return marksDiffer(marks, others, false)
  const known = markDifferences.get(others)
  if (known !== undefined) return known
  const found = marksDiffer(marks, others)
  markDifferences.set(others, found)
  return found
}

/**
 * Whether one of two names has a distinguishing word that the other lacks (`Wines (Newry) Limited` and `Wines Limited`): companies with such
 * names are sisters. 1 for a word by which groups name their companies, 0.5 for one in brackets. 0 where the row shortens the name.
 */
function findSisterExtra(index: MatchIndex, name: QueryName, document: number, others: string): number {
  if (name.isShortened) return 0
  const theirs = others === '' ? 0 : sisterExtraOf(name, others)
  if (theirs === 1 || name.distinct.length === 0) return theirs
  const ours = weighLeft(name.distinct, word => hasCounterpart(index, document, word))
  return Math.max(theirs, ours)
}

function hasCounterpart({ wordStarts, wordIds, dictionary }: MatchIndex, document: number, word: string): boolean {
  for (let at = wordStarts[document]!; at < wordStarts[document + 1]!; at++)
    if (wordSimilarity(word, dictionary.word(wordIds[at]!)) > 0) return true
  return false
}

/** 1 if a word by which groups name their companies has no counterpart in the other name, 0.5 if another word has none. */
function weighLeft(distinct: readonly string[], isThere: (word: string) => boolean): number {
  const left = distinct.filter(word => !isThere(word))
  return left.some(isGroupWord) ? 1 : left.length > 0 ? 0.5 : 0
}

/** What the distinguishing words of another name weigh, computed once for each of the marks that candidates have. */
function sisterExtraOf(name: QueryName, others: string): number {
  const known = name.sisterExtras.get(others)
  if (known !== undefined) return known
  const found = weighLeft(distinctWords(others), word => name.words.some(other => wordSimilarity(word, other) > 0))
  name.sisterExtras.set(others, found)
  return found
}

/** Fills the name features of `vector`, which must be zero elsewhere. */
export function compareNames(index: MatchIndex, name: QueryName, document: number, vector: Vector): void {
  const length = readLetters(index, document)
  const alike = commonPrefix(name.joined, length)
  const [shorter, longer] = length < name.joined.length ? [length, name.joined.length] : [name.joined.length, length]

  const aligned = align(index, name, document)
  const { query, company, matched } = aligned
  // The same words in another order are the same name: `J W Mays` and `MAYS J W`.
  const exact = alike === longer || (query > 0.9999 && company > 0.9999)
  vector[AT.bias] = 1
  vector[AT.coverBoth] = query + company > 0 ? (2 * query * company) / (query + company) : 0
  vector[AT.pairs] = bigramDice(name.bigrams, letters, length)
  vector[AT.matched] = Math.min(1, matched / 3)
  vector[AT.missCompany] = exact ? 0 : aligned.missCompany
  vector[AT.extraQuery] = exact ? 0 : Math.min(1, aligned.extraQuery / 3)
  vector[AT.extraCompany] = exact ? 0 : Math.min(1, aligned.extraCompany / 3)
  if (!exact && aligned.extraQuery === 0) vector[aligned.extraCompany === 0 ? AT.allPaired : AT.queryPaired] = 1
  if (vector[AT.allPaired] === 1) {
    vector[AT.pairedRare] = vector[AT.matched]!
    if (name.isShortened) vector[AT.shortened] = 1
  }
  vector[AT.firstWord] = exact ? 1 : cachedSimilarity(index, name, 0, index.wordIds[index.wordStarts[document]!]!)
  vector[AT.prefix] = shorter >= 4 && alike === shorter ? shorter / longer : 0
  const isAcronym = name.initials.length === length && commonPrefix(name.initials, length) === length
  if (isAcronym || isInitials(index, document, name.joined)) {
    // The words behind the initials are not missing.
    vector[AT.acronym] = 1
    vector[AT.missCompany] = vector[AT.extraQuery] = vector[AT.extraCompany] = 0
  }
  if (exact) {
    vector[AT.exact] = 1
    vector[AT.exactRare] = vector[AT.matched]!
  }
  const documentDigits = digitsIn(index, document, length)
  const legal = index.legal.at(document) || null
  if (legal !== null && legal === name.legal) {
    vector[AT.legalAgree] = 1
    vector[AT.exactLegal] = vector[AT.exact]!
  } else if (legal !== null && name.legal !== null && legal !== 'weak' && name.legal !== 'weak') {
    vector[AT.legalDiffer] = 1
    if (areOfTwoLaws(legal, name.legal)) vector[AT.legalAbroad] = 1
  }
  if (name.digits !== documentDigits) vector[AT.numbersDiffer] = name.digits === '' || documentDigits === '' ? 0.5 : 1
  // Names with little in common are not sisters; most candidates at a postcode have such names.
  if (vector[AT.coverBoth]! > 0.2) {
    const hasOwnWords = aligned.extraQuery > 0 || aligned.extraCompany > 0
    const marks = index.marks.at(document)
    vector[AT.sisterDiffer] = markDifference(name, marks, hasOwnWords) / 2
    if (isTransliterated(name.marks, marks)) vector[AT.otherScript] = 1
    if (!exact && hasOwnWords) vector[AT.sisterExtra] = findSisterExtra(index, name, document, marks)
  }
  vector[AT.domainName] = domainShare(index, index.companyOf[document]!, name.joined)
  if (name.reading !== null) vector[AT.reading] = name.reading.isOther ? 1 : 0.2
  const kind = index.kinds.at(document)
  if (kind === 'previousName') vector[AT.former] = 1
  else if (kind === 'confirmed') vector[AT.confirmed] = 1
}
