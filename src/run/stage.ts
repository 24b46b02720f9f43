/**
 * What a stage is: a named part of a run that yields events. The runner journals each event before it asks for the next, so
 * that journalling, progress, resume and tests exist once and not per stage.
 */
import type { RunEventInput, StageName } from '../journal/events.ts'
import type { JobState, RunState } from '../journal/state.ts'
import type { Ports } from './ports.ts'

/** Facts on their way to the journal. */
export type Facts = AsyncGenerator<RunEventInput, void, void>

/** One stage. `each` may be entered again after any event it yielded: it reads the state, never its own memory. */
export interface Stage {
  readonly name: StageName
  /** Why this run has no such stage; null when it has. */
  skip(state: RunState): string | null
  /** Throws when the run must not enter this stage: asked once, before the first job does. */
  guard?(state: RunState): void
  /** Nothing is left to do for this job. */
  isDone(job: JobState): boolean
  /** Carries one job through. */
  each(job: JobState, state: RunState, ports: Ports): Facts
  /** What is left to do once every job came through; absent: nothing. */
  readonly last?: {
    isDone(state: RunState): boolean
    run(state: RunState, ports: Ports): Facts
  }
}

/** Every job came through the stage, or never will. */
export const isThrough = (stage: Stage, { jobs }: RunState): boolean =>
  jobs.every(job => job.failure !== null || stage.isDone(job))

/** The stage has nothing left to do. */
export const isOver = (stage: Stage, state: RunState): boolean =>
  stage.last === undefined ? isThrough(stage, state) : stage.last.isDone(state)

/** An earlier process had the run: the last lines of its journal may be lost, so an effect without a record is looked for first. */
export const isContinued = ({ resumedAt }: RunState): boolean => resumedAt.length > 0

/** The id of a job that the create stage has made. */
export function idOf(job: JobState): string {
  if (job.id === null) throw new TypeError(`job ${job.name} has no id yet: the create stage comes first`)
  return job.id
}
