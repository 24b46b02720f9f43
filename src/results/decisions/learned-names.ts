/**
 * What decisions teach about other rows. An accepted row shows how its list spells a company: a row in review whose best company is that
 * one, and whose name is nearly the accepted one or has the words by which that one agrees with the company, is the company as well. It
 * depends on the decisions, the row and its candidates alone, so that parts,
 * shards and later lists get the same. Rejections, and scores of rows that were decided, prove too little about others
 * (docs/review.md, "What decisions teach").
 */
import { parseCompanyName } from '../../normalise/company-name.ts'
import type { Decision } from './decision.ts'
import type { Decisions } from './decisions.ts'

/** Shared letter pairs of two names from which on they are spellings of one; learned on labelled lists. */
const LEAST_ALIKE = 0.85
/** Letters of a name that may be misspelt: shorter ones have to be the same. */
const LEAST_LETTERS = 6
/** Letters of the words by which an accepted name agrees with its company: fewer prove nothing about another name. */
const LEAST_AGREEING = 4
/** By this factor the best company is more likely than the next one, for such words to prove it; learned likewise. */
const LEAST_LEAD = 20
/** Of the rows learned 98 in 100 are right at least, with 95 % certainty: nothing is learned where more is wished. */
const PROVED = 0.98

interface Spelling {
  readonly letters: string
  readonly words: readonly string[]
  readonly marks: string
  readonly legal: string | null
}

/** A name that a person decided about. */
interface Taught extends Spelling {
  readonly line: Decision
}

function readSpelling(name: string): Spelling | null {
  const { words, marks, legal } = parseCompanyName(name)
  return words.length === 0 ? null : { letters: words.join(''), words, marks, legal }
}

const countPairs = (letters: string): Map<string, number> => {
  const pairs = new Map<string, number>()
  for (let at = 0; at + 1 < letters.length; at++) {
    const pair = letters.slice(at, at + 2)
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
  }
  return pairs
}

/** The share of letter pairs that two names have in common, from 0 to 1 (Dice). */
function likeness(one: string, other: string): number {
  if (one === other) return 1
  if (Math.min(one.length, other.length) < LEAST_LETTERS) return 0
  const pairs = countPairs(one)
  let shared = 0
  for (const [pair, count] of countPairs(other)) shared += Math.min(count, pairs.get(pair) ?? 0)
  return (2 * shared) / (one.length + other.length - 2)
}

/** What distinguishes sisters, and classes of legal forms, are the same. */
const mayBeOne = (left: Spelling, right: Spelling): boolean =>
  left.marks === right.marks && (left.legal === right.legal || left.legal === null || right.legal === null)

/** The names of one company in two spellings. */
const isSpelling = (left: Spelling, right: Spelling): boolean =>
  mayBeOne(left, right) && likeness(left.letters, right.letters) >= LEAST_ALIKE

/** The companies that a row may be, the best first. */
type Candidates = readonly { readonly name: string; readonly score: number | null }[]

const hasWords = ({ words }: Spelling, all: readonly string[]): boolean => all.every(word => words.includes(word))

/**
 * The words by which an accepted name agrees with its company, if the row has them too; null where they may mean another candidate: one that is
 * nearly as likely, has all of these words, or begins with a word of the row that the best one lacks.
 */
function readAgreement(own: Spelling, taught: Taught, [best, ...others]: Candidates): readonly string[] | null {
  const company = readSpelling(best?.name ?? '')
  if (company === null || !mayBeOne(own, taught)) return null
  const agreeing = taught.words.filter(word => company.words.includes(word))
  if (agreeing.join('').length < LEAST_AGREEING || !hasWords(own, agreeing)) return null
  if ((others[0]?.score ?? 0) * LEAST_LEAD > (best?.score ?? 0)) return null
  const isMeant = (other: Spelling): boolean =>
    hasWords(other, agreeing) || (own.words.includes(other.words[0]!) && !company.words.includes(other.words[0]!))
  const rivals = others.map(({ name }) => readSpelling(name)).filter(other => other !== null)
  return rivals.some(isMeant) ? null : agreeing
}

export class LearnedNames {
  readonly #accepted = new Map<string, Taught[]>()
  /** Every name that was decided about, by each of its words and its first letters. */
  readonly #named = new Map<string, Taught[]>()

  /** `precision`: the share of matches that should be right. */
  constructor(decisions: Decisions, precision = 0) {
    if (precision > PROVED) return
    for (const line of decisions.lines()) {
      const spelling = readSpelling(line.name)
      if (spelling === null) continue
      const taught = { ...spelling, line }
      if (line.decision === 'accept') add(this.#accepted, line.company, taught)
      for (const key of keysOf(spelling)) add(this.#named, key, taught)
    }
  }

  /**
   * The decision that shows that a row of this name is the company of these ids; null where none does, or decisions disagree. `candidates`:
   * empty where agreeing words prove nothing, so that only a spelling counts.
   */
  find(name: string, ids: readonly string[], candidates: Candidates = []): Decision | null {
    const accepted = ids.flatMap(id => this.#accepted.get(id) ?? [])
    if (accepted.length === 0) return null
    const own = readSpelling(name)
    if (own === null) return null
    const contradicts = ({ line }: Taught): boolean =>
      line.decision === 'accept' ? !ids.includes(line.company) : line.company === '' || ids.includes(line.company)
    const against = keysOf(own)
      .flatMap(key => this.#named.get(key) ?? [])
      .filter(contradicts)
    if (against.some(taught => isSpelling(own, taught))) return null
    const spelt = accepted.find(taught => isSpelling(own, taught))
    if (spelt !== undefined) return spelt.line
    const agreed = accepted.find(taught => {
      const words = readAgreement(own, taught, candidates)
      return words !== null && !against.some(other => hasWords(other, words))
    })
    return agreed?.line ?? null
  }
}

const keysOf = ({ words, letters }: Spelling): string[] => [...new Set([...words, letters.slice(0, 4)])]

function add(map: Map<string, Taught[]>, key: string, taught: Taught): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [taught])
  else list.push(taught)
}

/** Rows in the order in which decisions teach most: one of each company, those that are the best company of most rows first; then the next ones. */
export function orderForTeaching<Row>(rows: readonly Row[], bestOf: (row: Row) => string): Row[] {
  const families = new Map<string, number>()
  const ranked = rows.map(row => {
    const best = bestOf(row)
    const rank = best === '' ? 0 : (families.get(best) ?? 0)
    families.set(best, rank + 1)
    return { row, best, rank }
  })
  const sizeOf = (best: string): number => (best === '' ? 0 : families.get(best)!)
  return ranked.sort((a, b) => a.rank - b.rank || sizeOf(b.best) - sizeOf(a.best)).map(({ row }) => row)
}
