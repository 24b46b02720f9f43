/**
 * From scored companies to a decision with its reason. Knows the thresholds and which evidence may not be overruled; compares no
 * text.
 */
import { AT } from './features.ts'
import type { Asked } from './query.ts'
import { type Scored, scoreOf } from './score.ts'
import type { Answer, Decision, Reason } from './types.ts'
import { WEIGHTS } from './weights.ts'

/** A lead is not counted beyond this: e^20 to one is certain enough. */
const LARGEST_MARGIN = 20

/** Least score and least margin for `matched`. */
interface Threshold {
  readonly score: number
  readonly margin: number
}

/**
 * Found on the `train` queries: the point of highest recall with a precision of at least .985 in every set, the scores then raised
 * by .1 for little recall. A name whose every word has its counterpart needs little lead; one with a word too many or too few needs
 * a clear one, and a clearer one at the same address, because companies of one group share the address and differ in just such a word.
 */
const SAME_NAME: Threshold = { score: 0.6, margin: 0.5 }
const PART_NAME: Threshold = { score: 0.3, margin: 3 }
const PART_NAME_SAME_PLACE: Threshold = { score: 0.5, margin: 5 }
/** Below this a person's look is not worth asking for. */
export const REVIEW_FROM = 0.15

/** Every word has its counterpart, spelled out, cut off or misspelt. */
const sameName = (vector: Float64Array): boolean =>
  vector[AT.exact] === 1 || (vector[AT.allPaired] === 1 && vector[AT.coverBoth]! > 0.7)

const samePlace = (vector: Float64Array): boolean => vector[AT.postcodeEqual] === 1 || vector[AT.address]! > 0.5

/** The names could be those of one company; without this no other evidence makes a match. */
export const nameAgrees = (vector: Float64Array): boolean =>
  vector[AT.exact] === 1 ||
  vector[AT.coverBoth]! >= 0.35 ||
  vector[AT.jaroWinkler]! >= 0.88 ||
  vector[AT.acronym] === 1 ||
  vector[AT.domainName]! >= 0.8

/** A number of the company's own agrees. */
const numbered = (vector: Float64Array): boolean =>
  vector[AT.idEqual] === 1 || vector[AT.numberEqual] === 1 || vector[AT.vatEqual] === 1

/** Something beside the name and the country speaks for the company. */
const supported = (vector: Float64Array): boolean =>
  samePlace(vector) || vector[AT.townEqual] === 1 || vector[AT.domainEqual] === 1 || vector[AT.phoneEqual] === 1

/** What was decided, and why not more. */
export type Verdict = Pick<Answer, 'decision' | 'reason' | 'score' | 'margin'>

/** Why these log-odds and this margin do not make a match; null when they do. */
const reached = (odds: number, margin: number, vector: Float64Array): Reason | null => {
  const least = sameName(vector) ? SAME_NAME : samePlace(vector) ? PART_NAME_SAME_PLACE : PART_NAME
  const score = scoreOf(odds)
  if (score >= least.score && nameAgrees(vector)) return margin >= least.margin ? null : 'ambiguous'
  return score >= REVIEW_FROM ? 'between-thresholds' : 'below-threshold'
}

/** Decides by the best company's score and its margin over the best other company. `scored` is best first. */
export function decide(asked: Asked, scored: readonly Scored[]): Verdict {
  const [best, other] = scored
  if (best === undefined)
    return { decision: 'unmatched', reason: asked.names.length === 0 ? 'no-name' : 'no-candidate', score: 0, margin: 0 }
  const { vector, logOdds } = best
  const margin = Math.min(LARGEST_MARGIN, other === undefined ? LARGEST_MARGIN : logOdds - other.logOdds)
  const verdict = (decision: Decision, reason: Reason | null): Verdict => ({ decision, reason, score: scoreOf(logOdds), margin })

  if (scored.some(one => numbered(one.vector))) {
    if (!numbered(vector) || (asked.names.length > 0 && !nameAgrees(vector))) return verdict('review', 'number-and-name-disagree')
    if (other !== undefined && numbered(other.vector) && margin < SAME_NAME.margin) return verdict('review', 'ambiguous')
    return verdict('matched', null)
  }
  if (asked.names.length === 0) return verdict('unmatched', 'no-name')
  if (vector[AT.countryDiffer] === 1) {
    const elsewhere = reached(logOdds - WEIGHTS.countryDiffer, margin, vector)
    return verdict('unmatched', elsewhere === 'below-threshold' ? elsewhere : 'wrong-country')
  }
  if (vector[AT.numberDiffer] === 1) {
    const otherwise = reached(logOdds - WEIGHTS.numberDiffer, margin, vector)
    return otherwise === 'below-threshold' ? verdict('unmatched', otherwise) : verdict('review', 'number-and-name-disagree')
  }
  const reason = reached(logOdds, margin, vector)
  if (reason === null)
    return vector[AT.inactive] === 1 && !supported(vector) ? verdict('review', 'dissolved') : verdict('matched', null)
  return verdict(reason === 'below-threshold' ? 'unmatched' : 'review', reason)
}
