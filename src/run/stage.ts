/**
 * What a stage is: a named part of a run that yields events. The runner journals each event before it asks for the next, so
 * that journalling, progress, resume and tests exist once and not per stage.
 */
import type { RunFact, StageName } from '../journal/events.ts'
import type { JobState, RunState } from '../journal/state.ts'
import type { Ports } from './ports.ts'

/** One stage. `run` may be entered again after any event it yielded: it reads the state, never its own memory. */
export interface Stage {
  readonly name: StageName
  /** Nothing is left to do. */
  done(state: RunState): boolean
  /** Why this run has no such stage; null when it has. */
  skip(state: RunState): string | null
  run(state: RunState, ports: Ports): AsyncGenerator<RunFact, void, void>
}

/** Carries out `each` for every job that is not `done`, one after the other. */
export async function* eachJob(
  state: RunState,
  done: (job: JobState) => boolean,
  each: (job: JobState) => AsyncGenerator<RunFact, void, void>,
): AsyncGenerator<RunFact, void, void> {
  for (const job of state.jobs) if (!done(job)) yield* each(job)
}

/** The id of a job that the create stage has made. */
export function idOf(job: JobState): string {
  if (job.id === null) throw new TypeError(`job ${job.name} has no id yet: the create stage comes first`)
  return job.id
}
