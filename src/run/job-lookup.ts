/**
 * Reads the job of a run: by its id, or by its unique name before the id is recorded. After a lost answer this decides whether a
 * request took effect.
 */
import { isKnownStatus, type JobRecord, matchPhase, readFault } from '../contract/index.ts'
import { FettleError, type Issue } from '../errors.ts'
import type { RunEventInput } from '../journal/events.ts'
import type { JobState, RunState } from '../journal/state.ts'
import type { CallOptions, Doubt, Effect } from '../model/requests.ts'
import type { Ports, StatusPorts } from './ports.ts'
import { readId, warning } from './stage.ts'

/** Turns what `look` finds after a refusal into an effect that was found, not caused. */
export const adopt =
  <T>(look: (doubt: Doubt) => Promise<T | undefined>) =>
  async (): Promise<Effect<T> | undefined> => {
    const value = await look('refused')
    return value === undefined ? undefined : { value, adopted: true }
  }

const SEARCH_PAUSES_MS = [3_000, 7_000]

/** The service may show a new job, status or search late: it is searched for at 0, 3 and 10 seconds. */
export async function searched<T>(search: () => Promise<T | undefined>, { clock, grace }: StatusPorts): Promise<T | undefined> {
  for (let round = 0; ; round++) {
    const found = await search()
    const pause = SEARCH_PAUSES_MS[round]
    if (found !== undefined || pause === undefined) return found
    await clock.sleep(pause, grace)
  }
}

/** The oldest job with a name, and the others of that name. */
interface FoundJob {
  readonly job: JobRecord
  readonly others: readonly JobRecord[]
}

export async function findJob(name: string, ports: StatusPorts): Promise<FoundJob | undefined> {
  const [job, ...others] = await ports.service.findJobs(name, { signal: ports.grace })
  return job === undefined ? undefined : { job, others }
}

/** Searches up to three times in ten seconds for the oldest job of this name; undefined when none exists. */
export async function searchJob(name: string, ports: StatusPorts): Promise<FoundJob | undefined> {
  return searched(() => findJob(name, ports), ports)
}

/** The warning about a second job of the run's name: it is reported, and never submitted. */
export const orphanIssue = (orphan: JobRecord): Issue =>
  warning('FETTLE_JOB_ORPHAN', `a second remote job has the name of this run: ${orphan.id}`)

/** The job of our id is missing or is not ours, and ours was found by its name. The run continues with it, or pauses with exit code 75. */
class JobRelocated extends FettleError {
  readonly events: readonly RunEventInput[]

  constructor(job: JobState, wrong: JobRecord | null, { job: ours, others }: FoundJob) {
    const found = wrong === null ? 'does not exist' : `is called "${wrong.name}"`
    const message = `the job ${readId(job)} ${found}; ours, "${job.name}", is ${ours.id}`
    super('FETTLE_UNANSWERED', message)
    const hint =
      wrong === null ? `The run continues with ${ours.id}.` : `Check what ${wrong.id} holds; nothing more is sent to it.`
    this.events = [
      { type: 'issue.raised', issue: warning('FETTLE_JOB_ORPHAN', message, { hint }) },
      ...others.map((other): RunEventInput => ({ type: 'issue.raised', issue: orphanIssue(other) })),
      { type: 'job.created', part: job.part, id: ours.id, name: job.name, adopted: true },
    ]
  }
}

export function relocationEvents(error: unknown): readonly RunEventInput[] | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof JobRelocated) return cause.events
  return null
}

async function readUnderId(job: JobState, ports: StatusPorts, options: CallOptions): Promise<JobRecord | FettleError> {
  try {
    return await ports.service.readJob(readId(job), options)
  } catch (error) {
    if (FettleError.is(error) && error.code === 'FETTLE_NOT_FOUND') return error
    throw error
  }
}

/** Returns the job of our id if it is ours. Otherwise searches for ours by its name and throws: see readRecordedJob. */
async function assertOwn(job: JobState, read: JobRecord | FettleError, ports: StatusPorts): Promise<JobRecord> {
  const isMissing = FettleError.is(read)
  if (!isMissing && read.name === job.name) return read
  const found = await searchJob(job.name, ports)
  if (found !== undefined && found.job.id !== job.id) throw new JobRelocated(job, isMissing ? null : read, found)
  if (isMissing) throw read
  throw new FettleError(
    'FETTLE_UNANSWERED',
    `the job ${read.id} is called "${read.name}", and there is no job "${job.name}": nothing more is sent to it`,
  )
}

/**
 * Reads our job. When the job of our id has another name, nothing more is sent to it: throws an error with `relocationEvents` if
 * ours is found by its name, otherwise FETTLE_UNANSWERED or FETTLE_NOT_FOUND.
 */
export async function readRecordedJob(
  job: JobState,
  ports: StatusPorts,
  options: CallOptions = { signal: ports.signal },
): Promise<JobRecord> {
  return assertOwn(job, await readUnderId(job, ports, options), ports)
}

/**
 * Checks with one request each that the jobs recorded by an earlier process are ours. A failed request proves nothing: the stages
 * check again.
 */
export async function confirmJobs(state: RunState, ports: Ports): Promise<void> {
  for (const job of state.jobs) {
    if (job.id === null || job.received !== null || job.failure !== null) continue
    const read = await readUnderId(job, ports, { signal: ports.signal, attempts: 1 }).catch((error: unknown) => {
      if (!FettleError.is(error)) throw error
      return null
    })
    if (!FettleError.is(read)) {
      if (read !== null) await assertOwn(job, read, ports)
      continue
    }
    // A single 404 does not prove that the job is gone: only a job of our name under another id does.
    const found = await findJob(job.name, ports)
    if (found !== undefined && found.job.id !== job.id) throw new JobRelocated(job, null, found)
  }
}

/** Whether enriching may still be started. */
export const isUnpaid = ({ enrichRequested, failure }: JobState): boolean => enrichRequested === null && failure === null

/** Whether enriching was started or is about to be: from then on the answers of the job are paid. */
export const isPaid = ({ enrichRequested, failure }: JobState): boolean => enrichRequested !== null && failure === null

/** The contract defines no error text for a failed job; `message` and `details` are used when the service sends them. */
export function jobFailure(record: JobRecord): FettleError {
  const { text } = readFault(record)
  const why = text === null ? '' : `: ${text}`
  return new FettleError('FETTLE_JOB_FAILED', `the job ${record.id} ended in the status ${record.status}${why}`, {
    correlationId: record.correlationId ?? null,
  })
}

/** An unknown status proves nothing: the job is read again after these pauses. */
const PROOF_PAUSES_MS = [2_000, 5_000, 10_000]

/**
 * Our job with its status, as proof of whether a request took effect. Throws FETTLE_UNANSWERED for a status that this version does not
 * know: then the request is neither repeated nor taken as done.
 */
async function provenJob(job: JobState, ports: Ports, signal: AbortSignal): Promise<JobRecord> {
  for (let round = 0; ; round++) {
    const record = await readRecordedJob(job, ports, { signal })
    const { status } = record
    if (isKnownStatus(status) || matchPhase(status, true) === 'failed') return record
    const pause = PROOF_PAUSES_MS[round]
    if (pause === undefined)
      throw new FettleError(
        'FETTLE_UNANSWERED',
        `the job ${readId(job)} is at "${status}", a status that this version does not know, so the effect of the last request is unknown`,
      )
    await ports.clock.sleep(pause, signal)
  }
}

export const provenStatus = async (job: JobState, ports: Ports, signal: AbortSignal = ports.signal): Promise<string> =>
  (await provenJob(job, ports, signal)).status

/** How long a refusal that only means "not yet" is waited out. */
export const NOT_YET_MS = 60_000
const NOT_YET_PAUSE_MS = 2_000
/** How the service refuses a request that does not fit the state of the job (contract §14.1). */
const REFUSALS: readonly (number | null)[] = [400, 409, 422]

export const isRefusal = (error: unknown): boolean =>
  FettleError.is(error) && error.code === 'FETTLE_REJECTED' && REFUSALS.includes(error.status)

interface Attempts<T> {
  readonly isBusy: (status: string) => boolean
  readonly send: () => Promise<T>
  readonly already: () => Promise<T | undefined>
}

/**
 * Sends a request that the service may refuse (400, 409, 422) because it already took effect: then the value of `already` is the
 * answer. Or because the job is busy with the previous request: then it is sent again every two seconds for up to a minute. Throws
 * FETTLE_JOB_FAILED if the job ended in an error status, and any other refusal.
 */
export async function whenReady<T>(job: JobState, ports: Ports, { isBusy, send, already }: Attempts<T>): Promise<T> {
  const until = ports.clock.monotonic() + NOT_YET_MS
  let wasBusy = false
  for (;;) {
    try {
      return await send()
    } catch (error) {
      if (!isRefusal(error)) throw error
      const found = await already()
      if (found !== undefined) return found
      if (ports.clock.monotonic() >= until) throw error
      const record = await provenJob(job, ports, ports.signal)
      if (matchPhase(record.status, true) === 'failed') throw jobFailure(record)
      const isBusyNow = isBusy(record.status)
      // The job may have become ready between the refusal and this read: then the request is sent once more.
      if (!isBusyNow && !wasBusy) throw error
      wasBusy = isBusyNow
      if (isBusyNow) await ports.clock.sleep(NOT_YET_PAUSE_MS, ports.signal)
    }
  }
}
