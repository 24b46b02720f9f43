/** Match: wait until the service has decided about every row. */
import { matchPhase } from '../../contract/index.ts'
import type { RunFact } from '../../journal/events.ts'
import type { JobState } from '../../journal/state.ts'
import type { Plan } from '../../pipeline/types.ts'
import { observe } from '../observe.ts'
import type { Ports } from '../ports.ts'
import { eachJob, type Stage } from '../stage.ts'

const isDone = (job: JobState): boolean => job.matchFinished

async function* matchOne(job: JobState, plan: Plan, ports: Ports): AsyncGenerator<RunFact, void, void> {
  const phaseOf = (status: string) => matchPhase(status, plan.enrich !== null)
  const record = yield* observe(job, { stage: 'match', poll: plan.poll, phaseOf }, ports)
  yield { type: 'match.finished', part: job.part, status: record.status, summary: record.jobSummary ?? null }
}

/** The match stage. */
export const match: Stage = {
  name: 'match',
  done: state => state.jobs.every(isDone),
  skip: () => null,
  run: (state, ports) => eachJob(state, isDone, job => matchOne(job, state.plan, ports)),
}
