/**
 * The connections of one run: counts requests by operation and gives the planned one a bad connection: a closed port, a
 * failing name server, a TLS server with an invalid certificate, a proxy that refuses.
 */
import { createServer, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { Agent, DecoratorHandler, type Dispatcher, ProxyAgent } from 'undici'
import type { FaultInput } from '../../../src/testing/index.ts'
import { matchOperation, type Recognised } from '../../../src/testing/record.ts'
import { AUTHORITY, ELSEWHERE, EXPIRED, GOOD, KEY } from './certificates.ts'
import type { BadConnection } from './data.ts'

type How = BadConnection['how']

/** Where a request goes instead, and how. */
interface Detour {
  readonly origin: string | null
  readonly dispatcher: Dispatcher
}

/** Servers and agents for every kind of bad connection; one set for all cells. */
export interface BadConnections {
  to(how: How): Detour
  close(): Promise<void>
}

const listen = (server: Server): Promise<number> =>
  new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)))

const tlsServer = (cert: string, old = false): Server =>
  createTlsServer({
    key: KEY,
    cert,
    ...(old ? { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } : {}),
  }).on('tlsClientError', () => {})

/** A proxy that answers CONNECT with a status. */
const proxy = (status: string): Server =>
  createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`))
  })

const lookupFailing = (code: string) =>
  new Agent({
    connect: {
      lookup: (host, _options, answer) =>
        answer(Object.assign(new Error(`getaddrinfo ${code} ${host}`), { code, syscall: 'getaddrinfo', hostname: host }), ''),
    },
  })

export async function openBadConnections(): Promise<BadConnections> {
  const closed = createServer()
  const closedPort = await listen(closed)
  closed.close()
  const servers = {
    good: tlsServer(GOOD),
    expired: tlsServer(EXPIRED),
    elsewhere: tlsServer(ELSEWHERE),
    old: tlsServer(GOOD, true),
    proxy407: proxy('407 Proxy Authentication Required'),
    proxy503: proxy('503 Service Unavailable'),
  }
  const ports = Object.fromEntries(
    await Promise.all(Object.entries(servers).map(async ([name, server]) => [name, await listen(server)] as const)),
  ) as Record<keyof typeof servers, number>
  const trusting = new Agent({ connect: { ca: AUTHORITY } })
  const plain = new Agent()
  const tls = (port: number): Detour => ({ origin: `https://localhost:${port}`, dispatcher: trusting })
  const through = (port: number): Detour => ({
    origin: null,
    dispatcher: new ProxyAgent({ uri: `http://127.0.0.1:${port}`, proxyTunnel: true }),
  })
  const detours: Record<How, Detour> = {
    refused: { origin: `http://127.0.0.1:${closedPort}`, dispatcher: plain },
    noName: { origin: 'http://no-such-host.example', dispatcher: lookupFailing('ENOTFOUND') },
    nameServerBusy: { origin: 'http://some-host.example', dispatcher: lookupFailing('EAI_AGAIN') },
    connectTimeout: {
      origin: 'http://far-host.example',
      dispatcher: new Agent({ connect: { timeout: 50, lookup: () => {} } }),
    },
    tlsExpired: tls(ports.expired),
    tlsWrongHost: tls(ports.elsewhere),
    tlsUnknownAuthority: { origin: `https://localhost:${ports.good}`, dispatcher: plain },
    tlsOldProtocol: tls(ports.old),
    proxy407: through(ports.proxy407),
    proxy503: through(ports.proxy503),
  }
  return {
    to: how => detours[how],
    async close() {
      await Promise.all(Object.values(detours).map(({ dispatcher }) => dispatcher.destroy()))
      for (const server of Object.values(servers)) server.close()
    },
  }
}

/** Silence that a request in a hurry bears. */
const SILENCE_MS = 300

/** A request that left the client. */
export interface Sent {
  readonly operation: Recognised | null
  readonly host: string
  /** Monotonic milliseconds of the run's clock. */
  readonly at: number
}

/** The connections of one run. */
export interface Connections {
  readonly dispatcher: Dispatcher
  readonly sent: readonly Sent[]
  /** Requests on their way. */
  pending(): number
  /** From now on, requests of this operation meet the bad connection. */
  spoil(bad: BadConnection): void
  /** From now on, so many requests of this operation are given up after a moment of silence. */
  hurry(operation: FaultInput['operation'], times: FaultInput['times']): void
  /** How many met it. */
  spoiled(): number
  close(): Promise<void>
}

/** The same handler, which also tells when its request is over. */
function watched(handler: Dispatcher.DispatchHandler, over: () => void): Dispatcher.DispatchHandler {
  const inner = new DecoratorHandler(handler) as Dispatcher.DispatchHandler
  return {
    onRequestStart: (controller, context) => inner.onRequestStart?.(controller, context),
    onResponseStart: (controller, ...rest) => inner.onResponseStart?.(controller, ...rest),
    onResponseData: (controller, chunk) => inner.onResponseData?.(controller, chunk),
    onResponseEnd(controller, trailers) {
      over()
      inner.onResponseEnd?.(controller, trailers)
    },
    onResponseError(controller, error) {
      over()
      inner.onResponseError?.(controller, error)
    },
  }
}

export function openConnections(base: string, bad: BadConnections, now: () => number): Connections {
  const { pathname } = new URL(base)
  const sent: Sent[] = []
  let pending = 0
  let spoilt: BadConnection | null = null
  let met = 0
  const hurried = new Map<string, number>()
  const agent = new Agent()
  const dispatcher = agent.compose(dispatch => (options, handler) => {
    const { operation } = matchOperation(options.method, options.path.split('?')[0] ?? '', pathname)
    sent.push({ operation, host: new URL(String(options.origin)).host, at: now() })
    pending++
    let isOver = false
    const counting = watched(handler, () => {
      if (!isOver) pending--
      isOver = true
    })
    const left = hurried.get(operation ?? '') ?? 0
    if (left > 0) hurried.set(operation ?? '', left - 1)
    const limits = left > 0 ? { headersTimeout: SILENCE_MS, bodyTimeout: SILENCE_MS } : {}
    if (spoilt === null || operation !== spoilt.operation || (spoilt.times !== 'always' && met >= spoilt.times))
      return dispatch({ ...options, ...limits }, counting)
    met++
    const { origin, dispatcher: detour } = bad.to(spoilt.how)
    return detour.dispatch({ ...options, ...(origin === null ? {} : { origin }) }, counting)
  })
  return {
    dispatcher,
    sent,
    pending: () => pending,
    spoil(next) {
      spoilt = next
      met = 0
    },
    hurry: (operation, times = 1) => void hurried.set(operation, times === 'always' ? Number.POSITIVE_INFINITY : times),
    spoiled: () => met,
    close: () => agent.destroy(),
  }
}
