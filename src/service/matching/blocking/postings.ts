/**
 * Term postings in typed arrays: which documents hold a term, how rare a term is, how long a document's vector. Knows term numbers
 * and document numbers; knows no names and no search.
 *
 * Documents come in blocks of 65,536, so that a posting is two bytes and the sums of a block stay in the processor's cache.
 */
import type { Columns, Unpacked } from './packed-columns.ts'

/** Documents of a block. */
export const BLOCK = 0x1_0000

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
  /** The same, rounded down to sixteenths and held in a byte: what a search reads of documents by the thousand. */
  readonly floors: Uint8Array
}

/** Steps of a length rounded down. */
export const FLOORS = 16

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
  const norms = Float32Array.from(squares, Math.sqrt)
  return {
    [`${name}.terms`]: segmentsOf,
    [`${name}.blocks`]: blocks,
    [`${name}.segments`]: segments,
    [`${name}.lists`]: lists,
    [`${name}.idf`]: idf,
    [`${name}.norms`]: norms,
    [`${name}.floors`]: Uint8Array.from(norms, norm => Math.min(255, Math.floor(norm * FLOORS))),
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
    floors: columns.u8(`${name}.floors`),
  }
}
