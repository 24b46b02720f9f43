/**
 * Reading our own job: by its id once we know it, by its unique name before. This is how an effect whose answer was lost is
 * found out instead of repeated.
 */
import type { JobRecord } from '../contract/index.ts'
import { FettleError, type Issue, issue } from '../errors.ts'
import type { JobState } from '../journal/state.ts'
import type { CallOptions, Effect, Ports } from './ports.ts'
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

/** The oldest job with this name, looked for up to three times over ten seconds; undefined when there is none. */
export async function searchJob(
  name: string,
  ports: Ports,
): Promise<{ job: JobRecord; others: readonly JobRecord[] } | undefined> {
  for (let round = 0; ; round++) {
    const [job, ...others] = await ports.service.findJobs(name, { signal: ports.grace })
    if (job !== undefined) return { job, others }
    const pause = SEARCH_PAUSES_MS[round]
    if (pause === undefined) return undefined
    await ports.clock.sleep(pause, ports.grace)
  }
}

/** The warning that a second job carries the run's name: it is reported, and never submitted. */
export const orphanIssue = (orphan: JobRecord): Issue =>
  issue('FETTLE_JOB_ORPHAN', `a second remote job carries the name of this run: ${orphan.id}`, { severity: 'warn' })

/**
 * Reads our job. Throws FETTLE_UNANSWERED when the job under our id carries another name: then nothing more is sent to it.
 */
export async function readOwnJob(
  job: JobState,
  ports: Ports,
  options: CallOptions = { signal: ports.signal },
): Promise<JobRecord> {
  const record = await ports.service.readJob(idOf(job), options)
  if (record.name !== job.name)
    throw new FettleError(
      'FETTLE_UNANSWERED',
      `the job ${record.id} is called "${record.name}", ours is "${job.name}": nothing more is sent to it`,
    )
  return record
}

/** For so long a refusal that only says "not yet" is waited out. */
const NOT_YET_MS = 60_000
const NOT_YET_PAUSE_MS = 2_000

/**
 * Carries out a request that the service may refuse (400, 409) because it has already taken effect: then what `already` reads
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
      const isRefusal =
        FettleError.is(error) && error.code === 'FETTLE_REJECTED' && (error.status === 400 || error.status === 409)
      if (!isRefusal) throw error
      const found = await already()
      if (found !== undefined) return found
      if (ports.clock.monotonic() >= until) throw error
      const isStill = isBusy((await readOwnJob(job, ports)).status)
      // It may have become ready between the refusal and this look: then the refusal was the last of the busy ones.
      if (!isStill && !wasBusy) throw error
      wasBusy = isStill
      if (isStill) await ports.clock.sleep(NOT_YET_PAUSE_MS, ports.signal)
    }
  }
}
