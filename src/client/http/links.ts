/**
 * The rules for addresses: the base address of the service, the link to an enriched file, a redirect. The address behind a name is
 * checked on connecting (addresses.ts).
 */
import { isIP } from 'node:net'
import { FettleError } from '../../errors.ts'
import { showUrl } from '../redact.ts'
import { isPrivateAddress } from './addresses.ts'

/** Object storage of the documented kind; `service.fileHosts` replaces it (contract §14.1). */
export const FILE_HOSTS: readonly string[] = ['*.amazonaws.com']

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

const isLocalName = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost')

export function isLoopback(url: URL): boolean {
  const host = bare(url.hostname)
  return isLocalName(host) || /^127\.\d+\.\d+\.\d+$/.test(host) || host === '::1'
}

/**
 * The base address as a URL without a slash at its end. Throws FETTLE_PIPELINE_URL for anything but https (http on loopback,
 * or with `insecure`), for credentials, a query or a fragment.
 */
export function parseBase(text: string, insecure: boolean): URL {
  const refuse = (why: string) => new FettleError('FETTLE_PIPELINE_URL', `The address of the service ${why}.`)
  if (!URL.canParse(text)) throw refuse('is not a URL')
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refuse(`has the scheme ${url.protocol} instead of https:`)
  if (url.username !== '' || url.password !== '') throw refuse('contains credentials')
  if (url.search !== '' || url.hash !== '') throw refuse('has a query or a fragment')
  if (url.protocol === 'http:' && !insecure && !isLoopback(url))
    throw refuse(`(${showUrl(url)}) is http off loopback; use https, or service.insecure`)
  url.pathname = url.pathname.replace(/\/+$/, '')
  return url
}

export function under(base: URL, path: string, query?: URLSearchParams): URL {
  const url = new URL(base)
  url.pathname = `${base.pathname.replace(/\/$/, '')}${path}`
  if (query !== undefined) url.search = query.toString()
  return url
}

const hostFits = (url: URL, pattern: string): boolean => {
  const host = url.host.replace(/\.$/, '')
  const wanted = pattern.toLowerCase()
  return wanted.startsWith('*.') ? host.endsWith(wanted.slice(1)) && host.length > wanted.length - 1 : host === wanted
}

/**
 * Whether a link leads to the service's own origin (then the token goes along) or to a foreign one that is allowed: https, a
 * host of `fileHosts`, no credentials, no private address. Throws FETTLE_FILE_LINK otherwise, never showing the query.
 */
export function judgeLink(url: URL, base: URL, fileHosts: readonly string[]): 'service' | 'foreign' {
  const refuse = (why: string, details = {}) =>
    new FettleError('FETTLE_FILE_LINK', `The link to the enriched file ${why}.`, details)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refuse(`has the scheme ${url.protocol}, which is not followed`)
  if (url.username !== '' || url.password !== '') throw refuse('contains credentials')
  if (url.origin === base.origin) return 'service'
  if (url.protocol !== 'https:') throw refuse(`(${showUrl(url)}) is not https`)
  const host = bare(url.hostname)
  if (isLocalName(host) || (isIP(host) !== 0 && isPrivateAddress(host)))
    throw refuse(`(${showUrl(url)}) names an address that is not public`)
  if (!fileHosts.some(pattern => hostFits(url, pattern)))
    throw refuse(`names the host ${url.host}, which is not one of service.fileHosts (${fileHosts.join(', ') || 'none'})`, {
      hint: 'Allow the host with service.fileHosts if it is right.',
    })
  return 'foreign'
}

/** The link of a reply as a URL; a relative one is resolved against the base. Throws FETTLE_FILE_LINK for any other text. */
export function resolveLink(filePath: string, base: URL): URL {
  const root = `${base.href.replace(/\/$/, '')}/`
  if (!URL.canParse(filePath, root))
    throw new FettleError('FETTLE_FILE_LINK', 'The link to the enriched file cannot be read as a URL.')
  return new URL(filePath, root)
}

/** Redirects followed for one request (contract §14.2). */
export const HOPS = 3

/** Statuses that redirect a GET; 304 does not. */
export const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)
