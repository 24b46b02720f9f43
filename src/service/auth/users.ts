/** The users who may log in: the logins given at start, and the current accounts of the data directory. */
import { randomUUID } from 'node:crypto'
import type { Role } from '../../contract/index.ts'
import type { Account, AccountFile } from '../storage/accounts.ts'
import type { OwnerNumbers } from '../storage/ids.ts'
import { makePasswordCheck, type PasswordRecord, protect } from './passwords.ts'

/** A user name with its password. */
export interface Login {
  readonly username: string
  readonly password: string
  /** The password is random: 192 bits or more. */
  readonly isGenerated?: boolean
}

export interface User {
  /**
   * The number of the tenant, which its users share: every job, portfolio, search, event and stored answer belongs to one.
   */
  readonly id: number
  /** The number of the person, for what a user has done, is assigned, or was allowed by others: `userId` on the wire. */
  readonly person: number
  readonly username: string
  readonly role: Role
  /** Unique to the user, and new when a removed user is added again, which voids earlier tokens and links. */
  readonly generation: string
}

/** Each login is an admin and its own tenant, and takes precedence over an account of the same name. */
export async function openUsers(logins: readonly Login[], accounts: AccountFile, numberOf: OwnerNumbers) {
  const given = new Map<string, { readonly password: PasswordRecord; readonly generation: string }>()
  for (const { username, password, isGenerated } of logins) {
    given.set(username, { password: await protect(password, isGenerated), generation: randomUUID() })
  }
  const check = makePasswordCheck()

  /** The first user of a tenant has its number. No tenant has a space in its name. */
  const personOf = (username: string, tenant: string): number => numberOf(username === tenant ? tenant : `user ${username}`)
  const ofLogin = (username: string, generation: string): User => ({
    id: numberOf(username),
    person: personOf(username, username),
    username,
    role: 'admin',
    generation,
  })
  const ofAccount = ({ username, tenant, role, id }: Account): User => ({
    id: numberOf(tenant),
    person: personOf(username, tenant),
    username,
    role,
    generation: id,
  })
  const values = (): User[] => [
    ...[...given].map(([username, { generation }]) => ofLogin(username, generation)),
    ...[...accounts.all().values()].filter(({ username }) => !given.has(username)).map(ofAccount),
  ]
  return {
    get(username: string): User | undefined {
      const login = given.get(username)
      if (login !== undefined) return ofLogin(username, login.generation)
      const account = accounts.all().get(username)
      return account === undefined ? undefined : ofAccount(account)
    },
    ofGeneration: (generation: string): User | undefined => values().find(user => user.generation === generation),
    values,
    /** Whether user name and password are correct; both are case-sensitive (contract §4.1). */
    isCorrect: ({ username, password }: Login): Promise<boolean> =>
      check(password, (given.get(username) ?? accounts.all().get(username))?.password),
  }
}

export type Users = Awaited<ReturnType<typeof openUsers>>
