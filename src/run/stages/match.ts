/** The match stage: waits until the service has decided about every row. */
import { matchPhase } from '../../contract/index.ts'
import type { JobState } from '../../journal/state.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import { pollJob } from '../poll-job.ts'
import type { Ports } from '../ports.ts'
import type { JobStage, StageEvents } from '../stage.ts'

async function* waitForMatch(job: JobState, plan: Plan, ports: Ports): StageEvents {
  const phaseOf = (status: string) => matchPhase(status, plan.enrich !== null)
  const awaited = plan.enrich === null ? 'matched' : 'jobMatchingComplete'
  const record = yield* pollJob(job, { stage: 'match', poll: plan.poll, awaited, phaseOf }, ports)
  yield { type: 'match.finished', part: job.part, status: record.status, summary: record.jobSummary ?? null }
}

export const match: JobStage = {
  isDone: job => job.matchFinished,
  run: (job, { plan }, ports) => waitForMatch(job, plan, ports),
}
