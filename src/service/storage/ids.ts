/**
 * Random numbers for tenants and their objects, so that a number reveals nothing about other numbers.
 */
import { randomInt } from 'node:crypto'
import type { Database } from './database.ts'

// Nine digits, like the documented samples.
const FIRST = 100_000_000
const LAST = 999_999_999

/** Returns a free number; call it in the transaction that stores the number. */
export function freshNumber(isTaken: (number: number) => boolean): number {
  for (;;) {
    const number = randomInt(FIRST, LAST + 1)
    if (!isTaken(number)) return number
  }
}

/** Returns the number of a tenant or a person; a new one gets a random free one. A single user is a tenant of the same name. */
export type OwnerNumbers = (tenant: string) => number

/**
 * Numbers of tenants stay the same across restarts, since every object belongs to one. Rows store the difference to `FIRST`: the first
 * tenants of an older data directory are rows 1, 2, 3.
 */
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
