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
  const server = new FaultProxy(options)
  await server.listen()
  return server
}

class FaultProxy implements FaultServer {
  readonly requests: SeenDraft[] = []
  // Methods that tests pass on by themselves.
  readonly effects: FaultServer['effects']
  readonly pending = (): number => this.#open.size
  readonly close = (): Promise<void> => this.#close()
  readonly #options: FaultServerOptions
  readonly #startedAt = performance.now()
  readonly #ledger = openLedger()
  readonly #refused = new Set<string>()
  readonly #open = new Set<Exchange>()
  readonly #around: ExchangeContext
  readonly #means: Means
  readonly #server = createServer((request, response) => {
    if (request.url === CONTROL_PATH)
      void control(request, response, { arm: faults => this.arm(faults), armed: () => this.#armed })
    else this.#begin(request, response)
  })
  #target: URL
  #armed: Arming = arm([])
  #origin = ''

  constructor(options: FaultServerOptions) {
    this.#options = options
    this.#target = new URL(options.target)
    const around = {
      without: (options.without ?? []).map(name => name.toLowerCase()),
      keepAlive: options.keepAlive ?? true,
      note: this.#ledger.note,
    }
    const [readTarget, readOrigin] = [() => this.#target, () => this.#origin]
    this.#around = {
      ...around,
      get target() {
        return readTarget()
      },
      get origin() {
        return readOrigin()
      },
    }
    this.effects = this.#ledger.effects
    this.#means = {
      onKill: () => options.onKill?.(),
      refuseToken: ({ seen }) => seen.token !== null && this.#refused.add(seen.token) !== undefined,
    }
  }

  get url(): string {
    return this.#origin + this.#target.pathname.replace(/\/$/, '')
  }

  get origin(): string {
    return this.#origin
  }

  async listen(): Promise<void> {
    const server = this.#server
    // A connection that times out would be an unplanned fault.
    server.keepAliveTimeout = 0
    server.requestTimeout = 0
    server.headersTimeout = 0
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
    this.#origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  arm(faults: readonly FaultInput[] | Policy): Armed {
    const next = arm(faults)
    const kills = next.report().some(({ fault }) => fault.effect.kind === 'killClient')
    if (kills && this.#options.onKill === undefined)
      throw new FettleError('FETTLE_USAGE', 'cannot plan killClient: the fault server was started without onKill')
    this.#armed.disarm()
    this.#refused.clear()
    this.#armed = next
    return next
  }

  retarget(target: string): void {
    this.#target = new URL(target)
  }

  async #close(): Promise<void> {
    const server = this.#server
    if (!server.listening) return
    const closed = new Promise<void>(resolve => server.close(() => resolve()))
    for (const exchange of this.#open) exchange.reset()
    server.closeAllConnections()
    await closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    const seen = this.#record(request)
    this.requests.push(seen)
    const exchange = new Exchange(request, response, seen, this.#around)
    this.#open.add(exchange)
    void this.#handle(exchange)
      .catch(error => (error instanceof Down ? this.#answerDown(exchange) : fail(exchange, error)))
      .then(() => exchange.gone)
      .finally(() => this.#open.delete(exchange))
  }

  #record(request: IncomingMessage): SeenDraft {
    const { method = 'GET', url = '/', headers } = request
    const cut = url.indexOf('?')
    const path = cut === -1 ? url : url.slice(0, cut)
    const key = headers['idempotency-key']
    const token = bearer.exec(headers.authorization ?? '')?.[1]
    return {
      ...matchOperation(method, path, this.#target.pathname.replace(/\/$/, '')),
      method,
      path,
      query: cut === -1 ? '' : url.slice(cut),
      status: null,
      given: null,
      effect: null,
      at: this.#options.now?.() ?? performance.now() - this.#startedAt,
      idempotencyKey: (Array.isArray(key) ? key.join() : key) ?? null,
      token: token === undefined ? null : digest(token),
    }
  }

  async #handle(exchange: Exchange): Promise<void> {
    const { seen } = exchange
    const { points, fault } = this.#armed.take({ operation: seen.operation, method: seen.method, path: seen.path })
    const pointsAt = async (moment: 'arrival' | 'answered'): Promise<void> => {
      for (const { effect, hit } of points) {
        if (effect.kind !== 'point' || effect.at !== moment) continue
        hit()
        await this.#options.onPoint?.(effect.name)
      }
    }
    await pointsAt('arrival')
    seen.effect = fault?.effect.kind ?? null
    if (fault !== null) await perform(exchange, fault, this.#means)
    else if (seen.token !== null && this.#refused.has(seen.token)) {
      seen.effect = 'expireToken'
      await exchange.drain()
      await unauthorised(exchange)
    } else await pass(exchange)
    await pointsAt('answered')
  }

  async #answerDown(exchange: Exchange): Promise<void> {
    const { whenDown = 'reset' } = this.#options
    if (whenDown === 'reset' || exchange.response.headersSent) return exchange.reset()
    await exchange.answer({ status: whenDown, headers: { 'content-type': 'text/plain' }, body: Buffer.from('Bad Gateway') })
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
