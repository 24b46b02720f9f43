/**
 * The rules for addresses: the base address of the service, the link to an enriched file, a redirect. Addresses outside the public
 * internet are recognised, also on connecting, so that a name that changes its answer in between is checked too.
 */
import { lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { FettleError } from '../../errors.ts'
import { showUrl } from '../redact.ts'

// IANA special-purpose registries: this network, private, shared, loopback, link-local, documentation, benchmarks, multicast.
const V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]
const V6: readonly (readonly [string, number])[] = [
  ['::', 96],
  ['100::', 64],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
]

const blocked = new BlockList()
for (const [net, prefix] of V4) {
  blocked.addSubnet(net, prefix, 'ipv4')
  // The same addresses, mapped and translated (NAT64).
  blocked.addSubnet(`::ffff:${net}`, 96 + prefix, 'ipv6')
  blocked.addSubnet(`64:ff9b::${net}`, 96 + prefix, 'ipv6')
}
for (const [net, prefix] of V6) blocked.addSubnet(net, prefix, 'ipv6')

/** Whether an IP address is not a public one; any other text counts as not public. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address)
  return family === 0 || blocked.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

/** As `dns.lookup`, but FETTLE_FILE_LINK when any address of the host is not public. */
export const lookupPublic: LookupFunction = (hostname, options, answer) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return answer(error, '')
    const bad = addresses.find(entry => isPrivateAddress(entry.address))
    const why = `The link names the host ${hostname}, whose address is not a public one.`
    if (bad !== undefined) return answer(new FettleError('FETTLE_FILE_LINK', why), '')
    if (options.all === true) return answer(null, addresses)
    const [first] = addresses
    answer(null, first?.address ?? '', first?.family)
  })
}

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
