/** What jobs and company operations need of register and matching engine, and no more; serve.ts makes one from the register it opened. */
import { evidenceByField } from '../matching/decide/evidence.ts'
import type { Answer, Company, Query } from '../matching/types.ts'

/** A company that a person may choose for a row in review. */
export interface Choice {
  /** Position in the register. */
  readonly company: number
  readonly score: number
  readonly why: string
  /** What each kind of evidence adds to the score, in log-odds. */
  readonly parts: Readonly<Record<string, number>>
}

/** What a job keeps of an answer: small enough to be sent between threads for every row. */
export type Finding = Pick<Answer, 'decision' | 'score' | 'why' | 'pattern' | 'banding'> & {
  /** Position of the best candidate; null without one. */
  readonly company: number | null
  /** Best first; none unless the row is in review. */
  readonly choices: readonly Choice[]
}

/** Answers rows and looks companies up. */
export interface Engine {
  /** The answer with at most `most` candidates, five if absent. */
  match(query: Query, most?: number): Answer
  /** The company at this position of the register. */
  at(position: number): Company
  /** The company of this connectId, if the register still has it. */
  find(connectId: string): Company | null
  /** How many companies there are. */
  readonly size: number
  /** Alpha-2 codes of the countries there are companies of, sorted. */
  readonly countries: readonly string[]
  /** Answers many rows on several threads, in their order, each as `match` would; absent where there is one thread only. */
  readonly matchAll?: (queries: AsyncIterable<Query>) => AsyncGenerator<Finding>
}

/** Below this nobody would choose a company, unless it is the only one. */
const LEAST_SHOWN = 0.01

/** What a job keeps of an answer. */
export function findingOf({ decision, score, why, pattern, banding, candidates }: Answer): Finding {
  const choices = candidates
    .filter((one, at) => decision === 'review' && (at === 0 || one.score >= LEAST_SHOWN))
    .map(one => ({
      company: one.company,
      score: Math.round(one.score * 1000) / 1000,
      why: one.why,
      parts: evidenceByField(one.features),
    }))
  return { decision, score, why, pattern, banding, company: candidates[0]?.company ?? null, choices }
}
