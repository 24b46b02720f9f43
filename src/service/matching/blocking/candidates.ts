/**
 * Which companies are worth comparing with a query: those under its exact keys, those with the same letters or initials, and the
 * nearest by words and by letter trigrams. Selects, never scores.
 */

import type { PreparedQuery, QueryName } from '../query.ts'
import { trigramsOf } from './build-index.ts'
import type { MatchIndex } from './match-index.ts'
import { nearestDocuments } from './nearest-documents.ts'

/** Postings read per query name, of words and of letter trigrams each: more of them found no more right companies. */
const BUDGET = 20_000
/** Documents taken from each of the two posting lists, unless more companies are wanted. */
const NEAREST = 20
/** Comparisons of two names that one row may cost: many times what a row needs, some milliseconds. */
export const MAX_COMPARISONS = 2_000

function documentsOf(index: MatchIndex, name: QueryName, most: number): number[] {
  const known = [...new Set(name.numbers)].filter(number => number >= 0)
  const same = index.names.lookup(name.joined)
  return [
    ...same,
    ...index.names.lookup(`.${name.joined}`),
    ...(name.initials === '' ? [] : index.names.lookup(name.initials)),
    ...nearestDocuments(index.byWord, known, BUDGET, most),
    // Letter trigrams find cut-off and misspelt names, at the price of all the rest: no need of them where the very name is known.
    ...(same.length > 0 ? [] : nearestDocuments(index.byTrigram, trigramsOf(name.words), BUDGET, most)),
  ]
}

/** Positions of the companies to compare, each once: by the row's numbers first, then by its names, until their names are enough. */
export function selectCandidates(index: MatchIndex, query: PreparedQuery, wanted: number): number[] {
  const most = Math.max(NEAREST, wanted)
  const found = new Set<number>()
  let comparisons = 0
  const take = (company: number): void => {
    if (found.has(company)) return
    const names = index.documentStarts[company + 1]! - index.documentStarts[company]!
    if (comparisons + names * query.names.length > MAX_COMPARISONS) return
    comparisons += names * query.names.length
    found.add(company)
  }
  for (const key of query.keys) for (const company of index.keys.lookup(key)) take(company)
  for (const name of query.names) for (const document of documentsOf(index, name, most)) take(index.companyOf[document]!)
  return [...found]
}
