/**
 * Polls a job: reads and records its status at growing intervals until it is final or the time is up. A failed poll is counted and
 * repeated by the next one. Of a detached run, the status of each job is read once and not recorded.
 */
import {
  enrichPhase,
  goesBack,
  isKnownStatus,
  type JobRecord,
  type JobSummary,
  matchPhase,
  type Phase,
} from '../contract/index.ts'
import { FettleError } from '../errors.ts'
import type { RunEventInput } from '../journal/events.ts'
import type { JobState, RunState } from '../journal/state.ts'
import { OUTAGE_MS } from '../model/requests.ts'
import type { Plan } from '../pipeline/model/types.ts'
import { jobFailure, readRecordedJob } from './job-lookup.ts'
import type { Ports, StatusPorts } from './ports.ts'
import { warning } from './stage.ts'

/** Growth of the interval from one poll to the next (contract §14.1). */
const GROWTH = 1.5

/** Most lists are small, and their jobs soon done: first intervals are this long, or a tenth of the time since the last change of status. */
const FIRST_MS = 200
const LATE = 0.1

/** Twenty failed polls in a row end the wait, if they took as long as an outage may last. */
const MAX_POLL_FAILURES = 20

/** After five answers in a row off the documented form, it is not the API that answers. */
const MAX_CONTRACT_FAILURES = 5

/** A job may not be readable right after it was created: until then a 404 means "not yet" (contract §14.2). */
const GRACE_MS = 30_000

export const growInterval = (previous: number, plan: Plan['poll']): number => Math.min(plan.maxMs, previous * GROWTH)

/** The interval after `previous` of a job whose status has not changed for `waitedMs`. */
export function nextInterval(previous: number, waitedMs: number, plan: Plan['poll']): number {
  const { everyMs, maxMs } = plan
  const early = Math.max(Math.min(FIRST_MS, everyMs), waitedMs * LATE)
  return previous < everyMs && early < everyMs ? early : Math.min(maxMs, Math.max(everyMs, previous * GROWTH))
}

/** An interval with ± 20 % of jitter, so that many runs do not poll in step. `random` is in [0, 1). */
export const withJitter = (interval: number, random: number): number => Math.round(interval * (0.8 + 0.4 * random))

interface Wait {
  readonly stage: 'match' | 'enrich'
  readonly poll: Plan['poll']
  /** Rows of the job, which counts of the service are compared with; absent: they are not about the stage. */
  readonly rows?: number
  /** What is waited for, for the message at the end of the time. */
  readonly awaited: string
  readPhase(status: string): Phase
}

/** Another poll within the time left fails the same way. */
const NON_TRANSIENT = new Set<string>(['FETTLE_DEADLINE', 'FETTLE_THROTTLED', 'FETTLE_UNANSWERED'])

/** Counts failures in a row; throws when there are too many, or when another poll would fail too. */
function failureCounter(ports: Ports): { failed(error: unknown): void; succeeded(): void } {
  const startedAt = ports.clock.monotonic()
  let failures = 0
  let failsSince = startedAt
  let offContract = 0
  const isTransient = (error: FettleError): boolean => {
    if (error.kind === 'retryable') return !NON_TRANSIENT.has(error.code)
    if (error.code === 'FETTLE_NOT_FOUND') return ports.clock.monotonic() - startedAt < GRACE_MS
    // An answer with a status may come from a proxy in between; one without, such as an endless body, is final.
    if (error.code === 'FETTLE_CONTRACT' && error.status !== null) return ++offContract < MAX_CONTRACT_FAILURES
    return error.status === 409
  }
  return {
    failed(error) {
      ports.signal.throwIfAborted()
      if (!FettleError.is(error) || !isTransient(error)) throw error
      if (failures++ === 0) failsSince = ports.clock.monotonic()
      if (failures >= MAX_POLL_FAILURES && ports.clock.monotonic() - failsSince >= OUTAGE_MS) throw error
      ports.tick({ type: 'retry', message: `reading the job failed (${failures} in a row): ${error.message}` })
    },
    succeeded() {
      failures = 0
      offContract = 0
    },
  }
}

/**
 * Polls a job until its status is done, yields every status, and returns the last record. A service that throttles is polled half as
 * often from then on. Throws FETTLE_JOB_FAILED for an error status, FETTLE_DEADLINE after `poll.timeoutMs`, and the error of the last
 * of too many failed polls.
 */
export async function* pollJob(job: JobState, wait: Wait, ports: Ports): AsyncGenerator<RunEventInput, JobRecord, void> {
  const startedAt = ports.clock.monotonic()
  const counter = failureCounter(ports)
  const reported = new Set(job.history.map(({ status }) => status))
  let requiresConfirmation = hasRegressed(job)
  let confirmed: string | null = null
  const { everyMs, maxMs } = wait.poll
  let shortest = Math.min(FIRST_MS, everyMs)
  let interval = shortest
  let changedAt = startedAt
  const onThrottled = (): void => {
    shortest = Math.min(maxMs, Math.max(everyMs, interval) * 2)
    interval = shortest
  }
  let last = job.status ?? 'unknown'
  let rows: RowProgress | null = null
  for (;;) {
    let record: JobRecord | undefined
    try {
      const withinMs = Math.max(0, wait.poll.timeoutMs - (ports.clock.monotonic() - startedAt))
      record = await readRecordedJob(job, ports, { signal: ports.signal, attempts: 1, withinMs, onThrottled })
      counter.succeeded()
    } catch (error) {
      counter.failed(error)
      interval = Math.max(everyMs, interval)
    }
    if (record !== undefined) {
      const { status } = record
      // Warnings before the event they are about: a crash between the two may repeat one, but not lose it.
      if (!isKnownStatus(status) && !reported.has(status)) yield { type: 'issue.raised', issue: unknownStatus(status) }
      reported.add(status)
      if (goesBack(last, status)) {
        requiresConfirmation = true
        yield { type: 'issue.raised', issue: statusRegressed(last, status) }
      }
      // After a change the next one may follow soon: poll at the shortest interval again.
      if (status !== last) {
        interval = shortest
        changedAt = ports.clock.monotonic()
      }
      last = status
      const phase = wait.readPhase(status)
      // Counts of some of the rows are progress: recorded, they would not add up to the list.
      rows = phase === 'wait' ? countRows(record.jobSummary, wait.rows) : null
      const summary = rows === null ? (record.jobSummary ?? null) : null
      yield { type: 'status.observed', part: job.part, stage: wait.stage, status, summary }
      // After a step back a single answer proves nothing: the same status must be read twice.
      if (phase === 'done' && (!requiresConfirmation || confirmed === status)) return record
      confirmed = phase === 'done' ? status : null
      if (phase === 'failed') throw jobFailure(record)
    }
    const waited = ports.clock.monotonic() - startedAt
    if (waited >= wait.poll.timeoutMs) throw pollTimeout(job, last, waited, wait)
    const nextMs = Math.min(withJitter(interval, ports.clock.random()), wait.poll.timeoutMs - waited)
    ports.tick({ type: 'waiting', status: last, forMs: Math.round(waited), nextMs: Math.round(nextMs), ...rows })
    await ports.clock.sleep(nextMs, ports.signal)
    interval = nextInterval(interval, ports.clock.monotonic() - changedAt, wait.poll)
  }
}

interface RowProgress {
  readonly done: number
  readonly total: number
}

/** The counts of a job that has not decided about every row; null without counts, and where they add up in either reading (contract §14.1). */
function countRows(summary: JobSummary | null | undefined, total = 0): RowProgress | null {
  if (summary?.matched == null || summary.unmatched == null) return null
  const found = summary.matched + summary.unmatched + (summary.manualMatched ?? 0)
  const done = found + (summary.duplicates ?? 0)
  return found < total && done < total ? { done, total } : null
}

const hasRegressed = ({ history }: JobState): boolean =>
  history.some(({ status }, at) => goesBack(history[at - 1]?.status ?? status, status))

const unknownStatus = (status: string) =>
  warning('FETTLE_JOB_STATUS', `the service reports a status that this version does not know: "${status}"; still waiting`)

const statusRegressed = (from: string, to: string) =>
  warning('FETTLE_JOB_BACKWARDS', `the job went back from "${from}" to "${to}"; still waiting`)

const pollTimeout = (job: JobState, status: string, waitedMs: number, { awaited }: Wait): FettleError =>
  new FettleError(
    'FETTLE_DEADLINE',
    `waited ${Math.round(waitedMs / 1000)} s (poll.timeout) for job ${job.id}: its status is "${status}", not ${awaited}`,
  )

/** `ready`: a resume need not wait for the matching; `failed`: all jobs ended in an error status. */
export type JobStatuses = 'ready' | 'going' | 'failed'

export interface JobStatusEntry {
  readonly part: number
  readonly id: string | null
  readonly status: string
}

/** Reads every job whose status may have changed. Throws the error of a failed read; the caller may try again. */
export async function fetchJobStatuses(
  state: RunState,
  ports: StatusPorts,
): Promise<{ status: JobStatuses; jobs: readonly JobStatusEntry[] }> {
  const jobs: JobStatusEntry[] = []
  const found = new Set<JobStatuses>()
  for (const job of state.jobs) {
    const { part, id } = job
    const isFinal = job.failure !== null || job.enrichFinished
    const status = isFinal || id === null ? (job.status ?? 'unknown') : (await readRecordedJob(job, ports)).status
    const phase = job.enrichRequested ? enrichPhase(status) : matchPhase(status, state.plan.enrich !== null)
    jobs.push({ part, id, status })
    if (job.failure !== null || phase === 'failed') found.add('failed')
    else found.add(job.enrichFinished || phase === 'done' ? 'ready' : 'going')
  }
  const status = (['going', 'ready', 'failed'] as const).find(candidate => found.has(candidate)) ?? 'ready'
  return { status, jobs }
}
