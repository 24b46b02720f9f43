/**
 * Checks addresses of remote inputs and outputs, `s3://bucket/key` and `https://…`, by their text. A query may be a signature, so it
 * is never shown or recorded.
 */
import { databaseFile, isDatabase, isHiddenDatabase, shownDatabase, whyNotDatabase } from './databases.ts'
import { isLoopback } from './service-url.ts'

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
