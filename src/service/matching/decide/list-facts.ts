/** What a list shows before it is decided: which share of it is in the register, and whether its company numbers are reliable. */
import { checkDigitsHold } from '../../../normalise/check-digits.ts'
import { AT, type Vector } from '../features.ts'
import type { PreparedQuery } from '../query.ts'
import type { ListFacts, RowEvidence } from '../types.ts'
import { nameAgrees, numberAgrees } from './decide.ts'
import type { ScoredCompany } from './score.ts'
import { appliedShare, estimateShare } from './share.ts'

/** Numbers of a list are unreliable from this share of wrong ones on; of right numbers one in 250 seems wrong. */
const UNRELIABLE = 0.05
/** Rows with a right number that are added to the list: one typing error is no evidence about a short one. */
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

function numbersOf(rows: readonly RowEvidence[]): ListFacts['companyNumbers'] {
  const known = rows.filter(row => row.numberHolds !== null)
  const wrong = known.filter(row => row.numberHolds === false).length
  return wrong / (known.length + RIGHT_ROWS) >= UNRELIABLE ? 'unreliable' : 'reliable'
}

/** The facts of a list from the evidence of its rows. The same rows in the same order give the same facts on any machine. */
export const estimateFacts = (rows: readonly RowEvidence[]): ListFacts => ({
  inRegister: estimateShare(rows.flatMap(({ presence }) => presence ?? [])),
  companyNumbers: numbersOf(rows),
})

/** The facts as they are applied: see `appliedShare`. */
export const appliedFacts = (facts: ListFacts): ListFacts => ({ ...facts, inRegister: appliedShare(facts.inRegister) })
