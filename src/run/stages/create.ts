/**
 * The create stage: exactly one remote job per part. The name is unique to the run; it is looked up before a request is repeated and
 * before a resumed run creates anything, since the journal may have lost its last lines.
 */
import type { JobRecord } from '../../contract/index.ts'
import type { JobState, RunState } from '../../journal/state.ts'
import { findJob, orphanIssue, searchJob } from '../job-lookup.ts'
import type { Ports } from '../ports.ts'
import { isResumed, type JobStage, type StageEvents } from '../stage.ts'

async function* createJob(job: JobState, state: RunState, ports: Ports): StageEvents {
  const lookUp = job.requested ? searchJob : findJob
  let found = job.requested || isResumed(state) ? await lookUp(job.name, ports) : undefined
  // Fails before there is a job when the input has changed or cannot be prepared.
  if (found === undefined) await ports.source.upload(job.part)
  if (!job.requested) {
    // A refused login leaves no request that a resume would have to look for.
    await ports.service.authenticate({ signal: ports.signal })
    yield { type: 'job.requested', part: job.part, name: job.name }
  }
  let record: JobRecord
  let adopted = true
  if (found === undefined) {
    let isLost = false
    const look = async (): Promise<JobRecord | undefined> => {
      isLost = true
      return (await searchJob(job.name, ports))?.job
    }
    const effect = await ports.service.createJob(job.name, { look, key: job.name, signal: ports.grace })
    record = effect.value
    adopted = effect.adopted
    // The lost request may still arrive and make a second job: search once more before either is used.
    if (isLost) found = await searchJob(job.name, ports)
  }
  if (found !== undefined) {
    record = found.job
    for (const other of found.others) yield { type: 'issue.raised', issue: orphanIssue(other) }
  }
  yield { type: 'job.created', part: job.part, id: record!.id, name: job.name, adopted }
}

export const create: JobStage = { isDone: job => job.id !== null, run: createJob }
