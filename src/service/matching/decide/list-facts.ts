/** What a list shows before it is decided: how much evidence its matches need, which share of it is in the register, and whether its company numbers are reliable. */

import { checkDigitsHold } from '../../../normalise/check-digits.ts'
import { AT, type Vector } from '../features.ts'
import type { PreparedQuery } from '../query.ts'
import type { InRegister, ListFacts, RowEvidence } from '../types.ts'
import { ALONE, PRECISION, startingOddsOf, toLogOdds } from '../weights.ts'
import { nameAgrees, numberAgrees } from './decide.ts'
import type { ScoredCompany } from './score.ts'

/** Fewer rows show nothing about their list: it is decided as a row alone. */
const LEAST_ROWS = 50

/** The odds to choose from: the lowest first, STEP apart, so that a list that changes a little is decided alike. */
export const LOWEST_ODDS = -4
const [HIGHEST, STEP] = [6, 0.25]
const ODDS = Array.from({ length: (HIGHEST - LOWEST_ODDS) / STEP + 1 }, (_, at) => LOWEST_ODDS + at * STEP)

/** Where no odds keep the share of wrong matches, those with the fewest are taken if this multiple of it is kept. */
const WRONG_AT_MOST = 2.5
/** Matches that only the last WINDOW of the odds gives may be wrong this many times as often, however few they are; FEW of all rows do not count. */
const LAST_WRONG = 12.5
const MOST_LAST_WRONG = 0.5
const FEW = 0.0005
const WINDOW = 1 / STEP

/**
 * Absent rows that are added, and the share of them that is matched at given odds, like that in lists of other registers: some hundred rows do not show a share below one in a hundred.
 */
const ADDED = 50
const usuallyMatched = (odds: number): number => Math.min(1, 0.015 * Math.exp(0.6 * (odds - ALONE.inRegister.matchingOdds)))

/** The share of the rows in a register that is found without doubt, at least, by what the rows have beside a name. */
const FOUND = { place: 0.8, country: 0.7, nothing: 0.25 } as const
/** Standard errors on either side of an interval that holds the truth in nine of ten lists. */
const ERRORS = 1.64

/** Of the rows that the register has this share is found, as a rule: the score is right for such lists. */
const USUALLY_FOUND = 0.9
/** A share of 0 or 1 would decide without evidence. */
const [LEAST, MOST] = [0.005, 0.995]
/** Log-odds between match and score, at most: in a list that is matched at higher odds its evidence proves more. */
const AHEAD = 2.25

/**
 * Rows that begin with a whole name may be wrong this many times as often, if all rows that are not found without doubt are absent: most of
 * those are not, as a rule.
 */
const WHOLE_NAMES_WRONG = 2

const round = (value: number): number => Math.round(value * 1000) / 1000
const toShare = (value: number): number => round(Math.min(1, Math.max(0, value)))

/** How many of these rows are matched at each of ODDS. */
const countMatched = (rows: readonly number[]): number[] => ODDS.map(odds => rows.filter(row => row <= odds).length)

/** What most of the rows have beside a name. */
function findBesides(rows: readonly RowEvidence[]): RowEvidence['besides'] {
  const half = rows.length / 2
  const places = rows.filter(row => row.besides === 'place').length
  return places >= half ? 'place' : rows.filter(row => row.besides !== 'nothing').length >= half ? 'country' : 'nothing'
}

/** The odds of matching of a row alone and of a short list, where a share of the matches should be right. */
const usualOdds = (precision: number): number => ALONE.inRegister.matchingOdds + (toLogOdds(PRECISION) - toLogOdds(precision))

type Rows = readonly RowEvidence[]

/** Shares of the rows, and of companies that the register lacks, that are matched at each of ODDS; `from` gives the odds from which on one is. */
function measureShares(asked: Rows, strangers: Rows, from: (row: RowEvidence) => number): [matched: number[], falsely: number[]] {
  const all = strangers.length + ADDED
  return [
    countMatched(asked.map(from)).map(count => count / asked.length),
    countMatched(strangers.map(from)).map((count, at) => (count + 1 + ADDED * usuallyMatched(ODDS[at]!)) / (all + 1)),
  ]
}

/** The share of the rows that is in the register without doubt, with its standard error. */
function findSurely(asked: Rows, strangers: Rows): { found: number; error: number } {
  const [matched, falsely] = measureShares(asked, strangers, row => Math.min(row.matchedFrom!, row.wholeNameFrom))
  let [found, error] = [0, 0]
  for (const [at, share] of matched.entries()) {
    const wrong = falsely[at]!
    const least = (share - wrong) / (1 - wrong)
    if (least <= found) continue
    found = least
    error = Math.sqrt((share * (1 - share)) / asked.length + (wrong * (1 - wrong)) / (strangers.length + ADDED))
  }
  return { found, error }
}

/**
 * Chooses the odds of matching at which `precision` of the matches are right: as many rows of the list as are not found without doubt are taken
 * for absent, and those are matched as often as `absent`, companies of the register that were asked for with them taken out of it. No row
 * of the list is labelled, nor is the share in the register needed: where names are hard to recognise, absent companies are not matched
 * either, and less evidence is enough. The same rows give the same odds on any machine.
 */
export function estimateInRegister(rows: Rows, absent: Rows, precision = PRECISION): InRegister {
  const asked = rows.filter(row => row.matchedFrom !== null)
  if (asked.length < LEAST_ROWS) return { ...ALONE.inRegister, matchingOdds: usualOdds(precision) }
  const mayBeWrong = 1 - precision
  const strangers = absent.filter(row => row.matchedFrom !== null)
  const [matched, falsely] = measureShares(asked, strangers, row => row.matchedFrom!)
  const { found, error } = findSurely(asked, strangers)
  // Where little of a list is found, the absent rows may be more like companies of the register than its own companies are.
  const absentRows = (1 - found) * Math.max(1, 2 - 2 * found)
  const wrongly = matched.map((share, at) => (absentRows * falsely[at]!) / Math.max(share, 1e-9))
  const isKept = (at: number): boolean => {
    const before = Math.max(0, at - WINDOW)
    const further = matched[at]! - matched[before]!
    const last = Math.min(MOST_LAST_WRONG, LAST_WRONG * mayBeWrong)
    return wrongly[at]! <= mayBeWrong && absentRows * (falsely[at]! - falsely[before]!) <= last * further + FEW
  }
  const fewest = wrongly.indexOf(Math.min(...wrongly))
  const last = ODDS.findLastIndex((_, at) => isKept(at))
  const chosen = last >= 0 ? last : wrongly[fewest]! <= WRONG_AT_MOST * mayBeWrong ? fewest : 0
  const wholeNameOdds = chooseWholeNameOdds(asked, strangers, absentRows, mayBeWrong)
  const from = found - ERRORS * error
  const to = (found + ERRORS * error) / FOUND[findBesides(asked)]
  const matchingOdds = ODDS[chosen]!
  const likely = startingOddsOf(Math.min(MOST, Math.max(LEAST, found / USUALLY_FOUND)))
  const odds = { matchingOdds, startingOdds: round(Math.max(likely, matchingOdds - AHEAD)) }
  const estimate = { from: toShare(from), to: toShare(to), ...odds }
  return wholeNameOdds > matchingOdds ? { ...estimate, wholeNameOdds } : estimate
}

/**
 * Chooses the odds for rows that begin with the whole name of a company (`Randstad Canada Group` and `Randstad`): where a register has sisters of
 * such names, absent companies are taken for them as often as rows are.
 */
function chooseWholeNameOdds(asked: Rows, strangers: Rows, absentRows: number, mayBeWrong: number): number {
  const count = (rows: Rows): number[] => countMatched(rows.map(row => row.wholeNameFrom))
  const [matched, falsely] = [count(asked), count(strangers)]
  const mostWrong = (WHOLE_NAMES_WRONG * mayBeWrong * (strangers.length + 1)) / (absentRows * asked.length)
  const last = ODDS.findLastIndex((_, at) => falsely[at]! + 1 <= mostWrong * matched[at]!)
  return last < 0 ? Number.NEGATIVE_INFINITY : ODDS[last]!
}

/** Numbers of a list are unreliable from this share of wrong ones on; of right numbers one in 250 seems wrong. */
const UNRELIABLE = 0.05
/** Rows with a right number that are added to the list: one typing error is not evidence about a short one. */
const RIGHT_ROWS = 20

const hasName = (vector: Vector): boolean =>
  vector[AT.exact] === 1 && vector[AT.legalDiffer] === 0 && vector[AT.countryDiffer] === 0

/** One company has the very name, and its legal form, that was asked for. */
export const hasNamesake = ([best]: readonly ScoredCompany[]): boolean => best !== undefined && hasName(best.vector)

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

/**
 * The facts of a list from the evidence of its rows, and of companies of the register that were asked for with them taken out of it
 * (`absentEvidence`). `precision`: the share of the matches that should be right.
 */
export const estimateFacts = (
  rows: readonly RowEvidence[],
  absent: readonly RowEvidence[],
  precision = PRECISION,
): ListFacts => ({
  inRegister: estimateInRegister(rows, absent, precision),
  companyNumbers: judgeNumbers(rows),
})

/** So few rows need no companies to compare with. */
export const isShort = (rows: readonly RowEvidence[]): boolean => rows.filter(row => row.matchedFrom !== null).length < LEAST_ROWS
