/**
 * Selects the companies to compare with a query: those under its exact keys, those with the same letters or initials, and the
 * nearest by words and by letter trigrams.
 */

import type { PreparedQuery, QueryName } from '../query.ts'
import { trigramsOf } from './build-index.ts'
import type { MatchIndex } from './match-index.ts'
import { nearestDocuments } from './nearest-documents.ts'

/** Postings read per query name, for words and for trigrams each. A larger budget found no further right companies. */
const POSTING_BUDGET = 20_000
/** Documents taken from each of the two posting lists, unless the caller asks for more companies. */
const MIN_NEAREST = 20
/** Limit of name comparisons per row: many times what a row needs, some milliseconds. */
export const MAX_COMPARISONS = 2_000

function documentsOf(index: MatchIndex, name: QueryName, most: number): number[] {
  const known = [...new Set(name.numbers)].filter(number => number >= 0)
  const same = index.names.lookup(name.joined)
  return [
    ...same,
    ...index.names.lookup(`.${name.joined}`),
    ...(name.initials === '' ? [] : index.names.lookup(name.initials)),
    ...nearestDocuments(index.byWord, known, POSTING_BUDGET, most),
    // Trigrams find cut-off and misspelt names but cost more than all other lookups, so they are skipped when a name is equal.
    ...(same.length > 0 ? [] : nearestDocuments(index.byTrigram, trigramsOf(name.words), POSTING_BUDGET, most)),
  ]
}

/**
 * Positions of the companies to compare, without duplicates: first those under the row's keys, then those with similar names, up
 * to MAX_COMPARISONS.
 */
export function selectCandidates(index: MatchIndex, query: PreparedQuery, minimum = MIN_NEAREST): number[] {
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
  for (const name of query.names) add(documentsOf(index, name, most).map(document => index.companyOf[document]!))
  return [...found]
}
