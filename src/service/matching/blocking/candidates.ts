/**
 * Selects the companies to compare with a query: those under its exact keys, those with the same letters or initials, and the
 * nearest by words and by letter trigrams, rarest terms first, within a budget, block by block.
 */

import type { PreparedQuery, QueryName } from '../query.ts'
import { listTrigrams, type MatchIndex } from './match-index.ts'
import { BLOCK, FLOORS, type Postings } from './postings.ts'

/** Segments read of one term. Only a word of more than half a million documents has more. */
const MAX_SEGMENTS = 8

type PostingRead = { segment: number; readonly end: number; readonly gain: number }

/** The terms, rarest first, ties by number. They are few: a sort with a comparator takes longer. */
function rarestFirst(idf: Float32Array, terms: readonly number[]): readonly number[] {
  const order: number[] = []
  for (const term of terms) {
    const rarity = idf[term]!
    let at = order.length
    for (; at > 0 && (idf[order[at - 1]!]! < rarity || (idf[order[at - 1]!] === rarity && order[at - 1]! > term)); at--)
      order[at] = order[at - 1]!
    order[at] = term
  }
  return order
}

/**
 * Plans which postings to read for a query's distinct terms: rarest first until `budget` postings are spent. The rarest term is always
 * read, up to eight segments. So the work is bounded for any terms.
 */
export function planPostingReads(
  postings: Postings,
  terms: readonly number[],
  budget: number,
): { reads: PostingRead[]; postings: number } {
  const { idf } = postings
  const reads: PostingRead[] = []
  let spent = 0
  for (const term of rarestFirst(idf, terms)) {
    const segment = postings.terms[term]!
    const end = Math.min(postings.terms[term + 1]!, segment + MAX_SEGMENTS)
    const length = postings.segments[end]! - postings.segments[segment]!
    if (spent > 0 && spent + length > budget) continue
    spent += length
    if (length === 0) continue
    postings.needLists?.(postings.segments[segment]!, postings.segments[end]!)
    reads.push({ segment, end, gain: idf[term]! * idf[term]! })
  }
  return { reads, postings: spent }
}

/** A document with less than this share of the best cosine cannot win; the closest few are kept anyway. */
const MIN_COSINE_SHARE = 0.6
const ALWAYS_KEPT = 5

/** The `most` best documents so far, best first, ties by number. The result does not depend on the order of insertion. */
class TopDocuments {
  readonly documents: number[] = []
  least = 0
  /** A document whose gains sum up to this or less is skipped. */
  bar = 0
  readonly #scores: number[] = []
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  /** The documents without those that are too far behind the best to win. */
  close(): number[] {
    const least = MIN_COSINE_SHARE * (this.#scores[0] ?? 0)
    const far = this.#scores.findIndex((score, at) => at >= ALWAYS_KEPT && score < least)
    return far < 0 ? this.documents : this.documents.slice(0, far)
  }

  take(document: number, score: number): void {
    const { documents } = this
    const scores = this.#scores
    let at = documents.length
    if (at === this.#most) {
      at--
      if (score < scores[at]! || (score === scores[at] && document > documents[at]!)) return
    }
    for (; at > 0 && (scores[at - 1]! < score || (scores[at - 1] === score && documents[at - 1]! > document)); at--) {
      documents[at] = documents[at - 1]!
      scores[at] = scores[at - 1]!
    }
    documents[at] = document
    scores[at] = score
    if (documents.length < ALWAYS_KEPT) return
    const far = Math.min(scores[ALWAYS_KEPT - 1]!, MIN_COSINE_SHARE * scores[0]!)
    this.least = documents.length < this.#most ? far : Math.max(far, scores[this.#most - 1]!)
    // Slightly below the square, because the sums are rounded.
    this.bar = this.least ** 2 * 0.999
  }
}

/** Sums of one block; all 0 between two searches. A thread runs one search at a time. */
const sums = new Float32Array(BLOCK)

/** The segments of one block, rarest term first; overwritten by the next block. */
const starts: number[] = []
const ends: number[] = []
const gains: number[] = []
const rests: number[] = []

/** What one term found. The lengths of documents are far apart in memory: none is waited for before all are read. */
const foundDocuments: number[] = []
const foundScores: number[] = []

function contains(lists: Uint16Array, start: number, end: number, document: number): boolean {
  let [low, high] = [start, end]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (lists[middle]! < document) low = middle + 1
    else high = middle
  }
  return low < end && lists[low] === document
}

/**
 * Takes the best documents of one block and resets its sums to 0. No document's cosine exceeds the root of its sum (Cauchy-Schwarz).
 * So the common terms, as far as all of them together stay below the bar, only serve to look up documents found by rarer terms.
 */
function takeTop({ lists, norms, floors, documents }: Postings, count: number, first: number, top: TopDocuments): void {
  let open = 0
  while (open < count && rests[open]! > top.bar) open++
  let postings = 0
  for (let term = 0; term < open; term++) {
    const gain = gains[term]!
    const end = ends[term]!
    for (let at = starts[term]!; at < end; at++) sums[lists[at]!]! += gain
    postings += end - starts[term]!
  }
  const rest = open < count ? rests[open]! : 0
  let term = 0
  for (; term < open && rests[term]! > top.bar; term++) {
    const end = ends[term]!
    postings -= end - starts[term]!
    let found = 0
    for (let at = starts[term]!; at < end; at++) {
      const document = lists[at]!
      let sum = sums[document]!
      if (sum === 0) continue
      sums[document] = 0
      if (sum + rest <= top.bar) continue
      // A length is at least its floor; the factor allows for rounding.
      const enough = top.least * (floors[first + document]! / FLOORS) * 0.999
      if (sum + rest < enough) continue
      let common = open
      for (; common < count && sum + rests[common]! >= enough; common++) {
        if (contains(lists, starts[common]!, ends[common]!, document)) sum = Math.fround(sum + gains[common]!)
      }
      if (common < count || sum < enough) continue
      foundDocuments[found] = first + document
      foundScores[found++] = sum / norms[first + document]!
    }
    for (let at = 0; at < found; at++) if (foundScores[at]! >= top.least) top.take(foundDocuments[at]!, foundScores[at]!)
  }
  // The remaining documents cannot reach the bar.
  const size = Math.min(BLOCK, documents - first)
  if (postings * 8 > size) sums.fill(0, 0, size)
  else for (; term < open; term++) for (let at = starts[term]!; at < ends[term]!; at++) sums[lists[at]!] = 0
}

function search(postings: Postings, reads: readonly PostingRead[], top: TopDocuments): void {
  const { blocks, segments } = postings
  const next = reads.map(read => read.segment)
  for (;;) {
    let block = BLOCK
    for (let at = 0; at < next.length; at++) {
      if (next[at]! < reads[at]!.end && blocks[next[at]!]! < block) block = blocks[next[at]!]!
    }
    if (block === BLOCK) return
    let count = 0
    for (let at = 0; at < next.length; at++) {
      const segment = next[at]!
      if (segment >= reads[at]!.end || blocks[segment] !== block) continue
      starts[count] = segments[segment]!
      ends[count] = segments[segment + 1]!
      gains[count++] = reads[at]!.gain
      next[at]!++
    }
    for (let at = count - 1, rest = 0; at >= 0; at--) rests[at] = rest += gains[at]!
    takeTop(postings, count, block * BLOCK, top)
  }
}

/**
 * The documents with the highest idf cosine to the query's distinct terms, best first, ties by document number: at most `most`, without
 * those far behind the best.
 */
export function nearestDocuments(postings: Postings, terms: readonly number[], budget: number, most: number): number[] {
  const { reads } = planPostingReads(postings, terms, budget)
  const top = new TopDocuments(most)
  search(postings, reads, top)
  return top.close()
}

/** Postings read per query name, for words and for trigrams each. A larger budget found no further right companies. */
const POSTING_BUDGET = 20_000
/** Documents taken from each of the two posting lists, unless the caller asks for more companies. */
const MIN_NEAREST = 20
/** Limit of name comparisons per row: many times what a row needs, some milliseconds. */
export const MAX_COMPARISONS = 2_000

function findDocuments(index: MatchIndex, name: QueryName, most: number, itself: number): readonly number[] {
  if (name.nearest?.most === most) return name.nearest.documents
  const known = [...new Set(name.numbers)].filter(number => number >= 0)
  const same = index.names.lookup(name.joined)
  const documents = [
    ...same,
    ...index.names.lookup(`.${name.joined}`),
    ...(name.initials === '' ? [] : index.names.lookup(name.initials)),
    ...nearestDocuments(index.byWord, known, POSTING_BUDGET, most),
    // Trigrams find cut-off and misspelt names but cost more than all other lookups, so they are skipped when another name is equal.
    ...(same.some(document => index.companyOf[document] !== itself)
      ? []
      : nearestDocuments(index.byTrigram, listTrigrams(name.words), POSTING_BUDGET, most)),
  ]
  name.nearest = { most, documents }
  return documents
}

/**
 * Positions of the companies to compare, without duplicates: first those under the row's keys, then those with similar names, up
 * to MAX_COMPARISONS. `itself`: the company of the index that asks.
 */
export function selectCandidates(index: MatchIndex, query: PreparedQuery, minimum = MIN_NEAREST, itself = -1): number[] {
  const most = Math.max(MIN_NEAREST, minimum)
  const found = new Set<number>()
  let comparisons = 0
  const add = (companies: readonly number[]): void => {
    // Far apart in memory: all are read before the first is used.
    const names = companies.map(company => index.documentStarts[company + 1]! - index.documentStarts[company]!)
    for (let at = 0; at < companies.length; at++) {
      const further = names[at]! * query.names.length
      if (found.has(companies[at]!) || comparisons + further > MAX_COMPARISONS) continue
      comparisons += further
      found.add(companies[at]!)
    }
  }
  for (const key of query.keys) add(index.keys.lookup(key))
  for (const name of query.names) add(findDocuments(index, name, most, itself).map(document => index.companyOf[document]!))
  return [...found]
}
