/**
 * The enrich stage: chooses the tags, starts enriching once, and waits. Starting may cost money, so it is not repeated by a process that
 * does not know whether it took effect, by a later one only after it has watched the job, and never started above the budget.
 */
import { enrichPhase, hasEnrichment } from '../../contract/index.ts'
import { counted } from '../../counted.ts'
import { FettleError } from '../../errors.ts'
import type { JobState, RunState } from '../../journal/state.ts'
import type { Doubt } from '../../model/requests.ts'
import { wantedTags } from '../../pipeline/model/wanted-tags.ts'
import { creditsOf, mostToEnrich } from '../checks.ts'
import { adopt, provenStatus, whenReady } from '../job-lookup.ts'
import { pollJob } from '../poll-job.ts'
import type { Ports } from '../ports.ts'
import { isResumed, type JobStage, readId, type StageEvents } from '../stage.ts'

/**
 * The service may show late that enriching started, and `readyForEnriching` proves nothing: the job is read after these pauses before
 * it is started again.
 */
const PROOF_PAUSES_MS = [0, 2_000, 5_000, 10_000]

/** Null when enriching has started. `isWatched`: the job is read for a while at any status. */
async function findStart(job: JobState, ports: Ports, isWatched: boolean): Promise<null | undefined> {
  for (const pause of PROOF_PAUSES_MS) {
    await ports.clock.sleep(pause, ports.grace)
    const status = await provenStatus(job, ports, ports.grace)
    if (hasEnrichment(status)) return null
    if (!isWatched && status !== 'readyForEnriching') return undefined
  }
  return undefined
}

function guardBudget(state: RunState): void {
  const limit = state.plan.budget.credits
  if (limit === null || state.jobs.some(job => job.enrichRequested)) return
  const credits = creditsOf(state)
  if (credits === null) {
    if (mostToEnrich(state) <= limit) return
    throw new FettleError(
      'FETTLE_BUDGET_CREDITS',
      `the service gave no counts, and enriching may cost ${counted(mostToEnrich(state), 'credit')}, more than budget.credits (${limit}): it was not started`,
    )
  }
  if (credits > limit)
    throw new FettleError(
      'FETTLE_BUDGET_CREDITS',
      `enriching ${counted(credits, 'row')} would exceed budget.credits (${limit}): it was not started`,
    )
}

async function* enrichJob(job: JobState, state: RunState, ports: Ports): StageEvents {
  const { enrich, poll } = state.plan
  if (enrich === null) return
  const id = readId(job)
  const accepted = { type: 'enrich.accepted', part: job.part } as const
  const tags = wantedTags(state.plan)
  // A job may go back to matching after it was complete.
  const isBusy = (status: string): boolean => /^matching$|^matched$|^aggregating/.test(status)
  const mayBeUnrecorded = !job.enrichRequested && isResumed(state)
  const isUnrecorded = mayBeUnrecorded && hasEnrichment(await provenStatus(job, ports, ports.grace))
  if (!job.enrichmentsAccepted && !job.enrichRequested && !isUnrecorded) {
    const send = async (): Promise<null> => {
      await ports.service.setEnrichments(id, tags, { signal: ports.grace })
      return null
    }
    // Enriching starts after the tags are chosen: a service that refuses them because it started has them already.
    const already = async (): Promise<null | undefined> =>
      hasEnrichment(await provenStatus(job, ports, ports.grace)) ? null : undefined
    await whenReady(job, ports, { isBusy, send, already })
    yield { type: 'enrichments.accepted', part: job.part, product: enrich.product, tags: tags.length }
  }
  const look = async (doubt: Doubt): Promise<null | undefined> => {
    const start = await findStart(job, ports, doubt !== 'refused')
    if (start === undefined && doubt === 'lost')
      throw new FettleError('FETTLE_UNANSWERED', `the job ${id} does not show that enriching started`)
    return start
  }
  if (!job.enrichAccepted) {
    if (isUnrecorded || (job.enrichRequested && (await findStart(job, ports, true)) === null))
      yield { ...accepted, adopted: true }
    else {
      // Again in a resume: the answers are not older than the last request.
      yield { type: 'enrich.requested', part: job.part }
      const options = { look, key: `${job.name}-enrich`, signal: ports.grace }
      const send = () => ports.service.enrich(id, options)
      const effect = await whenReady(job, ports, { isBusy, send, already: adopt(look) })
      yield { ...accepted, adopted: effect.adopted }
    }
  }
  const record = yield* pollJob(job, { stage: 'enrich', poll, awaited: 'enrichmentComplete', readPhase: enrichPhase }, ports)
  yield { type: 'enrich.finished', part: job.part, status: record.status, summary: record.jobSummary ?? null }
}

export const enrich: JobStage = {
  skip: state => (state.plan.enrich === null ? 'the pipeline asks for no enrichment' : null),
  guard: guardBudget,
  isDone: job => job.enrichFinished,
  run: enrichJob,
}
