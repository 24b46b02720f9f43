/**
 * Term postings in typed arrays: which documents hold a term, and the search for the documents nearest to a set of terms, rarest
 * terms first under a budget. Knows term numbers and document numbers; knows no names.
 */

/** Postings of a set of documents; built by `buildPostings`. */
export interface Postings {
  readonly documents: number
  /** Documents of term t: lists[offsets[t]] up to lists[offsets[t + 1]]. */
  readonly offsets: Uint32Array
  readonly lists: Uint32Array
  /** Rarity of each term, 0 to about 1. */
  readonly idf: Float32Array
  /** Length of each document's idf vector. */
  readonly norms: Float32Array
  readonly sums: Float32Array
}

/** Rarity from 0 to 1 of a term that stands in `held` of `documents` documents. */
export const rarity = (held: number, documents: number): number => Math.log(1 + documents / (held + 1)) / Math.log(1 + documents)

/**
 * Builds postings from the documents' distinct terms: document d holds terms[starts[d]] up to terms[starts[d + 1]], each below
 * `vocabulary`.
 */
export function buildPostings(starts: Uint32Array, terms: Int32Array, vocabulary: number): Postings {
  const documents = starts.length - 1
  const offsets = new Uint32Array(vocabulary + 1)
  for (const term of terms) offsets[term + 1]!++
  const idf = new Float32Array(vocabulary)
  for (let term = 0; term < vocabulary; term++) {
    idf[term] = rarity(offsets[term + 1]!, documents)
    offsets[term + 1]! += offsets[term]!
  }
  const lists = new Uint32Array(terms.length)
  const next = offsets.slice()
  const norms = new Float32Array(documents)
  for (let document = 0; document < documents; document++) {
    let square = 0
    for (let at = starts[document]!; at < starts[document + 1]!; at++) {
      const term = terms[at]!
      lists[next[term]!++] = document
      square += idf[term]! * idf[term]!
    }
    norms[document] = Math.sqrt(square)
  }
  return { documents, offsets, lists, idf, norms, sums: new Float32Array(documents) }
}

/**
 * The `most` documents with the highest idf cosine to the query's distinct terms, best first, ties by document number. Terms are
 * read rarest first until `budget` postings are spent; the rarest term always counts.
 */
export function nearest(postings: Postings, terms: readonly number[], budget: number, most: number): number[] {
  const { offsets, lists, idf, norms, sums } = postings
  const order = [...terms].sort((a, b) => idf[b]! - idf[a]! || a - b)
  const touched: number[] = []
  let spent = 0
  for (const term of order) {
    const start = offsets[term]!
    const end = offsets[term + 1]!
    if (spent > 0 && spent + end - start > budget) continue
    spent += end - start
    const gain = idf[term]! * idf[term]!
    for (let at = start; at < end; at++) {
      const document = lists[at]!
      if (sums[document] === 0) touched.push(document)
      sums[document]! += gain
    }
  }
  const best: number[] = []
  const scores: number[] = []
  let lowest = 0
  for (const document of touched) {
    const score = sums[document]! / norms[document]!
    sums[document] = 0
    if (best.length === most && score < lowest) continue
    let at = best.length
    while (at > 0 && (scores[at - 1]! < score || (scores[at - 1] === score && best[at - 1]! > document))) at--
    best.splice(at, 0, document)
    scores.splice(at, 0, score)
    if (best.length > most) {
      best.pop()
      scores.pop()
    }
    lowest = scores.at(-1) ?? 0
  }
  return best
}
