/**
 * The interface's whole-number scale of match scores, 893 to 999, and what its parts mean. The one place that maps the engine's
 * score from 0 to 1 onto it; knows no answer and no route.
 */
import { THRESHOLDS } from '../weights.ts'

/**
 * The parts of the scale: its first number, the score it begins at, and what it means. Linear in between.
 * @public docs/matching.md is made of it
 */
export const SCALE = [
  { from: 893, score: 0, meaning: 'not worth a look: unmatched, unless a number agrees' },
  { from: 900, score: THRESHOLDS.review, meaning: 'a potential match: for a person to look at' },
  { from: 930, score: 0.5, meaning: 'more likely than all other companies and none together' },
  { from: 960, score: 0.9, meaning: 'one in ten or fewer of such answers is another company' },
  { from: 990, score: 0.99, meaning: 'certain for practical purposes: one in a hundred or fewer' },
] as const

/** The last number of the scale: a score of 1. */
const LAST = 999

/** A score from 0 to 1 on the scale from 893 to 999. A higher score never has a lower number. */
export function matchScoreOf(score: number): number {
  const at = SCALE.findLastIndex(part => score >= part.score)
  const part = SCALE[Math.max(0, at)] ?? SCALE[0]
  const next = SCALE[Math.max(0, at) + 1]
  const [end, last] = next === undefined ? [1, LAST] : [next.score, next.from - 1]
  const share = Math.min(1, Math.max(0, (score - part.score) / (end - part.score)))
  return part.from + Math.floor(share * (last - part.from))
}
