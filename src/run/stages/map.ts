/** Map: tell the service which column is what. The request replaces the whole set, so it may be repeated freely. */
import { hasSubmission } from '../../contract/index.ts'
import { FettleError } from '../../errors.ts'
import type { JobState } from '../../journal/state.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import { readRecordedJob, whenReady } from '../job-lookup.ts'
import type { Ports } from '../ports.ts'
import { type Facts, idOf, type Stage } from '../stage.ts'

/** A refusal of the mappings, with what was mapped beside it. */
function explained(error: unknown, { mappings }: Plan): unknown {
  if (!FettleError.is(error) || error.code !== 'FETTLE_REJECTED' || error.status === null) return error
  const ours = mappings.map(({ mapping, header, index }) => `${mapping} from ${header ?? `column ${index + 1}`}`).join(', ')
  const { status, correlationId, hint } = error
  return new FettleError(error.code, `${error.message} Sent was: ${ours}.`, { status, correlationId, hint, cause: error })
}

async function* mapOne(job: JobState, plan: Plan, ports: Ports): Facts {
  // The wire wants the zero-based index as a string (contract §5.4).
  const mappings = plan.mappings.map(({ mapping, index }) => ({ mapping, value: String(index) }))
  const isBusy = (status: string): boolean => status === 'uploading'
  const send = async (): Promise<null> => {
    await ports.service.setMappings(idOf(job), mappings, { signal: ports.grace })
    return null
  }
  // Nothing but the mappings leads past `ready`: who refuses them since it is there, has them.
  const already = async (): Promise<null | undefined> =>
    hasSubmission((await readRecordedJob(job, ports, { signal: ports.grace })).status) ? null : undefined
  try {
    await whenReady(job, ports, isBusy, send, already)
  } catch (error) {
    throw explained(error, plan)
  }
  yield { type: 'mapping.accepted', part: job.part, count: mappings.length }
}

/** The map stage. */
export const map: Stage = {
  name: 'map',
  skip: () => null,
  isDone: job => job.mapped,
  each: (job, { plan }, ports) => mapOne(job, plan, ports),
}
