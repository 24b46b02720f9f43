/** Maps a score from 0 to 1 onto the interface's whole-number scale of 893 to 999. */
import { THRESHOLDS } from '../weights.ts'

/**
 * The parts of the scale: first number, lowest score and meaning. Linear within a part.
 * @public the source of a table in docs/matching.md
 */
export const SCALE = [
  { from: 893, score: 0, meaning: 'not worth a look: unmatched, unless a number agrees' },
  { from: 900, score: THRESHOLDS.review, meaning: 'a potential match: for a person to look at' },
  { from: 930, score: 0.5, meaning: 'more likely than all other companies and none together' },
  { from: 960, score: 0.9, meaning: 'one in ten or fewer of such answers is another company' },
  { from: 990, score: 0.99, meaning: 'certain for practical purposes: one in a hundred or fewer' },
] as const

const LAST = 999

/** A score from 0 to 1 on the scale from 893 to 999, never decreasing. */
export function matchScoreOf(score: number): number {
  const at = SCALE.findLastIndex(part => score >= part.score)
  const part = SCALE[Math.max(0, at)] ?? SCALE[0]
  const next = SCALE[Math.max(0, at) + 1]
  const [end, last] = next === undefined ? [1, LAST] : [next.score, next.from - 1]
  const share = Math.min(1, Math.max(0, (score - part.score) / (end - part.score)))
  return part.from + Math.floor(share * (last - part.from))
}
