/** What the training learns from: a query beside the companies that the engine compares it with, each with its features. */
import { selectCandidates } from '../build/service/matching/blocking/candidates.js'
import { compareFields } from '../build/service/matching/compare/compare-fields.js'
import { compareNames } from '../build/service/matching/compare/compare-names.js'
import { newVector } from '../build/service/matching/features.js'
import { prepareQuery } from '../build/service/matching/query.js'

/** The companies of an index that a query is compared with, as a choice: a vector for each, and which of them is right (-1 for none). */
export function choiceOf(index, query, expected) {
  const asked = prepareQuery(index, query)
  const found = selectCandidates(index, asked)
  const rows = found.map(company => {
    const vector = newVector()
    if (asked.names.length > 0) compareNames(index, asked.names[0], index.documentStarts[company], vector)
    compareFields(index, asked, company, vector)
    return vector
  })
  const ids = found.map(company => index.companies.id(company))
  return { names: asked.names, rows, ids, right: expected === '' ? -1 : ids.indexOf(expected) }
}
