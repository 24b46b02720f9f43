/**
 * Computes the additive score: weight × value per feature, calibrated, as log-odds and as a number from 0 to 1. A company has the name
 * features of its best name.
 */
import type { MatchIndex } from '../blocking/match-index.ts'
import { compareFields } from '../compare/compare-fields.ts'
import { compareNames } from '../compare/compare-names.ts'
import { AT, FEATURES, NAME_FEATURES, RowVectors, type Vector } from '../features.ts'
import type { PreparedQuery } from '../query.ts'
import { CALIBRATION, WEIGHTS } from '../weights.ts'

/** An index of fewer companies is held by the caches for the most part. */
export const LARGE = 1 << 16

/** Takes the sum of what is read: a compiler leaves reads out that nothing uses. */
const unused = new Float64Array(1)

/**
 * Reads the values that are compared of some companies, without using them. An index is far larger than the caches of a processor, and each
 * comparison waits for its values one after the other. The values of many companies read here arrive together, in little more than the time of one.
 */
function readAhead(index: MatchIndex, companies: readonly number[]): void {
  if (index.companies.length < LARGE) return
  const { documentStarts, wordStarts, wordIds, legal, kinds, marks, labels, active, countries, towns, address } = index
  const { postcode: postcodes } = index.identifiers
  let sum = 0
  for (const company of companies) {
    sum += labels.starts[company >>> labels.shift]! + postcodes.starts[company >>> postcodes.shift]!
    sum += address.starts[company]! + active[company]! + countries.ids[company]! + towns.ids[company]!
    // The further names of a company are few.
    const document = documentStarts[company]!
    sum += wordStarts[document]! + legal.ids[document]! + kinds.ids[document]! + marks.ids[document]!
  }
  for (const company of companies) {
    sum +=
      labels.bytes[labels.starts[company >>> labels.shift]!]! + postcodes.bytes[postcodes.starts[company >>> postcodes.shift]!]!
    sum += wordIds[wordStarts[documentStarts[company]!]!]! + address.ids[address.starts[company]!]!
  }
  unused[0] = sum
}

export type ScoredCompany = { readonly company: number; readonly vector: Vector; readonly logOdds: number }

/** A company with the evidence of its best record. `company` is the record of the register named first. */
export interface RankedCompany extends ScoredCompany {
  /** Its records in the other registers, in their order. */
  readonly others: readonly number[]
  /** The part of the name cell that was compared; '' for the whole cell. */
  readonly read: string
}

const NO_OTHERS: readonly number[] = []

const weights = Float64Array.from(FEATURES, feature => WEIGHTS[feature])

/** Adds the log-odds of the features from one position up to another. */
function sum(vector: Vector, from: number, to: number, start = 0): number {
  let total = start
  for (let at = from; at < to; at++) total += weights[at]! * vector[at]!
  return total
}

/**
 * Log-odds for a list of TRAINED_SHARE from the sum of the features: a shortened name whose words all have a counterpart proves more than
 * the sum of them, which the names of other kinds determine too.
 * @public training chooses the thresholds by it
 */
export const calibrate = (isShortened: boolean, total: number, { slope, most } = CALIBRATION): number =>
  isShortened && total > 0 ? Math.max(total, Math.min(slope * total, most)) : total

/** Converts log-odds to a chance from 0 to 1, without rivals. */
export const toChance = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds))

/**
 * The score, for which the weights are learned: the chance of each company given its rivals. All chances and the chance of "none of them"
 * sum up to 1.
 */
export function listScores(scored: readonly ScoredCompany[]): number[] {
  const top = Math.max(0, scored[0]?.logOdds ?? 0)
  const parts = scored.map(company => Math.exp(company.logOdds - top))
  const all = parts.reduce((sum, part) => sum + part, Math.exp(-top))
  return parts.map(part => part / all)
}

/** Compares every name of a query with every name of a company; the best pair counts. */
function scoreCompany(
  index: MatchIndex,
  query: PreparedQuery,
  company: number,
  shift: number,
  vectors: RowVectors,
): RankedCompany {
  let best: Vector | null = null
  let read = ''
  let bestName = Number.NEGATIVE_INFINITY
  const end = index.documentStarts[company + 1]!
  for (let document = index.documentStarts[company]!; document < end; document++) {
    for (const name of query.names) {
      const vector = vectors.take()
      compareNames(index, name, document, vector)
      const odds = sum(vector, 0, NAME_FEATURES)
      // A name that a person confirmed is certain where the same name is a transliteration.
      if (odds > bestName || (odds === bestName && vector[AT.confirmed] === 1)) {
        best = vector
        bestName = odds
        read = name.reading?.text ?? ''
      }
    }
  }
  const vector = best ?? vectors.take()
  compareFields(index, query, company, vector)
  const ofName = best === null ? 0 : bestName
  const total = sum(vector, NAME_FEATURES, FEATURES.length, ofName)
  return { company, vector, logOdds: calibrate(vector[AT.shortened] === 1, total) + shift, others: NO_OTHERS, read }
}

/**
 * Scores companies; best first, ties by company id. `shift`: what the share of the list in the register adds to the log-odds. `vectors`:
 * where the vectors come from, which the caller may then clear.
 */
export function scoreCompanies(
  index: MatchIndex,
  query: PreparedQuery,
  companies: readonly number[],
  shift: number,
  vectors = new RowVectors(),
): RankedCompany[] {
  readAhead(index, companies)
  return companies
    .map(company => scoreCompany(index, query, company, shift, vectors))
    .sort((a, b) => b.logOdds - a.logOdds || index.companies.compareIds(a.company, b.company) || a.company - b.company)
}
