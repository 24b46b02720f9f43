/**
 * Which companies are worth comparing with a query: those under its exact keys, those with the same letters or initials, and the
 * nearest by words and by letter triples. Selects, never scores.
 */

import type { Asked, QueryName } from '../query.ts'
import { triplesOf } from './build.ts'
import type { MatchIndex } from './match-index.ts'
import { nearest } from './nearest.ts'

/** Postings read per query name, of words and of letter triples each: more of them found no more right companies. */
const BUDGET = 20_000
/** Documents taken from each of the two posting lists, unless more companies are wanted. */
const NEAREST = 20
/** Comparisons of two names that one row may cost: many times what a row needs, some milliseconds. */
export const MOST_COMPARISONS = 2_000

function documentsOf(index: MatchIndex, name: QueryName, most: number): number[] {
  const known = [...new Set(name.numbers)].filter(number => number >= 0)
  const same = index.names.under(name.joined)
  return [
    ...same,
    ...index.names.under(`.${name.joined}`),
    ...(name.initials === '' ? [] : index.names.under(name.initials)),
    ...nearest(index.byWord, known, BUDGET, most),
    // Letter triples find cut-off and misspelt names, at the price of all the rest: no need of them where the very name is known.
    ...(same.length > 0 ? [] : nearest(index.byTriple, triplesOf(name.words), BUDGET, most)),
  ]
}

/** Positions of the companies to compare, each once: by the row's numbers first, then by its names, until their names are enough. */
export function candidatesOf(index: MatchIndex, asked: Asked, wanted: number): number[] {
  const most = Math.max(NEAREST, wanted)
  const found = new Set<number>()
  let comparisons = 0
  const take = (company: number): void => {
    if (found.has(company)) return
    const names = index.documentStarts[company + 1]! - index.documentStarts[company]!
    if (comparisons + names * asked.names.length > MOST_COMPARISONS) return
    comparisons += names * asked.names.length
    found.add(company)
  }
  for (const key of asked.keys) for (const company of index.keys.under(key)) take(company)
  for (const name of asked.names) for (const document of documentsOf(index, name, most)) take(index.companyOf[document]!)
  return [...found]
}
