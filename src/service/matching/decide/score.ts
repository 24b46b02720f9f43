/**
 * Computes the additive score: weight × value per feature, as log-odds and as a number from 0 to 1. A company's name features are
 * those of its best name.
 */

import type { MatchIndex } from '../blocking/match-index.ts'
import { compareFields } from '../compare/compare-fields.ts'
import { compareNames } from '../compare/compare-names.ts'
import { FEATURES, NAME_FEATURES, newVector, type Vector } from '../features.ts'
import type { PreparedQuery } from '../query.ts'
import { WEIGHTS } from '../weights.ts'

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

/** Converts log-odds to a chance from 0 to 1, without rivals. */
export const chanceOf = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds))

/**
 * The score, for which the weights are learned: the chance of each company given its rivals. All chances and that of "none of them"
 * sum up to 1.
 */
export function scoresOf(scored: readonly ScoredCompany[]): number[] {
  const top = Math.max(0, scored[0]?.logOdds ?? 0)
  const parts = scored.map(one => Math.exp(one.logOdds - top))
  const all = parts.reduce((sum, part) => sum + part, Math.exp(-top))
  return parts.map(part => part / all)
}

const nameLogOdds = (vector: Vector): number => sum(vector, NAME_FEATURES)

/** Compares every name of a query with every name of a company; the best pair counts. */
function scoreCompany(index: MatchIndex, query: PreparedQuery, company: number, shift: number): ScoredCompany {
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
  return { company, vector: best, logOdds: sum(best, FEATURES.length) + shift }
}

/** Scores companies; best first, ties by company id. `shift`: what the share of the list in the register adds to the log-odds. */
export function scoreCompanies(
  index: MatchIndex,
  query: PreparedQuery,
  companies: readonly number[],
  shift: number,
): ScoredCompany[] {
  const idOf = (one: ScoredCompany): string => index.companies.id(one.company)
  return companies
    .map(company => scoreCompany(index, query, company, shift))
    .sort((a, b) => b.logOdds - a.logOdds || (idOf(a) < idOf(b) ? -1 : idOf(a) > idOf(b) ? 1 : a.company - b.company))
}
