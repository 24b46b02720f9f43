/**
 * Reading our own job: by its id once we know it, by its unique name before. This is how an effect whose answer was lost is
 * found out instead of repeated.
 */
import { isKnownStatus, type JobRecord, matchPhase } from '../contract/index.ts'
import { FettleError, type Issue, issue } from '../errors.ts'
import type { RunEventInput } from '../journal/events.ts'
import type { JobState, RunState } from '../journal/state.ts'
import type { CallOptions, Effect, Ports, StatusPorts } from './ports.ts'
import { idOf } from './stage.ts'

/** What `look` found instead of causing it, as an effect; undefined when it found nothing. */
export const adopt =
  <T>(look: () => Promise<T | undefined>) =>
  async (): Promise<Effect<T> | undefined> => {
    const value = await look()
    return value === undefined ? undefined : { value, adopted: true }
  }

/** The service may need a moment to list what it has just created: looks at 0, 3 and 10 seconds. */
const SEARCH_PAUSES_MS = [3_000, 7_000]

/** The oldest job with a name, and the others that have it. */
interface FoundJob {
  readonly job: JobRecord
  readonly others: readonly JobRecord[]
}

/** The oldest job with this name, looked for once; undefined when there is none. */
export async function findJob(name: string, ports: StatusPorts): Promise<FoundJob | undefined> {
  const [job, ...others] = await ports.service.findJobs(name, { signal: ports.grace })
  return job === undefined ? undefined : { job, others }
}

/** The oldest job with this name, looked for up to three times over ten seconds; undefined when there is none. */
export async function searchJob(name: string, ports: StatusPorts): Promise<FoundJob | undefined> {
  for (let round = 0; ; round++) {
    const found = await findJob(name, ports)
    if (found !== undefined) return found
    const pause = SEARCH_PAUSES_MS[round]
    if (pause === undefined) return undefined
    await ports.clock.sleep(pause, ports.grace)
  }
}

/** The warning that a second job carries the run's name: it is reported, and never submitted. */
export const orphanIssue = (orphan: JobRecord): Issue =>
  issue('FETTLE_JOB_ORPHAN', `a second remote job carries the name of this run: ${orphan.id}`, { severity: 'warn' })

/** The job under our id is not ours, or there is none, and ours was found by its name. A caller that cannot go on with it stops: 75. */
class JobElsewhere extends FettleError {
  readonly facts: readonly RunEventInput[]

  constructor(job: JobState, wrong: JobRecord | null, { job: ours, others }: FoundJob) {
    const there = wrong === null ? 'does not exist' : `is called "${wrong.name}"`
    const message = `the job ${idOf(job)} ${there}; ours, "${job.name}", is ${ours.id}`
    super('FETTLE_UNANSWERED', message)
    const hint =
      wrong === null ? `The run goes on with ${ours.id}.` : `Nothing more is sent to ${wrong.id}; look at what it holds.`
    this.facts = [
      { type: 'issue.raised', issue: issue('FETTLE_JOB_ORPHAN', message, { severity: 'warn', hint }) },
      ...others.map((other): RunEventInput => ({ type: 'issue.raised', issue: orphanIssue(other) })),
      { type: 'job.created', part: job.part, id: ours.id, name: job.name, adopted: true },
    ]
  }
}

/** What to record, in this order, when an error says that our job is another one; null for any other error. */
export function movedBy(error: unknown): readonly RunEventInput[] | null {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof JobElsewhere) return one.facts
  return null
}

/** What is under our id: a job, or the error that there is none. */
async function readUnderId(job: JobState, ports: StatusPorts, options: CallOptions): Promise<JobRecord | FettleError> {
  try {
    return await ports.service.readJob(idOf(job), options)
  } catch (error) {
    if (FettleError.is(error) && error.code === 'FETTLE_NOT_FOUND') return error
    throw error
  }
}

/** The job under our id if it is ours; otherwise ours is looked for by its name, and never returned: see readOwnJob. */
async function proveOwn(job: JobState, there: JobRecord | FettleError, ports: StatusPorts): Promise<JobRecord> {
  const isMissing = FettleError.is(there)
  if (!isMissing && there.name === job.name) return there
  const found = await searchJob(job.name, ports)
  if (found !== undefined && found.job.id !== job.id) throw new JobElsewhere(job, isMissing ? null : there, found)
  if (isMissing) throw there
  throw new FettleError(
    'FETTLE_UNANSWERED',
    `the job ${there.id} is called "${there.name}", and no other is called "${job.name}": nothing more is sent to it`,
  )
}

/**
 * Reads our job. When the job under our id carries another name nothing more is sent to it: throws what `movedBy` knows if
 * ours was found by its name, FETTLE_UNANSWERED or FETTLE_NOT_FOUND if not, and what the search threw.
 */
export async function readRecordedJob(
  job: JobState,
  ports: StatusPorts,
  options: CallOptions = { signal: ports.signal },
): Promise<JobRecord> {
  return proveOwn(job, await readUnderId(job, ports, options), ports)
}

/**
 * Makes sure, as far as it can be had for one request each, that the jobs a run brought along from an earlier process are its
 * own. A look that fails says nothing: whatever is sent next finds out for itself.
 */
export async function confirmJobs(state: RunState, ports: Ports): Promise<void> {
  for (const job of state.jobs) {
    if (job.id === null || job.received !== null || job.failure !== null) continue
    const there = await readUnderId(job, ports, { signal: ports.signal, attempts: 1 }).catch((error: unknown) => {
      if (!FettleError.is(error)) throw error
      return null
    })
    if (!FettleError.is(there)) {
      if (there !== null) await proveOwn(job, there, ports)
      continue
    }
    // One refusal is no proof that the job is gone: that is for the stage to find out, unless ours is known to be another one.
    const found = await findJob(job.name, ports)
    if (found !== undefined && found.job.id !== job.id) throw new JobElsewhere(job, null, found)
  }
}

/** A word this version does not know proves nothing: another one is waited for so long. */
const PROOF_PAUSES_MS = [2_000, 5_000, 10_000]

/**
 * The status of our job, as proof of what has happened to it. Throws FETTLE_UNANSWERED when the service only gives a word that
 * proves neither that a request has taken effect nor that it has not: then it is neither sent again nor taken for done.
 */
export async function provenStatus(job: JobState, ports: Ports, signal: AbortSignal = ports.signal): Promise<string> {
  for (let round = 0; ; round++) {
    const { status } = await readRecordedJob(job, ports, { signal })
    if (isKnownStatus(status) || matchPhase(status, true) === 'failed') return status
    const pause = PROOF_PAUSES_MS[round]
    if (pause === undefined)
      throw new FettleError(
        'FETTLE_UNANSWERED',
        `the job ${idOf(job)} is at "${status}", a status this version does not know: it does not tell what has happened to it`,
      )
    await ports.clock.sleep(pause, signal)
  }
}

/** For so long a refusal that only says "not yet" is waited out. */
export const NOT_YET_MS = 60_000
const NOT_YET_PAUSE_MS = 2_000
/** How a request is refused that does not fit the state of the job (contract §14.1). */
const REFUSALS: readonly (number | null)[] = [400, 409, 422]

/**
 * Carries out a request that the service may refuse (400, 409, 422) because it has already taken effect: then what `already` reads
 * is the answer. Or because it is still busy with the previous one: then it is sent again every two seconds for up to a
 * minute. Any other refusal is thrown.
 */
export async function whenReady<T>(
  job: JobState,
  ports: Ports,
  isBusy: (status: string) => boolean,
  send: () => Promise<T>,
  already: () => Promise<T | undefined> = async () => undefined,
): Promise<T> {
  const until = ports.clock.monotonic() + NOT_YET_MS
  let wasBusy = false
  for (;;) {
    try {
      return await send()
    } catch (error) {
      const isRefusal = FettleError.is(error) && error.code === 'FETTLE_REJECTED' && REFUSALS.includes(error.status)
      if (!isRefusal) throw error
      const found = await already()
      if (found !== undefined) return found
      if (ports.clock.monotonic() >= until) throw error
      const isStill = isBusy(await provenStatus(job, ports))
      // It may have become ready between the refusal and this look: then the refusal was the last of the busy ones.
      if (!isStill && !wasBusy) throw error
      wasBusy = isStill
      if (isStill) await ports.clock.sleep(NOT_YET_PAUSE_MS, ports.signal)
    }
  }
}
