/** What jobs and company operations need of register and matching engine, and no more; serve.ts makes one from the register it opened. */
import type { Answer, Company, Query } from '../matching/types.ts'

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
}
