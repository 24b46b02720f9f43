/** Matches one query: prepare, select, score, join the records of one company, decide, explain. */

import { listFirmNames } from '../../normalise/branch-names.ts'
import { hasTwoNames } from '../../normalise/name-readings.ts'
import { selectCandidates } from './blocking/candidates.ts'
import { listRecords, registerOf } from './blocking/company-records.ts'
import type { MatchIndex } from './blocking/match-index.ts'
import { decide, findMatchingOdds, findWholeNameOdds, type Verdict } from './decide/decide.ts'
import { evidencePattern, explainMatch } from './decide/explain.ts'
import { hasNamesake, LOWEST_ODDS, numberHolds } from './decide/list-facts.ts'
import { listScores, type RankedCompany, scoreCompanies, toChance } from './decide/score.ts'
import { AT, namedFeatures, RowVectors, type Vector } from './features.ts'
import { CELLS, type PreparedQuery, prepareQuery, withReadings } from './query.ts'
import type { Answer, Candidate, Company, ListFacts, Query, RowEvidence } from './types.ts'
import { ALONE, WEIGHTS } from './weights.ts'

/** Differences that overrule the score. */
const CONFLICTS = [AT.countryDiffer, AT.numberDiffer]

/** The row contradicts both or neither: otherwise they are not one answer to it. */
const sameConflicts = (a: Vector, b: Vector): boolean => CONFLICTS.every(at => a[at] === b[at])

/**
 * Without the evidence of a web domain for a company of one register whose whole name is in the row, if another register has a company of
 * that name without a website: which register keeps websites would decide.
 */
function withoutLoneDomains(index: MatchIndex, scored: readonly RankedCompany[]): readonly RankedCompany[] {
  const exact = scored.filter(({ vector }) => vector[AT.exact] === 1)
  const bare = exact.filter(candidate => index.labels.at(candidate.company) === '').map(({ company }) => company)
  const isLone = ({ company, vector }: RankedCompany): boolean => {
    if (vector[AT.exact] !== 1 || vector[AT.domainName] === 0) return false
    const isRivalled = bare.some(candidate => registerOf(index, candidate) !== registerOf(index, company))
    return isRivalled && listRecords(index, company).length === 1
  }
  if (!exact.some(isLone)) return scored
  const all = scored.map(candidate => {
    if (!isLone(candidate)) return candidate
    const vector = candidate.vector.slice()
    vector[AT.domainName] = 0
    return { ...candidate, vector, logOdds: candidate.logOdds - WEIGHTS.domainName * candidate.vector[AT.domainName]! }
  })
  return all.sort((a, b) => b.logOdds - a.logOdds)
}

/** Joins the records of one company, for the best `most` companies and the one after them. The others are far behind. */
function joinRecords(
  index: MatchIndex,
  query: PreparedQuery,
  scored: readonly RankedCompany[],
  most: number,
  shift: number,
  vectors: RowVectors,
): readonly RankedCompany[] {
  if (index.registerStarts.length < 2) return scored
  const compared = withoutLoneDomains(index, scored)
  const byCompany = new Map(compared.map(candidate => [candidate.company, candidate]))
  const joined = new Set<number>()
  const ranked: RankedCompany[] = []
  for (const best of compared) {
    if (joined.has(best.company)) continue
    const all = ranked.length <= most ? listRecords(index, best.company) : [best.company]
    const records = all.filter(record => {
      if (joined.has(record)) return false
      const candidate = byCompany.get(record) ?? scoreCompanies(index, query, [record], shift, vectors)[0]!
      return sameConflicts(candidate.vector, best.vector)
    })
    for (const record of records) joined.add(record)
    const [company = best.company, ...others] = records
    ranked.push({ company, others, vector: best.vector, logOdds: best.logOdds, read: best.read })
  }
  return ranked
}

const DEFAULT_CANDIDATES = 5

/** A thread matches one row at a time. */
const vectors = new RowVectors()

/** A and B are matched (B with a score below .9 or a lead below 2), C and D in review (D below .5), E and F unmatched (F: nothing found). */
function chooseBanding({ decision, score, margin }: Verdict): Answer['banding'] {
  if (decision === 'matched') return score >= 0.9 && margin >= 2 ? 'A' : 'B'
  if (decision === 'review') return score >= 0.5 ? 'C' : 'D'
  return score >= 0.01 ? 'E' : 'F'
}

const besidesOf = ({ hasNumbers, address, identifiers, country }: PreparedQuery): RowEvidence['besides'] =>
  hasNumbers || address !== null || identifiers.postcode !== '' ? 'place' : country === '' ? 'nothing' : 'country'

/** What a row contributes to the facts of its list: `estimateFacts`. */
export function rowEvidence(index: MatchIndex, query: Query): RowEvidence {
  const first = prepareQuery(index, query)
  const besides = besidesOf(first)
  const nothing = { matchedFrom: null, wholeNameFrom: Number.POSITIVE_INFINITY, besides, numberHolds: null }
  if (first.names.length === 0 && first.keys.length === 0) return nothing
  const look = (prepared: PreparedQuery): RowEvidence => {
    vectors.clear()
    const compared = scoreCompanies(index, prepared, selectCandidates(index, prepared), 0, vectors)
    const scored = joinRecords(index, prepared, compared, DEFAULT_CANDIDATES, 0, vectors)
    return { ...nothing, ...findOdds(prepared, scored), numberHolds: numberHolds(prepared, compared) }
  }
  const written = look(first)
  // A further reading cannot lower what is lowest, and shows nothing about a number that is not there.
  const isSettled = written.matchedFrom! <= LOWEST_ODDS && written.numberHolds === null
  const read = isSettled ? null : withReadings(index, query, first)
  if (read === null) return written
  const again = look(read)
  const wholeNameFrom = Math.min(written.wholeNameFrom, again.wholeNameFrom)
  return { ...again, matchedFrom: Math.min(written.matchedFrom!, again.matchedFrom!), wholeNameFrom }
}

const findOdds = (prepared: PreparedQuery, scored: readonly RankedCompany[]) => ({
  matchedFrom: findMatchingOdds(prepared, scored),
  wholeNameFrom: findWholeNameOdds(prepared, scored),
})

/** The companies that a row may be, as if the register lacked these records; best first, for a list that is half in the register. */
export function rankOthers(index: MatchIndex, prepared: PreparedQuery, own: ReadonlySet<number>): readonly RankedCompany[] {
  vectors.clear()
  const others = selectCandidates(index, prepared).filter(found => !own.has(found))
  const compared = scoreCompanies(index, prepared, others, 0, vectors)
  return joinRecords(index, prepared, compared, DEFAULT_CANDIDATES, 0, vectors)
}

/** The fractions of its multiples are spread evenly, wherever one stops. */
const GOLDEN = (Math.sqrt(5) - 1) / 2

/**
 * What a row that the register lacks contributes: company number `at` of a selection that is spread over the register, asked for by the values
 * that `row` has too, with itself taken out. The log-odds are null where the register has its very name twice: it does not lack it.
 */
export function absentEvidence(index: MatchIndex, row: Query, at: number): RowEvidence {
  const position = Math.floor(((at * GOLDEN) % 1) * index.companies.length)
  const company = index.companies.at(position)
  const query: Query = {}
  for (const [cell, field] of Object.entries(CELLS) as [keyof Query, keyof Company][])
    if (row[cell] && company[field]) query[cell] = String(company[field])
  const prepared = prepareQuery(index, query)
  const nothing = { matchedFrom: null, wholeNameFrom: Number.POSITIVE_INFINITY, besides: besidesOf(prepared), numberHolds: null }
  if (prepared.names.length === 0) return nothing
  const scored = rankOthers(index, prepared, new Set(listRecords(index, position)))
  return hasNamesake(scored) ? nothing : { ...nothing, ...findOdds(prepared, scored) }
}

class ShownCandidate implements Candidate {
  readonly company: number
  readonly others: readonly number[]
  readonly score: number
  readonly chance: number
  readonly why: string
  readonly #vector: Vector

  constructor({ company, others, logOdds, vector }: RankedCompany, score: number, why: string) {
    this.company = company
    this.others = others
    this.score = score
    this.chance = toChance(logOdds)
    this.why = why
    this.#vector = vector.slice()
  }

  /** Computed on access: most answers are matches, whose features are never read. */
  get features(): Candidate['features'] {
    return namedFeatures(this.#vector)
  }
}

/** By the names of the query as they are prepared. */
function answer(index: MatchIndex, prepared: PreparedQuery, most: number, list: ListFacts): Answer {
  const shift = list.inRegister.startingOdds
  vectors.clear()
  const compared = scoreCompanies(index, prepared, selectCandidates(index, prepared, most), shift, vectors)
  const scored = joinRecords(index, prepared, compared, most, shift, vectors)
  const scores = listScores(scored)
  const verdict = decide(prepared, scored, list, scores)
  const best = scored[0]
  const isShown = verdict.decision === 'review'
  // Not a spread: further properties are added to one slowly.
  return {
    decision: verdict.decision,
    reason: verdict.reason,
    score: verdict.score,
    margin: verdict.margin,
    why: best === undefined ? '' : explainMatch(prepared, best.vector, best.read),
    pattern: best === undefined ? '' : evidencePattern(prepared, best.vector),
    banding: chooseBanding(verdict),
    candidates: scored.slice(0, most).map((candidate, at) => {
      const score = at === 0 ? verdict.score : (scores[at] ?? 0)
      const why = isShown && at < DEFAULT_CANDIDATES ? explainMatch(prepared, candidate.vector, candidate.read) : ''
      return new ShownCandidate(candidate, score, why)
    }),
  }
}

/**
 * The better of two answers: by the cells as they are written, and by their second readings beside them. A second reading does not match
 * where the first leaves another company to a person, unless that one has only a part of the cell as well. The first is dropped where only the
 * second of two names in the cell agrees.
 */
function chooseAnswer(first: Answer, second: Answer): Answer {
  if (first.decision === 'unmatched') return second.decision === 'unmatched' ? first : second
  if (first.decision === 'matched') return second.reason === 'part-of-cell' ? second : first
  if (second.score < first.score) return first
  const [own, read] = [first.candidates[0]?.company, second.candidates[0]?.company]
  if (second.decision !== 'matched' || own === read) return second
  return second.candidates.some(({ company, features }) => company === own && features.reading !== undefined) ? second : first
}

/** Proposes the firm of a branch by the name it may have, wherever it is: never a match, and only companies of the very name. Null without one. */
function proposeFirm(index: MatchIndex, query: Query, most: number, list: ListFacts): Answer | null {
  const prepared = prepareQuery(index, query)
  const found = answer(index, prepared, most, list)
  const named = found.candidates.filter(({ features }) => features.exact === 1 && features.legalDiffer !== 1)
  const candidates = named.map(candidate => {
    const [scored] = scoreCompanies(index, prepared, [candidate.company], list.inRegister.startingOdds, vectors)
    return { ...candidate, features: candidate.features, why: explainMatch(prepared, scored!.vector, query.name ?? '') }
  })
  const [best] = candidates
  if (best === undefined) return null
  const margin = named[0] === found.candidates[0] ? found.margin : 0
  const verdict: Verdict = { decision: 'review', reason: 'sister-company', score: best.score, margin }
  return { ...found, ...verdict, candidates, why: best.why, banding: chooseBanding(verdict) }
}

/**
 * Finds the company of a row. Pure and deterministic: the same index and query give the same answer; ties are broken by company id.
 * Returns up to `most` candidates. `list`: what is known of the row's list. Never throws; a name that is empty, all punctuation or over 500 characters counts as missing.
 */
export function match(index: MatchIndex, query: Query, most = DEFAULT_CANDIDATES, list: ListFacts = ALONE): Answer {
  const prepared = prepareQuery(index, query)
  const first = answer(index, prepared, most, list)
  const isSettled = first.decision === 'matched' && !hasTwoNames(query.name ?? '')
  const read = isSettled ? null : withReadings(index, query, prepared)
  const chosen = read === null ? first : chooseAnswer(first, answer(index, read, most, list))
  const firms = chosen.decision === 'unmatched' ? listFirmNames(query.name ?? '') : []
  const isBranch = ({ company, features }: Answer['candidates'][number]): boolean =>
    features.exact === 1 && listFirmNames(index.companies.at(company).name).length > 0
  if (firms.length === 0 || chosen.candidates.some(isBranch)) return chosen
  for (const name of firms) {
    const proposed = proposeFirm(index, { ...query, name }, most, list)
    if (proposed !== null) return proposed
  }
  return chosen
}
