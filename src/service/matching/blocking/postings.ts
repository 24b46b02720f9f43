/**
 * Term postings in typed arrays: the documents of a term, the rarity of a term, the length of a document's vector. Documents come in
 * blocks of 65,536, so that a posting takes two bytes and the sums of a block stay in the processor's cache.
 */
import type { Columns, Unpacked } from './columns.ts'

/** Documents per block. */
export const BLOCK = 0x1_0000

/** Steps per unit of a rounded norm. */
export const FLOORS = 16

/** Rarity from 0 to 1 of a term that `count` of `documents` documents contain. */
export const rarity = (count: number, documents: number): number =>
  Math.log(1 + documents / (count + 1)) / Math.log(1 + documents)

/**
 * Builds the columns that `postingsIn` reads under the same name. Document d contains the distinct terms[starts[d]] up
 * to terms[starts[d + 1]], forEachPosting below `vocabulary`.
 */
export function buildPostings(name: string, starts: Uint32Array, terms: Uint16Array | Uint32Array, vocabulary: number): Columns {
  const documents = starts.length - 1
  const containing = new Uint32Array(vocabulary + 1)
  const segmentsOf = new Uint32Array(vocabulary + 1)
  const lastBlock = new Int32Array(vocabulary).fill(-1)
  const forEachPosting = (visit: (term: number, block: number, document: number) => void): void => {
    for (let document = 0; document < documents; document++) {
      const block = Math.floor(document / BLOCK)
      for (let at = starts[document]!; at < starts[document + 1]!; at++) visit(terms[at]!, block, document)
    }
  }
  forEachPosting((term, block) => {
    containing[term + 1]!++
    if (lastBlock[term] !== block) segmentsOf[term + 1]!++
    lastBlock[term] = block
  })
  const idf = Float32Array.from({ length: vocabulary }, (_, term) => rarity(containing[term + 1]!, documents))
  for (let term = 0; term < vocabulary; term++) {
    containing[term + 1]! += containing[term]!
    segmentsOf[term + 1]! += segmentsOf[term]!
  }
  const lists = new Uint16Array(terms.length)
  const blocks = new Uint16Array(segmentsOf[vocabulary]!)
  const segments = new Uint32Array(blocks.length + 1)
  segments[blocks.length] = terms.length
  const squares = new Float64Array(documents)
  const nextPosting = containing.slice()
  const nextSegment = segmentsOf.slice()
  lastBlock.fill(-1)
  forEachPosting((term, block, document) => {
    if (lastBlock[term] !== block) {
      lastBlock[term] = block
      const segment = nextSegment[term]!++
      blocks[segment] = block
      segments[segment] = nextPosting[term]!
    }
    lists[nextPosting[term]!++] = document % BLOCK
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

export function postingsIn(columns: Unpacked, name: string) {
  const norms = columns.f32(`${name}.norms`)
  return {
    documents: norms.length,
    /** Segments of term t, one per block that contains it: from terms[t] up to terms[t + 1]. */
    terms: columns.u32(`${name}.terms`),
    blocks: columns.u16(`${name}.blocks`),
    /** Documents of segment s, relative to the start of its block: lists[segments[s]] up to lists[segments[s + 1]]. */
    segments: columns.u32(`${name}.segments`),
    lists: columns.u16(`${name}.lists`),
    needLists: columns.need(`${name}.lists`),
    /** Rarity of each term, 0 to about 1. */
    idf: columns.f32(`${name}.idf`),
    norms,
    /** The norms rounded down to sixteenths in one byte each: a search reads them by the thousand. */
    floors: columns.u8(`${name}.floors`),
  }
}

export type Postings = Readonly<ReturnType<typeof postingsIn>>
