/**
 * The submit stage: starts the matching, once. The job is read before a lost request is repeated. At a service that has no such
 * operation the matching starts by itself: the job is polled until it leaves `ready`.
 */
import { hasSubmission, matchPhase, type Phase } from '../../contract/index.ts'
import { FettleError } from '../../errors.ts'
import type { JobState, RunState } from '../../journal/state.ts'
import type { Doubt } from '../../model/requests.ts'
import { adopt, provenStatus, searched, whenReady } from '../job-lookup.ts'
import { pollJob } from '../poll-job.ts'
import type { Ports } from '../ports.ts'
import { isResumed, type JobStage, readId, type StageEvents } from '../stage.ts'

/** How a service answers that has no such operation. */
const NO_OPERATION: readonly (number | null)[] = [404, 405, 501]

/** The phase of a job that is not submitted: it starts by itself. */
const startPhase = (status: string): Phase => {
  if (matchPhase(status, true) === 'failed') return 'failed'
  return hasSubmission(status) ? 'done' : 'wait'
}

async function* submitJob(job: JobState, state: RunState, ports: Ports): StageEvents {
  const read = async (): Promise<null | undefined> =>
    hasSubmission(await provenStatus(job, ports, ports.grace)) ? null : undefined
  const look = (doubt: Doubt): Promise<string | null | undefined> => (doubt === 'refused' ? read() : searched(read, ports))
  const accepted = { type: 'match.accepted', part: job.part } as const
  if ((job.matchRequested || isResumed(state)) && (await look(job.matchRequested ? 'lost' : 'refused')) === null) {
    yield { ...accepted, messageId: null, adopted: true }
    return
  }
  if (!job.matchRequested) yield { type: 'match.requested', part: job.part }
  const isBusy = (status: string): boolean => status === 'uploading' || status === 'uploaded'
  const options = { look, key: `${job.name}-submit`, signal: ports.grace }
  const { poll } = state.plan
  for (let isRepeated = false; ; isRepeated = true)
    try {
      const send = () => ports.service.submit(readId(job), options)
      const effect = await whenReady(job, ports, { isBusy, send, already: adopt(look) })
      yield { ...accepted, messageId: effect.value, adopted: effect.adopted }
      return
    } catch (refusal) {
      if (!FettleError.is(refusal) || !NO_OPERATION.includes(refusal.status)) throw refusal
      // A replica of the service may not have the job yet.
      if (!isRepeated) await ports.clock.sleep(poll.everyMs, ports.signal)
      else {
        const awaited = `matching (the service answered ${refusal.status} to the request to start it)`
        yield* pollJob(job, { stage: 'match', poll, awaited, readPhase: startPhase }, ports)
        yield { ...accepted, messageId: null, adopted: true }
        return
      }
    }
}

export const submit: JobStage = { isDone: job => job.matchAccepted, run: submitJob }
