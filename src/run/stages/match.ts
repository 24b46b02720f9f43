/** Match: wait until the service has decided about every row. */
import { matchPhase } from '../../contract/index.ts'
import type { JobState } from '../../journal/state.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import { pollJob } from '../poll-job.ts'
import type { Ports } from '../ports.ts'
import type { Facts, Stage } from '../stage.ts'

async function* matchOne(job: JobState, plan: Plan, ports: Ports): Facts {
  const phaseOf = (status: string) => matchPhase(status, plan.enrich !== null)
  const record = yield* pollJob(job, { stage: 'match', poll: plan.poll, phaseOf }, ports)
  yield { type: 'match.finished', part: job.part, status: record.status, summary: record.jobSummary ?? null }
}

/** The match stage. */
export const match: Stage = {
  name: 'match',
  skip: () => null,
  isDone: job => job.matchFinished,
  each: (job, { plan }, ports) => matchOne(job, plan, ports),
}
