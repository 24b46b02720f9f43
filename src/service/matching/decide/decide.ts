/**
 * From scored companies to a decision with its reason. Knows the thresholds and which evidence may not be overruled; compares no
 * text.
 */

import { AT, type Vector } from '../features.ts'
import type { PreparedQuery } from '../query.ts'
import type { Answer, Decision, Reason } from '../types.ts'
import { THRESHOLDS, WEIGHTS } from '../weights.ts'
import { chanceOf, type ScoredCompany, scoresOf } from './score.ts'

/** A lead is not counted beyond this: e^20 to one is certain enough. */
const LARGEST_MARGIN = 20

/** Least lead for `matched`: below it the order of two companies is an accident. */
const LEAST_MARGIN = 0.5

/** Every word has its counterpart, spelled out, cut off or misspelt. */
const sameName = (vector: Vector): boolean =>
  vector[AT.exact] === 1 || (vector[AT.allPaired] === 1 && vector[AT.coverBoth]! > 0.7)

const samePlace = (vector: Vector): boolean => vector[AT.postcodeEqual] === 1 || vector[AT.address]! > 0.5

/** Row and company both have an address. */
const addressed = (vector: Vector): boolean =>
  vector[AT.address]! > 0 ||
  vector[AT.addressNone] === 1 ||
  vector[AT.postcodeEqual] === 1 ||
  vector[AT.postcodeNear] === 1 ||
  vector[AT.postcodeDiffer] === 1

/**
 * Which threshold fits the evidence: every word paired; words left over, without or with an address to tell sister companies by.
 * @public training chooses the thresholds by it
 */
export const evidenceClassOf = (vector: Vector): 'sameName' | 'partName' | 'partNameAddress' =>
  sameName(vector) ? 'sameName' : addressed(vector) ? 'partNameAddress' : 'partName'

/** The names could be those of one company. */
export const nameAgrees = (vector: Vector): boolean =>
  vector[AT.exact] === 1 ||
  vector[AT.coverBoth]! >= 0.35 ||
  vector[AT.pairs]! >= 0.7 ||
  vector[AT.acronym] === 1 ||
  vector[AT.domainName]! >= 0.8

/**
 * A match is thinkable: the names agree, or nobody else is at the very address that the row gives, as when a company is renamed.
 * @public training chooses the thresholds by it
 */
export const mayMatch = (vector: Vector): boolean =>
  nameAgrees(vector) || (vector[AT.addressSame] === 1 && vector[AT.postcodeAlone] === 1)

/** A number of the company's own agrees. */
const numbered = (vector: Vector): boolean =>
  vector[AT.idEqual] === 1 || vector[AT.numberEqual] === 1 || vector[AT.vatEqual] === 1

/** Something beside the name and the country speaks for the company. */
const supported = (vector: Vector): boolean =>
  samePlace(vector) || vector[AT.townEqual] === 1 || vector[AT.domainEqual] === 1 || vector[AT.phoneEqual] === 1

/** What was decided, and why not more. */
export type Verdict = Pick<Answer, 'decision' | 'reason' | 'score' | 'margin'>

/** The least score for `matched`, by what the evidence is (docs/matching.md). */
const leastScore = (vector: Vector): number => THRESHOLDS[evidenceClassOf(vector)]

/** Why this does not make a match, null when it does: the evidence alone must reach far enough, then its lead. */
function rejectionReason(logOdds: number, score: number, margin: number, vector: Vector): Reason | null {
  const least = leastScore(vector)
  const alone = chanceOf(logOdds)
  if (alone < least || !mayMatch(vector)) return alone >= THRESHOLDS.review ? 'between-thresholds' : 'below-threshold'
  return score >= least && margin >= LEAST_MARGIN ? null : 'ambiguous'
}

/** Decides by the best company's score and its margin over the best other company. `scored` is best first. */
export function decide(query: PreparedQuery, scored: readonly ScoredCompany[]): Verdict {
  const [best, other] = scored
  if (best === undefined)
    return { decision: 'unmatched', reason: query.names.length === 0 ? 'no-name' : 'no-candidate', score: 0, margin: 0 }
  const { vector, logOdds } = best
  const margin = Math.min(LARGEST_MARGIN, other === undefined ? LARGEST_MARGIN : logOdds - other.logOdds)
  const [score = 0] = scoresOf(scored)
  const verdict = (decision: Decision, reason: Reason | null): Verdict => ({ decision, reason, score, margin })

  if (scored.some(one => numbered(one.vector))) {
    if (!numbered(vector) || (query.names.length > 0 && !nameAgrees(vector))) return verdict('review', 'number-and-name-disagree')
    if (other !== undefined && numbered(other.vector) && margin < LEAST_MARGIN) return verdict('review', 'ambiguous')
    return verdict('matched', null)
  }
  if (query.names.length === 0) return verdict('unmatched', 'no-name')
  if (vector[AT.countryDiffer] === 1) {
    const elsewhere = rejectionReason(logOdds - WEIGHTS.countryDiffer, score, margin, vector)
    return verdict('unmatched', elsewhere === 'below-threshold' ? elsewhere : 'wrong-country')
  }
  if (vector[AT.numberDiffer] === 1) {
    const otherwise = rejectionReason(logOdds - WEIGHTS.numberDiffer, score, margin, vector)
    return otherwise === 'below-threshold' ? verdict('unmatched', otherwise) : verdict('review', 'number-and-name-disagree')
  }
  const reason = rejectionReason(logOdds, score, margin, vector)
  if (reason === null)
    return vector[AT.inactive] === 1 && !supported(vector) ? verdict('review', 'dissolved') : verdict('matched', null)
  return verdict(reason === 'below-threshold' ? 'unmatched' : 'review', reason)
}
