/** What the requests of a client share: connections, counts, a deadline, and the path from an operation to its final reply. */
import { waiting } from '../../abort.ts'
import {
  type AnswerSchema,
  type CallReply,
  LIST_CHANGES,
  LIST_CHANGES_HEADER,
  LIST_FACTS,
  LIST_FACTS_HEADER,
  LIST_FACTS_PRECISION,
  OPERATIONS,
  type Operation,
  type OperationName,
  pathOf,
  readFault,
} from '../../contract/index.ts'
import { type ErrorCode, FettleError } from '../../errors.ts'
import { sampleRows } from '../../list-sample.ts'
import type { ListFacts } from '../../model/list.ts'
import type { CallOptions, Clock, Effect, EffectOptions, FormFile, HttpCounts, ListChanges, Meter } from '../../model/requests.ts'
import { LOGIN_REST_MS, type LoginOptions } from '../auth/session.ts'
import { realClock } from '../clock.ts'
import { type HttpRequest, sendOnce, type Wire } from '../http/exchange.ts'
import { FILE_HOSTS, judgeLink, parseBase, under } from '../http/links.ts'
import { askWithFile } from '../http/multipart.ts'
import { createTransport, LIMITS, type Reply } from '../http/transport.ts'
import { createRedactor, showUrl } from '../redact.ts'
import type { Outcome } from '../retry/policy.ts'
import type { ConnectOptions, RequestName } from '../types.ts'
import type { Opener } from './download.ts'
import { Outage, sendWithRetries, type Tools } from './send-with-retries.ts'
import { createShared, type Shared } from './shared.ts'

type ReplyOf<N extends OperationName> = CallReply<(typeof OPERATIONS)[N]>

// One request of an operation.
interface Demand<N extends OperationName, T> {
  readonly params?: Readonly<Record<string, string>>
  /** A list is one parameter for each element. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>
  readonly json?: unknown
  readonly read: (reply: ReplyOf<N>) => T
  /** What it is about, for messages, when the path does not name it. */
  readonly subject?: string
  readonly options?: CallOptions | EffectOptions<T>
  readonly codes?: Readonly<Record<number, ErrorCode>>
  readonly hints?: Readonly<Record<string, string>>
  readonly spareMs?: number
  readonly onReply?: (reply: Reply) => void
  /** The reply is not used, so it may be empty. */
  readonly confirms?: boolean
  /** Any JSON is accepted, and what cannot be read of it is left out. */
  readonly lenient?: boolean
  readonly form?: { readonly name?: string; readonly file: FormFile; readonly fields: Readonly<Record<string, string>> }
}

/** One request of an operation that the table does not have. */
export interface OpenDemand extends Omit<Demand<OperationName, unknown>, 'read'> {
  readonly open: 'json' | 'text' | 'bytes'
  readonly isHead?: boolean
}

/** A request of any operation, in the table or not. */
type AnyDemand<R, T> = Omit<Demand<OperationName, T>, 'read'> & {
  readonly read: (reply: R) => T
  readonly open?: OpenDemand['open']
  readonly isHead?: boolean
}

/** Fields of answers that are reported as unreadable: more would only repeat them. */
const MAX_DROPPED = 100

const flattenQuery = (query: NonNullable<OpenDemand['query']>): [string, string][] =>
  Object.entries(query).flatMap(([key, value]) => [value].flat().map((text): [string, string] => [key, text]))

const isEffect = <T>(options: CallOptions | EffectOptions<T> | undefined): options is EffectOptions<T> =>
  options !== undefined && 'look' in options

const isEffectful = ({ method, repeat }: Operation): boolean => repeat !== 'free' || method !== 'GET'

const PROXY_LOGIN =
  'Put user name and password of the proxy into HTTPS_PROXY, or HTTP_PROXY for an http:// address: http://user:password@host:port.'

/** Hints for a proxy, by kind of network error and status. */
const PROXY_HINTS = {
  proxy: PROXY_LOGIN,
  407: PROXY_LOGIN,
  noProxy: 'Check HTTPS_PROXY, or HTTP_PROXY for an http:// address; NO_PROXY lists hosts that are reached directly.',
}

/** Largest sizes that the interface states. All others are limits of fettle's own service: a different service may allow more. */
const STATED: Readonly<Record<string, readonly string[]>> = {
  createBusinessSearch: ['name'],
  matchCompanies: ['matchThreshold'],
}

const checked = (name: string, schema: AnswerSchema<unknown> | null, value: unknown): void => {
  const isStated = ({ code, path }: { readonly code?: string; readonly path: readonly PropertyKey[] }): boolean =>
    code !== 'too_big' || STATED[name]?.includes(String(path[0])) === true
  const issue = schema?.safeParse(value).error?.issues.find(isStated)
  if (issue === undefined) return
  const where = issue.path.length === 0 ? '' : ` ${issue.path.map(String).join('.')}`
  throw new FettleError('FETTLE_USAGE', `${name}: the request does not fit the interface,${where} ${issue.message}.`)
}

function checkDemand<R, T>(name: RequestName, operation: Operation, { query, json, params }: AnyDemand<R, T>): void {
  checked(name, operation.query, query ?? {})
  if (operation.request !== 'multipart') checked(name, operation.request, json)
  // An empty value would make the path of a different operation.
  const missing = [...operation.path.matchAll(/\{(\w+)\}/g)].find(([, param = '']) => !params?.[param])?.[1]
  if (missing !== undefined) throw new FettleError('FETTLE_USAGE', `${name}: ${missing} is missing.`)
}

/** Bytes of a sample that the service takes in one request. */
const SAMPLE_BYTES = 1_000_000

/** The first rows of the sample that fit into one request. */
async function smallSample(
  rows: AsyncIterable<Readonly<Record<string, string>>>,
  signal: AbortSignal | undefined,
): Promise<object[]> {
  async function* watched() {
    for await (const row of rows) {
      signal?.throwIfAborted()
      yield row
    }
  }
  let bytes = 2
  return (await sampleRows(watched())).filter(row => {
    bytes += Buffer.byteLength(JSON.stringify(row)) + 1
    return bytes <= SAMPLE_BYTES
  })
}

/** Operations of a client: each request passes a rate limiter, a login and retries that all clients of an account share. */
export class Core {
  readonly opener: Opener
  readonly #options: ConnectOptions
  readonly #base: URL
  readonly #fileHosts: readonly string[]
  readonly #shared: Shared
  readonly #outage: Outage
  readonly #attempts: number
  readonly #clock: Clock
  readonly #deadline: () => number
  readonly #redactor = createRedactor()
  readonly #counts: Meter = { requests: 0, retries: 0, throttledMs: 0 }
  readonly #wire: Omit<Wire, 'onRequest'>
  /** Fields of answers that were reported as unreadable. */
  readonly #dropped = new Set<string>()

  constructor(options: ConnectOptions) {
    const { clock = realClock, attempts = 4 } = options
    this.#options = options
    this.#clock = clock
    this.#attempts = attempts
    this.#base = parseBase(options.url, options.insecure ?? false)
    this.#fileHosts = options.fileHosts ?? FILE_HOSTS
    this.#deadline = options.deadline ?? (() => Number.POSITIVE_INFINITY)
    for (const proxy of [options.proxies?.https, options.proxies?.http])
      if (proxy) this.#redactor.hide(decodeURIComponent(new URL(proxy).password))
    this.#shared = options.shared ?? createShared(clock)
    this.#shared.pace.limit(options.rate ?? null)
    this.#outage = new Outage(options.outage)
    const limits = { ...LIMITS, ...options.limits }
    const direct = createTransport(limits, options)
    this.#wire = {
      transport: options.recorder?.wrap(direct, this.#base, this.#redactor) ?? direct,
      limits,
      clock,
      redactor: this.#redactor,
      headers: { accept: 'application/json', 'user-agent': options.userAgent ?? 'fettle', traceparent: options.traceparent },
      judge: url => judgeLink(url, this.#base, this.#fileHosts),
    }
    this.opener = this.#createOpener()
  }

  openerFor({ meter }: CallOptions): Opener {
    return meter === undefined ? this.opener : this.#createOpener(meter)
  }

  call<N extends OperationName, T>(name: N, demand: Demand<N, T>): Promise<Effect<T>> {
    return this.#send(name, demand, this.openerFor(demand.options ?? {}))
  }

  request(operation: Operation, demand: OpenDemand): Promise<Effect<unknown>> {
    const read = (reply: unknown): unknown => reply
    return this.#sendOperation('request', operation, { ...demand, read }, this.openerFor(demand.options ?? {}))
  }

  /** Throws FETTLE_PRECISION at a service that does not take one. */
  async assertTakesPrecision(options: CallOptions): Promise<void> {
    await this.openerFor(options).tools.session.token(0, options.signal)
    if (!this.#shared.shown.takesPrecision) throw new FettleError('FETTLE_PRECISION')
  }

  /** Facts of a list of these rows; null at a service that does not estimate them. */
  async estimateList(
    rows: () => AsyncIterable<Readonly<Record<string, string>>>,
    precision: number | undefined,
    options: CallOptions = {},
  ): Promise<ListFacts | null> {
    const own = this.openerFor(options)
    await own.tools.session.token(0, options.signal)
    if (!this.#shared.shown.hasListFacts) return null
    const read = ({ inRegister, companyNumbers }: ListFacts): ListFacts => ({ inRegister, companyNumbers })
    const query = precision === undefined ? undefined : { precision: String(precision) }
    const demand = { query, json: await smallSample(rows(), options.signal), read, options }
    return (await this.#sendOperation('request', LIST_FACTS, demand, own)).value
  }

  /** Whether the service names the lists of a search, and what changed in them since; known after the first request. */
  get hasListChanges(): boolean {
    return this.#shared.shown.hasListChanges
  }

  /** Throws what a service answers that does not have the operation. */
  async readListChanges(json: object, options: CallOptions): Promise<ListChanges> {
    const read = ({ listsKey, changed }: ListChanges): ListChanges => ({ listsKey, changed })
    // A place that cannot be read must not be left out: its search would hold.
    const demand = { json, read, options, lenient: false }
    return (await this.#sendOperation('request', LIST_CHANGES, demand, this.openerFor(options))).value
  }

  takeCounts(): HttpCounts {
    const taken = { ...this.#counts, throttledMs: Math.round(this.#counts.throttledMs) }
    Object.assign(this.#counts, { requests: 0, retries: 0, throttledMs: 0 })
    return taken
  }

  close(): Promise<void> {
    return this.#wire.transport.close()
  }

  /** Requests, and logins that they need, are counted by the client and by their own meter. */
  #createOpener(own?: Meter): Opener {
    const meters = own === undefined ? [this.#counts] : [this.#counts, own]
    const tokens = this.#shared.session.tokensFor({ deadline: this.#deadline, logIn: login => this.#logIn(login, opener) })
    const tools: Tools = {
      clock: this.#clock,
      redactor: this.#redactor,
      deadline: this.#deadline,
      pace: this.#shared.pace,
      quota: this.#shared.quota,
      session: {
        token: (spareMs, signal) => this.#untilLogin(() => tokens.token(spareMs, signal), signal),
        renew: (used, signal) => this.#untilLogin(() => tokens.renew(used, signal), signal),
      },
      attempts: this.#attempts,
      outage: this.#outage,
      stop: this.#options.stop,
      onRetry: this.#options.onRetry ?? (() => undefined),
      onRepeat: () => {
        for (const meter of meters) meter.retries += 1
      },
      onPaused: ms => {
        for (const meter of meters) meter.throttledMs += ms
      },
    }
    const onRequest = (): void => {
      for (const meter of meters) meter.requests += 1
    }
    const opener = { base: this.#base, fileHosts: this.#fileHosts, wire: { ...this.#wire, onRequest }, tools }
    return opener
  }

  async #logIn({ signal, deadline, attempts }: LoginOptions, opener: Opener): Promise<string> {
    const { username, password: secret } = this.#options
    const password = typeof secret === 'function' ? secret() : secret
    if (username === '' || password === '') throw new FettleError('FETTLE_CREDENTIALS')
    this.#redactor.hide(password)
    const demand = {
      json: { username, password },
      read: (reply: ReplyOf<'authenticate'>) => reply.token,
      options: { signal, attempts: Math.min(attempts, opener.tools.attempts) },
      onReply: (reply: Reply) => {
        if (reply.status !== 200) return
        const shown = reply.header(LIST_FACTS_HEADER)
        Object.assign(this.#shared.shown, {
          hasListFacts: shown !== null,
          takesPrecision: shown === LIST_FACTS_PRECISION,
          hasListChanges: reply.header(LIST_CHANGES_HEADER) !== null,
        })
      },
    }
    return (await this.#send('authenticate', demand, { ...opener, tools: { ...opener.tools, deadline } })).value
  }

  /** During an outage a request waits for the next login. */
  async #untilLogin(logIn: () => Promise<string>, signal: AbortSignal | undefined): Promise<string> {
    const from = this.#clock.monotonic()
    for (;;) {
      try {
        const token = await logIn()
        this.#redactor.hide(token)
        return token
      } catch (error) {
        const isAway = FettleError.is(error) && error.kind === 'retryable' && error.code !== 'FETTLE_THROTTLED'
        const leftMs = Math.min(this.#outage.left(this.#clock.monotonic() - from), this.#deadline())
        if (!isAway || this.#attempts === 1 || leftMs < LOGIN_REST_MS) throw error
        await waiting([signal, this.#options.stop], either => this.#clock.sleep(LOGIN_REST_MS, either))
      }
    }
  }

  #reportDropped(operation: RequestName, paths: readonly string[]): void {
    for (const unsafe of paths) {
      const path = this.#redactor.clean(unsafe)
      const field = `${operation} ${path}`
      if (this.#dropped.has(field) || this.#dropped.size >= MAX_DROPPED) continue
      this.#dropped.add(field)
      this.#options.onDropped?.({ operation, path })
    }
  }

  #send<N extends OperationName, T>(name: N, demand: Demand<N, T>, opener: Opener): Promise<Effect<T>> {
    return this.#sendOperation<ReplyOf<N>, T>(name, OPERATIONS[name], demand, opener)
  }

  async #sendOperation<R, T>(
    name: RequestName,
    operation: Operation,
    demand: AnyDemand<R, T>,
    { wire, tools }: Opener,
  ): Promise<Effect<T>> {
    const login = name === 'authenticate'
    checkDemand(name, operation, demand)
    const query = demand.query === undefined ? undefined : new URLSearchParams(flattenQuery(demand.query))
    const url = under(this.#base, pathOf(operation, demand.params ?? {}), query)
    const subject = demand.subject === undefined ? '' : ` ${this.#redactor.clean(demand.subject)}`

    const attempt = async (token: string | null): Promise<Outcome<T>> => {
      if (!login && isEffectful(operation)) await this.#options.beforeEffect?.(name)
      let headerId: string | null = null
      const request: HttpRequest<R> = {
        ...this.#describeRequest<R, T>(name, operation, demand),
        url,
        token,
        onReply: reply => {
          headerId = reply.header('x-correlation-id')
          demand.onReply?.(reply)
        },
      }
      const outcome = await (demand.form === undefined
        ? sendOnce(request, wire)
        : askWithFile(request, { name: operation.form?.file ?? 'file', ...demand.form }, wire))
      if (outcome.type !== 'answer') return outcome
      const correlationId = readFault(outcome.value).correlationId ?? headerId
      if (correlationId !== null && operation.method !== 'GET' && !login)
        demand.options?.onCorrelation?.({ operation: name, correlationId: this.#redactor.clean(correlationId) })
      return { type: 'answer', value: demand.read(outcome.value) }
    }

    return sendWithRetries<T>(
      {
        policy: { method: operation.method, repeat: operation.repeat, login, codes: demand.codes ?? {} },
        label: `${name}${subject} (${demand.isHead ? 'HEAD' : operation.method} ${showUrl(url)})`,
        confirms: demand.confirms ?? false,
        authorised: !login,
        spareMs: demand.spareMs ?? 0,
        attempts: demand.options?.attempts,
        signal: demand.options?.signal,
        onThrottled: demand.options?.onThrottled,
        look: isEffect<T>(demand.options) ? demand.options.look : undefined,
        hints: {
          403: `Ask the service for the right to: ${operation.summary}`,
          noName: 'Check service.url: there is no host of that name.',
          ...PROXY_HINTS,
          ...demand.hints,
        },
        attempt,
      },
      tools,
    )
  }

  /** What every attempt of a request sends, and how its reply is read. */
  #describeRequest<R, T>(
    name: RequestName,
    operation: Operation,
    demand: AnyDemand<R, T>,
  ): Omit<HttpRequest<R>, 'url' | 'token' | 'onReply'> {
    const secret = name === 'authenticate'
    const isFree = operation.repeat === 'free'
    const { options } = demand
    const key = (isEffect<T>(options) ? options.key : undefined) ?? (options as CallOptions | undefined)?.idempotencyKey
    return {
      method: operation.method,
      headers: {
        'content-type': demand.json === undefined ? undefined : 'application/json',
        'idempotency-key': operation.request === 'multipart' ? undefined : key,
      },
      body: JSON.stringify(demand.json),
      schema: operation.reply as AnswerSchema<R> | null,
      lenient: demand.lenient ?? (operation.method !== 'GET' && !secret && (isFree || operation.method === 'PUT')),
      keeps: !isFree,
      list: operation.pages,
      onDropped: paths => this.#reportDropped(name, paths),
      confirms: demand.confirms ?? false,
      open: demand.open,
      isHead: demand.isHead,
      secret,
      signal: options?.signal,
    }
  }
}
