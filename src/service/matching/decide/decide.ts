/** Turns scored companies into a decision with its reason, by thresholds and by evidence that overrules the score. */

import { AT, samePlace, type Vector } from '../features.ts'
import type { PreparedQuery } from '../query.ts'
import type { Answer, Decision, ListFacts, Reason } from '../types.ts'
import { ALONE, THRESHOLDS, WEIGHTS } from '../weights.ts'
import { listScores, type ScoredCompany, toChance } from './score.ts'

/** Larger leads are capped: e^20 to one is certain enough. */
const MAX_MARGIN = 20

/** Least lead for `matched`: below it the order of two companies is chance. */
const MIN_MARGIN = 0.5
/** Two companies fit almost equally well where the better one is less than e times as likely; else many unlikely ones lower its score. */
const CLOSE_MARGIN = 1

/** More likely than all other companies and none together. */
const LIKELY = 0.5

/** Every word has a counterpart: spelled out, cut off or misspelt. */
const sameName = (vector: Vector): boolean =>
  vector[AT.exact] === 1 || (vector[AT.allPaired] === 1 && vector[AT.coverBoth]! > 0.7)

/** Row and company both have an address, a postcode or a town. */
export const isPlaced = (vector: Vector): boolean =>
  bothAddressed(vector) || vector[AT.townEqual] === 1 || vector[AT.townDiffer] === 1

const bothAddressed = (vector: Vector): boolean =>
  vector[AT.address]! > 0 ||
  vector[AT.addressNone] === 1 ||
  vector[AT.postcodeEqual] === 1 ||
  vector[AT.postcodeNear] === 1 ||
  vector[AT.postcodeDiffer] === 1

/**
 * Selects the threshold: every word paired; words left over, without or with an address that distinguishes sister companies; an address
 * with a name that is less than half alike.
 * @public training chooses the thresholds by it
 */
export const evidenceClassOf = (vector: Vector): 'sameName' | 'partName' | 'partNameAddress' | 'addressAlone' =>
  sameName(vector) ? 'sameName' : isAddressAlone(vector) ? 'addressAlone' : bothAddressed(vector) ? 'partNameAddress' : 'partName'

/**
 * Similarity of two names from 0 to 1, as shown to people: 1 for the same words, 0.9 for initials; words left over lower it.
 * @public the benchmark of name pairs measures it
 */
export function nameSimilarity(vector: Vector): number {
  if (vector[AT.exact] === 1) return 1
  if (vector[AT.acronym] === 1) return 0.9
  const cover = vector[AT.coverBoth]!
  return vector[AT.allPaired] === 1 ? cover : (cover + vector[AT.pairs]!) / 2
}

/** The names may belong to one company. */
export const nameAgrees = (vector: Vector): boolean =>
  vector[AT.exact] === 1 ||
  vector[AT.coverBoth]! >= 0.35 ||
  vector[AT.pairs]! >= 0.7 ||
  vector[AT.acronym] === 1 ||
  vector[AT.domainName]! >= 0.8

/** No other company of the register is at the address of the row, which is the same word for word. */
const isOnlyThere = (vector: Vector): boolean => vector[AT.addressSame] === 1 && vector[AT.postcodeAlone] === 1

const isAddressAlone = (vector: Vector): boolean => samePlace(vector) && nameSimilarity(vector) < 0.5

/**
 * A match is possible: the names agree, or no other company is at the address of the row, as after a renaming.
 * @public training chooses the thresholds by it
 */
export const mayMatch = (vector: Vector): boolean => nameAgrees(vector) || isOnlyThere(vector)

/** Id, organisation number or VAT number of row and company are the same. */
export const numberAgrees = (vector: Vector): boolean =>
  vector[AT.idEqual] === 1 || vector[AT.numberEqual] === 1 || vector[AT.vatEqual] === 1

/** Something beside the name and the country supports the company. */
const hasSupport = (vector: Vector): boolean =>
  samePlace(vector) || vector[AT.townEqual] === 1 || vector[AT.domainEqual] === 1 || vector[AT.phoneEqual] === 1

/**
 * Names that differ in what distinguishes sister companies: in a number, numeral, letter, point of the compass, country or word in
 * brackets; at one address also in a word such as Trading; in any word if another company of the register has no less of the name; in a word
 * such as Holdings or UK that one name lacks. Only a number shows which one is meant. A word in brackets that one name lacks, or a legal form
 * of a different country (`Acme Inc.` and `Acme GmbH`), is not a sister's where the place, domain or phone agrees; the form neither where the
 * country does.
 */
function mayBeSister([best, ...others]: readonly ScoredCompany[]): boolean {
  if (best === undefined) return false
  const { vector } = best
  if (vector[AT.sisterDiffer] === 1 || (vector[AT.sisterDiffer] === 0.5 && samePlace(vector))) return true
  if (vector[AT.legalAbroad] === 1 && vector[AT.countryAgree] !== 1 && !hasSupport(vector)) return true
  const extra = vector[AT.sisterExtra]!
  if (vector[AT.domainName] !== 1 && (extra === 1 || (extra > 0 && !hasSupport(vector)))) return true
  if (vector[AT.firstWord] !== 1 || vector[AT.exact] === 1 || (vector[AT.extraQuery] === 0 && vector[AT.extraCompany] === 0))
    return false
  const isSupported = hasSupport(vector)
  return others.some(
    other =>
      // A sister at another place is not the one that is meant.
      (!isSupported || hasSupport(other.vector)) &&
      other.vector[AT.firstWord] === 1 &&
      other.vector[AT.countryDiffer] === 0 &&
      other.vector[AT.matched]! >= vector[AT.matched]!,
  )
}

export type Verdict = Pick<Answer, 'decision' | 'reason' | 'score' | 'margin'>

/** The least score for `matched` by the kind of evidence (docs/matching.md). */
const leastScore = (vector: Vector): number => THRESHOLDS[evidenceClassOf(vector)]

/** Why this is not a match, or null. `logOdds` and `score` have the odds of matching: the chance alone and the score must reach the threshold, and the lead must suffice. */
function rejectionReason(logOdds: number, score: number, margin: number, vector: Vector, matchingOdds: number): Reason | null {
  const threshold = leastScore(vector)
  const isEnough = toChance(logOdds) >= threshold && mayMatch(vector)
  if (isEnough && score >= threshold && margin >= MIN_MARGIN) return null
  // A list with few findings takes no row out of review.
  const usual = toChance(logOdds - matchingOdds + ALONE.inRegister.matchingOdds)
  if (score < LIKELY && usual < THRESHOLDS.review) return 'below-threshold'
  return isEnough && margin < CLOSE_MARGIN ? 'ambiguous' : 'between-thresholds'
}

/** The company would be matched by its name if the row had no number. */
const isNamed = ({ vector, logOdds }: ScoredCompany): boolean =>
  vector[AT.countryDiffer] === 0 &&
  (sameName(vector) ||
    (nameAgrees(vector) && toChance(logOdds - vector[AT.numberDiffer]! * WEIGHTS.numberDiffer) >= leastScore(vector)))

/** The best company has the number and the place of the row, and no other company has its name: it was renamed. */
const isRenamed = ([best, ...others]: readonly ScoredCompany[]): boolean =>
  best?.vector[AT.numberPlace] === 1 && !others.some(isNamed)

/** The names agree, and no other company has the very name of the row. */
const isBestNamed = ([best, ...others]: readonly ScoredCompany[]): boolean =>
  best !== undefined && nameAgrees(best.vector) && (sameName(best.vector) || !others.some(company => sameName(company.vector)))

/** One name is the initials of the other, which many companies share, and nothing else supports it. */
const isInitialsAlone = (vector: Vector): boolean =>
  vector[AT.acronym] === 1 && vector[AT.exact] === 0 && vector[AT.domainName] === 0 && !hasSupport(vector)

/** The row begins with the whole name of the company, word for word, and goes on. */
const beginsWithName = (vector: Vector): boolean =>
  vector[AT.missCompany] === 0 &&
  vector[AT.firstWord] === 1 &&
  vector[AT.extraQuery]! > 0 &&
  vector[AT.exact] === 0 &&
  vector[AT.acronym] === 0

/** Of the companies that a row beginning with a whole name may be: what the many others share with its further words does not count. */
const withNext = <T>(scored: readonly T[]): readonly T[] => scored.slice(0, 2)

/** Longest name of one word that may be another company's with a letter more, less or different. */
const SHORT = 7

const isShortWord = ({ names }: PreparedQuery): boolean =>
  names.every(({ words }) => words.length === 1 && words[0]!.length <= SHORT)

/** Little more than the first word agrees, in another spelling, and words are left over (`Capital One` and `Capita`). */
const isOtherFirstWord = (vector: Vector): boolean =>
  vector[AT.allPaired] === 0 &&
  vector[AT.acronym] === 0 &&
  vector[AT.matched]! < 0.5 &&
  vector[AT.firstWord]! > 0 &&
  vector[AT.firstWord]! < 1

/**
 * Every word has a counterpart, and they are less alike than by a typing error (`Terex` and `Trex`), or are one short word (`Ball` and
 * `Bally's`); or only the first word has one. Such names are another company's as often as not.
 */
const isOtherWord = (query: PreparedQuery, vector: Vector): boolean =>
  isOtherFirstWord(vector) ||
  (vector[AT.allPaired] === 1 &&
    (vector[AT.coverBoth]! < 0.85 ||
      (isShortWord(query) && vector[AT.exact] === 0 && vector[AT.shortened] === 0 && vector[AT.acronym] === 0)))

/**
 * Decides by the best company's score and its margin over the best other company. `scored` is best first, with the starting odds of
 * `list`. `scores`: the scores of `scored`, if they are known.
 */
export function decide(
  query: PreparedQuery,
  scored: readonly ScoredCompany[],
  list: ListFacts = ALONE,
  scores: readonly number[] = listScores(scored),
): Verdict {
  const verdict = decideAt(query, scored, list, scores)
  const { matchingOdds, wholeNameOdds = matchingOdds } = list.inRegister
  if (verdict.decision === 'matched' || wholeNameOdds <= matchingOdds || !beginsWithName(scored[0]?.vector ?? [])) return verdict
  const [next, inRegister] = [withNext(scored), { ...list.inRegister, matchingOdds: wholeNameOdds }]
  const whole = decideAt(query, next, { ...list, inRegister }, listScores(next))
  return whole.decision === 'matched' ? whole : verdict
}

function decideAt(query: PreparedQuery, scored: readonly ScoredCompany[], list: ListFacts, scores: readonly number[]): Verdict {
  const [best, other] = scored
  if (best === undefined)
    return { decision: 'unmatched', reason: query.names.length === 0 ? 'no-name' : 'no-candidate', score: 0, margin: 0 }
  const { vector } = best
  const { startingOdds, matchingOdds } = list.inRegister
  const lead = matchingOdds - startingOdds
  const logOdds = best.logOdds + lead
  const margin = Math.min(MAX_MARGIN, other === undefined ? MAX_MARGIN : best.logOdds - other.logOdds)
  const [score = 0] = scores
  const raised = raiseScore(scores, lead)
  const verdict = (decision: Decision, reason: Reason | null): Verdict => ({
    decision,
    reason,
    score: decision === 'matched' ? raised : score,
    margin,
  })

  if (scored.some(company => numberAgrees(company.vector))) {
    const isRight = list.companyNumbers === 'reliable' ? nameAgrees(vector) || isRenamed(scored) : isBestNamed(scored)
    if (!numberAgrees(vector) || (query.names.length > 0 && !isRight)) return verdict('review', 'number-and-name-disagree')
    if (other !== undefined && numberAgrees(other.vector) && margin < MIN_MARGIN) return verdict('review', 'ambiguous')
    return verdict('matched', null)
  }
  if (query.names.length === 0) return verdict('unmatched', 'no-name')
  if (vector[AT.countryDiffer] === 1) {
    const elsewhere = rejectionReason(logOdds - WEIGHTS.countryDiffer, raised, margin, vector, matchingOdds)
    return verdict('unmatched', elsewhere === 'below-threshold' ? elsewhere : 'wrong-country')
  }
  if (vector[AT.numberDiffer] === 1) {
    const otherwise = rejectionReason(logOdds - WEIGHTS.numberDiffer, raised, margin, vector, matchingOdds)
    if (otherwise === 'below-threshold') return verdict('unmatched', otherwise)
    return verdict('review', isAddressAlone(vector) ? 'address-alone' : 'number-and-name-disagree')
  }
  const reason = rejectionReason(logOdds, raised, margin, vector, matchingOdds)
  if (reason === null && mayBeSister(scored)) return verdict('review', 'sister-company')
  if (reason === null && vector[AT.otherScript] === 1 && !hasSupport(vector)) return verdict('review', 'other-script')
  if (reason === null && isInitialsAlone(vector)) return verdict('review', 'initials-alone')
  if (reason === null && isOtherWord(query, vector) && !hasSupport(vector)) return verdict('review', 'between-thresholds')
  if (reason === null && vector[AT.reading] === 1 && !hasSupport(vector)) return verdict('review', 'part-of-cell')
  const isFound = isOnlyThere(vector) && matchingOdds > ALONE.inRegister.matchingOdds
  if (reason === null && isAddressAlone(vector) && !isFound) return verdict('review', 'address-alone')
  if (reason === null)
    return vector[AT.inactive] === 1 && !hasSupport(vector) ? verdict('review', 'dissolved') : verdict('matched', null)
  return verdict(reason === 'below-threshold' ? 'unmatched' : 'review', reason)
}

/** The first score where all log-odds are higher by `lead`. */
function raiseScore(scores: readonly number[], lead: number): number {
  if (lead === 0) return scores[0]!
  const none = Math.max(0, 1 - scores.reduce((sum, score) => sum + score, 0))
  const factor = Math.exp(lead)
  return (scores[0]! * factor) / (none + (1 - none) * factor)
}

/** A list with odds that are enough for any threshold: what is not matched then is held back by a rule. */
const SURE: ListFacts = { ...ALONE, inRegister: { ...ALONE.inRegister, startingOdds: 0, matchingOdds: 40 } }

/**
 * The odds of matching from which on a row that begins with the whole name of the best company is matched; Infinity for any other row, and
 * where a number agrees, which proves nothing about the names of other rows.
 */
export const findWholeNameOdds = (query: PreparedQuery, scored: readonly ScoredCompany[]): number => {
  const { vector = [] } = scored[0] ?? {}
  return beginsWithName(vector) && !numberAgrees(vector) ? findMatchingOdds(query, withNext(scored)) : Number.POSITIVE_INFINITY
}

/** The odds of matching from which on the best company is matched; Infinity where a rule or a rival prevents it. `scored`: without starting odds. */
export function findMatchingOdds(query: PreparedQuery, scored: readonly ScoredCompany[]): number {
  const [best] = scored
  if (best === undefined || decide(query, scored, SURE).decision !== 'matched') return Number.POSITIVE_INFINITY
  if (numberAgrees(best.vector)) return Number.NEGATIVE_INFINITY
  const threshold = leastScore(best.vector)
  const all = scored.reduce((sum, company) => sum + Math.exp(company.logOdds - best.logOdds), 0)
  const lead = 1 - threshold * all
  if (lead <= 0) return Number.POSITIVE_INFINITY
  const odds = Math.log(threshold / lead) - best.logOdds
  return isAddressAlone(best.vector) ? Math.max(odds, ALONE.inRegister.matchingOdds) : odds
}
