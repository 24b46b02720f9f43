/** What every request of a run takes and gives, whatever it asks for; options are the last argument of every method of a port. */
import type { StageName } from '../model/stages.ts'

/** The service's id of a request that changed something. */
export interface Correlation {
  readonly operation: string
  readonly correlationId: string
}

/** Requests that went out, repeats among them, and how long pauses held them back. */
export interface Meter {
  requests: number
  retries: number
  throttledMs: number
}

/** What every request takes. */
export interface CallOptions {
  readonly signal?: AbortSignal
  /** Attempts for this request; 1 for a poll, whose repeat is the next poll. */
  readonly attempts?: number
  /** Most milliseconds to wait first because the last answer asked for it. */
  readonly withinMs?: number
  /** Called when the service answers this request by asking for a pause. */
  readonly onThrottled?: () => void
  /** Called with the service's id of this request, when it changed something and the service gives one. */
  readonly onCorrelation?: (correlation: Correlation) => void
  /** Counts what goes out for this request. */
  readonly meter?: Meter
  /** The stage that asks. */
  readonly stage?: StageName
}

/**
 * What a request takes that must not take effect twice. After an answer was lost, `look` reads the state: a value means that
 * it has taken effect (the value stands for the answer), undefined that it has not and may be sent again.
 */
export interface EffectOptions<T> extends CallOptions {
  readonly look: () => Promise<T | undefined>
  /** Sent as Idempotency-Key: the same over attempts and resumes. */
  readonly key: string
}

/** Says whether the effect was found rather than caused. */
export interface Effect<T> {
  readonly value: T
  readonly adopted: boolean
}

/** The same port; `more` joins the options of each of its requests. */
export const withOptions = <Port extends object>(port: Port, more: CallOptions): Port =>
  new Proxy(port, {
    get(target, name) {
      const send: unknown = Reflect.get(target, name)
      if (typeof send !== 'function') return send
      return (...args: readonly unknown[]) =>
        send.apply(target, [...args.slice(0, -1), { ...(args.at(-1) as CallOptions), ...more }])
    },
  })
