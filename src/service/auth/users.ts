/**
 * The users who may log in: the logins given at start, and the accounts of the data directory, which are added, listed and removed whether or
 * not a service runs on it: one file beside the database, replaced as a whole; a running service sees a change at the next request.
 * Passwords are stored as scrypt records, and checked in the same time for known and unknown users (faults S25).
 */
import { randomBytes, randomUUID, scrypt, timingSafeEqual } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { ROLES, type Role } from '../../contract/index.ts'
import { action, FettleError } from '../../errors.ts'
import { makeFolder, writeWhole } from '../storage/atomic-file.ts'
import type { OwnerNumbers } from '../storage/database.ts'
import { lockDirectory, type Release } from '../storage/lock.ts'

const account = z.strictObject({
  id: z.string(),
  username: z.string(),
  role: z.enum(ROLES),
  tenant: z.string(),
  createdAt: z.string(),
  password: z.strictObject({
    salt: z.string(),
    parameters: z.strictObject({ N: z.int(), r: z.int(), p: z.int() }),
    key: z.string(),
  }),
})
const file = z.strictObject({ version: z.literal(1), accounts: z.array(account) })

/** `id` is new whenever the name is added; salt and key of a password are in base64. */
type Account = z.infer<typeof account>

const folderIn = (dataDir: string): string => join(dataDir, 'accounts')
const pathIn = (dataDir: string): string => join(folderIn(dataDir), 'accounts.json')

function readAccounts(path: string): ReadonlyMap<string, Account> {
  try {
    const { accounts } = file.parse(JSON.parse(readFileSync(path, 'utf8')))
    return new Map(accounts.map(account => [account.username, account]))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return new Map()
    throw new FettleError('FETTLE_SETTINGS', `Cannot read the users in ${path}: the file is damaged.`, {
      cause,
      hint: 'Restore it from a backup, or remove it and add the users again.',
    })
  }
}

/** Opens the accounts and rereads them whenever the file has changed. Throws FETTLE_SETTINGS for a damaged file. */
export function openAccounts(dataDir: string) {
  const path = pathIn(dataDir)
  let version = ''
  let accounts: ReadonlyMap<string, Account> = new Map()
  return {
    all(): ReadonlyMap<string, Account> {
      const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
      const now = stats === undefined ? '' : `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`
      if (now !== version) {
        accounts = readAccounts(path)
        version = now
      }
      return accounts
    },
  }
}

export type AccountFile = ReturnType<typeof openAccounts>

// A change takes milliseconds: after two seconds the lock belongs to a process that hangs.
const TRIES = 100
const PAUSE_MS = 20

async function lockSoon(folder: string): Promise<Release> {
  for (let tried = 1; ; tried++) {
    try {
      return lockDirectory(folder)
    } catch (error) {
      if (tried === TRIES || !FettleError.is(error) || error.code !== 'FETTLE_LOCKED') throw error
    }
    await pause(PAUSE_MS)
  }
}

async function changeAccounts(dataDir: string, next: (accounts: Map<string, Account>) => void): Promise<void> {
  await makeFolder(folderIn(dataDir))
  const release = await lockSoon(folderIn(dataDir))
  try {
    const accounts = new Map(readAccounts(pathIn(dataDir)))
    next(accounts)
    const text = JSON.stringify({ version: 1, accounts: [...accounts.values()] }, null, 2)
    await writeWhole(pathIn(dataDir), write => write(`${text}\n`))
  } finally {
    release()
  }
}

const formatUser = (username: string): string => `The user ${JSON.stringify(username)}`

/**
 * 2^14 rounds of 8 KiB blocks: 16 MiB and about 40 ms a login, the usual interactive setting. Only tests make it cheaper, before a
 * password is stored: a record names what it was made with.
 */
export const PARAMETERS = { N: 2 ** 14, r: 8, p: 1 }
// A generated password of 192 random bits cannot be guessed: slow rounds would protect nothing.
const GENERATED = { ...PARAMETERS, N: 2 }
const KEY_BYTES = 32

const derive = (password: string, { salt, parameters }: Pick<Account['password'], 'salt' | 'parameters'>): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const bytes = Buffer.from(salt, 'base64')
    scrypt(password.normalize('NFC'), bytes, KEY_BYTES, parameters, (error, key) => (error ? reject(error) : resolve(key)))
  })

async function protect(password: string, isGenerated = false): Promise<Account['password']> {
  const record = { salt: randomBytes(16).toString('base64'), parameters: isGenerated ? GENERATED : { ...PARAMETERS } }
  return { ...record, key: (await derive(password, record)).toString('base64') }
}

/** A user name with its password. */
export interface Login {
  readonly username: string
  readonly password: string
  /** The password is random: 192 bits or more. */
  readonly isGenerated?: boolean
}

export interface User {
  /** The number of the tenant, which its users share: every job, portfolio, search, event and stored answer belongs to one. */
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
  const given = new Map<string, { readonly password: Account['password']; readonly generation: string }>()
  for (const { username, password, isGenerated } of logins) {
    given.set(username, { password: await protect(password, isGenerated), generation: randomUUID() })
  }
  // For an unknown user a decoy is verified, so that both cases take the same time.
  const decoy = {
    salt: randomBytes(16).toString('base64'),
    parameters: PARAMETERS,
    key: randomBytes(KEY_BYTES).toString('base64'),
  }

  /** The first user of a tenant has its number. No tenant has a space in its name. */
  const ofAccount = ({ username, tenant, role, id: generation }: Omit<Account, 'password' | 'createdAt'>): User => {
    const id = numberOf(tenant)
    return { id, person: username === tenant ? id : numberOf(`user ${username}`), username, role, generation }
  }
  const ofLogin = (username: string, id: string): User => ofAccount({ username, tenant: username, role: 'admin', id })
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
    async isCorrect({ username, password }: Login): Promise<boolean> {
      const known = (given.get(username) ?? accounts.all().get(username))?.password
      const record = known ?? decoy
      const key = await derive(password, record)
      return timingSafeEqual(Buffer.from(record.key, 'base64'), key) && known !== undefined
    },
  }
}

export type Users = Awaited<ReturnType<typeof openUsers>>

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
  const account = { id: randomUUID(), username, role, tenant, createdAt: now.toISOString(), password: await protect(password) }
  await changeAccounts(dataDir, accounts => {
    if (accounts.has(username)) {
      const hint = 'Remove the user first; the new user gets the same jobs, portfolios and searches.'
      throw new FettleError('FETTLE_USAGE', `${formatUser(username)} cannot be added: the name is taken.`, { hint })
    }
    accounts.set(username, account)
  })
}

/**
 * Removes a user at once, also from a running service, which voids its tokens. The jobs, portfolios and searches of the user stay. Throws
 * FETTLE_USAGE for an unknown name.
 */
export const removeUser = (dataDir: string, username: string): Promise<void> =>
  changeAccounts(dataDir, accounts => {
    if (accounts.delete(username)) return
    throw new FettleError('FETTLE_USAGE', `${formatUser(username)} cannot be removed: no such user.`, {
      hint: 'List the users.',
      action: action('serve', 'users', 'list'),
    })
  })

/** The users of a data directory, sorted by name. */
export const listUsers = (dataDir: string): UserInfo[] =>
  [...openAccounts(dataDir).all().values()]
    .map(({ username, role, tenant, createdAt }) => ({ username, role, tenant, createdAt }))
    .sort((a, b) => (a.username < b.username ? -1 : 1))
