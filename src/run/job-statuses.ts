/** Reads the status of each job of a detached run once, and records nothing. */
import { enrichPhase, matchPhase } from '../contract/index.ts'
import type { RunState } from '../journal/state.ts'
import { readRecordedJob } from './job-lookup.ts'
import type { StatusPorts } from './ports.ts'

/** `ready`: a resume need not wait for the matching; `failed`: all jobs ended in an error status. */
export type JobStatuses = 'ready' | 'going' | 'failed'

export interface JobStatusEntry {
  readonly part: number
  readonly id: string | null
  readonly status: string
}

/** Reads every job whose status may have changed. Throws the error of a failed read; the caller may try again. */
export async function fetchJobStatuses(
  state: RunState,
  ports: StatusPorts,
): Promise<{ status: JobStatuses; jobs: readonly JobStatusEntry[] }> {
  const jobs: JobStatusEntry[] = []
  const found = new Set<JobStatuses>()
  for (const job of state.jobs) {
    const { part, id } = job
    const isFinal = job.failure !== null || job.enrichFinished
    const status = isFinal || id === null ? (job.status ?? 'unknown') : (await readRecordedJob(job, ports)).status
    const phase = job.enrichRequested ? enrichPhase(status) : matchPhase(status, state.plan.enrich !== null)
    jobs.push({ part, id, status })
    if (job.failure !== null || phase === 'failed') found.add('failed')
    else found.add(job.enrichFinished || phase === 'done' ? 'ready' : 'going')
  }
  const status = (['going', 'ready', 'failed'] as const).find(candidate => found.has(candidate)) ?? 'ready'
  return { status, jobs }
}
