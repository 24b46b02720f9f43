/** The observers of a run and the one dispatcher that calls them: an observer that fails is reported once and never changes the run. */
import type { Action } from '../errors.ts'
import type { RunEventInput, RunState } from '../journal/index.ts'
import { freeze } from '../pipeline/planning/freeze.ts'
import type { LineageEvent, Report } from '../report/index.ts'
import type { ProgressEvent } from '../run/index.ts'

/**
 * An observer of runs. Arguments are frozen. A hook may return a promise, which is awaited at the end of the run. The first error a
 * reporter throws is reported as a warning; after it the reporter is not called again. The run is not affected.
 */
export interface RunReporter {
  /** Used in the warning when the reporter fails. */
  readonly name: string
  /** This process starts or resumes a run; `before` is the state that was resumed, null for a new run. */
  onRunStart?(state: RunState, before: RunState | null): unknown
  /** The journal recorded an event; `state` includes it. */
  onEvent?(event: RunEventInput, state: RunState): unknown
  /** Progress between two events: bytes sent, a job polled, a request retried. Nothing of it is recorded. */
  onProgress?(progress: ProgressEvent, state: RunState): unknown
  /** A remark for a log; `action` is the command that follows it. */
  onNote?(text: string, action?: Action | null): unknown
  /** A problem that does not stop the run, such as a reporter that failed. Passed to `onNote` if absent. */
  onWarning?(text: string): unknown
  /** An OpenLineage event. */
  onLineageEvent?(event: LineageEvent): unknown
  /** The process leaves the run: finished, paused or failed. */
  onRunEnd?(report: Report, state: RunState): unknown
}

type Hook = Exclude<keyof RunReporter, 'name'>

/** Calls a list of reporters in order and isolates their failures. */
export interface ReporterDispatcher {
  /** Whether a reporter has the hook, so that costly arguments are built only when needed. */
  has(hook: Hook): boolean
  emit<H extends Hook>(hook: H, ...args: Parameters<NonNullable<RunReporter[H]>>): void
  /** Runs `action` of a reporter under the same rules as a hook. */
  guard(reporter: RunReporter, action: () => unknown): void
  /** A dispatcher for these reporters and `more`, called after them; failures are shared. */
  with(more: readonly RunReporter[]): ReporterDispatcher
  flush(): Promise<void>
}

/** A dispatcher over `reporters`; the list may grow later. */
export function createDispatcher(reporters: readonly RunReporter[]): ReporterDispatcher {
  return makeDispatcher(() => reporters, new Set())
}

function makeDispatcher(list: () => readonly RunReporter[], failed: Set<RunReporter>): ReporterDispatcher {
  let pending: Promise<unknown>[] = []
  const fail = (reporter: RunReporter, error: unknown): void => {
    if (failed.has(reporter)) return
    failed.add(reporter)
    const why = error instanceof Error ? error.message : String(error)
    dispatcher.emit('onWarning', `the reporter ${reporter.name} failed, the run did not: ${why}`)
  }
  const dispatcher: ReporterDispatcher = {
    has: hook => list().some(reporter => reporter[hook] !== undefined),
    emit(hook, ...args) {
      const reporters = list()
      if (reporters.length > 0) for (const argument of args) freeze(argument)
      for (const reporter of reporters) {
        const name = hook === 'onWarning' && reporter.onWarning === undefined ? 'onNote' : hook
        const call = reporter[name] as ((...args: readonly unknown[]) => unknown) | undefined
        if (call !== undefined) dispatcher.guard(reporter, () => call.apply(reporter, args))
      }
    },
    guard(reporter, action) {
      if (failed.has(reporter)) return
      try {
        const result = action()
        if (isThenable(result)) pending.push(Promise.resolve(result).catch(error => fail(reporter, error)))
      } catch (error) {
        fail(reporter, error)
      }
    },
    with: more => makeDispatcher(() => [...list(), ...more], failed),
    async flush() {
      while (pending.length > 0) {
        const now = pending
        pending = []
        await Promise.all(now)
      }
    },
  }
  return dispatcher
}

/** A promise of any library; a `RunHandle` is one too. */
const isThenable = (result: unknown): result is PromiseLike<unknown> =>
  typeof (result as { readonly then?: unknown } | null | undefined)?.then === 'function'
