/** What a list shows before it is decided: which share of it is in the register, and whether its company numbers are reliable. */

import { checkDigitsHold } from '../../../normalise/check-digits.ts'
import { AT, type Vector } from '../features.ts'
import type { PreparedQuery } from '../query.ts'
import type { ListFacts, RowEvidence } from '../types.ts'
import { DEFAULT_SHARE, TRAINED_SHARE } from '../weights.ts'
import { nameAgrees, numberAgrees } from './decide.ts'
import { type ScoredCompany, toChance } from './score.ts'

/** Rows of the default share that are added to the list: a short list is drawn towards the default, a long one is not. */
const DEFAULT_ROWS = 10
/** A share of 0 or 1 would decide without evidence. */
const [LEAST, MOST] = [0.005, 0.995]
const STEPS = 200
/** Log-odds between two shares that are applied: the odds of a score move by a fifth at most. */
const CELL = 0.4

const toLogOdds = (share: number): number => Math.log(share / (1 - share))

/** What a share adds to the log-odds of every company: the weights are learned for TRAINED_SHARE, and a score holds for one share. */
export const shiftOf = (share: number): number => toLogOdds(share) - toLogOdds(TRAINED_SHARE)

/** Log-odds that one of the companies is the right one, whichever it is. */
export function presenceOf(scored: readonly ScoredCompany[]): number {
  const [best] = scored
  if (best === undefined) return Number.NEGATIVE_INFINITY
  return best.logOdds + Math.log(scored.reduce((sum, company) => sum + Math.exp(company.logOdds - best.logOdds), 0))
}

/**
 * The share of rows in the register, from the log-odds of each row as `presence` gives them, to three decimal places: the share at which
 * the chances of all rows that the register has them add up to it (expectation maximisation, no labels). One row, or none, is too little:
 * DEFAULT_SHARE. The same rows in the same order give the same share on any machine.
 */
export function estimateShare(rows: readonly number[]): number {
  let share = DEFAULT_SHARE
  if (rows.length < 2) return share
  for (let step = 0; step < STEPS; step++) {
    const shift = shiftOf(share)
    const found = rows.reduce((sum, row) => sum + toChance(row + shift), 0)
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
  const cell = Math.round((toLogOdds(share) - toLogOdds(DEFAULT_SHARE)) / CELL)
  const applied = toChance(toLogOdds(DEFAULT_SHARE) + cell * CELL)
  return Math.round(applied * 1000) / 1000
}

/** Numbers of a list are unreliable from this share of wrong ones on; of right numbers one in 250 seems wrong. */
const UNRELIABLE = 0.05
/** Rows with a right number that are added to the list: one typing error is not evidence about a short one. */
const RIGHT_ROWS = 20

const hasName = (vector: Vector): boolean =>
  vector[AT.exact] === 1 && vector[AT.legalDiffer] === 0 && vector[AT.countryDiffer] === 0

/**
 * Whether the company number of a row seems right; null without one. It is wrong if its check digits fail, if it belongs to a company of
 * another name while one of the register has the very name in the row, or if that one has another number.
 */
export function numberHolds(
  { identifiers, numberOfVat, isVatWritten, country }: PreparedQuery,
  scored: readonly ScoredCompany[],
): boolean | null {
  const { orgNumber, vatNumber } = identifiers
  if (orgNumber === '' && vatNumber === '') return null
  const own = isVatWritten ? [numberOfVat] : [orgNumber, numberOfVat]
  if (own.some(number => number !== '' && checkDigitsHold(number, country) === false)) return false
  const found = scored.filter(({ vector }) => numberAgrees(vector))
  const named = scored.filter(({ vector }) => hasName(vector))
  return found.length > 0
    ? named.length === 0 || found.some(({ vector }) => nameAgrees(vector))
    : !named.some(({ vector }) => vector[AT.numberDiffer] === 1 || vector[AT.vatDiffer] === 1)
}

function judgeNumbers(rows: readonly RowEvidence[]): ListFacts['companyNumbers'] {
  const known = rows.filter(row => row.numberHolds !== null)
  const wrong = known.filter(row => row.numberHolds === false).length
  return wrong / (known.length + RIGHT_ROWS) >= UNRELIABLE ? 'unreliable' : 'reliable'
}

/** The facts of a list from the evidence of its rows. The same rows in the same order give the same facts on any machine. */
export const estimateFacts = (rows: readonly RowEvidence[]): ListFacts => ({
  inRegister: estimateShare(rows.flatMap(({ presence }) => presence ?? [])),
  companyNumbers: judgeNumbers(rows),
})

/** The facts as they are applied: see `appliedShare`. */
export const appliedFacts = (facts: ListFacts): ListFacts => ({ ...facts, inRegister: appliedShare(facts.inRegister) })
