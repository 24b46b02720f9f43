/**
 * The accounts of a data directory: one file beside the database, replaced as a whole, since commands change it while a service
 * holds the database. A running service sees a change at the next request.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { ROLES, type Role } from '../../contract/index.ts'
import { action, FettleError } from '../../errors.ts'
import { makeFolder, writeWhole } from './atomic-file.ts'
import { lockDirectory, type Release } from './lock.ts'

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
export type Account = z.infer<typeof account>

const folderIn = (dataDir: string): string => join(dataDir, 'accounts')
const pathIn = (dataDir: string): string => join(folderIn(dataDir), 'accounts.json')

function read(path: string): ReadonlyMap<string, Account> {
  try {
    const { accounts } = file.parse(JSON.parse(readFileSync(path, 'utf8')))
    return new Map(accounts.map(one => [one.username, one]))
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
        accounts = read(path)
        version = now
      }
      return accounts
    },
  }
}

export type AccountFile = ReturnType<typeof openAccounts>

export type NewAccount = Pick<Account, 'username' | 'password' | 'createdAt'> & { readonly role: Role; readonly tenant: string }

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

async function change(dataDir: string, next: (accounts: Map<string, Account>) => void): Promise<void> {
  await makeFolder(folderIn(dataDir))
  const release = await lockSoon(folderIn(dataDir))
  try {
    const accounts = new Map(read(pathIn(dataDir)))
    next(accounts)
    const text = JSON.stringify({ version: 1, accounts: [...accounts.values()] }, null, 2)
    await writeWhole(pathIn(dataDir), write => write(`${text}\n`))
  } finally {
    release()
  }
}

const named = (username: string): string => `The user ${JSON.stringify(username)}`

/** Adds an account, durable when it resolves. Throws FETTLE_USAGE when the name is taken. */
export const addAccount = (dataDir: string, one: NewAccount): Promise<void> =>
  change(dataDir, accounts => {
    if (accounts.has(one.username)) {
      const hint = 'Remove the user first; the new user gets the same jobs, portfolios and searches.'
      throw new FettleError('FETTLE_USAGE', `${named(one.username)} cannot be added: the name is taken.`, { hint })
    }
    accounts.set(one.username, { id: randomUUID(), ...one })
  })

/** Removes an account, which voids its tokens. Throws FETTLE_USAGE for an unknown name. */
export const removeAccount = (dataDir: string, username: string): Promise<void> =>
  change(dataDir, accounts => {
    if (accounts.delete(username)) return
    throw new FettleError('FETTLE_USAGE', `${named(username)} cannot be removed: no such user.`, {
      hint: 'List the users.',
      action: action('serve', 'users', 'list'),
    })
  })
