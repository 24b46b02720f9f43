/**
 * The one SQLite file of a data directory: opening, tables, transactions. It knows no job. The caller holds the directory's
 * lock before it opens the file, since a lock folder left behind by a kill is removed here (stack §6).
 */
import { chmodSync, existsSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type sqlite from 'node-sqlite3-wasm'
import { FettleError } from '../../errors.ts'
import { MIGRATIONS } from './migrations.ts'
import { requireNothingBeside } from './unnamed-files.ts'

/** Loaded with the first database: the package reads and compiles WebAssembly when it is loaded. */
const loadSqlite = (): typeof sqlite => createRequire(import.meta.url)('node-sqlite3-wasm')

type Value = string | number | null

/** What the stores need of the database; everything is synchronous, and durable when it returns. */
export interface Database {
  run(sql: string, values?: Value[]): void
  get<Row>(sql: string, values?: Value[]): Row | null
  all<Row>(sql: string, values?: Value[]): Row[]
  /** Runs `work` as one unit: all of it is kept, or, when it throws, nothing. */
  transaction<T>(work: () => T): T
  /** Writes all of it, as it is now, to a new file. */
  copyTo(path: string): void
  close(): void
}

const PAGE_BYTES = 4096

/**
 * A kill before the first commit leaves a file that was never switched to WAL, of one page at most: nothing was ever kept in it.
 * Its journal would not be rolled back either.
 */
function sweepUnbegun(path: string): void {
  if (sizeOf(path) > PAGE_BYTES || !existsSync(`${path}-journal`)) return
  rmSync(path, { force: true })
  rmSync(`${path}-journal`)
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Refuses a database that was lost: SQLite would make a new one in its place, and remove the log that is left of it. */
function requireNotLost(directory: string, path: string): void {
  const isUnbegun = sizeOf(path) <= PAGE_BYTES && existsSync(`${path}-journal`)
  if (sizeOf(path) > 0 && !isUnbegun) return
  const log = sizeOf(`${path}-wal`) > 0 ? ['jobs.db-wal'] : []
  requireNothingBeside(directory, existsSync(path) ? 'is empty' : 'is missing', log)
}

/**
 * Opens `jobs.db` of the directory, making it when it is not there. Throws FETTLE_SETTINGS for a file of a newer version, and when it is
 * missing or empty beside files of jobs.
 */
export function openDatabase(directory: string): Database {
  const path = join(directory, 'jobs.db')
  requireNotLost(directory, path)
  rmSync(`${path}.lock`, { recursive: true, force: true })
  sweepUnbegun(path)
  const file = new (loadSqlite().Database)(path)

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

  // The directory has one owner: taking SQLite's lock once spares two folders and a file for every commit, and WAL its memory
  // shared with others.
  file.exec('PRAGMA locking_mode = EXCLUSIVE')
  // node-sqlite3-wasm takes its own lock for another's when it looks for one, and so never rolls a journal back after a kill:
  // the database would be malformed (guarded by test/unit/service/database.test.ts). A log that is written ahead needs no such look.
  file.get('PRAGMA journal_mode = WAL')
  // The lock is made by the library, with the umask of whoever starts us.
  if (existsSync(`${path}.lock`)) chmodSync(`${path}.lock`, 0o700)
  // What is answered must have reached the disk: the log is synced with every commit.
  file.exec('PRAGMA synchronous = FULL')
  const version = Number(file.get('PRAGMA user_version')?.user_version ?? 0)
  if (version > MIGRATIONS.length) {
    file.close()
    throw new FettleError('FETTLE_SETTINGS', `Cannot open the data directory ${directory}: a newer fettle wrote it.`)
  }
  if (version === 0) {
    try {
      requireNothingBeside(directory, 'has no tables')
    } catch (error) {
      file.close()
      throw error
    }
  }
  for (const [done, migration] of MIGRATIONS.entries()) {
    if (done >= version) transaction(() => file.exec(`${migration}; PRAGMA user_version = ${done + 1}`))
  }

  return {
    run: (sql, values = []) => void file.run(sql, values),
    get: <Row>(sql: string, values: Value[] = []) => (file.get(sql, values) ?? null) as Row | null,
    all: <Row>(sql: string, values: Value[] = []) => file.all(sql, values) as Row[],
    transaction,
    copyTo: path => void file.run('VACUUM INTO ?', [path]),
    close: () => file.close(),
  }
}
