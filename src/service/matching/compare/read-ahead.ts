/**
 * Reads the values that are compared of some companies, without using them. An index is far larger than the caches of a processor, and each
 * comparison waits for its values one after the other. Those of many companies read here arrive together, in little more than the time of one.
 */
import type { MatchIndex } from '../blocking/match-index.ts'

/** An index of fewer companies is held by the caches for the most part. */
export const LARGE = 1 << 16

/** Takes the sum of what is read: a compiler leaves reads out that nothing uses. */
const unused = new Float64Array(1)

export function readAhead(index: MatchIndex, companies: readonly number[]): void {
  if (index.companies.length < LARGE) return
  const { documentStarts, wordStarts, wordIds, legal, kinds, marks, labels, active, countries, towns, address } = index
  const { postcodes } = index.identifiers
  let sum = 0
  for (const company of companies) {
    sum += labels.starts[company >>> labels.shift]! + postcodes.starts[company >>> postcodes.shift]!
    sum += address.starts[company]! + active[company]! + countries.ids[company]! + towns.ids[company]!
    // The further names of a company are few.
    const document = documentStarts[company]!
    sum += wordStarts[document]! + legal.ids[document]! + kinds.ids[document]! + marks.ids[document]!
  }
  for (const company of companies) {
    sum +=
      labels.bytes[labels.starts[company >>> labels.shift]!]! + postcodes.bytes[postcodes.starts[company >>> postcodes.shift]!]!
    sum += wordIds[wordStarts[documentStarts[company]!]!]! + address.ids[address.starts[company]!]!
  }
  unused[0] = sum
}
