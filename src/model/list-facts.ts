/** What is known of a list before it is matched: the same for all parts that it is sent in. */
import type { CompanyNumbers } from '../contract/index.ts'

export interface ListFacts {
  /** How much of it is in the register, from 0 to 1. */
  readonly inRegister: number
  /** Whether its company numbers are relied on. */
  readonly companyNumbers: CompanyNumbers
}

/** What a service fitted to a list: named by its first job, and sent unread with later jobs, whose answers depend on it. */
export type Fit = Partial<ListFacts>
