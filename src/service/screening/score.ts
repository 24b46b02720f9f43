/**
 * The engine's score as a hit's: 0 to 100, in whole numbers (contract §14.3). 100 is the same name; the lowest threshold a search may
 * have, 75, is where the engine would still show a row to a person. In between it is linear in log-odds, and so as monotone as the
 * engine's own score.
 */
import { THRESHOLDS } from '../matching/index.ts'

/** What is read of the engine's candidate. */
export interface Rated {
  /** As if it had no rival: the names of one entry are rivals of each other. */
  readonly chance: number
  readonly features: Readonly<Record<string, number>>
}

/** Below this a person's look is not worth asking for. */
const REVIEW = THRESHOLDS.review
/** Where names that are not the same end, by the engine's weights. */
const HIGH = 0.95
/** The same name under another legal form: likely the same family of companies, and surely worth a look. */
const OTHER_FORM = 90
const LOWEST = 75
const NOT_THE_SAME = 99

const logOdds = (score: number): number => Math.log(score / (1 - score))

/** The hit score of a candidate. */
export function hitScoreOf({ chance, features }: Rated): number {
  if (features.exact === 1) return features.legalDiffer === 1 ? OTHER_FORM : 100
  if (chance < REVIEW) return Math.round((chance / REVIEW) * (LOWEST - 1))
  const share = (logOdds(Math.min(chance, HIGH)) - logOdds(REVIEW)) / (logOdds(HIGH) - logOdds(REVIEW))
  return Math.round(LOWEST + share * (NOT_THE_SAME - LOWEST))
}
