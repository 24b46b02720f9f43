/** Adding, listing and removing the users of a data directory, whether or not a service runs on it. It reads no terminal. */
import type { Role } from '../../contract/index.ts'
import { FettleError } from '../../errors.ts'
import { addAccount, openAccounts, removeAccount } from '../storage/accounts.ts'
import { protect } from './passwords.ts'

/** A user as it is listed. */
export interface UserInfo {
  readonly username: string
  readonly role: Role
  /** Whose jobs, portfolios and searches the user works with; the user's own name unless shared. */
  readonly tenant: string
  readonly createdAt: string
}

/** A user to be added. */
export interface NewUser {
  readonly username: string
  readonly password: string
  readonly role: Role
  /** The user's own name if absent. */
  readonly tenant?: string
  readonly now: Date
}

// A name stands in tokens, logs and tables; a password is typed.
const NAME = /^[^\s\p{C}]{1,100}$/u
const PASSWORD = /^[^\p{Cc}]{8,256}$/u

/** Adds a user to a data directory. Throws FETTLE_USAGE for a name or password that cannot be, or a name that is taken. */
export async function addUser(dataDir: string, { username, password, role, tenant = username, now }: NewUser): Promise<void> {
  for (const name of [username, tenant]) {
    if (NAME.test(name)) continue
    throw new FettleError(
      'FETTLE_USAGE',
      `${JSON.stringify(name)} cannot be a name: 1 to 100 characters without spaces are needed.`,
    )
  }
  if (!PASSWORD.test(password)) {
    throw new FettleError(
      'FETTLE_USAGE',
      'This cannot be a password: 8 to 256 characters are needed, none of them a control character.',
    )
  }
  await addAccount(dataDir, { username, role, tenant, createdAt: now.toISOString(), password: await protect(password) })
}

/** Removes a user; a running service lets them do nothing more from this moment. What is theirs stays. */
export const removeUser = removeAccount

/** The users of a data directory by name. */
export const listUsers = (dataDir: string): UserInfo[] =>
  [...openAccounts(dataDir).all().values()]
    .map(({ username, role, tenant, createdAt }) => ({ username, role, tenant, createdAt }))
    .sort((a, b) => (a.username < b.username ? -1 : 1))
