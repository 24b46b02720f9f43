/**
 * Those outside who are told how one run goes: a program's own reporters, a lineage service, tracing. None of them has a say: what it
 * is told it cannot change, what it throws is a single note, and then it is told nothing more. It knows no format.
 */
import type { RunEventInput, RunState } from '../../journal/index.ts'
import { freeze } from '../../pipeline/planning/freeze.ts'
import type { LineageEvent, Report } from '../../report/index.ts'

/** Somebody who is told how one run goes. A promise is waited for at the end of the run only. */
export interface RunReporter {
  /** For the note that it failed. */
  readonly name: string
  /** A process carries the run: `before` is how it stood when it was gone on with, null for a new one. */
  begin?(state: RunState, before: RunState | null): unknown
  /** Something was recorded; `state` is what it led to. */
  fact?(fact: RunEventInput, state: RunState): unknown
  /** An event of OpenLineage. */
  lineage?(event: LineageEvent): unknown
  /** The process leaves the run, at its end or short of it. */
  end?(report: Report, state: RunState): unknown
}

type Hook = Exclude<keyof RunReporter, 'name'>

/** All reporters of a run as one. */
export interface ReporterDispatcher {
  /** Whether anybody wants to hear of it. */
  has(hook: Hook): boolean
  tell<H extends Hook>(hook: H, ...said: Parameters<NonNullable<RunReporter[H]>>): void
  /** Whatever they are still at. */
  settled(): Promise<void>
}

/** Tells all of them; `note` hears of those that fail, once each. */
export function createDispatcher(reporters: readonly RunReporter[], note: (text: string) => void): ReporterDispatcher {
  const failed = new Set<RunReporter>()
  let pending: Promise<unknown>[] = []
  const fail = (reporter: RunReporter, error: unknown): void => {
    if (failed.has(reporter)) return
    failed.add(reporter)
    note(`the reporter ${reporter.name} failed, the run did not: ${error instanceof Error ? error.message : String(error)}`)
  }
  return {
    has: hook => reporters.some(one => one[hook] !== undefined),
    tell(hook, ...said) {
      if (reporters.length > 0) for (const one of said) freeze(one)
      for (const reporter of reporters) {
        if (failed.has(reporter)) continue
        try {
          const answer: unknown = (reporter[hook] as ((...all: unknown[]) => unknown) | undefined)?.call(reporter, ...said)
          if (isThenable(answer)) pending.push(Promise.resolve(answer).catch(error => fail(reporter, error)))
        } catch (error) {
          fail(reporter, error)
        }
      }
    },
    async settled() {
      while (pending.length > 0) {
        const now = pending
        pending = []
        await Promise.all(now)
      }
    },
  }
}

/** A promise of any make; a run under way is one too. */
const isThenable = (answer: unknown): answer is PromiseLike<unknown> =>
  typeof (answer as { readonly then?: unknown } | null | undefined)?.then === 'function'
