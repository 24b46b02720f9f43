/** Submit: start matching, once. The job is read before a lost request is repeated. */
import { hasSubmission } from '../../contract/index.ts'
import type { JobState, RunState } from '../../journal/state.ts'
import { adopt, provenStatus, whenReady } from '../job-lookup.ts'
import type { Ports } from '../ports.ts'
import { type Facts, idOf, isContinued, type Stage } from '../stage.ts'

async function* submitOne(job: JobState, state: RunState, ports: Ports): Facts {
  const look = async (): Promise<string | null | undefined> =>
    hasSubmission(await provenStatus(job, ports, ports.grace)) ? null : undefined
  const accepted = { type: 'match.accepted', part: job.part } as const
  if ((job.matchRequested || isContinued(state)) && (await look()) === null) {
    yield { ...accepted, messageId: null, adopted: true }
    return
  }
  if (!job.matchRequested) yield { type: 'match.requested', part: job.part }
  const isBusy = (status: string): boolean => status === 'uploading' || status === 'uploaded'
  const options = { look, key: `${job.name}-submit`, signal: ports.grace }
  const effect = await whenReady(job, ports, isBusy, () => ports.service.submit(idOf(job), options), adopt(look))
  yield { ...accepted, messageId: effect.value, adopted: effect.adopted }
}

/** The submit stage. */
export const submit: Stage = {
  name: 'submit',
  skip: () => null,
  isDone: job => job.matchAccepted,
  each: submitOne,
}
