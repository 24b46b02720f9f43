/**
 * Groups the companies of a list that are one company: the list is its own register. Pure; the groups do not depend on the order of the rows
 * if the companies are added in an order of their own.
 */
import { distinctWords, isGroupWord, marksDiffer } from '../../normalise/name-marks.ts'
import { selectCandidates } from './blocking/candidates.ts'
import type { MatchIndex } from './blocking/match-index.ts'
import { nameAgrees, numberAgrees } from './decide/decide.ts'
import { scoreCompanies } from './decide/score.ts'
import { FEATURES, NAME_FEATURES, RowVectors, type Vector } from './features.ts'
import { prepareQuery, queryOfCompany } from './query.ts'
import { WEIGHTS } from './weights.ts'

/** Least log-odds of a pair, of its names alone too: learned on the open halves of two lists that people have grouped. */
const SAME = -3
/** Least log-odds of a pair in doubt. */
const DOUBT = -4

/** The nearest companies of the list that each is compared with. */
const NEAREST = 50

/** Two companies, the earlier one first. */
export interface Pair {
  readonly a: number
  readonly b: number
  readonly logOdds: number
}

/** What two records of one company cannot differ in. */
interface Facts {
  readonly country: string
  readonly orgNumber: string
  readonly vatNumber: string
  readonly marks: string
}

const differ = (a: string, b: string): boolean => a !== '' && b !== '' && a !== b

const groupWords = (marks: string): string => distinctWords(marks).filter(isGroupWord).sort().join(' ')

/** Two countries, two numbers, or names that distinguish sister companies where no number shows that they are one. */
function contradict(a: Facts, b: Facts): boolean {
  if (differ(a.country, b.country) || differ(a.orgNumber, b.orgNumber) || differ(a.vatNumber, b.vatNumber)) return true
  if (a.orgNumber !== '' && a.orgNumber === b.orgNumber) return false
  if (a.vatNumber !== '' && a.vatNumber === b.vatNumber) return false
  return marksDiffer(a.marks, b.marks) === 2 || groupWords(a.marks) !== groupWords(b.marks)
}

function sumOfNames(vector: Vector): number {
  let sum = 0
  for (let at = 0; at < NAME_FEATURES; at++) sum += WEIGHTS[FEATURES[at]!] * vector[at]!
  return sum
}

export class ListClusters {
  readonly #index: MatchIndex
  readonly #vectors = new RowVectors()
  /** Log-odds by pair, as one number. */
  readonly #pairs = new Map<number, number>()

  constructor(index: MatchIndex) {
    this.#index = index
  }

  /** Compares a company with those that are nearest to it. */
  compare(at: number): void {
    const query = prepareQuery(this.#index, queryOfCompany(this.#index.companies.at(at)))
    if (query.names.length === 0 && query.keys.length === 0) return
    this.#vectors.clear()
    const others = selectCandidates(this.#index, query, NEAREST).filter(other => other !== at)
    for (const { company, vector, logOdds } of scoreCompanies(this.#index, query, others, 0, this.#vectors)) {
      const least = numberAgrees(vector)
        ? nameAgrees(vector)
          ? logOdds
          : (SAME + DOUBT) / 2
        : Math.min(logOdds, sumOfNames(vector))
      if (least < DOUBT) continue
      const key = Math.min(at, company) * this.#index.companies.length + Math.max(at, company)
      this.#pairs.set(key, Math.max(least, this.#pairs.get(key) ?? least))
    }
  }

  /** The group of each company, as the first company in it, and the pairs in doubt between two groups, the likeliest first. */
  finish(): { readonly groups: Int32Array; readonly doubts: readonly Pair[] } {
    const size = this.#index.companies.length
    const pairs = Array.from(this.#pairs, ([key, logOdds]) => ({ a: Math.floor(key / size), b: key % size, logOdds }))
    pairs.sort((one, other) => other.logOdds - one.logOdds || one.a - other.a || one.b - other.b)
    const groups = Int32Array.from({ length: size }, (_, at) => at)
    const find = (at: number): number => {
      while (groups[at] !== at) at = groups[at] = groups[groups[at]!]!
      return at
    }
    const members = new Map<number, readonly Facts[]>()
    const factsOf = (group: number) => members.get(group) ?? [this.#factsOf(group)]
    for (const { a, b, logOdds } of pairs) {
      if (logOdds < SAME) break
      const [first, second] = [find(a), find(b)].sort((one, other) => one - other) as [number, number]
      if (first === second) continue
      const [ours, theirs] = [factsOf(first), factsOf(second)]
      if (ours.some(one => theirs.some(other => contradict(one, other)))) continue
      groups[second] = first
      members.set(first, [...ours, ...theirs.filter(other => !ours.some(one => isEqual(one, other)))])
      members.delete(second)
    }
    for (let at = 0; at < size; at++) find(at)
    const roots = groups.map(find)
    return { groups: roots, doubts: pairs.filter(({ a, b }) => roots[a] !== roots[b]) }
  }

  /** Whether two companies cannot be in one group. */
  contradict = (a: number, b: number): boolean => contradict(this.#factsOf(a), this.#factsOf(b))

  #factsOf(at: number): Facts {
    const { countries, identifiers, marks, documentStarts } = this.#index
    const document = documentStarts[at]!
    return {
      country: countries.at(at),
      orgNumber: identifiers.orgNumber.at(at),
      vatNumber: identifiers.vatNumber.at(at),
      marks: document < documentStarts[at + 1]! ? marks.at(document) : '',
    }
  }
}

const isEqual = (one: Facts, other: Facts): boolean =>
  one.country === other.country &&
  one.orgNumber === other.orgNumber &&
  one.vatNumber === other.vatNumber &&
  one.marks === other.marks
