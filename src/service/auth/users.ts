/**
 * Who may log in: the logins the service was started with, and the accounts of its data directory as they are at this moment. Knows
 * nothing of tokens or requests.
 */
import { randomUUID } from 'node:crypto'
import type { Role } from '../../contract/index.ts'
import type { Account, AccountFile } from '../storage/accounts.ts'
import type { OwnerNumbers } from '../storage/users.ts'
import { makePasswordCheck, type PasswordRecord, protect } from './passwords.ts'

/** A user name with its password, as the operator gives them. */
export interface Login {
  readonly username: string
  readonly password: string
}

/** A user as the service knows it. */
export interface User {
  /**
   * THE owner number: every job, portfolio, search, event and kept answer belongs to one, and every store asks for it. Users of one
   * tenant have the same. It is the wire's `managingUserId` and `owningUserId`, too (contract §5.2).
   */
  readonly id: number
  readonly username: string
  readonly role: Role
  /** Another one for each user, and when the user was removed and is there again: tokens and links of before are void. */
  readonly generation: string
}

/** The users of a running service. */
export interface Users {
  get(username: string): User | undefined
  /** The user of a generation, as long as that is the user's. */
  ofGeneration(generation: string): User | undefined
  values(): Iterable<User>
  /** Whether a login is right; user name and password are both case-sensitive (contract §4.1). */
  isRight(login: Login): Promise<boolean>
}

/** The users: the logins given, as admins that are tenants of their own, before accounts of the same name. */
export async function openUsers(logins: readonly Login[], accounts: AccountFile, numberOf: OwnerNumbers): Promise<Users> {
  const given = new Map<string, { readonly password: PasswordRecord; readonly generation: string }>()
  for (const { username, password } of logins) {
    given.set(username, { password: await protect(password), generation: randomUUID() })
  }
  const check = await makePasswordCheck()

  const ofLogin = (username: string, generation: string): User => ({
    id: numberOf(username),
    username,
    role: 'admin',
    generation,
  })
  const ofAccount = ({ username, tenant, role, id }: Account): User => ({
    id: numberOf(tenant),
    username,
    role,
    generation: id,
  })
  const values = (): User[] => [
    ...[...given].map(([username, { generation }]) => ofLogin(username, generation)),
    ...[...accounts.all().values()].filter(({ username }) => !given.has(username)).map(ofAccount),
  ]
  return {
    get(username) {
      const login = given.get(username)
      if (login !== undefined) return ofLogin(username, login.generation)
      const account = accounts.all().get(username)
      return account === undefined ? undefined : ofAccount(account)
    },
    ofGeneration: generation => values().find(user => user.generation === generation),
    values,
    isRight: ({ username, password }) => check(password, (given.get(username) ?? accounts.all().get(username))?.password),
  }
}
