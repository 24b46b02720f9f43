/** Owners by their numbers, which stay the same over restarts because everything belongs to one. It knows no passwords. */
import type { Database } from './database.ts'

/** The number of a tenant; a new name gets the next free one. A user alone is a tenant of the same name. */
export type OwnerNumbers = (tenant: string) => number

// Nine digits, like the documented samples.
const FIRST = 100_000_000

/** The numbers in this database. */
export function openOwnerNumbers(database: Database): OwnerNumbers {
  const known = new Map<string, number>()
  return tenant => {
    const kept = known.get(tenant)
    if (kept !== undefined) return kept
    database.run('INSERT OR IGNORE INTO users (username) VALUES (?)', [tenant])
    const row = database.get<{ id: number }>('SELECT id FROM users WHERE username = ?', [tenant])
    const number = FIRST + (row?.id ?? 0)
    known.set(tenant, number)
    return number
  }
}
