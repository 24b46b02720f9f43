/** The archive stage: archives the jobs of a run whose results are written. A refusal is a warning: nothing of the run depends on it. */
import { FettleError, type Issue } from '../../errors.ts'
import type { JobState, RunState } from '../../journal/index.ts'
import type { Ports } from '../ports.ts'
import { type RunStep, readId, type StageEvents, warning } from '../stage.ts'

/** A failed job is evidence. */
const isDone = ({ id, failure, archived }: JobState): boolean => id === null || failure !== null || archived === true

const isRefusal = (error: unknown): error is FettleError =>
  FettleError.is(error) && (error.kind === 'rejected' || error.code === 'FETTLE_FORBIDDEN')

/** Why the job was not archived, null if it is. Another job that has the id of ours is left alone. */
async function archiveJob(job: JobState, { service, signal, grace }: Ports): Promise<Issue | null> {
  const id = readId(job)
  try {
    const { name, archived } = await service.readJob(id, { signal })
    if (name !== job.name)
      return warning('FETTLE_ARCHIVE', `the job ${id} is called "${name}" and not "${job.name}": it was not archived`)
    if (archived !== true) await service.archive(id, { signal: grace })
    return null
  } catch (error) {
    if (!isRefusal(error)) throw error
    return warning('FETTLE_ARCHIVE', `the job ${id} was not archived: ${error.message}`)
  }
}

async function* run(state: RunState, ports: Ports): StageEvents {
  for (const job of state.jobs) {
    if (isDone(job)) continue
    const refused = await archiveJob(job, ports)
    // A kill between the two may repeat the warning, but not lose it.
    if (refused !== null) yield { type: 'issue.raised', issue: refused }
    yield { type: 'job.archived', part: job.part }
  }
}

export const archive: RunStep = { isDone: state => state.jobs.every(isDone), run }
