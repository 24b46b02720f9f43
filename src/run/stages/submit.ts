/** The submit stage: starts the matching, once. The job is read before a lost request is repeated. */
import { hasSubmission } from '../../contract/index.ts'
import { FettleError } from '../../errors.ts'
import type { JobState, RunState } from '../../journal/state.ts'
import type { Effect } from '../../model/requests.ts'
import { adopt, provenStatus, readRecordedJob, whenReady } from '../job-lookup.ts'
import type { Ports } from '../ports.ts'
import { idOf, isResumed, type JobStage, type StageEvents } from '../stage.ts'

/** How a service answers that has no such operation. */
const NO_OPERATION: readonly (number | null)[] = [404, 405, 501]

/** A service without it starts the matching by itself: the job leaves `ready` within a minute. */
const STARTS_WITHIN_MS = 60_000

/** Waits until a job that was not submitted is past `ready`; throws `refusal` when it stays there. */
async function startedByItself(job: JobState, refusal: unknown, everyMs: number, ports: Ports): Promise<Effect<string | null>> {
  if (!FettleError.is(refusal) || !NO_OPERATION.includes(refusal.status)) throw refusal
  const until = ports.clock.monotonic() + STARTS_WITHIN_MS
  for (;;) {
    const { status } = await readRecordedJob(job, ports)
    if (hasSubmission(status)) return { value: null, adopted: true }
    if (ports.clock.monotonic() >= until) throw refusal
    await ports.clock.sleep(everyMs, ports.signal)
  }
}

async function* submitJob(job: JobState, state: RunState, ports: Ports): StageEvents {
  const look = async (): Promise<string | null | undefined> =>
    hasSubmission(await provenStatus(job, ports, ports.grace)) ? null : undefined
  const accepted = { type: 'match.accepted', part: job.part } as const
  if ((job.matchRequested || isResumed(state)) && (await look()) === null) {
    yield { ...accepted, messageId: null, adopted: true }
    return
  }
  if (!job.matchRequested) yield { type: 'match.requested', part: job.part }
  const isBusy = (status: string): boolean => status === 'uploading' || status === 'uploaded'
  const options = { look, key: `${job.name}-submit`, signal: ports.grace }
  const effect = await whenReady(job, ports, isBusy, () => ports.service.submit(idOf(job), options), adopt(look)).catch(
    (error: unknown) => startedByItself(job, error, state.plan.poll.everyMs, ports),
  )
  yield { ...accepted, messageId: effect.value, adopted: effect.adopted }
}

export const submit: JobStage = { isDone: job => job.matchAccepted, run: submitJob }
