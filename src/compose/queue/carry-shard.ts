/**
 * A shard carried out by a worker: from its first event, or from where the journal in the queue stands, whoever wrote it. It is the
 * ordinary run, but for a second place of its journal and a pace that is shared.
 */
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { FettleError } from '../../errors.ts'
import type { RunFact, RunState } from '../../journal/index.ts'
import { type Connected, copyLines, type Hold, type Left, readLines } from '../../queue/index.ts'
import type { RunResult, RunSettings } from '../carry-out.ts'
import { resumeRun, startRun } from '../lifecycle.ts'
import { identityOf } from '../service.ts'
import { credentialsOf, type Env, serviceUrlOf } from '../settings.ts'
import { restoreRun } from './restore.ts'
import { jobIdOf, readTask, type ShardEnd, type ShardTask } from './task.ts'
import { held, type SharedWorlds } from './turns.ts'

/** Where a worker works. */
export interface WorkerPlace {
  readonly env: Env
  readonly cwd: string
  readonly runsDir: string
  readonly worlds: SharedWorlds
  /** Told how a shard, by its name, gets on. */
  readonly onNote: (shard: string, text: string) => void
  readonly onFact: (shard: string, fact: RunFact, state: RunState) => void
}

/** What was recorded last must still get to the queue after a stop. */
const LAST_MS = 10_000

/** The runs of the workers of this machine: on a folder that several share, each keeps to its own. */
const workerDir = (runsDir: string): string => join(runsDir, 'workers', hostname())

/** Carries a shard out as far as it goes. */
export async function carryShard(
  connected: Connected,
  value: unknown,
  hold: Hold,
  place: WorkerPlace,
  signal: AbortSignal,
): Promise<Left> {
  try {
    const task = readTask(value)
    const known = await readLines(connected, hold.job.id ?? '')
    const copy = copyLines(connected, hold, known.length)
    const credentials = () => credentialsOf(place.env, {})
    try {
      proveService(task, place.env)
      proveAccount(task, hold.job.id, credentials)
    } catch (error) {
      return unfit(error)
    }
    const settings: RunSettings = {
      env: { ...place.env, ...(task.traceparent === null ? {} : { TRACEPARENT: task.traceparent }) },
      cwd: place.cwd,
      runsDir: workerDir(place.runsDir),
      credentials,
      args: task.args,
      timeoutMs: null,
      signal,
      copy,
      world: held(place.worlds.of(identityOf(task.plan.service, credentials)), copy.hold),
      onNote: text => place.onNote(task.shard, text),
      onFact: (fact, state) => {
        if (fact.type === 'stage.started') void hold.job.updateProgress(fact.stage).catch(() => {})
        place.onFact(task.shard, fact, state)
      },
    }
    place.onNote(task.shard, known.length === 0 ? 'taken' : `taken over after ${known.length} events`)
    const result =
      known.length === 0
        ? await startRun(task.plan, settings, true)
        : await resumeRun(await restoreRun(settings.runsDir, known), settings)
    await copy.settled(AbortSignal.timeout(LAST_MS))
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
    return left(isOurs ? 'bug' : 'again', isOurs ? `FETTLE_BUG ${name}: ${message}` : message)
  }
}

/** Credentials go to the service they are for: a queue that others may write to must not lead them elsewhere. */
function proveService({ plan }: ShardTask, env: Env): void {
  const own = serviceUrlOf(env)
  const asked = plan.service.kind === 'remote' ? plan.service.url : 'embedded'
  if (plan.service.kind === 'embedded' || (own !== null && new URL(own).href.replace(/\/$/, '') !== asked.replace(/\/$/, '')))
    throw new FettleError('FETTLE_QUEUE_SETTINGS', `the shard is for ${asked}, and this worker for ${own}`, {
      hint: 'Give workers and whoever submits the same FETTLE_URL.',
    })
}

/** Who carries a shard out is who pays for it, and nobody else could go on with it: its job is named after the account too. */
function proveAccount({ plan }: ShardTask, jobId: string | undefined, credentials: RunSettings['credentials']): void {
  if (jobId !== jobIdOf(plan, identityOf(plan.service, credentials)))
    throw new FettleError(
      'FETTLE_QUEUE_SETTINGS',
      'the shard was submitted by another user than the FETTLE_USERNAME of this worker',
      {
        hint: 'Give workers and whoever submits the same FETTLE_USERNAME.',
      },
    )
}

function leftOf({ state, directory }: RunResult): Left {
  const { runId, status, exitCode, finished, error } = state
  const end: ShardEnd = { runId, directory: resolve(directory.path), status, exitCode }
  if (finished) return { is: 'done', end }
  if (error?.kind === 'denied')
    return unfit(new FettleError(error.code as FettleError['code'], error.message, { hint: error.hint }))
  return left(error?.kind ?? 'again', error === null ? 'it stopped' : `${error.code} ${error.message}`)
}

/** No shard can be carried out as this worker is set up; another may do so. */
function unfit(error: unknown): Left {
  if (!FettleError.is(error)) throw error
  return { is: 'unfit', why: `${error.code} ${error.message}`, error }
}

/** What another try, another worker or another disk may cure is left to them. */
const left = (kind: FettleError['kind'], why: string): Left => ({
  is: kind === 'again' || kind === 'output' || kind === 'sigint' || kind === 'sigterm' ? 'again' : 'over',
  why,
})
