/** Checks host, origin and headers of every request before its route runs (faults H1, H9, H12, H19, H29). */
import type { IncomingMessage } from 'node:http'
import type { Limits } from '../limits.ts'
import { badRequest, Refusal } from '../refusal.ts'
import type { Forwarded } from './public-address.ts'

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

/** A 403 of no operation: its body has the correlationId. */
class ForeignRefusal extends Refusal {
  override body(correlationId: string): Record<string, string> {
    return { correlationId, message: this.message }
  }
}

/** Counts the headers of a lower-case name; `rawHeaders` alternates names and values. */
const countHeaders = (name: string, rawHeaders: readonly string[]): number =>
  rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length

/** Whether a host, with or without a port, is a loopback name or one of `ownHosts`. */
export const isOwnHost = (host: string, ownHosts: readonly string[]): boolean =>
  [...LOOPBACK, ...ownHosts].includes(host.toLowerCase().replace(/:\d{1,5}$/, ''))

/** Throws unless host and origin name this service: a different name means that a page elsewhere sent the browser here. */
export function requireOwnHost(
  { url = '', headers, rawHeaders, httpVersion }: IncomingMessage,
  ownHosts: readonly string[],
  forwarded: Forwarded | null = null,
): void {
  const { host, origin } = headers
  if (countHeaders('host', rawHeaders) > 1) throw badRequest('The request is not acceptable', 'Host: occurs twice')
  if (host === undefined && httpVersion === '1.1') throw badRequest('The request is not acceptable', 'Host: is missing')
  // A host in the request target overrides the header (RFC 9112 §3.2.2).
  const target = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1]
  for (const name of [host, target, forwarded?.host ?? undefined]) {
    if (name !== undefined && !isOwnHost(name, ownHosts)) throw new ForeignRefusal(403, 'Access forbidden: unknown host')
  }
  const [, from] = origin === undefined ? [] : (/^https?:\/\/([^/]+)$/i.exec(origin) ?? [])
  if (origin !== undefined && !isOwnHost(from ?? '', ownHosts)) throw new ForeignRefusal(403, 'Access forbidden: unknown origin')
}

/** Throws for too many headers, two Authorization headers, or a compressed body, which the service does not decompress. */
export function requirePlainHeaders({ headers, rawHeaders }: IncomingMessage, limits: Limits): void {
  if (rawHeaders.length / 2 > limits.headers) throw new Refusal(431, 'Too many headers', `${limits.headers} headers are allowed`)
  if (countHeaders('authorization', rawHeaders) > 1) {
    throw badRequest('The request is not acceptable', 'Authorization: occurs twice')
  }
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') {
    throw new Refusal(415, 'Unsupported Media Type', 'Content-Encoding: send the body uncompressed')
  }
}
