/**
 * The share of a list's rows that are in the register, estimated from the list itself: the share at which the chances of all rows that the
 * register has them add up to it (expectation maximisation, no labels). A score holds for one share; `shiftOf` moves it to another.
 */
import { DEFAULT_SHARE, TRAINED_SHARE } from '../weights.ts'
import { chanceOf, type ScoredCompany } from './score.ts'

/** Rows of the default share that are added to the list: a short list is drawn towards the default, a long one is not. */
const DEFAULT_ROWS = 10
/** A share of 0 or 1 would decide without evidence. */
const [LEAST, MOST] = [0.005, 0.995]
const STEPS = 200
/** Log-odds between two shares that are applied: the odds of a score move by a fifth at most. */
const CELL = 0.4

const logOddsOf = (share: number): number => Math.log(share / (1 - share))

/** What a share adds to the log-odds of every company: the weights are learned for TRAINED_SHARE. */
export const shiftOf = (share: number): number => logOddsOf(share) - logOddsOf(TRAINED_SHARE)

/** Log-odds that one of the companies is the right one, whichever it is. */
export function presenceOf(scored: readonly ScoredCompany[]): number {
  const [best] = scored
  if (best === undefined) return Number.NEGATIVE_INFINITY
  return best.logOdds + Math.log(scored.reduce((sum, one) => sum + Math.exp(one.logOdds - best.logOdds), 0))
}

/**
 * The share of rows in the register, from the log-odds of each row as `presence` gives them, to three decimal places. One row, or none,
 * is too little: DEFAULT_SHARE. The same rows in the same order give the same share on any machine.
 */
export function estimateShare(rows: readonly number[]): number {
  let share = DEFAULT_SHARE
  if (rows.length < 2) return share
  for (let step = 0; step < STEPS; step++) {
    const shift = shiftOf(share)
    const found = rows.reduce((sum, row) => sum + chanceOf(row + shift), 0)
    const next = (found + DEFAULT_ROWS * DEFAULT_SHARE) / (rows.length + DEFAULT_ROWS)
    if (Math.abs(next - share) < 1e-6) break
    share = next
  }
  return Math.round(Math.min(MOST, Math.max(LEAST, share)) * 1000) / 1000
}

/**
 * The share that is applied to a list of this estimated share: the nearest of some fixed ones, DEFAULT_SHARE among them. A list that
 * changes a little from night to night is then decided alike, so that earlier answers hold.
 */
export function appliedShare(share: number): number {
  const cell = Math.round((logOddsOf(share) - logOddsOf(DEFAULT_SHARE)) / CELL)
  const applied = chanceOf(logOddsOf(DEFAULT_SHARE) + cell * CELL)
  return Math.round(applied * 1000) / 1000
}
