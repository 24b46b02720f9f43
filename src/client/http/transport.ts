/**
 * One exchange over HTTP and nothing more: no repeat, no redirect, no inflation, no opinion on statuses. The only importer of
 * undici. Its limits run in real time, in the sockets; everything that waits on purpose goes by the clock instead.
 */

import { Agent, buildConnector, type Dispatcher, Pool, ProxyAgent, request } from 'undici'
import type { Operation } from '../../contract/index.ts'
import { FettleError } from '../../errors.ts'
import { type NetworkError, ProxyFailure, readNetworkError } from '../retry/network-error.ts'
import { lookupPublic } from './addresses.ts'
import { connectorFactory } from './connector.ts'
import type { Limits } from './limits.ts'
import { type Proxies, proxyFor } from './proxies.ts'

export type { Dispatcher }

/** One request as it goes out. */
export interface Exchange {
  readonly method: Operation['method'] | 'HEAD'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | AsyncIterable<Uint8Array>
  readonly headersMs: number
  /** Longest silence within the reply's body. */
  readonly idleMs: number
  /** `foreign`: not the service itself, so the address connected to must be a public one. */
  readonly to: 'service' | 'foreign'
  readonly signal?: AbortSignal | undefined
}

/** A reply whose body has not been read. Whoever takes it reads the body or drops it. */
export interface Reply {
  readonly status: number
  /** The first value of a header, null when it is absent. */
  header(name: string): string | null
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Chunks as they arrive; throws the connection's error. */
  readonly body: AsyncIterable<Uint8Array>
  /** Ends the connection unless the body was read to its end. */
  drop(): void
}

/** Sends exchanges. */
export interface Transport {
  /** A reply, or why there is none; throws only the caller's abort reason and errors of the caller's own body. */
  send(exchange: Exchange): Promise<Reply | NetworkError>
  close(): Promise<void>
}

/** Whether an exchange failed. */
export const isNetworkError = (value: Reply | NetworkError): value is NetworkError => 'kind' in value

// undici refuses these too, but as an anonymous error of the library; a stray line break must name its header (and never its
// value, which may be a token).
function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (/[^\t\u0020-\u007e\u0080-\u00ff]/.test(value))
      throw new FettleError('FETTLE_USAGE', `The header ${name} would hold a line break or a character that no header may hold.`)
  }
}

function readerOf(response: Dispatcher.ResponseData): Reply {
  const { body } = response
  // Dropped or timed out unread, it reports an error that nobody is there to hear.
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

/** Whom a transport connects through. */
interface Ways {
  readonly dispatcher?: Dispatcher
  readonly proxies?: Proxies
}

// A tunnel for http: too, so that the proxy sees the address and nothing else.
const tunnelThrough = (uri: string, timeout: number): Dispatcher =>
  new ProxyAgent({
    uri,
    proxyTls: { timeout },
    // A proxy that takes the connection and then says nothing is a connection that does not come about.
    clientFactory: (origin, options) =>
      new Pool(origin, { ...options, connect: namingProxy(new URL(uri).host, options), headersTimeout: timeout }),
  })

/** The connector of undici's own, its failures known as those of the way to the proxy. */
function namingProxy(host: string, options: object): buildConnector.connector {
  const { connect } = options as { connect: buildConnector.connector }
  return (to, callback) =>
    connect(to, (...[error, socket]) => {
      if (error === null) callback(null, socket)
      else callback(new ProxyFailure(host, error), null)
    })
}

/**
 * A transport with connections of its own, or with `dispatcher` in their place. Through a proxy it is the proxy that looks names
 * up: then a foreign link is judged by its name or literal address alone (links.ts), and the proxy's own rules hold for the rest.
 */
export function createTransport(limits: Limits, { dispatcher, proxies }: Ways = {}): Transport {
  const timeout = limits.connectMs
  const direct = dispatcher
    ? { service: dispatcher, foreign: dispatcher }
    : {
        service: new Agent({ connect: connectorFactory(buildConnector({ timeout })) }),
        foreign: new Agent({ connect: connectorFactory(buildConnector({ timeout, lookup: lookupPublic })) }),
      }
  const tunnels = new Map<string, Dispatcher>()

  const wayTo = (url: URL, to: Exchange['to']): Dispatcher => {
    const proxy = dispatcher !== undefined || proxies === undefined ? null : proxyFor(url, proxies)
    if (proxy === null) return direct[to]
    const tunnel = tunnels.get(proxy) ?? tunnelThrough(proxy, timeout)
    tunnels.set(proxy, tunnel)
    return tunnel
  }

  return {
    async send({ method, url, headers, body, headersMs, idleMs, to, signal }) {
      signal?.throwIfAborted()
      checkHeaders(headers)
      try {
        return readerOf(
          await request(url, {
            method,
            // Nothing here inflates: a compressed answer would be a bomb at worst and unreadable at best.
            headers: { 'accept-encoding': 'identity', ...headers },
            dispatcher: wayTo(url, to),
            headersTimeout: headersMs,
            bodyTimeout: idleMs,
            ...(body === undefined ? {} : { body: body as string }),
            ...(signal === undefined ? {} : { signal }),
          }),
        )
      } catch (error) {
        if (FettleError.is(error)) throw error
        return readNetworkError(error, url.host)
      }
    },
    async close() {
      if (dispatcher !== undefined) return
      await Promise.all([direct.service, direct.foreign, ...tunnels.values()].map(one => one.destroy()))
    },
  }
}
