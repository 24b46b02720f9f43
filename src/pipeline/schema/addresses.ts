/**
 * Checks addresses by their text: of the service (faults P25 and P26), of databases, and of remote inputs and outputs, `s3://bucket/key` and
 * `https://…`. A database is `postgresql://user:password@host:5432/name?sslmode=verify-full` or `duckdb:data/lists.duckdb`, and behind a
 * `#` the table of an output. A query may be a signature: like user and password, it is never shown or recorded.
 */
import { nearest } from '../../nearest.ts'

/** The base address without trailing slash, or the code and the reason of the refusal. The address itself is never repeated. */
export type ServiceUrl =
  | { readonly url: string }
  | { readonly code: 'FETTLE_PIPELINE_URL'; readonly problem: string; readonly hint?: string }

export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)

export function checkServiceUrl(text: string, insecure: boolean): ServiceUrl {
  const refuse = (problem: string, hint?: string): ServiceUrl => ({ code: 'FETTLE_PIPELINE_URL', problem, hint })
  // The URL parser drops tabs and line ends silently.
  if (/[\s\u0000-\u001f\u007f\\]/.test(text)) return refuse('contains a space, a backslash or a control character')
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    const close = nearest(text, ['embedded'])
    return close === null ? refuse('has no scheme') : refuse('has no scheme', `Did you mean ${close}?`)
  }
  if (!URL.canParse(text)) return refuse('is not a valid URL')
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return refuse(`has the scheme ${url.protocol.slice(0, 20)}, not https:`)
  if (url.username !== '' || url.password !== '') {
    return refuse('contains a user name or password', 'Take it out; use FETTLE_USERNAME and FETTLE_PASSWORD.')
  }
  if (text.includes('?') || text.includes('#')) return refuse('has a query or a fragment')
  if (!/\/v\d+\/?$/.test(url.pathname)) return refuse('does not end in a version, such as /v1')
  if (url.protocol === 'http:' && !insecure && !isLoopback(url.hostname)) {
    const hint = 'Use https://, or set service.insecure: true if it must be.'
    return refuse('is http://, which would show the password to the network', hint)
  }
  return { url: url.href.replace(/\/$/, '') }
}

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
function shownDatabase(path: string): string {
  if (FILE.test(path)) return path
  const { url, table } = splitTable(path)
  const [, scheme = '', user, rest = ''] = /^([a-z]+:\/\/)([^/]*@)?([^?]*)/i.exec(url) ?? []
  const isPart = user === undefined && !url.includes('?')
  return `${scheme}${isPart ? '' : HIDDEN_USER}${rest}${table === null ? '' : `#${table}`}`
}

const isHiddenDatabase = (path: string): boolean => isDatabase(path) && path.includes(`://${HIDDEN_USER}`)

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

export type Address =
  | { readonly kind: 's3'; readonly bucket: string; readonly key: string }
  | { readonly kind: 'https'; readonly url: string }

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
/** Replaces a query, which is never recorded. */
const HIDDEN = '?***'

export const isAddress = (path: string): boolean => SCHEME.test(path) || isDatabase(path)

export const addressHint = (path: string): string | undefined =>
  databaseFile(path) !== null
    ? 'Give duckdb:folder/file.duckdb, relative to the working directory.'
    : isDatabase(path)
      ? 'Give postgresql://user:password@host:5432/database as ${NAME}; certificates of other machines are checked.'
      : isAddress(path)
        ? 'Give s3://bucket/key, or https://host/path without user name; its query may be a signature.'
        : undefined

export function shownPath(path: string): string {
  if (isDatabase(path)) return shownDatabase(path)
  if (!/^https?:\/\//i.test(path)) return path
  const [bare = '', query] = path.split(/[?#]/, 2)
  const shown = bare.replace(/^([a-z]+:\/\/)[^/]*@/i, '$1')
  return query === undefined ? shown : `${shown}${HIDDEN}`
}

/** True for an address whose query was left out when it was recorded, so that it cannot be requested. */
export const isHidden = (path: string): boolean => isHiddenDatabase(path) || (isAddress(path) && path.endsWith(HIDDEN))

/** Why nothing can be read from or written to this address, null when it can. The address itself is never repeated. */
export function whyNotAddress(path: string): string | null {
  if (/[\s\u0000-\u001f\u007f\\]/.test(path)) return 'contains a space, a backslash or a control character'
  if (isDatabase(path)) return whyNotDatabase(path)
  const scheme = SCHEME.exec(path)?.[1]?.toLowerCase()
  if (scheme === 's3') return whyNotObject(path)
  if (scheme !== 'https' && scheme !== 'http')
    return `has the scheme ${scheme?.slice(0, 20)}:, and only s3:, https:, postgresql: and duckdb: are known`
  if (!URL.canParse(path)) return 'is not a valid URL'
  const { username, password, hash, protocol, hostname, pathname } = new URL(path)
  if (username !== '' || password !== '') return 'contains a user name or password'
  if (hash !== '') return 'has a fragment'
  if (protocol === 'http:' && !isLoopback(hostname)) return 'is http://, which would show the rows to the network'
  return pathname.endsWith('/') ? 'names a folder, not an object' : null
}

/** Why this cannot be the address of a store that speaks S3, null when it can. */
export function whyNotEndpoint(text: string): string | null {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return 'is not an https:// address'
  const { username, password, search, hash } = new URL(text)
  if (search !== '' || hash !== '') return 'has a query or a fragment'
  return username !== '' || password !== ''
    ? 'contains a user name or password'
    : whyNotAddress(text.endsWith('/') ? `${text}key` : `${text}/key`)
}

function whyNotObject(path: string): string | null {
  const [bucket = '', ...steps] = path.slice('s3://'.length).split('/')
  if (!BUCKET.test(bucket)) return 'has no bucket name of 3 to 63 small letters, digits, dots and hyphens'
  if (steps.length === 0 || steps.at(-1) === '') return 'names no object: s3://bucket/key'
  // What a URL would tidy away would be signed as another key.
  if (steps.some(step => step === '' || step === '.' || step === '..')) return 'has an empty step, . or .. in its key'
  return new TextEncoder().encode(steps.join('/')).length > 1024 ? 'has a key longer than 1024 bytes' : null
}

export function addressOf(path: string): Address {
  const [bucket = '', ...steps] = path.slice('s3://'.length).split('/')
  return /^s3:/i.test(path) ? { kind: 's3', bucket, key: steps.join('/') } : { kind: 'https', url: path }
}

/** Full addresses by their shown form; kept in memory, as credentials are. */
export type Links = ReadonlyMap<string, string>

export const linksOf = (paths: readonly (string | null | undefined)[]): Links =>
  new Map(paths.flatMap(path => (path == null || shownPath(path) === path ? [] : [[shownPath(path), path] as const])))
