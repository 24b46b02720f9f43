/** The map stage: sends the column mappings. The request replaces the whole set, so it may be repeated freely. */
import { hasSubmission } from '../../contract/index.ts'
import { FettleError } from '../../errors.ts'
import type { JobState, RunState } from '../../journal/state.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import { readRecordedJob, whenReady } from '../job-lookup.ts'
import type { Ports } from '../ports.ts'
import { type JobStage, readId, type StageEvents } from '../stage.ts'

function withMappings(error: unknown, { mappings }: Plan): unknown {
  if (!FettleError.is(error) || error.code !== 'FETTLE_REJECTED' || error.status === null) return error
  const sent = mappings.map(({ mapping, header, index }) => `${mapping} from ${header ?? `column ${index + 1}`}`).join(', ')
  const { status, correlationId, hint } = error
  return new FettleError(error.code, `${error.message} Mappings sent: ${sent}.`, { status, correlationId, hint, cause: error })
}

/** Where only the mapped columns are sent, they are counted without the others. */
const sentIndex = (index: number, { mappings, send }: Plan): number =>
  send === undefined ? index : new Set(mappings.map(mapping => mapping.index).filter(at => at < index)).size

async function* mapColumns(job: JobState, { plan }: RunState, ports: Ports): StageEvents {
  // The wire wants the zero-based index as a string (contract §5.4).
  const mappings = plan.mappings.map(({ mapping, index }) => ({ mapping, value: String(sentIndex(index, plan)) }))
  const isBusy = (status: string): boolean => status === 'uploading'
  const send = async (): Promise<null> => {
    await ports.service.setMappings(readId(job), mappings, { signal: ports.grace })
    return null
  }
  // Only mappings lead past `ready`: a service that refuses them there has them already.
  const already = async (): Promise<null | undefined> =>
    hasSubmission((await readRecordedJob(job, ports, { signal: ports.grace })).status) ? null : undefined
  try {
    await whenReady(job, ports, { isBusy, send, already })
  } catch (error) {
    throw withMappings(error, plan)
  }
  yield { type: 'mapping.accepted', part: job.part, count: mappings.length }
}

export const map: JobStage = { isDone: job => job.mapped, run: mapColumns }
