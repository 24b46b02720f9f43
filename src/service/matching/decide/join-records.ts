/** Joins the records that several registers have of one company to one candidate. */
import { recordsOf, registerOf } from '../blocking/company-records.ts'
import type { MatchIndex } from '../blocking/match-index.ts'
import { AT, type RowVectors, type Vector } from '../features.ts'
import type { PreparedQuery } from '../query.ts'
import { WEIGHTS } from '../weights.ts'
import { type RankedCompany, type ScoredCompany, scoreCompanies } from './score.ts'

/** Differences that overrule the score. */
const CONFLICTS = [AT.countryDiffer, AT.numberDiffer]

/** The row contradicts both or neither: otherwise they are not one answer to it. */
const sameConflicts = (a: Vector, b: Vector): boolean => CONFLICTS.every(at => a[at] === b[at])

/**
 * Without the evidence of a web domain for a company of one register whose whole name is in the row, if another register has a company of
 * that name without a website: which register keeps websites would decide.
 */
function withoutLoneDomains(index: MatchIndex, scored: readonly ScoredCompany[]): readonly ScoredCompany[] {
  const exact = scored.filter(({ vector }) => vector[AT.exact] === 1)
  const bare = exact.filter(one => index.labels.at(one.company) === '').map(({ company }) => company)
  const isLone = ({ company, vector }: ScoredCompany): boolean => {
    if (vector[AT.exact] !== 1 || vector[AT.domainName] === 0) return false
    const isRivalled = bare.some(one => registerOf(index, one) !== registerOf(index, company))
    return isRivalled && recordsOf(index, company).length === 1
  }
  if (!exact.some(isLone)) return scored
  const all = scored.map(one => {
    if (!isLone(one)) return one
    const vector = one.vector.slice()
    vector[AT.domainName] = 0
    return { ...one, vector, logOdds: one.logOdds - WEIGHTS.domainName * one.vector[AT.domainName]! }
  })
  return all.sort((a, b) => b.logOdds - a.logOdds)
}

/** Joins the records of one company, for the best `most` companies and the one after them. The others are far behind. */
export function joinRecords(
  index: MatchIndex,
  query: PreparedQuery,
  scored: readonly RankedCompany[],
  most: number,
  shift: number,
  vectors: RowVectors,
): readonly RankedCompany[] {
  if (index.registerStarts.length < 2) return scored
  const compared = withoutLoneDomains(index, scored)
  const byCompany = new Map(compared.map(one => [one.company, one]))
  const joined = new Set<number>()
  const ranked: RankedCompany[] = []
  for (const best of compared) {
    if (joined.has(best.company)) continue
    const all = ranked.length <= most ? recordsOf(index, best.company) : [best.company]
    const records = all.filter(record => {
      if (joined.has(record)) return false
      const one = byCompany.get(record) ?? scoreCompanies(index, query, [record], shift, vectors)[0]!
      return sameConflicts(one.vector, best.vector)
    })
    for (const record of records) joined.add(record)
    const [company = best.company, ...others] = records
    ranked.push({ ...best, company, others })
  }
  return ranked
}
