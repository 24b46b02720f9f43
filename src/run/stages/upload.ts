/** Upload: the file of a job. An upload cannot be taken up again in the middle, so the job is read before it is repeated. */
import { hasUpload } from '../../contract/index.ts'
import type { RunFact } from '../../journal/events.ts'
import type { JobState } from '../../journal/state.ts'
import { readOwnJob } from '../own-job.ts'
import type { Ports } from '../ports.ts'
import { eachJob, idOf, type Stage } from '../stage.ts'

const isDone = (job: JobState): boolean => job.uploaded !== null

/** A broken upload may keep the job at `uploading` until the service notices: it is given a minute to settle. */
const SETTLE_MS = 60_000
const SETTLE_PAUSE_MS = 1_000

async function arrived(job: JobState, ports: Ports): Promise<boolean> {
  const until = ports.clock.monotonic() + SETTLE_MS
  for (;;) {
    const { status } = await readOwnJob(job, ports)
    if (status !== 'uploading' || ports.clock.monotonic() >= until) return hasUpload(status)
    await ports.clock.sleep(SETTLE_PAUSE_MS, ports.signal)
  }
}

async function* uploadOne(job: JobState, ports: Ports): AsyncGenerator<RunFact, void, void> {
  const upload = await ports.source.upload()
  const accepted = { type: 'upload.accepted', part: job.part, bytes: upload.bytes } as const
  if (job.uploadRequested && (await arrived(job, ports))) {
    yield { ...accepted, fileId: null, sha256: null, adopted: true }
    return
  }
  if (!job.uploadRequested) yield { type: 'upload.requested', part: job.part, bytes: upload.bytes }
  const onProgress = (sent: number): void => ports.tick({ type: 'upload', sent, total: upload.bytes })
  const look = async (): Promise<null | undefined> => ((await arrived(job, ports)) ? null : undefined)
  const body = {
    filename: upload.filename,
    bytes: upload.bytes,
    hasHeader: upload.hasHeader,
    open: () => upload.open(),
    onProgress,
  }
  const effect = await ports.service.upload(idOf(job), body, { look, key: job.name, signal: ports.signal })
  yield {
    ...accepted,
    fileId: effect.value?.id ?? null,
    sha256: effect.adopted ? null : upload.sha256(),
    adopted: effect.adopted,
  }
}

/** The upload stage. */
export const upload: Stage = {
  name: 'upload',
  done: state => state.jobs.every(isDone),
  skip: () => null,
  run: (state, ports) => eachJob(state, isDone, job => uploadOne(job, ports)),
}
