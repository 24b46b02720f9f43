/**
 * Checks addresses of databases by their text: `postgresql://user:password@host:5432/name?sslmode=verify-full` or `duckdb:data/lists.duckdb`,
 * and behind a `#` the table of an output. User, password and parameters are never shown or recorded.
 */
import { isLoopback } from './service-url.ts'

const SERVER = /^postgres(?:ql)?:\/\//i
const FILE = /^duckdb:/i
const HIDDEN_USER = '***@'

export const isDatabase = (path: string): boolean => SERVER.test(path) || FILE.test(path)

/** The file of a database, as its address has it; null for a server. */
export const databaseFile = (path: string): string | null => (FILE.test(path) ? splitTable(path).url.replace(FILE, '') : null)

/** The address with another file. */
export const withDatabaseFile = (path: string, file: string): string =>
  path.replace(splitTable(path).url.replace(FILE, ''), () => file)

/** `enriched.suppliers`, each part as the database writes it. */
export const TABLE_NAME = /^[A-Za-z_][\w$]{0,62}(?:\.[A-Za-z_][\w$]{0,62})?$/

const TIMEOUTS = ['connect_timeout', 'read_timeout']
const PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'host', ...TIMEOUTS, 'application_name', 'options']
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full']

/** The address of the database, and the table behind it. */
export function splitTable(path: string): { readonly url: string; readonly table: string | null } {
  const at = path.lastIndexOf('#')
  return at < 0 ? { url: path, table: null } : { url: path.slice(0, at), table: path.slice(at + 1) }
}

/** `postgresql://***@host:5432/name#table`; the stars stand for what is left out. */
export function shownDatabase(path: string): string {
  if (FILE.test(path)) return path
  const { url, table } = splitTable(path)
  const [, scheme = '', user, rest = ''] = /^([a-z]+:\/\/)([^/]*@)?([^?]*)/i.exec(url) ?? []
  const isPart = user === undefined && !url.includes('?')
  return `${scheme}${isPart ? '' : HIDDEN_USER}${rest}${table === null ? '' : `#${table}`}`
}

export const isHiddenDatabase = (path: string): boolean => isDatabase(path) && path.includes(`://${HIDDEN_USER}`)

/** The address of an output: of a database with its table. */
export const tableAddress = (url: string, table: string): string => `${url}#${table}`

/** Why nothing can be read from or written to this database, null when it can. The address itself is never repeated. */
export function whyNotDatabase(path: string): string | null {
  if (isHiddenDatabase(path)) return null
  const { url, table } = splitTable(path)
  if (table !== null && !TABLE_NAME.test(table)) return 'names a table by something else than letters, digits, _ and $'
  if (url.includes('#')) return 'contains #'
  if (FILE.test(url)) return /^duckdb:(?:\/\/|:memory:|$)/i.test(url) ? 'is not duckdb:folder/file.duckdb' : null
  // The URL parser splits hosts of web schemes only.
  const text = url.replace(SERVER, 'http://')
  if (!URL.canParse(text)) return 'is not postgresql://user:password@host:5432/database'
  const { hostname, pathname, searchParams } = new URL(text)
  const unknown = [...searchParams.keys()].find(name => !PARAMETERS.includes(name))
  if (unknown !== undefined) return `has a parameter other than ${PARAMETERS.join(', ')}`
  if (!/^\/[^/]+$/.test(pathname)) return 'names no database: postgresql://host/database'
  const timeout = TIMEOUTS.find(name => !/^[1-9]\d{0,5}$/.test(searchParams.get(name) ?? '1'))
  if (timeout !== undefined) return `has a ${timeout} that is not a number of seconds`
  const mode = searchParams.get('sslmode')
  if (mode !== null && !SSL_MODES.includes(mode)) return `has an sslmode other than ${SSL_MODES.join(', ')}`
  const host = searchParams.get('host') ?? hostname
  if (mode === 'disable' && !isNear(host)) return 'has sslmode=disable, which would show the rows to the network'
  return null
}

/** On this machine: loopback, or a socket in a folder. */
export const isNear = (host: string): boolean => host.startsWith('/') || isLoopback(host) || host === '::1'
