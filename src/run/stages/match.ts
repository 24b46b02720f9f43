/** The match stage: waits until the service has decided about every row. */
import { enrichPhase, type JobRecord, matchPhase, readFault } from '../../contract/index.ts'
import type { Issue } from '../../errors.ts'
import type { JobState, RunState } from '../../journal/state.ts'
import { pollJob } from '../poll-job.ts'
import type { Ports } from '../ports.ts'
import { type JobStage, type StageEvents, warning } from '../stage.ts'

async function* waitForMatch(job: JobState, { plan }: RunState, ports: Ports): StageEvents {
  const readPhase = (status: string) => matchPhase(status, plan.enrich !== null)
  const awaited = plan.enrich === null ? 'matched' : 'jobMatchingComplete'
  const { rows } = plan.parts[job.part]!
  const record = yield* pollJob(job, { stage: 'match', poll: plan.poll, rows, awaited, readPhase }, ports)
  // Where the run enriches, the next stage fails by this status.
  if (plan.enrich === null && enrichPhase(record.status) === 'failed') yield { type: 'issue.raised', issue: failedStep(record) }
  yield { type: 'match.finished', part: job.part, status: record.status, summary: record.jobSummary ?? null }
}

/** Such as `addedToPortfolioError`: the rows were matched before. */
function failedStep(record: JobRecord): Issue {
  const { text } = readFault(record)
  const why = text === null ? '' : `: ${text}`
  return warning('FETTLE_JOB_STEP', `the job ${record.id} matched its rows and ended in the status ${record.status}${why}`)
}

export const match: JobStage = { isDone: job => job.matchFinished, run: waitForMatch }
