/**
 * The search for the documents nearest to a set of terms: rarest terms first under a budget, block by block. Knows postings; knows
 * no names.
 */
import { BLOCK, FLOORS, type Postings } from './postings.ts'

/** Segments read of one term: only a word that stands in more than half a million documents has more. */
const MOST_SEGMENTS = 8

/** Part of a term's postings to be read. */
interface Reading {
  segment: number
  readonly end: number
  readonly gain: number
}

/**
 * What is read for a query's distinct terms: rarest first until `budget` postings are spent, the rarest always, but no more than
 * eight segments of it. So the work has a bound whatever the terms are.
 */
export function planPostingReads(
  postings: Postings,
  terms: readonly number[],
  budget: number,
): { readings: Reading[]; postings: number } {
  const { idf } = postings
  const order = [...terms].sort((a, b) => idf[b]! - idf[a]! || a - b)
  const readings: Reading[] = []
  let spent = 0
  for (const term of order) {
    const segment = postings.terms[term]!
    const end = Math.min(postings.terms[term + 1]!, segment + MOST_SEGMENTS)
    const length = postings.segments[end]! - postings.segments[segment]!
    if (spent > 0 && spent + length > budget) continue
    spent += length
    if (length > 0) readings.push({ segment, end, gain: idf[term]! * idf[term]! })
  }
  return { readings, postings: spent }
}

/** A document with less than this share of the first one's cosine is far behind it; so many are taken all the same. */
const FAR = 0.6
const CLOSEST = 5

/** The `most` best documents so far, best first, ties by number; the same whatever order they come in. */
class Best {
  readonly documents: number[] = []
  /** A document with a lower score is not among those worth it. */
  least = 0
  /** Nor is one whose gains sum up to this or less. */
  bar = 0
  readonly #scores: number[] = []
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  /** The documents but for those that are far behind the first: they cannot win, and are no close seconds. */
  worth(): number[] {
    const least = FAR * (this.#scores[0] ?? 0)
    const far = this.#scores.findIndex((score, at) => at >= CLOSEST && score < least)
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
    if (documents.length < CLOSEST) return
    const far = Math.min(scores[CLOSEST - 1]!, FAR * scores[0]!)
    this.least = documents.length < this.#most ? far : Math.max(far, scores[this.#most - 1]!)
    // A little below the square: sums are added up with rounding.
    this.bar = this.least ** 2 * 0.999
  }
}

/** Sums of one block; all 0 between two searches. One search runs at a time in a thread. */
const sums = new Float32Array(BLOCK)

/** The segments of one block, rarest term first; overwritten by the next block. */
const starts: number[] = []
const ends: number[] = []
const gains: number[] = []
/** The gains of a term and all after it. */
const rests: number[] = []

/** Whether a segment holds a document. */
function holds(lists: Uint16Array, start: number, end: number, document: number): boolean {
  let [low, high] = [start, end]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (lists[middle]! < document) low = middle + 1
    else high = middle
  }
  return low < end && lists[low] === document
}

/**
 * Takes the best of one block and leaves its sums at 0. No document's cosine is above the root of its sum (Cauchy and Schwarz); so a
 * document that only the commoner terms hold, when all of those together are below the bar, is never looked at, and of the others the
 * commoner terms are looked up.
 */
function takeBest({ lists, norms, floors, documents }: Postings, count: number, first: number, best: Best): void {
  let open = 0
  while (open < count && rests[open]! > best.bar) open++
  let postings = 0
  for (let term = 0; term < open; term++) {
    const gain = gains[term]!
    const end = ends[term]!
    for (let at = starts[term]!; at < end; at++) sums[lists[at]!]! += gain
    postings += end - starts[term]!
  }
  const rest = open < count ? rests[open]! : 0
  let term = 0
  for (; term < open && rests[term]! > best.bar; term++) {
    const end = ends[term]!
    postings -= end - starts[term]!
    for (let at = starts[term]!; at < end; at++) {
      const document = lists[at]!
      let sum = sums[document]!
      if (sum === 0) continue
      sums[document] = 0
      if (sum + rest <= best.bar) continue
      // No length is below its floor; a little less than that, for what is lost in rounding.
      const enough = best.least * (floors[first + document]! / FLOORS) * 0.999
      if (sum + rest < enough) continue
      let common = open
      for (; common < count && sum + rests[common]! >= enough; common++) {
        if (holds(lists, starts[common]!, ends[common]!, document)) sum = Math.fround(sum + gains[common]!)
      }
      if (common < count || sum < enough) continue
      const score = sum / norms[first + document]!
      if (score >= best.least) best.take(first + document, score)
    }
  }
  // What is left are documents that are not worth a look.
  const size = Math.min(BLOCK, documents - first)
  if (postings * 8 > size) sums.fill(0, 0, size)
  else for (; term < open; term++) for (let at = starts[term]!; at < ends[term]!; at++) sums[lists[at]!] = 0
}

/** Searches block by block for what is above the bar. */
function search(postings: Postings, readings: readonly Reading[], best: Best): void {
  const { blocks, segments } = postings
  const next = readings.map(reading => reading.segment)
  for (;;) {
    let block = BLOCK
    for (let at = 0; at < next.length; at++) {
      if (next[at]! < readings[at]!.end && blocks[next[at]!]! < block) block = blocks[next[at]!]!
    }
    if (block === BLOCK) return
    let count = 0
    for (let at = 0; at < next.length; at++) {
      const segment = next[at]!
      if (segment >= readings[at]!.end || blocks[segment] !== block) continue
      starts[count] = segments[segment]!
      ends[count] = segments[segment + 1]!
      gains[count++] = readings[at]!.gain
      next[at]!++
    }
    for (let at = count - 1, rest = 0; at >= 0; at--) rests[at] = rest += gains[at]!
    takeBest(postings, count, block * BLOCK, best)
  }
}

/**
 * The documents with the highest idf cosine to the query's distinct terms, best first, ties by document number: `most` of them, less
 * those far behind.
 */
export function nearestDocuments(postings: Postings, terms: readonly number[], budget: number, most: number): number[] {
  const { readings } = planPostingReads(postings, terms, budget)
  const best = new Best(most)
  search(postings, readings, best)
  return best.worth()
}
