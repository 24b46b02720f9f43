/** Map: tell the service which column is what. The request replaces the whole set, so it may be repeated freely. */
import type { RunFact } from '../../journal/events.ts'
import type { JobState } from '../../journal/state.ts'
import type { Plan } from '../../pipeline/types.ts'
import { whenReady } from '../own-job.ts'
import type { Ports } from '../ports.ts'
import { eachJob, idOf, type Stage } from '../stage.ts'

const isDone = (job: JobState): boolean => job.mapped

async function* mapOne(job: JobState, plan: Plan, ports: Ports): AsyncGenerator<RunFact, void, void> {
  // The wire wants the zero-based index as a string (contract §5.4).
  const mappings = plan.mappings.map(({ mapping, index }) => ({ mapping, value: String(index) }))
  const isBusy = (status: string): boolean => status === 'uploading'
  await whenReady(job, ports, isBusy, () => ports.service.setMappings(idOf(job), mappings, { signal: ports.grace }))
  yield { type: 'mapping.accepted', part: job.part, count: mappings.length }
}

/** The map stage. */
export const map: Stage = {
  name: 'map',
  done: state => state.jobs.every(isDone),
  skip: () => null,
  run: (state, ports) => eachJob(state, isDone, job => mapOne(job, state.plan, ports)),
}
