/**
 * The part of OpenTelemetry's API that spans need, read from the object that the host program registered. The package is not imported: a
 * copy of another version refuses that object without a word. Only the types come from the package.
 */
import type { Context, ContextManager, Span, SpanContext, TracerProvider } from '@opentelemetry/api'

/** The global symbol under which every version 1 of the API registers. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1')
/** The key of the current span in a context, the same in all versions. */
const SPAN = Symbol.for('OpenTelemetry Context Key SPAN')

/** Values of SpanKind and SpanStatusCode. */
export const CLIENT = 2
export const ERROR = 2

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

export interface RegisteredApi {
  readonly provider: TracerProvider
  active(): Context
  /** Calls `send` with `context` as the active one. */
  with<T>(context: Context, send: () => T): T
}

/** Null where no tracer provider is registered. */
export function registeredApi(): RegisteredApi | null {
  const all = globalThis as { [REGISTERED]?: { readonly trace?: TracerProvider; readonly context?: ContextManager } }
  const { trace: provider, context } = all[REGISTERED] ?? {}
  if (typeof provider?.getTracer !== 'function') return null
  return {
    provider,
    active: () => context?.active() ?? new PlainContext(),
    with: (around, send) => (context === undefined ? send() : context.with(around, send)),
  }
}

export const spanIn = (context: Context): Span | undefined => context.getValue(SPAN) as Span | undefined

export const withSpan = (context: Context, span: Pick<Span, 'spanContext'>): Context => context.setValue(SPAN, span)

export const isValid = ({ traceId, spanId }: SpanContext): boolean =>
  /^(?!0{32})[0-9a-f]{32}$/i.test(traceId) && /^(?!0{16})[0-9a-f]{16}$/i.test(spanId)
