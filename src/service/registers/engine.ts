/**
 * The interface to register and matching engine that jobs and company operations use. serve.ts implements it over the opened
 * register.
 */
import { evidenceByField } from '../matching/decide/explain.ts'
import type { IndexImage } from '../matching/index.ts'
import type { Answer, Company, ListFacts, Query, RowEvidence } from '../matching/types.ts'

export interface Choice {
  readonly company: number
  /** Records of the same company in other registers. */
  readonly others: readonly number[]
  readonly score: number
  readonly why: string
  readonly parts: Readonly<Record<string, number>>
}

/** The part of an answer that a job stores: small enough to be sent between threads for every row. */
export type MatchResult = Pick<Answer, 'decision' | 'reason' | 'score' | 'why' | 'pattern' | 'banding'> & {
  /** Position of the best candidate; null without one. */
  readonly company: number | null
  readonly others: readonly number[]
  /** Best first; empty unless the row is in review. */
  readonly choices: readonly Choice[]
}

export interface Engine {
  /** The answer with at most `most` candidates, five if absent; `list`: what is known of the row's list, by default of a row alone. */
  match(query: Query, most?: number, list?: ListFacts): Answer
  /** What a row contributes to the facts of its list. */
  rowEvidence(query: Query): RowEvidence
  /** The same of a company that was asked for as this row asks, with itself taken out of the register: see `absentEvidence`. */
  absentEvidence(query: Query, at: number): RowEvidence
  at(position: number): Company
  /** The name of the company's register; '' if the register has none. */
  registerOf(position: number): string
  /** The company with this connectId; null when the register does not have it. */
  find(connectId: string): Company | null
  readonly size: number
  /** Number of registers. */
  readonly registers: number
  /** Sorted alpha-2 codes of the companies' countries. */
  readonly countries: readonly string[]
  /** Matches rows on several threads and keeps their order; absent with a single thread. */
  readonly matchAll?: (queries: AsyncIterable<Query>, list: ListFacts) => AsyncGenerator<MatchResult>
  /** The whole index, for threads that look companies up; absent with a single thread. */
  readonly image?: () => Promise<IndexImage>
}

/** Companies with a lower score are not offered, except the best. */
const MIN_CHOICE_SCORE = 0.01

/** `list`: what is known of the row's list. */
export function matchResultOf(
  { decision, reason, score, why, pattern, banding, candidates }: Answer,
  { inRegister }: ListFacts,
): MatchResult {
  const [best] = candidates
  const choices = candidates
    .filter((candidate, at) => decision === 'review' && (at === 0 || candidate.score >= MIN_CHOICE_SCORE))
    .map(candidate => ({
      company: candidate.company,
      others: candidate.others,
      score: Math.round(candidate.score * 1000) / 1000,
      why: candidate.why,
      parts: evidenceByField(candidate.features, inRegister.startingOdds),
    }))
  return { decision, reason, score, why, pattern, banding, company: best?.company ?? null, others: best?.others ?? [], choices }
}
