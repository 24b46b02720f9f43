/**
 * OpenTelemetry spans of a run, its stages and its requests, if the host program has registered a tracer provider. Otherwise requests
 * carry the trace of the environment. The package of the API is not imported: a copy of another version refuses the object that the host
 * program registered without a word. Only its types are.
 */
import { randomBytes } from 'node:crypto'
import type { Context, ContextManager, Span, SpanContext, Tracer, TracerProvider } from '@opentelemetry/api'
import { type Env, traceOf } from '../env/environment.ts'
import { packageInfo } from '../env/package-info.ts'
import { FettleError } from '../errors.ts'
import type { CallOptions } from '../model/requests.ts'
import type { StageName } from '../model/stages.ts'
import type { Plan } from '../pipeline/index.ts'
import type { RunReporter } from './reporters.ts'

export interface RunTrace {
  readonly traceId: string
  /** The header of every request, null for none. */
  readonly traceparent: string | null
  /** Creates the spans; null without OpenTelemetry. */
  readonly reporter: RunReporter | null
  /** Why there are no spans although a trace was passed on; null otherwise. */
  readonly note: string | null
  client<S extends object>(service: S): S
}

/** Starts the span of a run, below the active span of the host program, else below TRACEPARENT. */
export function openTrace(env: Env, plan: Plan): RunTrace {
  const api = registeredApi()
  const { traceId, traceparent } = traceOf(env)
  const without = (why: string): RunTrace => ({
    traceId: traceId ?? randomBytes(16).toString('hex'),
    traceparent,
    reporter: null,
    note: traceparent === null ? null : `no spans are recorded for the trace of TRACEPARENT, which requests carry: ${why}`,
    client: service => service,
  })
  if (api === null) return without('this process has registered no OpenTelemetry')
  const tracer = api.provider.getTracer(packageInfo().name, packageInfo().version)
  const attributes = { 'fettle.pipeline': plan.name, 'fettle.rows': plan.rows, 'fettle.jobs': plan.parts.length }
  const root = tracer.startSpan('fettle.run', { attributes }, findParent(api, env))
  const own = root.spanContext()
  if (!isValid(own)) return without('OpenTelemetry is registered without an SDK')
  const spans = new Spans(api, tracer, root, withSpan(api.active(), root))
  return {
    traceId: own.traceId,
    traceparent: `00-${own.traceId}-${own.spanId}-${own.traceFlags.toString(16).padStart(2, '0')}`,
    reporter: spans,
    note: null,
    client: service => spans.client(service),
  }
}

function findParent(api: RegisteredApi, env: Env): Context {
  const active = api.active()
  const [, traceId, spanId, flags = '00'] = traceOf(env).traceparent?.split('-') ?? []
  if (spanIn(active) !== undefined || traceId === undefined || spanId === undefined) return active
  const remote = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  return withSpan(active, { spanContext: () => remote })
}

/** The stage of a request, from its options; a request outside of stages belongs to the run. */
const findStage = (args: readonly unknown[]): StageName | undefined => (args.at(-1) as CallOptions | undefined)?.stage

class Spans implements RunReporter {
  readonly name = 'OpenTelemetry'
  readonly #api: RegisteredApi
  readonly #tracer: Tracer
  readonly #root: Span
  readonly #around: Context
  readonly #stages = new Map<StageName, Span>()

  constructor(api: RegisteredApi, tracer: Tracer, root: Span, around: Context) {
    this.#api = api
    this.#tracer = tracer
    this.#root = root
    this.#around = around
  }

  onRunStart: NonNullable<RunReporter['onRunStart']> = ({ runId }, before) => {
    this.#root.setAttributes({ 'fettle.run.id': runId, 'fettle.resumed': before !== null })
  }

  onEvent: NonNullable<RunReporter['onEvent']> = event => {
    if (event.type === 'stage.started') {
      const attributes = { 'fettle.stage': event.stage }
      this.#stages.set(event.stage, this.#tracer.startSpan(`fettle.stage.${event.stage}`, { attributes }, this.#around))
    }
    if (event.type !== 'stage.finished' && event.type !== 'stage.failed') return
    const span = this.#stages.get(event.stage)
    this.#stages.delete(event.stage)
    span?.setAttributes({ 'fettle.requests': event.http.requests, 'fettle.retries': event.http.retries })
    if (span !== undefined && event.type === 'stage.failed') this.#failed(span, event.error)
    span?.end()
  }

  onRunEnd: NonNullable<RunReporter['onRunEnd']> = ({ totals, status, exitCode }, { error }) => {
    for (const span of this.#stages.values()) span.end()
    const { matched, review, unmatched, failed } = totals
    const counts = Object.entries({ matched, review, unmatched, failed }).filter(([, count]) => count !== null)
    for (const [outcome, count] of counts) this.#root.setAttribute(`fettle.rows.${outcome}`, count!)
    this.#root.setAttribute('fettle.status', status)
    if (exitCode !== null) this.#root.setAttribute('fettle.exit_code', exitCode)
    if (error !== null) this.#failed(this.#root, error)
    this.#root.end()
  }

  /** `takeCounts` sends no request. */
  client<S extends object>(service: S): S {
    const traced = Object.entries(service).map(([operation, send]) => [
      operation,
      typeof send !== 'function' || operation === 'takeCounts'
        ? send
        : (...args: readonly unknown[]) =>
            this.#request(operation, findStage(args), () => Promise.resolve(send.apply(service, args))),
    ])
    return Object.fromEntries(traced) as S
  }

  async #request<T>(operation: string, stageName: StageName | undefined, send: () => Promise<T>): Promise<T> {
    const stage = stageName && this.#stages.get(stageName)
    const around = stage === undefined ? this.#around : withSpan(this.#around, stage)
    const attributes = { 'fettle.operation': operation }
    const span = this.#tracer.startSpan(`fettle.request.${operation}`, { kind: CLIENT, attributes }, around)
    try {
      return await this.#api.with(withSpan(around, span), send)
    } catch (error) {
      this.#failed(span, FettleError.is(error) ? error : new FettleError('FETTLE_BUG'))
      throw error
    } finally {
      span.end()
    }
  }

  #failed(span: Span, { code, message }: { readonly code: string; readonly message: string }): void {
    span.setAttribute('fettle.error.code', code)
    span.setStatus({ code: ERROR, message })
  }
}

/** The global symbol under which every version 1 of the API registers. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1')
/** The key of the current span in a context, the same in all versions. */
const SPAN = Symbol.for('OpenTelemetry Context Key SPAN')

/** Values of SpanKind and SpanStatusCode. */
const CLIENT = 2
const ERROR = 2

class PlainContext implements Context {
  readonly #values: ReadonlyMap<symbol, unknown>

  constructor(values: ReadonlyMap<symbol, unknown> = new Map()) {
    this.#values = values
  }

  getValue(key: symbol): unknown {
    return this.#values.get(key)
  }

  setValue(key: symbol, value: unknown): Context {
    return new PlainContext(new Map([...this.#values, [key, value]]))
  }

  deleteValue(key: symbol): Context {
    return new PlainContext(new Map([...this.#values].filter(([one]) => one !== key)))
  }
}

interface RegisteredApi {
  readonly provider: TracerProvider
  active(): Context
  /** Calls `send` with `context` as the active one. */
  with<T>(context: Context, send: () => T): T
}

/** Null where no tracer provider is registered. */
function registeredApi(): RegisteredApi | null {
  const all = globalThis as { [REGISTERED]?: { readonly trace?: TracerProvider; readonly context?: ContextManager } }
  const { trace: provider, context } = all[REGISTERED] ?? {}
  if (typeof provider?.getTracer !== 'function') return null
  return {
    provider,
    active: () => context?.active() ?? new PlainContext(),
    with: (around, send) => (context === undefined ? send() : context.with(around, send)),
  }
}

const spanIn = (context: Context): Span | undefined => context.getValue(SPAN) as Span | undefined

const withSpan = (context: Context, span: Pick<Span, 'spanContext'>): Context => context.setValue(SPAN, span)

const isValid = ({ traceId, spanId }: SpanContext): boolean =>
  /^(?!0{32})[0-9a-f]{32}$/i.test(traceId) && /^(?!0{16})[0-9a-f]{16}$/i.test(spanId)
