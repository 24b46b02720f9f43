/**
 * What a stage is: a part of a run that yields events. The runner journals each event before it asks for the next, so that
 * journal, progress and resume are written once for all stages.
 */
import { type ErrorCode, FettleError, type Issue, issue } from '../errors.ts'
import type { RefusedCompany, RunEventInput } from '../journal/index.ts'
import type { JobState, RunState } from '../journal/state.ts'
import type { StageName } from '../model/stages.ts'
import type { Ports } from './ports.ts'

export type StageEvents = AsyncGenerator<RunEventInput, void, void>

/** Work for the run as a whole. `run` may be called again after any event it yielded: it reads the state and keeps none. */
export interface RunStep {
  isDone(state: RunState): boolean
  run(state: RunState, ports: Ports): StageEvents
}

export interface JobStage {
  /** Why this run skips the stage; null or absent: it does not. */
  skip?(state: RunState): string | null
  /** Throws when the run must not enter this stage. Called once, before the first job enters. */
  guard?(state: RunState): void
  isDone(job: JobState): boolean
  /** May be called again after any event it yielded: it reads the state and keeps none. */
  run(job: JobState, state: RunState, ports: Ports): StageEvents
  readonly afterJobs?: RunStep
}

export type Named<T> = T & { readonly name: StageName }

export const areJobsDone = (stage: JobStage, { jobs }: RunState): boolean =>
  jobs.every(job => job.failure !== null || stage.isDone(job))

export const isComplete = (stage: JobStage, state: RunState): boolean =>
  stage.afterJobs?.isDone(state) ?? areJobsDone(stage, state)

/** The last lines of an earlier process may be missing from the journal: check for an effect before causing it. */
export const isResumed = ({ resumedAt }: RunState): boolean => resumedAt.length > 0

export function readId(job: JobState): string {
  if (job.id === null) throw new TypeError(`job ${job.name} has no id yet: the create stage comes first`)
  return job.id
}

/** The issue of a warning. */
export const warning = (code: ErrorCode, message: string, rest: Partial<Issue> = {}): Issue =>
  issue(code, message, { severity: 'warn', ...rest })

/** How the service refuses a single company (contract §2.5). */
const COMPANY_REFUSALS: readonly (number | null)[] = [400, 404, 422]

/** Why the service refused a company; null for an error that is not about a single company. */
export const refusalReason = (error: unknown): string | null =>
  FettleError.is(error) && COMPANY_REFUSALS.includes(error.status) ? error.message : null

/** The warning that counts refused companies. */
export const refusalIssue = (
  code: ErrorCode,
  summary: string,
  count: number,
  example: RefusedCompany | null | undefined,
): Issue => warning(code, example == null ? summary : `${summary}, such as ${example.id}: ${example.why}`, { count })

/** Puts what a stage has paid where later runs find it, once; `earlier` is absent where the pipeline names no age for it. */
export async function* keepSearches(
  what: 'screen' | 'candidates' | 'decide',
  { isKept }: { readonly isKept: boolean },
  earlier: Ports['earlier'],
): StageEvents {
  if (earlier === undefined || isKept) return
  yield { type: 'searches.kept', what, searches: await earlier.keep(what) }
}
