/**
 * The address under which callers reach the service: the configured one, or the address of the request. `Forwarded` and `X-Forwarded-*` are
 * read from named proxies only: any other caller could make the service write links to another host.
 */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { FettleError } from '../../errors.ts'
import type { StartOptions } from '../start-options.ts'

/** What a trusted proxy was asked for. */
export type Forwarded = { readonly protocol: string | null; readonly host: string | null }

/** Our own client reads links that begin at the root of the service, which are right behind any proxy. */
export const readsRelativeLinks = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  /^fettle(?:\/|$)/.test(headers['user-agent'] ?? '')

const setting = (message: string, hint: string): FettleError => new FettleError('FETTLE_SETTINGS', message, { hint })

/** The origin of a public address. Throws FETTLE_SETTINGS for anything but https without credentials, path, query and fragment. */
export function publicOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  const isBare =
    url !== null && /^\/?(?:v1\/?)?$/.test(url.pathname) && url.search === '' && url.hash === '' && url.username === ''
  if (url === null || url.protocol !== 'https:' || !isBare)
    throw setting(`The public address ${url === null ? 'is not a URL' : 'is not https://name or https://name:port'}.`, HINT)
  return url.origin
}

const HINT = 'Give the address that clients use, such as https://fettle.example; the proxy passes its paths on unchanged.'

const findFamily = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

function readProxies(proxies: readonly string[]): BlockList {
  const list = new BlockList()
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/')
    const most = isIP(address) === 6 ? 128 : 32
    if (isIP(address) === 0 || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most)))
      throw setting(`The proxy ${proxy} is not an IP address or subnet.`, 'Give it as 127.0.0.1 or 10.0.0.0/8.')
    if (bits === undefined) list.addAddress(address, findFamily(address))
    else list.addSubnet(address, Number(bits), findFamily(address))
  }
  return list
}

const readLast = (header: string | string[] | undefined): string | null =>
  (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').at(-1)?.trim() || null

/** The last element: the proxy that is trusted wrote it (RFC 7239 §4). */
function readForwarded(header: string | string[] | undefined): Forwarded | null {
  const element = readLast(header)
  if (element === null) return null
  const found = new Map<string, string>()
  for (const pair of element.split(';')) {
    const [, name = '', quoted, plain] = /^\s*([a-z]+)\s*=\s*(?:"([^"\\]*)"|([^\s"]*))\s*$/i.exec(pair) ?? []
    if (name !== '') found.set(name.toLowerCase(), quoted ?? plain ?? '')
  }
  return { protocol: found.get('proto') ?? null, host: found.get('host') ?? null }
}

/** Throws FETTLE_SETTINGS when a proxy is not an address or subnet. */
export function openPublicAddress({ publicUrl, trustedProxies = [] }: Pick<StartOptions, 'publicUrl' | 'trustedProxies'>) {
  const origin = publicUrl === undefined ? null : publicOrigin(publicUrl)
  const trusted = readProxies(trustedProxies)
  /** Of a request from a trusted proxy, what it reports; null of any other. */
  const forwarded = ({ socket, headers }: IncomingMessage): Forwarded | null => {
    const remote = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '')
    if (trustedProxies.length === 0 || isIP(remote) === 0 || !trusted.check(remote, findFamily(remote))) return null
    const [protocol, host] = [readLast(headers['x-forwarded-proto']), readLast(headers['x-forwarded-host'])]
    return readForwarded(headers.forwarded) ?? { protocol, host }
  }
  return {
    forwarded,
    /** `https://name:port` for links to this service. */
    of(request: IncomingMessage, listening: string): string {
      if (origin !== null) return origin
      const reported = forwarded(request)
      const host = reported?.host ?? request.headers.host
      const protocol = reported?.protocol?.toLowerCase() === 'https' ? 'https' : 'http'
      return host === undefined ? listening : `${protocol}://${host}`
    },
  }
}

/** Where requests came to, from their headers. */
export type PublicAddress = ReturnType<typeof openPublicAddress>
