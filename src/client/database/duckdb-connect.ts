/**
 * Opens a file of DuckDB by an optional package. Nothing but this file is read or written, and no extension is loaded. An error has no
 * values of rows.
 */
import { open } from 'node:fs/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { FettleError } from '../../errors.ts'
import { installCommand } from '../../package-file.ts'
import { Refusal } from './database.ts'

export const fileOf = (url: string): string => url.replace(/^duckdb:/i, '')

/** What a query may hold: sorts spill to a folder beside the file. The index of a table with a key has to fit, so a writing may hold more. */
const MEMORY = { query: '128MiB', table: '1GiB' }

const SETTINGS = {
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  // A second thread doubles the buffers, and saves little beside the work of this process.
  threads: '1',
}

/** Throws FETTLE_SETTINGS with the command that installs it. */
async function loadDuckdb(): Promise<typeof import('@duckdb/node-api')> {
  try {
    return await import('@duckdb/node-api')
  } catch (cause) {
    throw new FettleError('FETTLE_SETTINGS', 'files of DuckDB need a package that is not installed', {
      hint: installCommand('@duckdb/node-api'),
      cause,
    })
  }
}

/** Whether the file is there. Throws Refusal when it is no file of DuckDB, and what opening it throws. */
export async function isThere(path: string): Promise<boolean> {
  const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (handle === null) return false
  try {
    // DuckDB opens files of other kinds as tables.
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(12), 0, 12, 0)
    if (bytesRead < 12 || buffer.toString('latin1', 8) !== 'DUCK') throw new Refusal('it is not a file of DuckDB')
    return true
  } finally {
    await handle.close()
  }
}

/** Runs `body` with a connection, which is closed after it. An abort of `signal` interrupts what the database does. */
export async function withConnection<T>(
  path: string,
  { isReadOnly, signal }: { readonly isReadOnly: boolean; readonly signal?: AbortSignal | undefined },
  body: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const { DuckDBInstance } = await loadDuckdb()
  signal?.throwIfAborted()
  const mode: Record<string, string> = isReadOnly
    ? { access_mode: 'READ_ONLY', enable_external_access: 'false', memory_limit: MEMORY.query }
    : { access_mode: 'READ_WRITE', memory_limit: MEMORY.table }
  const instance = await DuckDBInstance.create(path, { ...SETTINGS, ...mode })
  try {
    const connection = await instance.connect()
    const stop = (): void => connection.interrupt()
    signal?.addEventListener('abort', stop, { once: true })
    try {
      await connection.run(`set timezone = 'UTC'`)
      return await body(connection)
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    } finally {
      signal?.removeEventListener('abort', stop)
      connection.closeSync()
    }
  } finally {
    instance.closeSync()
  }
}

/** Errors whose text may repeat a value of a row, and what they mean. */
const ABOUT_VALUES: Readonly<Record<string, string>> = {
  'Conversion Error': 'a value does not have the form of its type',
  'Out of Range Error': 'a value is out of range',
  'Invalid Input Error': 'a value does not fit',
}

/** An error of the database in words, without values of rows. */
export function reasonOf(error: unknown): string {
  const { message } = error as Error
  const [, holder] = /Conflicting lock is held in (.+? \(PID \d+\))/.exec(message) ?? []
  if (holder !== undefined) return `another process has the file open: ${holder}`
  // The rest repeats the query, or is advice.
  const [first = ''] = message.split('\n\n', 1)
  const [, kind = ''] = /^([A-Z][A-Za-z ]* Error): /.exec(first) ?? []
  const about = ABOUT_VALUES[kind]
  if (about !== undefined && !/^Invalid Input Error: Cannot /.test(first)) return `${about} (${kind})`
  // A key as `"id: 5"`.
  return kind === 'Constraint Error' ? first.replace(/"[^"]*: .*"/, 'of a row') : first
}
