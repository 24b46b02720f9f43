/**
 * A shard carried out by a worker: from its first event, or from where the journal in the queue stands, whoever wrote it. It is the
 * ordinary run, but for a second place of its journal and a pace that is shared.
 */
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { FettleError } from '../../errors.ts'
import type { RunEventInput, RunState } from '../../journal/index.ts'
import { type Connected, copyLines, type Lease, readLines, type ShardResult } from '../../queue/index.ts'
import { credentialsOf, type Env } from '../env/environment.ts'
import { identityOf } from '../env/identity.ts'
import type { RunResult, RunSettings } from '../execution/execute.ts'
import { resumeRun, startRun } from '../execution/start.ts'
import { createDispatcher } from '../observe/reporters.ts'
import { type SharedRuntimes, withLease } from './rate-limit.ts'
import { restoreRun } from './restore.ts'
import { readTask, type ShardEnd } from './shard-task.ts'
import { proveInput, proveLines, proveOwner, type Started } from './verify-task.ts'

/** Where a worker works. */
export interface WorkerContext extends Omit<Started, 'credentials'> {
  readonly env: Env
  readonly runsDir: string
  readonly worlds: SharedRuntimes
  /** Told how a shard, by its name, gets on. */
  readonly onNote: (shard: string, text: string) => void
  readonly onEvent: (shard: string, event: RunEventInput, state: RunState) => void
}

/** What was recorded last must still get to the queue after a stop. */
const LAST_MS = 10_000

/** The runs of the workers of this machine: on a folder that several share, each keeps to its own. */
const workerDir = (runsDir: string): string => join(runsDir, 'workers', hostname())

/** Carries a shard out as far as it goes. */
export async function runShard(
  connected: Connected,
  value: unknown,
  hold: Lease,
  place: WorkerContext,
  signal: AbortSignal,
): Promise<ShardResult> {
  try {
    const jobId = hold.job.id ?? ''
    const { shard, ...task } = readTask(value, jobId)
    const credentials = () => credentialsOf(place.env, {})
    const started: Started = { ...place, credentials }
    try {
      proveOwner(task, jobId, started)
    } catch (error) {
      if (FettleError.is(error, 'usage')) return unfit(error)
      throw error
    }
    proveInput(task.plan, started)
    const identity = identityOf(task.plan.service, credentials)
    const known = await readLines(connected, jobId)
    const run = known.length === 0 ? null : proveLines(known, { jobId, identity, task })
    const copy = copyLines(connected, hold, known.length)
    const settings: RunSettings = {
      env: { ...place.env, ...(task.traceparent === null ? {} : { TRACEPARENT: task.traceparent }) },
      cwd: place.cwd,
      runsDir: workerDir(place.runsDir),
      credentials,
      args: task.args,
      timeoutMs: null,
      signal,
      copy,
      world: withLease(place.worlds.of(identity), copy.renew),
      observers: createDispatcher([
        {
          name: 'worker',
          onNote: text => place.onNote(shard, text),
          onEvent: (event, state) => {
            if (event.type === 'stage.started') void hold.job.updateProgress(event.stage).catch(() => {})
            place.onEvent(shard, event, state)
          },
        },
      ]),
    }
    place.onNote(shard, run === null ? 'taken' : `taken over after ${known.length} events`)
    if (run !== null) await restoreRun(settings.runsDir, run.runId, known)
    const result = run === null ? await startRun(task.plan, settings, true) : await resumeRun(run.runId, settings)
    await copy.flushed(AbortSignal.timeout(LAST_MS))
    return leftOf(result)
  } catch (error) {
    if (FettleError.is(error)) {
      // A journal that is damaged in the queue is so for every worker.
      const isLasting = error.code === 'FETTLE_JOURNAL_DAMAGED'
      return left(isLasting ? 'bug' : error.kind, `${error.code} ${error.message}`)
    }
    // What Redis or the machine says may be otherwise the next time; a mistake of ours will not.
    const { name, message } = error as Error
    const isOurs = error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError
    return left(isOurs ? 'bug' : 'retryable', isOurs ? `FETTLE_BUG ${name}: ${message}` : message)
  }
}

function leftOf({ state, directory }: RunResult): ShardResult {
  const { runId, status, exitCode, finished, error } = state
  const end: ShardEnd = { runId, directory: resolve(directory.path), status, exitCode }
  if (finished) return { status: 'completed', end }
  if (error?.kind === 'denied')
    return unfit(new FettleError(error.code as FettleError['code'], error.message, { hint: error.hint }))
  return left(error?.kind ?? 'retryable', error === null ? 'it stopped' : `${error.code} ${error.message}`)
}

/** No shard can be carried out as this worker is set up; another may do so. */
function unfit(error: unknown): ShardResult {
  if (!FettleError.is(error)) throw error
  return { status: 'workerUnusable', why: `${error.code} ${error.message}`, error }
}

/** What another try, another worker or another disk may cure is left to them. */
const left = (kind: FettleError['kind'], why: string): ShardResult => ({
  status: kind === 'retryable' || kind === 'output' || kind === 'sigint' || kind === 'sigterm' ? 'retry' : 'failed',
  why,
})
