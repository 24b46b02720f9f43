/**
 * A proxy in front of a service that applies planned faults to requests, and records each request, the service's answer and the
 * answer that the client received.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ZodError } from 'zod'
import { FettleError } from '../errors.ts'
import { Down, Exchange, type ExchangeContext, readWhole, type SeenDraft } from './exchange.ts'
import { type Armed, type Arming, arm, type Policy } from './faults/fault-plan.ts'
import type { FaultInput } from './faults/fault-table.ts'
import { type Means, pass, perform, unauthorised } from './faults/perform.ts'
import { digest, type EffectCounts, matchOperation, openLedger, type Seen } from './record.ts'

/** How a fault server is started. */
export interface FaultServerOptions {
  /** Base address of the service; it ends in `/v1`. */
  readonly target: string
  /** Kills the client, for `killClient`. */
  readonly onKill?: () => unknown
  /** Called at a `point`; the request waits for what it returns. */
  readonly onPoint?: (name: string) => unknown
  /** Milliseconds for the record, since the server's start when absent. */
  readonly now?: () => number
  /** The answer if the service cannot be reached; a reset if absent. */
  readonly whenDown?: 'reset' | 502
  /** Request headers that never reach the service, such as `idempotency-key`. */
  readonly without?: readonly string[]
  /** false: every reply closes its connection. */
  readonly keepAlive?: boolean
}

/** A running fault server. */
export interface FaultServer {
  /** Base address for the client. */
  readonly url: string
  readonly origin: string
  /** Every request, in the order of arrival; a record is complete when the request has ended. */
  readonly requests: readonly Seen[]
  /**
   * Replaces the planned faults; requests are counted from now on, and refused tokens are valid again. If several faults match a
   * request, the first one is applied; points are called in addition. Throws a ZodError, and FETTLE_USAGE for `killClient`
   * without `onKill`.
   */
  arm(faults: readonly FaultInput[] | Policy): Armed
  /** Sets a new address of the service. */
  retarget(target: string): void
  /** Requests that have not ended: in transfer, at the service, or stalled by a fault. */
  pending(): number
  /** Effects that the service executed, for the jobs of this name or in total. */
  effects(jobName?: string): EffectCounts
  /** Breaks every connection and stops. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const bearer = /^Bearer (.+)$/i

/**
 * The HTTP interface for programs in other languages: `POST` plans a list of faults, `GET` returns the planned faults and how often each
 * happened, `DELETE` ends them. Only a fault server has it, never a service (faults H37).
 */
const CONTROL_PATH = '/__faults'

/**
 * Starts a fault server on a free port of 127.0.0.1. It applies no fault before `arm` or `POST /__faults`.
 *
 * @example
 * await using server = await startFaultServer({ target: 'http://127.0.0.1:8080/v1', onKill: () => child.kill('SIGKILL') })
 * const armed = server.arm([
 *   { operation: 'upload', effect: { kind: 'reset', at: 'requestBody' } },
 *   { operation: 'readJob', nth: 3, times: 2, effect: { kind: 'status', status: 503, headers: { 'retry-after': '5' } } },
 * ])
 * // the client works with server.url; afterwards
 * assert.deepEqual(armed.unconsumed(), [])
 */
export async function startFaultServer(options: FaultServerOptions): Promise<FaultServer> {
  const { onKill, onPoint = () => {}, whenDown = 'reset', keepAlive = true } = options
  const startedAt = performance.now()
  const now = options.now ?? (() => performance.now() - startedAt)
  const requests: SeenDraft[] = []
  const ledger = openLedger()
  const refused = new Set<string>()
  const open = new Set<Exchange>()
  let target = new URL(options.target)
  let armed: Arming = arm([])
  let origin = ''

  const around: ExchangeContext = {
    get target() {
      return target
    },
    get origin() {
      return origin
    },
    without: (options.without ?? []).map(name => name.toLowerCase()),
    keepAlive,
    note: ledger.note,
  }
  const means: Means = {
    onKill: () => onKill?.(),
    refuseToken: ({ seen }) => seen.token !== null && refused.add(seen.token) !== undefined,
  }

  const record = (request: IncomingMessage): SeenDraft => {
    const { method = 'GET', url = '/', headers } = request
    const cut = url.indexOf('?')
    const path = cut === -1 ? url : url.slice(0, cut)
    const key = headers['idempotency-key']
    const token = bearer.exec(headers.authorization ?? '')?.[1]
    return {
      ...matchOperation(method, path, target.pathname.replace(/\/$/, '')),
      method,
      path,
      query: cut === -1 ? '' : url.slice(cut),
      status: null,
      given: null,
      effect: null,
      at: now(),
      idempotencyKey: (Array.isArray(key) ? key.join() : key) ?? null,
      token: token === undefined ? null : digest(token),
    }
  }

  const handle = async (exchange: Exchange): Promise<void> => {
    const { seen } = exchange
    const { points, fault } = armed.take({ operation: seen.operation, method: seen.method, path: seen.path })
    const pointsAt = async (moment: 'arrival' | 'answered'): Promise<void> => {
      for (const { effect, hit } of points) {
        if (effect.kind !== 'point' || effect.at !== moment) continue
        hit()
        await onPoint(effect.name)
      }
    }
    await pointsAt('arrival')
    seen.effect = fault?.effect.kind ?? null
    if (fault !== null) await perform(exchange, fault, means)
    else if (seen.token !== null && refused.has(seen.token)) {
      seen.effect = 'expireToken'
      await exchange.drain()
      await unauthorised(exchange)
    } else await pass(exchange)
    await pointsAt('answered')
  }

  const down = async (exchange: Exchange): Promise<void> => {
    if (whenDown === 'reset' || exchange.response.headersSent) return exchange.reset()
    await exchange.answer({ status: whenDown, headers: { 'content-type': 'text/plain' }, body: Buffer.from('Bad Gateway') })
  }

  const begin = (request: IncomingMessage, response: ServerResponse): void => {
    const seen = record(request)
    requests.push(seen)
    const exchange = new Exchange(request, response, seen, around)
    open.add(exchange)
    void handle(exchange)
      .catch(error => (error instanceof Down ? down(exchange) : fail(exchange, error)))
      .then(() => exchange.gone)
      .finally(() => open.delete(exchange))
  }

  const rearm = (faults: readonly FaultInput[] | Policy): Armed => {
    const next = arm(faults)
    const kills = next.report().some(({ fault }) => fault.effect.kind === 'killClient')
    if (kills && onKill === undefined)
      throw new FettleError('FETTLE_USAGE', 'cannot plan killClient: the fault server was started without onKill')
    armed.disarm()
    refused.clear()
    armed = next
    return next
  }

  const server = createServer((request, response) => {
    if (request.url === CONTROL_PATH) void control(request, response, { arm: rearm, armed: () => armed })
    else begin(request, response)
  })
  // A connection that times out would be an unplanned fault.
  server.keepAliveTimeout = 0
  server.requestTimeout = 0
  server.headersTimeout = 0
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const close = async (): Promise<void> => {
    if (!server.listening) return
    const closed = new Promise<void>(resolve => server.close(() => resolve()))
    for (const exchange of open) exchange.reset()
    server.closeAllConnections()
    await closed
  }
  return {
    get url() {
      return origin + target.pathname.replace(/\/$/, '')
    },
    origin,
    requests,
    arm: rearm,
    retarget(next) {
      target = new URL(next)
    },
    pending: () => open.size,
    effects: ledger.effects,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** A bug in this server must not look like a network fault. */
async function fail(exchange: Exchange, error: unknown): Promise<void> {
  const text = `the fault server failed: ${error instanceof Error ? error.message : String(error)}`
  if (exchange.response.headersSent) exchange.reset()
  else await exchange.answer({ status: 599, headers: { 'content-type': 'text/plain' }, body: Buffer.from(text) })
}

/** Answers one request of the control interface: 200 with the account, 400 with what is wrong, 405. */
async function control(
  request: IncomingMessage,
  response: ServerResponse,
  { arm, armed }: { readonly arm: FaultServer['arm']; readonly armed: () => Arming },
): Promise<void> {
  const answer = (status: number, value: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(value))
  }
  try {
    const text = (await readWhole(request)).toString('utf8')
    if (request.method === 'POST') arm(JSON.parse(text) as FaultInput[])
    else if (request.method === 'DELETE') armed().disarm()
    else if (request.method !== 'GET') return answer(405, { message: 'POST, GET or DELETE' })
    answer(200, armed().report())
  } catch (error) {
    const isClientError = error instanceof ZodError || error instanceof SyntaxError || FettleError.is(error)
    answer(isClientError ? 400 : 500, { message: isClientError ? (error as Error).message : 'the fault server failed' })
  }
}
