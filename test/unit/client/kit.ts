/** Shared by the client's tests: a scripted HTTP server, a clock without real sleeps, a client that is closed after the test. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type Client, type ConnectOptions, connect, createShared, type Shared } from '../../../src/client/index.ts'

/** A request as it arrived. */
interface Seen {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

type Act = (request: IncomingMessage, response: ServerResponse, seen: Seen) => void
/** How a request is answered: with JSON, with status and headers, or by a function. */
export type Answer = { status?: number; json?: unknown; text?: string; headers?: Record<string, string | string[]> } | Act

/** Closes the connection before a byte of the reply. */
export const reset: Act = request => void request.socket.resetAndDestroy()
/** Never answers. */
export const silence: Act = () => undefined
/** Announces more than it sends, then closes. */
export const cutReply: Act = (request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' })
  response.write('{"id":', () => request.socket.destroy())
}
/** A status with a fault body. */
export const fault = (status: number, headers: Record<string, string> = {}): Answer => ({
  status,
  headers,
  json: { correlationId: `c-${status}`, message: 'Refused', details: `because of ${status}` },
})
/** An HTML page where the API should be. */
export const page: Answer = { text: '<!doctype html><title>Portal</title>', headers: { 'content-type': 'text/html' } }

function play(answer: Answer, request: IncomingMessage, response: ServerResponse, seen: Seen): void {
  if (typeof answer === 'function') {
    answer(request, response, seen)
    return
  }
  const type = answer.text === undefined ? { 'content-type': 'application/json' } : {}
  response.writeHead(answer.status ?? 200, { ...type, ...answer.headers })
  response.end(answer.text ?? JSON.stringify(answer.json ?? {}))
}

export interface ScriptedServer {
  readonly origin: string
  readonly url: string
  /** Every request, in order. */
  readonly seen: Seen[]
  /** Requests of a route such as `POST /authenticate`. */
  of(route: string): Seen[]
}

export const LOGIN = 'POST /authenticate'
export const JOBS = '/dataCleaning/jobs'

/**
 * Serves a script: route (below /v1, or whole) -> its answers in turn, the last one for ever. The login answers `token-1`,
 * `token-2` … unless scripted; what is not scripted is 418.
 */
export async function serveScript(script: Record<string, Answer[]>): Promise<ScriptedServer> {
  const seen: Seen[] = []
  const turns = new Map<string, number>()
  const routeOf = (one: Seen) => `${one.method} ${one.path.replace(/^\/v1/, '')}`
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('error', () => undefined)
    response.on('error', () => undefined)
    const url = new URL(request.url ?? '/', 'http://local')
    const arrive = (): Seen => {
      const { method = '', headers } = request
      const one = { method, path: url.pathname, query: url.searchParams, headers, body: Buffer.concat(chunks) }
      seen.push(one)
      return one
    }
    const turn = (route: string): Answer | undefined => {
      const answers = script[route]
      const nth = turns.get(route) ?? 0
      turns.set(route, nth + 1)
      if (answers === undefined) return route === LOGIN ? { json: { token: `token-${nth + 1}` } } : undefined
      return answers[Math.min(nth, answers.length - 1)]
    }
    const early = request.headers['content-type']?.startsWith('multipart') && script[`early ${url.pathname}`]
    if (early) return play(turn(`early ${url.pathname}`) ?? { status: 418 }, request, response, arrive())
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      const one = arrive()
      play(turn(routeOf(one)) ?? { status: 418 }, request, response, one)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    return new Promise<void>(resolve => server.close(() => resolve()))
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { origin, url: `${origin}/v1`, seen, of: route => seen.filter(one => routeOf(one) === route) }
}

/** A clock that jumps instead of sleeping and remembers every wait; chance is always one half. */
export function createVirtualClock(start = Date.UTC(2026, 0, 1)) {
  const sleeps: number[] = []
  let at = 0
  return {
    sleeps,
    advance: (ms: number) => {
      at += ms
    },
    now: () => start + at,
    monotonic: () => at,
    random: () => 0.5,
    async sleep(ms: number, signal?: AbortSignal) {
      signal?.throwIfAborted()
      sleeps.push(ms)
      at += ms
      await new Promise(resolve => setImmediate(resolve))
      signal?.throwIfAborted()
    },
  }
}

type Quota = Shared['quota']
export type VirtualClock = ReturnType<typeof createVirtualClock>

/** A client of the server with a virtual clock, closed after the test. */
export function clientOf(
  server: { url: string },
  { quota, ...options }: Partial<ConnectOptions> & { quota?: Quota } = {},
): Client & { clock: VirtualClock } {
  const clock = createVirtualClock()
  const shared = createShared(clock, quota)
  const client = connect({ url: server.url, username: 'user', password: 'canary-password', clock, shared, ...options })
  onTestFinished(() => client.close())
  return Object.assign(client, { clock })
}

/** An address at which nothing listens. */
export async function closedPort(): Promise<string> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise<void>(resolve => server.close(() => resolve()))
  return `http://127.0.0.1:${port}/v1`
}

/** The error a promise rejects with. */
export async function errorOf(promise: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  try {
    await promise
  } catch (error) {
    return error as Error & Record<string, unknown>
  }
  throw new Error('it should have failed')
}

export const job = (id: string, more: Record<string, unknown> = {}) => ({ id, name: 'run-1', status: 'created', ...more })

/** An upload of these bytes that counts how often it was opened. */
export function uploadOf(bytes: Uint8Array, more: Partial<{ filename: string; hasHeader: boolean; claim: number }> = {}) {
  const state = { opened: 0, progress: [] as number[] }
  const file = {
    filename: more.filename ?? 'suppliers.csv',
    bytes: more.claim ?? bytes.length,
    hasHeader: more.hasHeader ?? true,
    onProgress: (sent: number) => void state.progress.push(sent),
    async *open() {
      state.opened += 1
      for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000)
    },
  }
  return { file, state }
}
