/** What a user has used of the account, and since when there is the user. It knows no limit. */

import type { Database } from '../storage/database.ts'
import type { User } from './users.ts'

/** What is counted: reports of companies, and of people. */
export type Product = 'company' | 'person'

/** Counts by user, product and country. Every change is durable when the call returns. */
export interface UsageStore {
  count(owner: number, product: Product, country: string): void
  used(owner: number, product: Product, country: string): number
  /** When the user was first there, in milliseconds since 1970. */
  created(owner: number): number
}

/** The store on this database; users that are new to it begin now. */
export function openUsage(database: Database, users: Iterable<User>, now: () => number): UsageStore {
  const begin = (owner: number): void =>
    database.run('INSERT OR IGNORE INTO accounts (owner, created) VALUES (?, ?)', [owner, now()])
  for (const { id } of users) begin(id)
  return {
    count(owner, product, country) {
      const sql = `INSERT INTO usage (owner, product, country, used) VALUES (?, ?, ?, 1)
        ON CONFLICT (owner, product, country) DO UPDATE SET used = used + 1`
      database.run(sql, [owner, product, country])
    },
    used(owner, product, country) {
      const sql = 'SELECT used FROM usage WHERE owner = ? AND product = ? AND country = ?'
      return database.get<{ used: number }>(sql, [owner, product, country])?.used ?? 0
    },
    created(owner) {
      // Users may be added while the service is up.
      begin(owner)
      return database.get<{ created: number }>('SELECT created FROM accounts WHERE owner = ?', [owner])?.created ?? now()
    },
  }
}
