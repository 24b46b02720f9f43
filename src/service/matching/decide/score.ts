/**
 * The additive score: weight × value per feature, summed, as log-odds and as a number from 0 to 1. A company's name is its best
 * document's. Knows the weights; decides nothing.
 */

import type { MatchIndex } from '../blocking/match-index.ts'
import { compareFields } from '../compare/compare-fields.ts'
import { compareNames } from '../compare/compare-names.ts'
import { FEATURES, NAME_FEATURES, newVector, type Vector } from '../features.ts'
import type { PreparedQuery } from '../query.ts'
import { WEIGHTS } from '../weights.ts'

/** A company compared with a query. */
export interface ScoredCompany {
  readonly company: number
  readonly vector: Vector
  readonly logOdds: number
}

const weights = Float64Array.from(FEATURES, feature => WEIGHTS[feature])

/** Log-odds of the first `count` features. */
function sum(vector: Vector, count: number): number {
  let total = 0
  for (let at = 0; at < count; at++) total += weights[at]! * vector[at]!
  return total
}

/** Log-odds to a chance from 0 to 1, as if there were no other company. */
export const chanceOf = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds))

/**
 * The chance of each company to be the one that is meant, given its rivals and that it may be none of them: together with "none" they
 * make 1. This is the score; the weights are learned for it.
 */
export function scoresOf(scored: readonly ScoredCompany[]): number[] {
  const top = Math.max(0, scored[0]?.logOdds ?? 0)
  const parts = scored.map(one => Math.exp(one.logOdds - top))
  const all = parts.reduce((sum, part) => sum + part, Math.exp(-top))
  return parts.map(part => part / all)
}

/** Log-odds of the name features alone. */
const nameLogOdds = (vector: Vector): number => sum(vector, NAME_FEATURES)

/** Compares a query with one company: every name of the one with every name of the other, the best pair counts. */
function scoreCompany(index: MatchIndex, query: PreparedQuery, company: number): ScoredCompany {
  let best = newVector()
  let bestName = Number.NEGATIVE_INFINITY
  for (let document = index.documentStarts[company]!; document < index.documentStarts[company + 1]!; document++) {
    for (const name of query.names) {
      const vector = newVector()
      compareNames(index, name, document, vector)
      const odds = nameLogOdds(vector)
      if (odds > bestName) {
        best = vector
        bestName = odds
      }
    }
  }
  compareFields(index, query, company, best)
  return { company, vector: best, logOdds: sum(best, FEATURES.length) }
}

/** Compares a query with companies; best first, ties by the companies' ids. */
export function scoreCompanies(index: MatchIndex, query: PreparedQuery, companies: readonly number[]): ScoredCompany[] {
  const idOf = (one: ScoredCompany): string => index.companies.id(one.company)
  return companies
    .map(company => scoreCompany(index, query, company))
    .sort((a, b) => b.logOdds - a.logOdds || (idOf(a) < idOf(b) ? -1 : idOf(a) > idOf(b) ? 1 : a.company - b.company))
}
