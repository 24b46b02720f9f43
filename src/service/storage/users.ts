/** Owner numbers of tenants. They stay the same across restarts, since every object belongs to one. */
import type { Database } from './database.ts'
import { freshNumber } from './ids.ts'

/** Returns the number of a tenant; a new tenant gets a random free one. A single user is a tenant of the same name. */
export type OwnerNumbers = (tenant: string) => number

// Rows store the difference: the first tenants of an older data directory are rows 1, 2, 3.
const FIRST = 100_000_000

export function openOwnerNumbers(database: Database): OwnerNumbers {
  const known = new Map<string, number>()
  return tenant => {
    const kept = known.get(tenant)
    if (kept !== undefined) return kept
    const number = database.transaction(() => {
      const row = database.get<{ id: number }>('SELECT id FROM users WHERE username = ?', [tenant])
      if (row !== null) return FIRST + row.id
      const isTaken = (one: number): boolean => database.get('SELECT 1 FROM users WHERE id = ?', [one - FIRST]) !== null
      const fresh = freshNumber(isTaken)
      database.run('INSERT INTO users (id, username) VALUES (?, ?)', [fresh - FIRST, tenant])
      return fresh
    })
    known.set(tenant, number)
    return number
  }
}
