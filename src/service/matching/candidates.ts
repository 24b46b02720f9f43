/**
 * Which companies are worth comparing with a query: those under its exact keys, those with the same letters or initials, and the
 * nearest by words and by letter triples. Selects, never scores.
 */
import type { MatchIndex } from './build.ts'
import { companiesOf } from './keys.ts'
import { nearest } from './postings.ts'
import type { Asked, QueryName } from './query.ts'

/** Postings read per query name; twice that for letter triples (matching design, step 3). */
const BUDGET = 20_000
/** Documents taken from each of the two posting lists, unless more companies are wanted. */
const NEAREST = 20

function documentsOf(index: MatchIndex, name: QueryName, most: number): number[] {
  const known = [...new Set(name.numbers)].filter(number => number >= 0)
  return [
    ...companiesOf(index.names, name.joined),
    ...companiesOf(index.names, `.${name.joined}`),
    ...(name.initials === '' ? [] : companiesOf(index.names, name.initials)),
    ...nearest(index.byWord, known, BUDGET, most),
    ...nearest(index.byTriple, name.triples, 2 * BUDGET, most),
  ]
}

/** Positions of the companies to compare, each once. */
export function candidatesOf(index: MatchIndex, asked: Asked, wanted: number): number[] {
  const found = new Set<number>()
  for (const key of asked.keys) for (const company of companiesOf(index.keys, key)) found.add(company)
  for (const name of asked.names)
    for (const document of documentsOf(index, name, Math.max(NEAREST, wanted))) found.add(index.companyOf[document]!)
  return [...found]
}
