/**
 * Converts the engine's score to a hit score of 0 to 100 in whole numbers (contract §14.3). 100 is the same name; the lowest
 * threshold of a search, 75, is the engine's threshold of review. In between it is linear in log-odds, so its order is the
 * engine's.
 */
import { THRESHOLDS } from '../matching/index.ts'

export interface RatedCandidate {
  /** The chance without rivals, because the names of one entry would be rivals of each other. */
  readonly chance: number
  readonly features: Readonly<Record<string, number>>
}

const REVIEW = THRESHOLDS.review
/** Highest chance of names that are not the same, by the engine's weights. */
const HIGH = 0.95
/** The same name with another legal form: likely the same group of companies. */
const OTHER_FORM = 90
const LOWEST = 75
const NOT_THE_SAME = 99

const logOdds = (score: number): number => Math.log(score / (1 - score))

export function hitScoreOf({ chance, features }: RatedCandidate): number {
  if (features.exact === 1) return features.legalDiffer === 1 ? OTHER_FORM : 100
  if (chance < REVIEW) return Math.round((chance / REVIEW) * (LOWEST - 1))
  const share = (logOdds(Math.min(chance, HIGH)) - logOdds(REVIEW)) / (logOdds(HIGH) - logOdds(REVIEW))
  return Math.round(LOWEST + share * (NOT_THE_SAME - LOWEST))
}
