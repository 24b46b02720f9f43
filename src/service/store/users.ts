/** User names and their numbers, which stay the same over restarts because jobs belong to them. It knows no passwords. */
import type { Database } from './database.ts'

/** A user as the wire knows it: `managingUserId` and `owningUserId` (contract §5.2). */
export interface User {
  readonly id: number
  readonly username: string
}

// Nine digits, like the documented samples.
const FIRST = 100_000_000

/** Gives each user name its number, a new one the next free. */
export function openUsers(database: Database, usernames: readonly string[]): ReadonlyMap<string, User> {
  const users = new Map<string, User>()
  for (const username of usernames) {
    database.run('INSERT OR IGNORE INTO users (username) VALUES (?)', [username])
    const row = database.get<{ id: number }>('SELECT id FROM users WHERE username = ?', [username])
    users.set(username, { id: FIRST + (row?.id ?? 0), username })
  }
  return users
}
