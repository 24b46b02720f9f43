/** What the requests of a client share: connections, counts, a deadline, and the path from an operation to its final reply. */
import { waiting } from '../../abort.ts'
import {
  type AnswerSchema,
  type CallReply,
  LIST_FACTS,
  LIST_FACTS_HEADER,
  OPERATIONS,
  type Operation,
  type OperationName,
  pathOf,
  readFault,
} from '../../contract/index.ts'
import { type ErrorCode, FettleError } from '../../errors.ts'
import { sampleRows } from '../../list-sample.ts'
import type { ListFacts } from '../../model/list.ts'
import type { CallOptions, Effect, EffectOptions, FormFile, HttpCounts, Meter } from '../../model/requests.ts'
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
import { createShared } from './shared.ts'

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
  readonly open: 'json' | 'bytes'
}

export interface Core {
  readonly opener: Opener
  openerFor(options: CallOptions): Opener
  call<N extends OperationName, T>(name: N, demand: Demand<N, T>): Promise<Effect<T>>
  request(operation: Operation, demand: OpenDemand): Promise<Effect<unknown>>
  /** Facts of a list of these rows; null at a service that does not estimate them. */
  estimateList(rows: () => AsyncIterable<Readonly<Record<string, string>>>, options?: CallOptions): Promise<ListFacts | null>
  takeCounts(): HttpCounts
  close(): Promise<void>
}

/** Fields of answers that are reported as unreadable: more are no news. */
const MAX_DROPPED = 100

const pairsOf = (query: NonNullable<OpenDemand['query']>): [string, string][] =>
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

/** Largest sizes that the interface states. All others are those of fettle's own service: another one may allow more. */
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

export function createCore(options: ConnectOptions): Core {
  const { clock = realClock } = options
  const limits = { ...LIMITS, ...options.limits }
  const base = parseBase(options.url, options.insecure ?? false)
  const fileHosts = options.fileHosts ?? FILE_HOSTS
  const deadline = options.deadline ?? (() => Number.POSITIVE_INFINITY)
  const redactor = createRedactor()
  for (const proxy of [options.proxies?.https, options.proxies?.http])
    if (proxy) redactor.hide(decodeURIComponent(new URL(proxy).password))
  const shared = options.shared ?? createShared(clock)
  shared.pace.limit(options.rate ?? null)
  const { attempts = 4 } = options
  const outage = new Outage(options.outage)
  const counts: Meter = { requests: 0, retries: 0, throttledMs: 0 }

  const direct = createTransport(limits, options)
  const transport = options.recorder?.wrap(direct, base, redactor) ?? direct
  const common: Omit<Wire, 'onRequest'> = {
    transport,
    limits,
    clock,
    redactor,
    headers: {
      accept: 'application/json',
      'user-agent': options.userAgent ?? 'fettle',
      ...(options.traceparent === undefined ? {} : { traceparent: options.traceparent }),
    },
    judge: url => judgeLink(url, base, fileHosts),
  }

  const logIn = async ({ signal, deadline: latest, attempts }: LoginOptions, by: Opener): Promise<string> => {
    const password = typeof options.password === 'function' ? options.password() : options.password
    if (options.username === '' || password === '') throw new FettleError('FETTLE_CREDENTIALS')
    redactor.hide(password)
    const json = { username: options.username, password }
    const call = { signal, attempts: Math.min(attempts, by.tools.attempts) }
    const onReply = (reply: Reply): void => {
      if (reply.status === 200) shared.shown.hasListFacts = reply.header(LIST_FACTS_HEADER) !== null
    }
    const demand = { json, read: (reply: ReplyOf<'authenticate'>) => reply.token, options: call, onReply }
    return (await send('authenticate', demand, { ...by, tools: { ...by.tools, deadline: latest } })).value
  }

  const seen = new Set<string>()
  const reportDropped = (operation: RequestName, paths: readonly string[]): void => {
    for (const path of paths.map(one => redactor.clean(one))) {
      const field = `${operation} ${path}`
      if (seen.has(field) || seen.size >= MAX_DROPPED) continue
      seen.add(field)
      options.onDropped?.({ operation, path })
    }
  }

  const hidden = (token: string): string => {
    redactor.hide(token)
    return token
  }

  /** During an outage a request waits for the next login. */
  const untilLogin = async (logIn: () => Promise<string>, signal: AbortSignal | undefined): Promise<string> => {
    const from = clock.monotonic()
    for (;;) {
      try {
        return hidden(await logIn())
      } catch (error) {
        const isAway = FettleError.is(error) && error.kind === 'retryable' && error.code !== 'FETTLE_THROTTLED'
        const leftMs = Math.min(outage.left(clock.monotonic() - from), deadline())
        if (!isAway || attempts === 1 || leftMs < LOGIN_REST_MS) throw error
        await waiting([signal, options.stop], either => clock.sleep(LOGIN_REST_MS, either))
      }
    }
  }

  /** Requests, and logins that they need, are counted by the client and by their own meter. */
  const openerOf = (own?: Meter): Opener => {
    const meters = own === undefined ? [counts] : [counts, own]
    const tokens = shared.session.tokensFor({ deadline, logIn: how => logIn(how, opener) })
    const tools: Tools = {
      clock,
      redactor,
      deadline,
      pace: shared.pace,
      quota: shared.quota,
      session: {
        token: (spareMs, signal) => untilLogin(() => tokens.token(spareMs, signal), signal),
        renew: (used, signal) => untilLogin(() => tokens.renew(used, signal), signal),
      },
      attempts,
      outage,
      stop: options.stop,
      onRetry: options.onRetry ?? (() => undefined),
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
    const opener = { base, fileHosts, wire: { ...common, onRequest }, tools }
    return opener
  }

  function send<N extends OperationName, T>(name: N, demand: Demand<N, T>, opener: Opener): Promise<Effect<T>> {
    return sendOperation<ReplyOf<N>, T>(name, OPERATIONS[name], demand, opener)
  }

  async function sendOperation<R, T>(
    name: RequestName,
    operation: Operation,
    demand: Omit<Demand<OperationName, T>, 'read'> & { readonly read: (reply: R) => T; readonly open?: OpenDemand['open'] },
    { wire, tools }: Opener,
  ): Promise<Effect<T>> {
    const login = name === 'authenticate'
    const effect = isEffect<T>(demand.options) ? demand.options : undefined
    const key = effect?.key ?? (demand.options as CallOptions | undefined)?.idempotencyKey
    checked(name, operation.query, demand.query ?? {})
    if (operation.request !== 'multipart') checked(name, operation.request, demand.json)
    // An empty value would make the path of another operation.
    const missing = [...operation.path.matchAll(/\{(\w+)\}/g)].find(([, param = '']) => !demand.params?.[param])?.[1]
    if (missing !== undefined) throw new FettleError('FETTLE_USAGE', `${name}: ${missing} is missing.`)
    const query = demand.query === undefined ? undefined : new URLSearchParams(pairsOf(demand.query))
    const url = under(base, pathOf(operation, demand.params ?? {}), query)
    const subject = demand.subject === undefined ? '' : ` ${redactor.clean(demand.subject)}`

    const attempt = async (token: string | null): Promise<Outcome<T>> => {
      if (!login && isEffectful(operation)) await options.beforeEffect?.(name)
      let headerId: string | null = null
      const question: HttpRequest<R> = {
        method: operation.method,
        url,
        token,
        headers: {
          ...(demand.json === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === undefined || operation.request === 'multipart' ? {} : { 'idempotency-key': key }),
        },
        body: JSON.stringify(demand.json),
        schema: operation.reply as AnswerSchema<R> | null,
        lenient:
          demand.lenient ?? (operation.method !== 'GET' && !login && (operation.repeat === 'free' || operation.method === 'PUT')),
        keeps: operation.repeat !== 'free',
        list: operation.pages,
        onDropped: paths => reportDropped(name, paths),
        confirms: demand.confirms ?? false,
        open: demand.open,
        secret: login,
        signal: demand.options?.signal,
        onReply: reply => {
          headerId = reply.header('x-correlation-id')
          demand.onReply?.(reply)
        },
      }
      const outcome = await (demand.form === undefined
        ? sendOnce(question, wire)
        : askWithFile(question, { name: operation.form?.file ?? 'file', ...demand.form }, wire))
      if (outcome.type !== 'answer') return outcome
      const correlationId = readFault(outcome.value).correlationId ?? headerId
      if (correlationId !== null && operation.method !== 'GET' && !login)
        demand.options?.onCorrelation?.({ operation: name, correlationId: redactor.clean(correlationId) })
      return { type: 'answer', value: demand.read(outcome.value) }
    }

    return sendWithRetries<T>(
      {
        policy: { method: operation.method, repeat: operation.repeat, login, codes: demand.codes ?? {} },
        label: `${name}${subject} (${operation.method} ${showUrl(url)})`,
        confirms: demand.confirms ?? false,
        authorised: !login,
        spareMs: demand.spareMs ?? 0,
        attempts: demand.options?.attempts,
        signal: demand.options?.signal,
        onThrottled: demand.options?.onThrottled,
        look: effect?.look,
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

  const opener = openerOf()
  const openerFor = ({ meter }: CallOptions): Opener => (meter === undefined ? opener : openerOf(meter))
  return {
    opener,
    openerFor,
    call: (name, demand) => send(name, demand, openerFor(demand.options ?? {})),
    request: (operation, demand) =>
      sendOperation('request', operation, { ...demand, read: (reply: unknown) => reply }, openerFor(demand.options ?? {})),
    async estimateList(rows, call = {}) {
      const own = openerFor(call)
      await own.tools.session.token(0, call.signal)
      if (!shared.shown.hasListFacts) return null
      const read = ({ inRegister, companyNumbers }: ListFacts): ListFacts => ({ inRegister, companyNumbers })
      const demand = { json: await smallSample(rows(), call.signal), read, options: call }
      return (await sendOperation('request', LIST_FACTS, demand, own)).value
    },
    takeCounts() {
      const taken = { ...counts, throttledMs: Math.round(counts.throttledMs) }
      Object.assign(counts, { requests: 0, retries: 0, throttledMs: 0 })
      return taken
    },
    close: () => transport.close(),
  }
}
