/**
 * Opens the SQLite file of a data directory, with its tables and transactions, and draws random numbers for tenants and their objects, so that
 * a number reveals nothing about other numbers. The caller must hold the lock of the directory, since a lock folder left by a kill is removed
 * here (stack §6).
 */

import { randomInt } from 'node:crypto'
import { chmodSync, existsSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type sqlite from 'node-sqlite3-wasm'
import { FettleError } from '../../errors.ts'
// A change of a released version is a separate step, so that older directories can be opened.
import TABLES from './tables.json' with { type: 'json' }
import { requireNothingBeside } from './unnamed-files.ts'

/** Loaded with the first database: the package reads and compiles WebAssembly when it is loaded. */
const loadSqlite = (): typeof sqlite => createRequire(import.meta.url)('node-sqlite3-wasm')

type Value = string | number | null

/** Every call is synchronous, and durable when it returns. */
export type Database = ReturnType<typeof openDatabase>

/** Of the tables. */
const VERSION = 10

const PAGE_BYTES = 4096

const readSize = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/**
 * A kill before the first commit leaves an empty file of at most one page that was never switched to WAL. Its journal would not be
 * rolled back either.
 */
const isUncommitted = (path: string): boolean => readSize(path) <= PAGE_BYTES && existsSync(`${path}-journal`)

/** Rejects a lost database: SQLite would create a new one and delete the remaining log. */
function requireNotLost(directory: string, path: string): void {
  if (readSize(path) > 0 && !isUncommitted(path)) return
  const log = readSize(`${path}-wal`) > 0 ? ['jobs.db-wal'] : []
  requireNothingBeside(directory, existsSync(path) ? 'is empty' : 'is missing', log)
}

/**
 * Opens `jobs.db` of the directory, or creates it. Throws FETTLE_SETTINGS for a file of another version, and when the file is missing
 * or empty while files of jobs exist.
 */
export function openDatabase(directory: string) {
  const path = join(directory, 'jobs.db')
  requireNotLost(directory, path)
  rmSync(`${path}.lock`, { recursive: true, force: true })
  if (isUncommitted(path)) for (const name of [path, `${path}-journal`]) rmSync(name, { force: true })
  const file = new (loadSqlite().Database)(path)

  /** Runs `work` in one transaction; rolls back when it throws. */
  const transaction = <T>(work: () => T): T => {
    if (file.inTransaction) return work()
    file.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      file.exec('COMMIT')
      return result
    } catch (error) {
      if (file.inTransaction) file.exec('ROLLBACK')
      throw error
    }
  }

  // The directory has one owner: taking SQLite's lock once saves two folders and a file per commit, and WAL its shared memory.
  file.exec('PRAGMA locking_mode = EXCLUSIVE')
  // node-sqlite3-wasm mistakes its own lock for the lock of another process and so never rolls a journal back after a kill: the
  // database would be malformed (guarded by test/unit/service/database.test.ts). A write-ahead log does not need the rollback.
  file.get('PRAGMA journal_mode = WAL')
  // The library creates the lock with the umask of the process.
  if (existsSync(`${path}.lock`)) chmodSync(`${path}.lock`, 0o700)
  // An answer promises that the change is on disk: the log is synced with every commit.
  file.exec('PRAGMA synchronous = FULL')
  const version = Number(file.get('PRAGMA user_version')?.user_version ?? 0)
  if (version !== 0 && version !== VERSION) {
    file.close()
    const which = version > VERSION ? 'a newer fettle' : 'a fettle from before the first release'
    throw new FettleError('FETTLE_SETTINGS', `Cannot open the data directory ${directory}: ${which} wrote it.`)
  }
  if (version === 0) {
    try {
      requireNothingBeside(directory, 'has no tables')
    } catch (error) {
      file.close()
      throw error
    }
    transaction(() => file.exec(`${TABLES.join(';')}; PRAGMA user_version = ${VERSION}`))
  }

  return {
    run: (sql: string, values: Value[] = []): void => void file.run(sql, values),
    get: <Row>(sql: string, values: Value[] = []) => (file.get(sql, values) ?? null) as Row | null,
    all: <Row>(sql: string, values: Value[] = []) => file.all(sql, values) as Row[],
    /** The column `n` of the selected row; 0 without a row. */
    count: (sql: string, values: Value[] = []): number => Number(file.get(sql, values)?.n ?? 0),
    transaction,
    copyTo: (path: string): void => void file.run('VACUUM INTO ?', [path]),
    close: (): void => file.close(),
  }
}

const CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EFBIG'])

const DATABASE_MESSAGE =
  /^(?:database or disk is full|disk I\/O error|Could not open the database|unable to open database file|attempt to write a readonly database)/

export function isDiskTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return CODES.has((error as NodeJS.ErrnoException).code) || DATABASE_MESSAGE.test(error.message)
}

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

/** Numbers of tenants stay the same across restarts, since every object belongs to one. */
export function openOwnerNumbers(database: Database): OwnerNumbers {
  const known = new Map<string, number>()
  return tenant => {
    const kept = known.get(tenant)
    if (kept !== undefined) return kept
    const number = database.transaction(() => {
      const row = database.get<{ id: number }>('SELECT id FROM users WHERE username = ?', [tenant])
      if (row !== null) return row.id
      const fresh = freshNumber(id => database.get('SELECT 1 FROM users WHERE id = ?', [id]) !== null)
      database.run('INSERT INTO users (id, username) VALUES (?, ?)', [fresh, tenant])
      return fresh
    })
    known.set(tenant, number)
    return number
  }
}
