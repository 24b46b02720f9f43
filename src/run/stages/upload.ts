/** Upload: the file of a job. An upload cannot be taken up again in the middle, so the job is read before it is repeated. */
import { hasUpload } from '../../contract/index.ts'
import { FettleError } from '../../errors.ts'
import type { JobState, RunState } from '../../journal/state.ts'
import { provenStatus, readRecordedJob } from '../job-lookup.ts'
import type { Ports } from '../ports.ts'
import { type Facts, idOf, isContinued, type Stage } from '../stage.ts'

/** A broken upload may keep the job at `uploading` until the service notices: it is given a minute to settle. */
const SETTLE_MS = 60_000
const SETTLE_PAUSE_MS = 1_000

const toldStatus = async (job: JobState, ports: Ports): Promise<string> => (await readRecordedJob(job, ports)).status

async function settledStatus(job: JobState, ports: Ports, read = toldStatus): Promise<string> {
  const until = ports.clock.monotonic() + SETTLE_MS
  for (;;) {
    const status = await read(job, ports)
    if (status !== 'uploading' || ports.clock.monotonic() >= until) return status
    await ports.clock.sleep(SETTLE_PAUSE_MS, ports.signal)
  }
}

async function* uploadOne(job: JobState, state: RunState, ports: Ports): Facts {
  const arrived = async (): Promise<null | undefined> =>
    hasUpload(await settledStatus(job, ports, provenStatus)) ? null : undefined
  // Asked before the input is looked at: once it has arrived, it may have been replaced.
  if ((job.uploadRequested || isContinued(state)) && (await arrived()) === null) {
    yield { type: 'upload.accepted', part: job.part, bytes: state.plan.input.bytes, fileId: null, sha256: null, adopted: true }
    return
  }
  const upload = await ports.source.upload(job.part)
  if (!job.uploadRequested) yield { type: 'upload.requested', part: job.part, bytes: upload.bytes }
  const onProgress = (sent: number): void => ports.tick({ type: 'upload', sent, total: upload.bytes })
  const body = {
    filename: upload.filename,
    bytes: upload.bytes,
    hasHeader: upload.hasHeader,
    open: () => upload.open(),
    onProgress,
  }
  const send = () => ports.service.upload(idOf(job), body, { look: arrived, key: job.name, signal: ports.signal })
  let effect = await send()
  // The service may find out after its answer that the file broke on the way: it goes up once more.
  if ((await settledStatus(job, ports)) === 'uploadError') {
    effect = await send()
    if ((await settledStatus(job, ports)) === 'uploadError')
      throw new FettleError('FETTLE_JOB_FAILED', `the file of job ${job.id} went up twice and broke twice: status uploadError`)
  }
  yield {
    type: 'upload.accepted',
    part: job.part,
    bytes: upload.bytes,
    fileId: effect.value?.id ?? null,
    sha256: effect.adopted ? null : upload.sha256(),
    adopted: effect.adopted,
  }
}

/** The upload stage. */
export const upload: Stage = {
  name: 'upload',
  skip: () => null,
  isDone: job => job.uploaded !== null,
  each: uploadOne,
}
