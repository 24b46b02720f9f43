/**
 * Groups the companies of a list that are one company: the list is its own register. Pure; the groups do not depend on the order of the rows
 * if the companies are added in an order of their own.
 */
import { dropFalseNumerals, marksContradict } from '../../normalise/name-marks.ts'
import { selectCandidates } from './blocking/candidates.ts'
import type { MatchIndex } from './blocking/match-index.ts'
import { nameAgrees, numberAgrees } from './decide/decide.ts'
import { scoreCompanies } from './decide/score.ts'
import { AT, FEATURES, type Feature, NAME_FEATURES, RowVectors, samePlace, type Vector } from './features.ts'
import { prepareQuery, queryOfCompany } from './query.ts'
import { toLogOdds, WEIGHTS } from './weights.ts'

/**
 * What the names of two rows add to the log-odds that they are one company. A row of a list may have many others of its company, a row to
 * match has one company of the register: words that are left over count for less, and letters that agree for more. Learned by a logit with
 * one share of duplicates for each list, on the open halves of two lists that people have grouped and of two registers with further
 * spellings of their companies. The other fields, and names that are not here, weigh what they weigh for matches.
 */
const NAMES: Readonly<Partial<Record<Feature, number>>> = {
  bias: 0,
  pairs: 3.83,
  exact: 1.53,
  exactRare: 0.78,
  coverBoth: 1.57,
  matched: 0,
  missCompany: 0,
  extraCompany: -1.07,
  extraQuery: -0.65,
  allPaired: 0.32,
  pairedRare: 0.81,
  shortened: 0,
  queryPaired: 0.47,
  firstWord: 2.82,
  prefix: 0,
  acronym: 1.1,
  legalAgree: 0,
  exactLegal: 2.95,
  legalDiffer: -0.46,
  // A word such as Holdings or North in one name alone.
  sisterExtra: -1,
  sisterDiffer: -1,
}
const weights = FEATURES.map(feature => NAMES[feature] ?? WEIGHTS[feature])

/**
 * The same evidence proves more in a list that has its companies in many spellings. How many companies have two duplicates or more of these
 * log-odds, which are sure in any list, shows it: a list with two rows for each company proves no more than one with one.
 */
const SURE = 6.5
/**
 * Least log-odds of one company: `half` where half of the companies have such duplicates, more by the log-odds of a lower share, within
 * bounds. Names that are alike by chance are the more the longer a list is: e times the companies add `length`, from `short` on.
 */
const LEAST = { half: 3.7, least: 3.5, most: 7, length: 0.35, short: 1000 }
/** A list counts as if it had this many companies more, one of them with duplicates: a short one shows little. */
const FURTHER = 20
/** A pair that lacks no more of the least log-odds is in doubt. */
const DOUBT = 1.5
/** Least log-odds of a pair in doubt, before the length of the list. A pair with one number and different names is always in doubt. */
const DOUBTFUL = 3

/** What the length of a list adds to the least log-odds. */
const addLength = (companies: number): number => LEAST.length * Math.log(Math.max(1, companies / LEAST.short))

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

/** In what no two records of one company differ, also where a person joins them. */
const HARD = ['country', 'orgNumber', 'vatNumber'] as const

export interface Clash {
  readonly field: (typeof HARD)[number]
  readonly values: readonly [string, string]
}

function findClash(a: Facts, b: Facts): Clash | null {
  for (const field of HARD) if (differ(a[field], b[field])) return { field, values: [a[field], b[field]] }
  return null
}

const clash = (a: Facts, b: Facts): boolean => HARD.some(field => differ(a[field], b[field]))

const haveOneNumber = (a: Facts, b: Facts): boolean =>
  (a.orgNumber !== '' && a.orgNumber === b.orgNumber) || (a.vatNumber !== '' && a.vatNumber === b.vatNumber)

/** Names that distinguish sister companies, where no number shows that they are one. */
const areSisters = (a: Facts, b: Facts, letters = false): boolean =>
  marksContradict(a.marks, b.marks, letters) && !haveOneNumber(a, b)

const contradict = (a: Facts, b: Facts): boolean => clash(a, b) || areSisters(a, b)

/** Sets of companies, each under its first one, with the different facts of its members. */
class Sets {
  readonly #parents: Int32Array
  readonly #facts = new Map<number, readonly Facts[]>()
  /** Companies of other sets that stay apart from a set. */
  readonly #others = new Map<number, readonly number[]>()
  readonly #factsOf: (at: number) => Facts

  constructor(size: number, factsOf: (at: number) => Facts) {
    this.#parents = Int32Array.from({ length: size }, (_, at) => at)
    this.#factsOf = factsOf
  }

  find(at: number): number {
    const parents = this.#parents
    while (parents[at] !== at) at = parents[at] = parents[parents[at]!]!
    return at
  }

  /** The facts of the set under its first company. */
  facts(first: number): readonly Facts[] {
    return this.#facts.get(first) ?? [this.#factsOf(first)]
  }

  /** Joins the sets of two companies. */
  join(a: number, b: number): void {
    const [first, second] = [this.find(a), this.find(b)].sort((a, b) => a - b) as [number, number]
    if (first === second) return
    const [ours, theirs] = [this.facts(first), this.facts(second)]
    this.#parents[second] = first
    this.#facts.set(first, [...ours, ...theirs.filter(other => !ours.some(own => isEqual(own, other)))])
    this.#facts.delete(second)
    const others = this.#others.get(second)
    if (others === undefined) return
    this.#addOthers(first, others)
    this.#others.delete(second)
  }

  keepApart(a: number, b: number): void {
    this.#addOthers(this.find(a), [b])
    this.#addOthers(this.find(b), [a])
  }

  /** Whether the sets under two first companies stay apart. */
  areApart(a: number, b: number): boolean {
    return this.#others.get(a)?.some(other => this.find(other) === b) ?? false
  }

  #addOthers(first: number, others: readonly number[]): void {
    this.#others.set(first, [...(this.#others.get(first) ?? []), ...others])
  }
}

export type Couple = readonly [number, number]

/** What people decided about companies of the list. */
export interface DecidedPairs {
  readonly same: readonly Couple[]
  readonly different: readonly Couple[]
}

const UNDECIDED: DecidedPairs = { same: [], different: [] }

export interface Clusters {
  /** The group of each company, as the first company in it. */
  readonly groups: Int32Array
  /** Pairs of two groups that a person may join, the likeliest first. */
  readonly doubts: readonly Pair[]
  /** Pairs of `same` that are not joined, and in what they differ, or others that they were joined with. */
  readonly refused: readonly (Clash & { readonly pair: Couple })[]
}

function sum(vector: Vector, from: number, to: number): number {
  let total = 0
  for (let at = from; at < to; at++) total += weights[at]! * vector[at]!
  return total
}

/** What the other fields add at most where each word has its counterpart, misspelt or cut off, and the address is the same. */
const SAME_PLACE = 2

/** The log-odds of a pair. Fields other than the name count against it, and for it where they show that a name is misspelt. */
function weigh(vector: Vector, length: number): number {
  const ofNames = sum(vector, 0, NAME_FEATURES)
  const all = ofNames + sum(vector, NAME_FEATURES, FEATURES.length)
  if (!numberAgrees(vector)) return Math.min(all, ofNames + (samePlace(vector) && vector[AT.allPaired] === 1 ? SAME_PLACE : 0))
  return nameAgrees(vector) ? Math.max(all, LEAST.most + length) : DOUBTFUL + length
}

function* listMarks({ marks, companyOf }: MatchIndex): Generator<string> {
  for (let document = 0; document < companyOf.length; document++) yield marks.at(document)
}

/** A pair is three numbers in a row: two companies, the earlier one first, and their log-odds. */
const PAIR = 3

/** Compares companies of a list, on any number of threads. */
export class PairFinder {
  readonly #index: MatchIndex
  readonly #vectors = new RowVectors()
  readonly #length: number
  #found: number[] = []

  constructor(index: MatchIndex) {
    this.#index = index
    this.#length = addLength(index.companies.length)
  }

  /** Compares a company with those that are nearest to it. */
  compare(at: number): void {
    const query = prepareQuery(this.#index, queryOfCompany(this.#index.companies.at(at)))
    if (query.names.length === 0 && query.keys.length === 0) return
    this.#vectors.clear()
    const others = selectCandidates(this.#index, query, NEAREST, at).filter(other => other !== at)
    for (const { company, vector } of scoreCompanies(this.#index, query, others, 0, this.#vectors)) {
      const logOdds = weigh(vector, this.#length)
      if (logOdds >= DOUBTFUL + this.#length) this.#found.push(Math.min(at, company), Math.max(at, company), logOdds)
    }
  }

  /** The pairs found since the last call. */
  take(): Float64Array {
    const found = Float64Array.from(this.#found)
    this.#found = []
    return found
  }
}

/** The pairs, the likeliest first; one of a pair that was found from both sides. */
function sortPairs(found: readonly Float64Array[]): readonly Pair[] {
  const all = new Float64Array(found.reduce((sum, { length }) => sum + length, 0))
  let end = 0
  for (const part of found) {
    all.set(part, end)
    end += part.length
  }
  const order = Uint32Array.from({ length: all.length / PAIR }, (_, at) => at * PAIR)
  const compare = (first: number, second: number, at: number): number => all[first + at]! - all[second + at]!
  order.sort((first, second) => compare(first, second, 0) || compare(first, second, 1) || compare(second, first, 2))
  const best = order.filter(
    (first, at) => at === 0 || compare(first, order[at - 1]!, 0) !== 0 || compare(first, order[at - 1]!, 1) !== 0,
  )
  best.sort((first, second) => compare(second, first, 2) || compare(first, second, 0) || compare(first, second, 1))
  return Array.from(best, at => ({ a: all[at]!, b: all[at + 1]!, logOdds: all[at + 2]! }))
}

/** Forms the groups of a list from the pairs that were found. */
export class ListClusters {
  readonly #index: MatchIndex
  readonly #readMarks: (marks: string) => string

  constructor(index: MatchIndex) {
    this.#index = index
    this.#readMarks = dropFalseNumerals(listMarks(index))
  }

  /**
   * `decided` comes first: what is the same is joined unless countries or numbers differ, and nothing joins what is different. Groups that
   * are found are kept apart by their names too.
   */
  form(found: readonly Float64Array[], { same, different }: DecidedPairs = UNDECIDED): Clusters {
    const size = this.#index.companies.length
    const pairs = sortPairs(found)
    const least = this.#chooseLeast(pairs)
    const readFacts = (at: number): Facts => this.#factsOf(at)
    const all = new Sets(size, readFacts)
    for (const [a, b] of different) all.keepApart(a, b)
    const refused: (Clash & { pair: Couple })[] = []
    for (const pair of same) {
      const [a, b] = [all.find(pair[0]), all.find(pair[1])]
      const difference = findFirst(all.facts(a), all.facts(b), findClash)
      if (difference === null) all.join(a, b)
      else refused.push({ ...difference, pair })
    }
    // Without what is decided to be the same: a person may join sisters, and others of their names stay apart.
    const byNames = same.length === 0 ? all : new Sets(size, readFacts)
    for (const { a, b, logOdds } of pairs) {
      if (logOdds < least) break
      const [first, second] = [all.find(a), all.find(b)]
      const [ours, theirs] = [byNames.find(a), byNames.find(b)]
      if (ours === theirs || all.areApart(first, second)) continue
      // A letter may be the rest of a word: it separates two names, but not the groups that they are in.
      if (areSisters(readFacts(a), readFacts(b), true)) continue
      if (first !== second && isAnyPair(all.facts(first), all.facts(second), clash)) continue
      if (isAnyPair(byNames.facts(ours), byNames.facts(theirs), areSisters)) continue
      all.join(a, b)
      if (byNames !== all) byNames.join(a, b)
    }
    const roots = Int32Array.from({ length: size }, (_, at) => all.find(at))
    const isOpen = ({ a, b, logOdds }: Pair): boolean => {
      if (roots[a] === roots[b] || all.areApart(roots[a]!, roots[b]!)) return false
      const [ours, theirs] = [readFacts(a), readFacts(b)]
      return (logOdds >= least - DOUBT || haveOneNumber(ours, theirs)) && !clash(ours, theirs)
    }
    return { groups: roots, doubts: pairs.filter(isOpen), refused }
  }

  /** Whether two companies cannot be in one group. */
  contradict = (a: number, b: number): boolean => contradict(this.#factsOf(a), this.#factsOf(b))

  /** The least log-odds of one company, by the share of companies with two sure duplicates or more. */
  #chooseLeast(pairs: readonly Pair[]): number {
    const sure = new Uint8Array(this.#index.companies.length)
    let count = 1
    for (const { a, b, logOdds } of pairs) {
      if (logOdds < SURE) break
      if ((sure[a]! > 1 && sure[b]! > 1) || this.contradict(a, b)) continue
      for (const at of [a, b]) {
        if (sure[at] === 1) count++
        if (sure[at]! < 2) sure[at]!++
      }
    }
    const odds = toLogOdds(count / (sure.length + FURTHER))
    return Math.min(LEAST.most, Math.max(LEAST.least, LEAST.half - odds)) + addLength(sure.length)
  }

  #factsOf(at: number): Facts {
    const { countries, identifiers, marks, documentStarts } = this.#index
    const document = documentStarts[at]!
    return {
      country: countries.at(at),
      orgNumber: identifiers.orgNumber.at(at),
      vatNumber: identifiers.vatNumber.at(at),
      marks: document < documentStarts[at + 1]! ? this.#readMarks(marks.at(document)) : '',
    }
  }
}

const isEqual = (own: Facts, other: Facts): boolean =>
  own.country === other.country &&
  own.orgNumber === other.orgNumber &&
  own.vatNumber === other.vatNumber &&
  own.marks === other.marks

const isAnyPair = (ours: readonly Facts[], theirs: readonly Facts[], holds: (a: Facts, b: Facts) => boolean): boolean =>
  ours.some(own => theirs.some(other => holds(own, other)))

function findFirst<T>(ours: readonly Facts[], theirs: readonly Facts[], find: (a: Facts, b: Facts) => T | null): T | null {
  for (const own of ours)
    for (const other of theirs) {
      const found = find(own, other)
      if (found !== null) return found
    }
  return null
}
