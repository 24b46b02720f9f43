/** What the jobs need of register and matching engine, and no more; serve.ts makes one from the register it opened. */
import type { Answer, Company, Query } from '../matching/types.ts'

/** Answers rows and looks companies up. */
export interface Engine {
  match(query: Query): Answer
  /** The company at this position of the register. */
  at(position: number): Company
  /** The company of this connectId, if the register still has it. */
  find(connectId: string): Company | null
  /** The company of this Safe Number. */
  findSafe(safeNumber: string): Company | null
}
