/**
 * One exchange over HTTP, without retries, redirects and decompression. The only importer of undici. Its timeouts run in real time, in
 * the sockets; deliberate waits use the clock instead.
 */

import { Agent, buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici'
import type { Operation } from '../../contract/index.ts'
import { FettleError } from '../../errors.ts'
import { type NetworkError, ProxyFailure, readNetworkError } from '../retry/network-error.ts'
import { connectorFactory } from './connector.ts'
import { isLoopback, lookupPublic } from './links.ts'

export const LIMITS = {
  /** Until the connection is open, TLS included. */
  connectMs: 10_000,
  /** Until the reply's headers. */
  headersMs: 60_000,
  /** Until the headers of the reply to an upload: the service may check the file first. */
  uploadHeadersMs: 300_000,
  bodyMs: 60_000,
  /** A download without data for this time has failed. */
  idleMs: 60_000,
  /** A transfer must reach `bytesPerSecond` on average in each window of this length. */
  rateWindowMs: 60_000,
  bytesPerSecond: 1024,
  jsonBytes: 8 * 1024 * 1024,
  /** The largest JSON reply behind a redirect, such as a report of over 10 MB (contract §9.3). */
  linkedBytes: 64 * 1024 * 1024,
}

/** Limits of one exchange; milliseconds unless named otherwise. */
export type Limits = { readonly [K in keyof typeof LIMITS]: number }

/** Proxies by the scheme of the requested address: http:// or https:// URLs, with or without credentials. */
export interface Proxies {
  readonly https: string | null
  readonly http: string | null
  /** Hosts that are reached directly, as NO_PROXY lists them: `host`, `host:port`, `.domain`, or `*` for all. */
  readonly except: readonly string[]
  /** Also for loopback, which is reached directly otherwise. */
  readonly loopback?: boolean
}

const findPort = (url: URL): string => url.port || (url.protocol === 'https:' ? '443' : '80')

function isExcepted(url: URL, entry: string): boolean {
  if (entry === '*') return true
  const [, name = '', port] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
  if (port !== undefined && port !== findPort(url)) return false
  const host = url.hostname.replace(/\.$/, '')
  const wanted = name.replace(/^\*?\./, '')
  return wanted !== '' && (host === wanted || host.endsWith(`.${wanted}`))
}

/** The proxy for an address, null when it is reached directly. A name in `except` includes its subdomains, as in curl. */
export function proxyFor(url: URL, proxies: Proxies): string | null {
  if (isLoopback(url) && proxies.loopback !== true) return null
  if (proxies.except.some(entry => isExcepted(url, entry))) return null
  return url.protocol === 'https:' ? proxies.https : proxies.http
}

/** A dispatcher of undici, such as an `Agent`; described here so that a program needs no types of undici. */
export interface HttpDispatcher {
  request(options: never): Promise<unknown>
}

export interface Exchange {
  readonly method: Operation['method'] | 'HEAD'
  readonly url: URL
  /** One that is undefined is not sent. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body?: string | AsyncIterable<Uint8Array>
  readonly headersMs: number
  readonly idleMs: number
  /** `foreign`: another host than the service's, so its address must be a public one. */
  readonly to: 'service' | 'foreign'
  readonly signal?: AbortSignal
}

/** A reply whose body has not been read. The caller reads the body or drops it. */
export interface Reply {
  readonly status: number
  header(name: string): string | null
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: AsyncIterable<Uint8Array>
  /** Closes the connection unless the body was read to its end. */
  drop(): void
}

export interface Transport {
  /** Throws only the caller's abort reason and errors of the caller's own body. */
  send(exchange: Exchange): Promise<Reply | NetworkError>
  close(): Promise<void>
}

export const isNetworkError = (value: Reply | NetworkError): value is NetworkError => 'kind' in value

// undici refuses these too, but its error does not name the header. The value is not printed, since it may be a token.
function checkHeaders(headers: Exchange['headers']): Record<string, string> {
  const set = Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined)
  const bad = set.find(([, value]) => /[^\t\u0020-\u007e\u0080-\u00ff]/.test(value))
  if (bad === undefined) return Object.fromEntries(set)
  const why = `The header ${bad[0]} contains a line break or a character that is not allowed in headers.`
  throw new FettleError('FETTLE_USAGE', why)
}

function makeReply(response: Dispatcher.ResponseData): Reply {
  const { body } = response
  // An unread body that is dropped or times out emits an error, which would end the process.
  body.on('error', () => undefined)
  return {
    status: response.statusCode,
    header(name) {
      const value = response.headers[name]
      return (Array.isArray(value) ? value[0] : value) ?? null
    },
    headers: response.headers,
    body,
    drop: () => void body.destroy(),
  }
}

interface Routes {
  readonly dispatcher?: HttpDispatcher
  readonly proxies?: Proxies
}

// A tunnel for http: too, so that the proxy sees only the address.
const tunnelThrough = (uri: string, timeout: number): Dispatcher =>
  new ProxyAgent({
    uri,
    proxyTls: { timeout },
    // A proxy that accepts the connection and then sends nothing counts as a failed connection.
    clientFactory: (origin, options) =>
      new Pool(origin, { ...options, connect: namingProxy(new URL(uri).host, options), headersTimeout: timeout }),
  })

/** undici's connector; its failures become ProxyFailure. */
function namingProxy(host: string, options: object): buildConnector.connector {
  const { connect } = options as { connect: buildConnector.connector }
  return (to, callback) =>
    connect(to, (...[error, socket]) => {
      if (error === null) callback(null, socket)
      else callback(new ProxyFailure(host, error), null)
    })
}

/**
 * A transport with its own connections, or with `dispatcher` instead. A proxy resolves names by itself: then a foreign link is judged by
 * its name or literal address alone (links.ts), and by the rules of the proxy.
 */
export function createTransport(limits: Limits, { dispatcher: own, proxies }: Routes = {}): Transport {
  const dispatcher = own as Dispatcher | undefined
  const timeout = limits.connectMs
  const direct = dispatcher
    ? { service: dispatcher, foreign: dispatcher }
    : {
        service: new Agent({ connect: connectorFactory(buildConnector({ timeout })) }),
        foreign: new Agent({ connect: connectorFactory(buildConnector({ timeout, lookup: lookupPublic })) }),
      }
  const tunnels = new Map<string, Dispatcher>()

  const routeTo = (to: Exchange['to'], proxy: string | null): Dispatcher => {
    if (proxy === null) return direct[to]
    const tunnel = tunnels.get(proxy) ?? tunnelThrough(proxy, timeout)
    tunnels.set(proxy, tunnel)
    return tunnel
  }

  return {
    async send({ method, url, headers, body, headersMs, idleMs, to, signal }) {
      signal?.throwIfAborted()
      const sent = { 'accept-encoding': 'identity', ...checkHeaders(headers) }
      const proxy = dispatcher !== undefined || proxies === undefined ? null : proxyFor(url, proxies)
      try {
        return makeReply(
          await routeTo(to, proxy).request({
            origin: url.origin,
            path: `${url.pathname}${url.search}`,
            method,
            // Nothing is decompressed here: an answer that is still encoded is read by decodedReply.
            headers: sent,
            headersTimeout: headersMs,
            bodyTimeout: idleMs,
            body: body as string | undefined,
            signal,
          }),
        )
      } catch (error) {
        if (FettleError.is(error)) throw error
        return readNetworkError(error, url.host, proxy === null ? null : new URL(proxy).host)
      }
    },
    async close() {
      if (dispatcher !== undefined) return
      await Promise.all([direct.service, direct.foreign, ...tunnels.values()].map(agent => agent.destroy()))
    },
  }
}
