/**
 * Term postings in typed arrays: which documents hold a term, and the search for the documents nearest to a set of terms, rarest
 * terms first under a budget. Knows term numbers and document numbers; knows no names.
 *
 * Documents come in blocks of 65,536, so that a posting is two bytes and the sums of a block stay in the processor's cache: a search
 * goes block by block, and within a block term by term.
 */
import type { Columns, Unpacked } from './memory.ts'

const BLOCK = 0x1_0000

/** Postings of a set of documents. */
export interface Postings {
  readonly documents: number
  /** Segments of term t, one for each block that holds it: from terms[t] up to terms[t + 1]. */
  readonly terms: Uint32Array
  readonly blocks: Uint16Array
  /** Documents of segment s, less its block's start: lists[segments[s]] up to lists[segments[s + 1]]. */
  readonly segments: Uint32Array
  readonly lists: Uint16Array
  /** Rarity of each term, 0 to about 1. */
  readonly idf: Float32Array
  /** Length of each document's idf vector. */
  readonly norms: Float32Array
}

/** Rarity from 0 to 1 of a term that stands in `held` of `documents` documents. */
export const rarity = (held: number, documents: number): number => Math.log(1 + documents / (held + 1)) / Math.log(1 + documents)

/**
 * Builds the columns of postings, to be read by `postingsIn` under the same name. Document d holds the distinct terms[starts[d]] up
 * to terms[starts[d + 1]], each below `vocabulary`.
 */
export function buildPostings(name: string, starts: Uint32Array, terms: Uint16Array | Uint32Array, vocabulary: number): Columns {
  const documents = starts.length - 1
  const held = new Uint32Array(vocabulary + 1)
  const segmentsOf = new Uint32Array(vocabulary + 1)
  const lastBlock = new Int32Array(vocabulary).fill(-1)
  const each = (visit: (term: number, block: number, document: number) => void): void => {
    for (let document = 0; document < documents; document++) {
      const block = Math.floor(document / BLOCK)
      for (let at = starts[document]!; at < starts[document + 1]!; at++) visit(terms[at]!, block, document)
    }
  }
  each((term, block) => {
    held[term + 1]!++
    if (lastBlock[term] !== block) segmentsOf[term + 1]!++
    lastBlock[term] = block
  })
  const idf = Float32Array.from({ length: vocabulary }, (_, term) => rarity(held[term + 1]!, documents))
  for (let term = 0; term < vocabulary; term++) {
    held[term + 1]! += held[term]!
    segmentsOf[term + 1]! += segmentsOf[term]!
  }
  const lists = new Uint16Array(terms.length)
  const blocks = new Uint16Array(segmentsOf[vocabulary]!)
  const segments = new Uint32Array(blocks.length + 1)
  segments[blocks.length] = terms.length
  const squares = new Float64Array(documents)
  const nextPlace = held.slice()
  const nextSegment = segmentsOf.slice()
  lastBlock.fill(-1)
  each((term, block, document) => {
    if (lastBlock[term] !== block) {
      lastBlock[term] = block
      const segment = nextSegment[term]!++
      blocks[segment] = block
      segments[segment] = nextPlace[term]!
    }
    lists[nextPlace[term]!++] = document % BLOCK
    squares[document]! += idf[term]! * idf[term]!
  })
  return {
    [`${name}.terms`]: segmentsOf,
    [`${name}.blocks`]: blocks,
    [`${name}.segments`]: segments,
    [`${name}.lists`]: lists,
    [`${name}.idf`]: idf,
    [`${name}.norms`]: Float32Array.from(squares, Math.sqrt),
  }
}

/** The postings packed under this name. */
export function postingsIn(columns: Unpacked, name: string): Postings {
  const norms = columns.f32(`${name}.norms`)
  return {
    documents: norms.length,
    terms: columns.u32(`${name}.terms`),
    blocks: columns.u16(`${name}.blocks`),
    segments: columns.u32(`${name}.segments`),
    lists: columns.u16(`${name}.lists`),
    idf: columns.f32(`${name}.idf`),
    norms,
  }
}

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
export function planReading(
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

/** Sums of one block; all 0 between two searches. One search runs at a time in a thread. */
const sums = new Float32Array(BLOCK)

/** A document with less than this share of the first one's cosine is far behind it; so many are taken all the same. */
const FAR = 0.6
const CLOSEST = 5

/** The `most` best documents so far, best first, ties by number; the same whatever order they come in. */
class Best {
  readonly documents: number[] = []
  /** A document with this sum or a lower one is not among the best. */
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
    const isBehind = (at: number): boolean => scores[at]! < score || (scores[at] === score && documents[at]! > document)
    let at = documents.length
    if (at === this.#most) {
      if (!isBehind(at - 1)) return
      at--
    }
    for (; at > 0 && isBehind(at - 1); at--) {
      documents[at] = documents[at - 1]!
      scores[at] = scores[at - 1]!
    }
    documents[at] = document
    scores[at] = score
    // A little below the square: sums are added up with rounding.
    if (documents.length === this.#most) this.bar = scores[this.#most - 1]! ** 2 * 0.999
  }
}

/** Adds the gains of all terms in one block. */
function addGains({ segments, lists }: Postings, readings: readonly Reading[]): void {
  for (const { segment, gain } of readings) {
    const end = segments[segment + 1]!
    for (let at = segments[segment]!; at < end; at++) sums[lists[at]!]! += gain
  }
}

/**
 * Takes the best of one block and leaves its sums at 0. No document's cosine is above the root of its sum (Cauchy and Schwarz), so
 * that most need no look at their length; the rarest terms come first, and the bar is high soon.
 */
function takeBest({ segments, lists, norms }: Postings, readings: readonly Reading[], start: number, best: Best): void {
  let bar = best.bar
  for (const { segment } of readings) {
    const end = segments[segment + 1]!
    for (let at = segments[segment]!; at < end; at++) {
      const document = lists[at]!
      const sum = sums[document]!
      sums[document] = 0
      if (sum <= bar) continue
      best.take(start + document, sum / norms[start + document]!)
      bar = best.bar
    }
  }
}

/** The `most` documents with the highest idf cosine to the query's distinct terms, best first, ties by document number. */
export function nearest(postings: Postings, terms: readonly number[], budget: number, most: number): number[] {
  const { blocks } = postings
  const { readings } = planReading(postings, terms, budget)
  const best = new Best(most)
  for (;;) {
    let block = BLOCK
    for (const { segment, end } of readings) if (segment < end && blocks[segment]! < block) block = blocks[segment]!
    if (block === BLOCK) return best.worth()
    const here = readings.filter(({ segment, end }) => segment < end && blocks[segment] === block)
    addGains(postings, here)
    takeBest(postings, here, block * BLOCK, best)
    for (const reading of here) reading.segment++
  }
}
