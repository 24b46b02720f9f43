/** Credits spent by each user, up to a limit per user (contract §14.3). */
import type { Database } from './database.ts'

export function openCredits(database: Database, limit: number | null) {
  const used = (owner: number): number =>
    database.get<{ used: number }>('SELECT used FROM credits WHERE owner = ?', [owner])?.used ?? 0
  return {
    /** The limit of each user; null: unlimited. */
    limit,
    used,
    /** Spends credits; false, with nothing spent, when that would exceed the limit. Call it in the transaction of the effect. */
    spend(owner: number, credits: number): boolean {
      if (limit !== null && used(owner) + credits > limit) return false
      const sql = 'INSERT INTO credits (owner, used) VALUES (?, ?) ON CONFLICT (owner) DO UPDATE SET used = used + excluded.used'
      database.run(sql, [owner, credits])
      return true
    },
  }
}

export type CreditStore = ReturnType<typeof openCredits>
