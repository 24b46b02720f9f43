/** The submit stage: starts the matching, once. The job is read before a lost request is repeated. */
import { hasSubmission } from '../../contract/index.ts'
import type { JobState, RunState } from '../../journal/state.ts'
import { adopt, provenStatus, whenReady } from '../job-lookup.ts'
import type { Ports } from '../ports.ts'
import { idOf, isResumed, type JobStage, type StageEvents } from '../stage.ts'

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
  const effect = await whenReady(job, ports, isBusy, () => ports.service.submit(idOf(job), options), adopt(look))
  yield { ...accepted, messageId: effect.value, adopted: effect.adopted }
}

export const submit: JobStage = { isDone: job => job.matchAccepted, run: submitJob }
