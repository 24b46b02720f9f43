/** Counts the reports of each user by product and country, and the credits of each user up to a limit (contract §14.3). */
import type { Database } from '../storage/database.ts'
import type { User } from './users.ts'

export type Product = 'company' | 'person'

/** Opens the store; a user new to it is created now. */
export function openUsage(database: Database, users: Iterable<User>, now: () => number) {
  const register = (owner: number): void =>
    database.run('INSERT OR IGNORE INTO accounts (owner, created) VALUES (?, ?)', [owner, now()])
  for (const { id } of users) register(id)
  return {
    count(owner: number, product: Product, country: string): void {
      const sql = `INSERT INTO usage (owner, product, country, used) VALUES (?, ?, ?, 1)
        ON CONFLICT (owner, product, country) DO UPDATE SET used = used + 1`
      database.run(sql, [owner, product, country])
    },
    used(owner: number, product: Product, country: string): number {
      const sql = 'SELECT used AS n FROM usage WHERE owner = ? AND product = ? AND country = ?'
      return database.count(sql, [owner, product, country])
    },
    /** When the user was first seen, in milliseconds since 1970. */
    created(owner: number): number {
      // Users may be added while the service runs.
      register(owner)
      return database.get<{ created: number }>('SELECT created FROM accounts WHERE owner = ?', [owner])?.created ?? now()
    },
  }
}

export type UsageStore = ReturnType<typeof openUsage>

export function openCredits(database: Database, limit: number | null) {
  const used = (owner: number): number => database.count('SELECT used AS n FROM credits WHERE owner = ?', [owner])
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
