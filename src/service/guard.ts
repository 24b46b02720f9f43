/** What every request must pass before its route is asked: address, origin, headers. It knows no operation (faults H1, H9, H12, H19, H29). */
import type { IncomingMessage } from 'node:http'
import type { Limits } from './limits.ts'
import { badRequest, Refusal } from './refusal.ts'

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

/** The host of `host:port`, lower case, without the port. */
const nameOf = (host: string): string => host.toLowerCase().replace(/:\d{1,5}$/, '')

/** Throws unless the request names this service itself: another name or origin means a browser was lured here. */
export function requireOwnHost({ headers }: IncomingMessage, ownHosts: readonly string[]): void {
  const allowed = [...LOOPBACK, ...ownHosts]
  const { host, origin } = headers
  if (host !== undefined && !allowed.includes(nameOf(host))) throw new Refusal(403, 'Access forbidden: unknown host')
  const [, from] = origin === undefined ? [] : (/^https?:\/\/([^/]+)$/i.exec(origin) ?? [])
  if (origin !== undefined && !allowed.includes(nameOf(from ?? ''))) throw new Refusal(403, 'Access forbidden: unknown origin')
}

/** Throws for more headers than allowed, two Authorization headers, or a compressed body: that is never inflated. */
export function requirePlainHeaders({ headers, rawHeaders }: IncomingMessage, limits: Limits): void {
  if (rawHeaders.length / 2 > limits.headers) throw new Refusal(431, 'Too many headers', `${limits.headers} headers are allowed`)
  const names = rawHeaders.filter((_, index) => index % 2 === 0)
  if (names.filter(name => name.toLowerCase() === 'authorization').length > 1) {
    throw badRequest('The request is not acceptable', 'Authorization: is there twice')
  }
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') {
    throw new Refusal(415, 'Unsupported Media Type', 'Content-Encoding: send the body as it is')
  }
}
