/** How the jobs of a run stand at the service that nobody waits for: one look at each. It records nothing and sends nothing. */
import { enrichPhase, matchPhase } from '../contract/index.ts'
import type { RunState } from '../journal/state.ts'
import { readOwnJob } from './job-lookup.ts'
import type { LookPorts } from './ports.ts'

/** `ready`: whoever goes on with the run need not wait for the matching; `failed`: the service ended all its jobs in an error. */
export type Standing = 'ready' | 'going' | 'failed'

/** Where one job is, in the word of the service. */
export interface JobStanding {
  readonly part: number
  readonly id: string | null
  readonly status: string
}

/** Looks at every job that may have moved. Throws what a look throws; another look may cure it. */
export async function lookAtJobs(
  state: RunState,
  ports: LookPorts,
): Promise<{ standing: Standing; jobs: readonly JobStanding[] }> {
  const jobs: JobStanding[] = []
  const found = new Set<Standing>()
  for (const job of state.jobs) {
    const { part, id } = job
    const isKnown = job.failure !== null || job.enrichFinished
    const status = isKnown || id === null ? (job.status ?? 'unknown') : (await readOwnJob(job, ports)).status
    const phase = job.enrichRequested ? enrichPhase(status) : matchPhase(status, state.plan.enrich !== null)
    jobs.push({ part, id, status })
    if (job.failure !== null || phase === 'failed') found.add('failed')
    else found.add(job.enrichFinished || phase === 'done' ? 'ready' : 'going')
  }
  const standing = (['going', 'ready', 'failed'] as const).find(one => found.has(one)) ?? 'ready'
  return { standing, jobs }
}
