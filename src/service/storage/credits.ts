/** Credits spent by each user, and the most one may spend. It knows no operation: who costs something asks first (contract §14.3). */
import { Refusal } from '../refusal.ts'
import type { Database } from './database.ts'

/** The credits of one data directory. */
export interface CreditStore {
  /** Most a user may spend; null: as many as he likes. */
  readonly limit: number | null
  used(owner: number): number
  /** Spends credits, in the transaction of what they are spent on. Throws a 403 when that would pass the limit. */
  spend(owner: number, credits: number): void
}

/** The credits on this database. */
export function openCredits(database: Database, limit: number | null): CreditStore {
  const used = (owner: number): number =>
    database.get<{ used: number }>('SELECT used FROM credits WHERE owner = ?', [owner])?.used ?? 0
  return {
    limit,
    used,
    spend(owner, credits) {
      const before = used(owner)
      if (limit !== null && before + credits > limit) {
        throw new Refusal(403, `Access forbidden: ${before} of ${limit} credits are spent, and this costs ${credits} more`)
      }
      const sql = 'INSERT INTO credits (owner, used) VALUES (?, ?) ON CONFLICT (owner) DO UPDATE SET used = used + excluded.used'
      database.run(sql, [owner, credits])
    },
  }
}
