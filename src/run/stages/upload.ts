/** The upload stage: sends the file of a job. An upload cannot be resumed midway, so the job is read before it is repeated. */
import { hasUpload } from '../../contract/index.ts'
import { FettleError } from '../../errors.ts'
import type { JobState, RunState } from '../../journal/state.ts'
import { isRefusal, provenStatus, readRecordedJob } from '../job-lookup.ts'
import type { Ports } from '../ports.ts'
import { isResumed, type JobStage, readId, type StageEvents } from '../stage.ts'

/** A broken upload may keep the job at `uploading` until the service notices: wait up to a minute. */
const SETTLE_MS = 60_000
const SETTLE_PAUSE_MS = 1_000

const readStatus = async (job: JobState, ports: Ports): Promise<string> => (await readRecordedJob(job, ports)).status

async function settledStatus(job: JobState, ports: Ports, read = readStatus): Promise<string> {
  const until = ports.clock.monotonic() + SETTLE_MS
  for (;;) {
    const status = await read(job, ports)
    if (status !== 'uploading' || ports.clock.monotonic() >= until) return status
    await ports.clock.sleep(SETTLE_PAUSE_MS, ports.signal)
  }
}

async function* uploadFile(job: JobState, state: RunState, ports: Ports): StageEvents {
  const arrived = async (): Promise<null | undefined> =>
    hasUpload(await settledStatus(job, ports, provenStatus)) ? null : undefined
  // A journal that was cut may lack the record of an upload, so every resumed run may have one under way.
  const isRepeated = job.uploadRequested || isResumed(state)
  // Checked before the input is read: once the file has arrived, the input may have been replaced.
  if (isRepeated && (await arrived()) === null) {
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
  const send = async () => {
    let looks = 0
    const look = () => {
      looks++
      return arrived()
    }
    const post = () => ports.service.upload(readId(job), body, { look, key: job.name, signal: ports.signal })
    for (let late = 0; ; late++)
      try {
        return await post()
      } catch (error) {
        // Each interrupted attempt, also of an earlier process, may reach the service late: `look` has waited until it was over.
        if (!isRefusal(error) || late === state.plan.retry.attempts || (looks < 2 && !isRepeated)) throw error
        await ports.clock.sleep(SETTLE_PAUSE_MS, ports.signal)
      }
  }
  let effect = await send()
  // The service may find the file broken after it answered: send it once more.
  if ((await settledStatus(job, ports)) === 'uploadError') {
    effect = await send()
    if ((await settledStatus(job, ports)) === 'uploadError')
      throw new FettleError(
        'FETTLE_JOB_FAILED',
        `the file of job ${job.id} was uploaded twice and broke twice: status uploadError`,
      )
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

export const upload: JobStage = { isDone: job => job.uploaded !== null, run: uploadFile }
