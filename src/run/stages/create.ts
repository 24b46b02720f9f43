/**
 * Create: one remote job per part, whatever is lost on the way. The name is unique to the run and is looked up before creating
 * is ever repeated, and before anything is created by a later process: the journal may have lost the record of the first.
 */
import type { JobRecord } from '../../contract/index.ts'
import type { JobState } from '../../journal/state.ts'
import { findJob, orphanIssue, searchJob } from '../job-lookup.ts'
import type { Ports } from '../ports.ts'
import { type Facts, isContinued, type Stage } from '../stage.ts'

async function* createOne(job: JobState, isLater: boolean, ports: Ports): Facts {
  const look = job.requested ? searchJob : findJob
  let found = job.requested || isLater ? await look(job.name, ports) : undefined
  // An input that is no longer the planned one, or cannot be prepared, is better known before there is a job for it.
  if (found === undefined) await ports.source.upload(job.part)
  // Who is not let in has asked for no job, and need not look for one later.
  if (!job.requested) await ports.service.authenticate({ signal: ports.signal })
  if (!job.requested) yield { type: 'job.requested', part: job.part, name: job.name }
  let record: JobRecord
  let adopted = true
  if (found === undefined) {
    let lost = false
    const lookAgain = async (): Promise<JobRecord | undefined> => {
      lost = true
      return (await searchJob(job.name, ports))?.job
    }
    const effect = await ports.service.createJob(job.name, { look: lookAgain, key: job.name, signal: ports.grace })
    record = effect.value
    adopted = effect.adopted
    // A create that was lost on the way may still arrive: once more before anything is sent to either.
    if (lost) found = await searchJob(job.name, ports)
  }
  if (found !== undefined) {
    record = found.job
    for (const other of found.others) yield { type: 'issue.raised', issue: orphanIssue(other) }
  }
  yield { type: 'job.created', part: job.part, id: record!.id, name: job.name, adopted }
}

/** The create stage. */
export const create: Stage = {
  name: 'create',
  skip: () => null,
  isDone: job => job.id !== null,
  each: (job, state, ports) => createOne(job, isContinued(state), ports),
}
