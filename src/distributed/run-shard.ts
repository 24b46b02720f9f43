/**
 * Runs a shard in a worker: a new run, or a resume from the journal in the queue. It is the ordinary run with a second copy of its
 * journal and a shared rate limit.
 */
import { copyFile, mkdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { counted } from '../counted.ts'
import type { Env } from '../env/environment.ts'
import { remoteIdentity } from '../env/identity.ts'
import { readCredentials } from '../env/trust.ts'
import { FettleError } from '../errors.ts'
import type { RunResult, RunSettings } from '../execution/run-settings.ts'
import { resumeRun, startRun } from '../execution/start.ts'
import type { RunEventInput, RunState } from '../journal/index.ts'
import { createDispatcher } from '../observe/reporters.ts'
import type { Plan } from '../pipeline/index.ts'
import { type Connected, copyLines, type Lease, readLines, type ShardResult } from '../queue/index.ts'
import { type SharedRuntimes, withLease } from './rate-limit.ts'
import { restoreRun } from './restore.ts'
import {
  createSigner,
  openTask,
  proveInput,
  proveRun,
  readShownTask,
  type ShardEnd,
  type Started,
  sealEnd,
} from './shard-task.ts'

export interface WorkerContext extends Omit<Started, 'credentials'> {
  readonly env: Env
  readonly runsDir: string
  readonly runtimes: SharedRuntimes
  readonly onNote: (shard: string, text: string) => void
  readonly onEvent: (shard: string, event: RunEventInput, state: RunState) => void
}

/** The last events must reach the queue even after a stop. */
const LAST_MS = 10_000

/** The runs of this machine; several machines may share the directory. */
const workerDir = (runsDir: string): string => join(runsDir, 'workers', hostname())

/** Copies the rows of a query, which the submitter has among its runs, to the runs of this machine. Throws FETTLE_INPUT_READ without them. */
async function copyRows({ input }: Plan, runsDir: string): Promise<void> {
  const name = join('inputs', `${input.sha256}.csv`)
  const target = join(workerDir(runsDir), name)
  await mkdir(dirname(target), { recursive: true })
  await copyFile(join(runsDir, name), target).catch(cause => {
    throw new FettleError('FETTLE_INPUT_READ', `the rows of the query at ${input.path} are not among the runs in ${runsDir}`, {
      hint: 'Start workers in the folder of the submitter: they do not read databases.',
      cause,
    })
  })
}

/** The service is named before the signature is proved, for a message that a worker for a different service can act on. Nothing is sent to it. */
function checkService(value: unknown, { service }: WorkerContext): void {
  const asked = readShownTask(value)
  if (asked === null || asked === service) return
  throw new FettleError('FETTLE_QUEUE_SIGNATURE', `the shard is for ${asked}, and this worker for ${service}`, {
    hint: 'Set the same FETTLE_URL for workers and submitters.',
  })
}

export async function runShard(
  connected: Connected,
  value: unknown,
  lease: Lease,
  place: WorkerContext & { readonly signal: AbortSignal },
): Promise<ShardResult> {
  try {
    const jobId = lease.job.id ?? ''
    const credentials = () => readCredentials(place.env, { kind: 'remote', url: place.service })
    const identity = remoteIdentity(place.service, credentials)
    checkService(value, place)
    const signer = await createSigner(identity, { env: place.env, credentials })
    const { shard, ...task } = openTask(connected, jobId, value, signer)
    proveInput(task.plan, place)
    const stored = await readLines(connected, jobId, signer)
    const known = stored.lines
    const run = known.length === 0 ? null : proveRun(known, { jobId, identity, chosen: task.chosen?.event })
    const copy = copyLines(connected, lease, stored, signer)
    if (task.plan.input.query !== undefined) await copyRows(task.plan, place.runsDir)
    const settings: RunSettings = {
      env: { ...place.env, ...(task.traceparent === null ? {} : { TRACEPARENT: task.traceparent }) },
      cwd: place.cwd,
      runsDir: workerDir(place.runsDir),
      credentials,
      args: task.args,
      timeoutMs: null,
      signal: place.signal,
      queued: {
        copy,
        chosen: task.chosen && { event: task.chosen.event, bytes: Buffer.from(task.chosen.choice, 'base64') },
      },
      runtime: withLease(place.runtimes.of(identity), copy.renew),
      observers: createDispatcher([
        {
          name: 'worker',
          onNote: text => place.onNote(shard, text),
          onEvent: (event, state) => {
            if (event.type === 'stage.started') void lease.job.updateProgress(event.stage).catch(() => {})
            place.onEvent(shard, event, state)
          },
        },
      ]),
    }
    place.onNote(shard, run === null ? 'taken' : `taken over after ${counted(known.length, 'event')}`)
    if (run !== null) await restoreRun(settings.runsDir, run.runId, known)
    const result = run === null ? await startRun(task.plan, settings, true) : await resumeRun(run.runId, settings)
    await copy.flushed(AbortSignal.timeout(LAST_MS))
    return sealResult(result, end => sealEnd(connected, jobId, end, signer))
  } catch (error) {
    if (FettleError.is(error)) {
      // A changed password or version must not end a shard that may be paid for.
      if (error.code === 'FETTLE_QUEUE_SIGNATURE') return unusableWorker(error)
      return failedShard(error.kind, `${error.code} ${error.message}`)
    }
    // An error of Redis or of the machine may be temporary; a bug of fettle is not.
    const { name, message } = error as Error
    const isOurs = error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError
    return failedShard(isOurs ? 'bug' : 'retryable', isOurs ? `FETTLE_BUG ${name}: ${message}` : message)
  }
}

function sealResult({ state, directory }: RunResult, seal: (end: ShardEnd) => unknown): ShardResult {
  const { runId, status, exitCode, finished, error } = state
  const end: ShardEnd = { runId, directory: resolve(directory.path), status, exitCode }
  if (finished) return { status: 'completed', end: seal(end) }
  if (error?.kind === 'denied')
    return unusableWorker(new FettleError(error.code as FettleError['code'], error.message, { hint: error.hint }))
  return failedShard(error?.kind ?? 'retryable', error === null ? 'it stopped' : `${error.code} ${error.message}`)
}

/** This worker cannot run any shard; another may. */
function unusableWorker(error: unknown): ShardResult {
  if (!FettleError.is(error)) throw error
  return { status: 'workerUnusable', why: `${error.code} ${error.message}`, error }
}

/** Errors that a retry, another worker or another disk may avoid are left to them. */
const failedShard = (kind: FettleError['kind'], why: string): ShardResult => ({
  status: kind === 'retryable' || kind === 'output' || kind === 'sigint' || kind === 'sigterm' ? 'retry' : 'failed',
  why,
})
