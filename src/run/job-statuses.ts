/** How the jobs of a run stand at the service that nobody waits for: one look at each. It records nothing and sends nothing. */
import { enrichPhase, matchPhase } from '../contract/index.ts'
import type { RunState } from '../journal/state.ts'
import { readRecordedJob } from './job-lookup.ts'
import type { StatusPorts } from './ports.ts'

/** `ready`: whoever goes on with the run need not wait for the matching; `failed`: the service ended all its jobs in an error. */
export type JobStatuses = 'ready' | 'going' | 'failed'

/** Where one job is, in the word of the service. */
export interface JobStatusEntry {
  readonly part: number
  readonly id: string | null
  readonly status: string
}

/** Looks at every job that may have moved. Throws what a look throws; another look may cure it. */
export async function fetchJobStatuses(
  state: RunState,
  ports: StatusPorts,
): Promise<{ standing: JobStatuses; jobs: readonly JobStatusEntry[] }> {
  const jobs: JobStatusEntry[] = []
  const found = new Set<JobStatuses>()
  for (const job of state.jobs) {
    const { part, id } = job
    const isKnown = job.failure !== null || job.enrichFinished
    const status = isKnown || id === null ? (job.status ?? 'unknown') : (await readRecordedJob(job, ports)).status
    const phase = job.enrichRequested ? enrichPhase(status) : matchPhase(status, state.plan.enrich !== null)
    jobs.push({ part, id, status })
    if (job.failure !== null || phase === 'failed') found.add('failed')
    else found.add(job.enrichFinished || phase === 'done' ? 'ready' : 'going')
  }
  const standing = (['going', 'ready', 'failed'] as const).find(one => found.has(one)) ?? 'ready'
  return { standing, jobs }
}
