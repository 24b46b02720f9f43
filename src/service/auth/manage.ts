/** Adds, lists and removes the users of a data directory, whether or not a service runs on it. */
import type { Role } from '../../contract/index.ts'
import { FettleError } from '../../errors.ts'
import { addAccount, openAccounts, removeAccount } from '../storage/accounts.ts'
import { protect } from './passwords.ts'

/** A user of a data directory, without its password. */
export interface UserInfo {
  readonly username: string
  readonly role: Role
  /** Users of one tenant share jobs, portfolios and searches. The user's own name unless shared. */
  readonly tenant: string
  readonly createdAt: string
}

/** Input of `addUser`. */
export interface NewUser {
  readonly username: string
  readonly password: string
  readonly role: Role
  /** Default: the name of the user. */
  readonly tenant?: string
  readonly now: Date
}

// Names appear in tokens, logs and tables; passwords are typed.
const NAME = /^[^\s\p{C}]{1,100}$/u
const PASSWORD = /^[^\p{Cc}]{8,256}$/u

/** Adds a user to a data directory. Throws FETTLE_USAGE for an invalid name or password, or a name that is taken. */
export async function addUser(dataDir: string, { username, password, role, tenant = username, now }: NewUser): Promise<void> {
  for (const name of [username, tenant]) {
    if (NAME.test(name)) continue
    throw new FettleError('FETTLE_USAGE', `${JSON.stringify(name)} is not a valid name: use 1 to 100 characters without spaces.`)
  }
  if (!PASSWORD.test(password)) {
    throw new FettleError('FETTLE_USAGE', 'The password is not valid: use 8 to 256 characters without control characters.')
  }
  await addAccount(dataDir, { username, role, tenant, createdAt: now.toISOString(), password: await protect(password) })
}

/** Removes a user at once, also from a running service. The jobs, portfolios and searches of the user stay. */
export const removeUser = removeAccount

/** The users of a data directory, sorted by name. */
export const listUsers = (dataDir: string): UserInfo[] =>
  [...openAccounts(dataDir).all().values()]
    .map(({ username, role, tenant, createdAt }) => ({ username, role, tenant, createdAt }))
    .sort((a, b) => (a.username < b.username ? -1 : 1))
