/**
 * A list given to a queue: its shards posted, waited for wherever they are carried out, and joined here. Nothing is lost with the
 * process that does so: the same again, or a collect, finds the same shards.
 */
import { FettleError } from '../../errors.ts'
import type { RunArgs } from '../../journal/index.ts'
import { isHidden, lineOf, type Plan, shardText } from '../../pipeline/index.ts'
import { Board, type Connected, connectQueue, type Notice, queueAddress, queueFacts, type Standing } from '../../queue/index.ts'
import { counted } from '../../report/words.ts'
import type { RunResult, RunSettings } from '../carry-out.ts'
import { withLock } from '../lifecycle.ts'
import { mergeRuns } from '../merge.ts'
import { identityOf } from '../service.ts'
import { passwordOf, traceOf } from '../settings.ts'
import { stopAt } from '../stop.ts'
import { REAL_WORLD } from '../world.ts'
import { clearMerged } from './clear.ts'
import { gatherShards } from './gather.ts'
import { keepQueued, type QueuedRun } from './record.ts'
import { isBadEnd, jobIdOf, type ShardTask } from './task.ts'
import { sharedWorlds } from './turns.ts'

/** The queue that a command is about: address and name, as they were given or kept. */
export interface QueuePlace {
  readonly url: string
  readonly name: string
}

/** A queue for as long as `body` needs it. Throws as connectQueue does. */
export async function withQueue<T>(
  { url, name }: QueuePlace,
  env: RunSettings['env'],
  body: (connected: Connected) => Promise<T>,
): Promise<T> {
  const connected = await connectQueue(queueAddress(url, name, passwordOf(env, 'FETTLE_QUEUE_PASSWORD')))
  try {
    return await body(connected)
  } finally {
    await connected.close()
  }
}

/** Throws FETTLE_QUEUE_SETTINGS when Redis would lose what it is given; tells what is not as it should be. */
export async function proveQueue(connected: Connected, onNote: (text: string) => void): Promise<void> {
  for (const { is, told, hint } of await queueFacts(connected)) {
    if (is === 'fail') throw new FettleError('FETTLE_QUEUE_SETTINGS', `the Redis at ${connected.address.url}: ${told}`, { hint })
    if (is === 'warn') onNote(`the Redis at ${connected.address.url}: ${told}`)
  }
}

/**
 * Posts the shards of a list, and keeps a record of it here; those that are in the queue already are left there. Throws
 * FETTLE_USAGE for a list that not every worker could see to.
 */
export async function submitShards(
  connected: Connected,
  plan: Plan,
  cut: () => Promise<readonly Plan[]>,
  settings: RunSettings,
  fresh: boolean,
): Promise<QueuedRun> {
  if (plan.service.kind === 'embedded')
    throw new FettleError('FETTLE_USAGE', 'the embedded service lives inside one process: workers could not reach it', {
      hint: 'Start one that they all reach (fettle serve), and name it: --service http://host:8080/v1.',
    })
  if (isHidden(plan.input.path))
    throw new FettleError(
      'FETTLE_USAGE',
      `workers cannot read ${plan.input.path}: its query may be a signature, and is handed to nobody`,
      {
        hint: 'Put the list at an s3:// address, at an address without a query, or in a folder that all workers see.',
      },
    )
  await proveQueue(connected, settings.onNote ?? (() => {}))
  const identity = identityOf(plan.service, settings.credentials)
  const shards = await cut()
  const jobs = shards.map(shard => jobIdOf(shard, identity))
  return withLock(lineOf(plan), settings, async () => {
    const { url, name } = connected.address
    const kept = { pipeline: plan.name, file: plan.file, identity, url, name, jobs }
    const { run } = await keepQueued(settings.runsDir, kept, { now: REAL_WORLD.clock.now(), fresh })
    const posted = shards.map((shard, at) => ({ id: jobs[at]!, task: taskOf(shard, settings) }))
    const board = new Board(connected)
    try {
      const { found } = await board.post(posted, { atOnce: plan.concurrency, fresh, isBad: isBadEnd })
      const there = found === 0 ? '' : found === jobs.length ? ', all of them there already' : `, ${found} of them there already`
      settings.onNote?.(
        `${counted(jobs.length, 'shard')} of ${counted(plan.rows, 'row')} in the queue ${name} at ${url}${there} (${run.runId})`,
      )
    } finally {
      await board.close()
    }
    return run
  })
}

/** As many jobs at once as the pipeline allows are as many shards at once: within a shard they go one after the other. */
const taskOf = (plan: Plan, { args, env }: RunSettings): ShardTask => ({
  version: 1,
  plan: { ...plan, concurrency: 1 },
  args: { ...args, shard: plan.shard === undefined ? null : shardText(plan.shard) } as RunArgs,
  traceparent: traceOf(env).traceparent,
})

/** How the shards of a list stand in the queue. */
export async function standingInQueue(connected: Connected, { jobs }: QueuedRun): Promise<Standing & { readonly bad: number }> {
  const board = new Board(connected)
  try {
    const ends = await board.ends(jobs)
    return { ...(await board.standing(jobs)), bad: ends.filter(end => end !== null && isBadEnd(end)).length }
  } finally {
    await board.close()
  }
}

/** How a list stands, in words. */
export const standingInWords = ({ done, active, waiting, failed, missing, workers }: Standing): string =>
  [
    `${counted(done, 'shard')} done, ${active} being carried out, ${waiting} waiting`,
    ...(failed.length === 0 ? [] : [`${failed.length} given up`]),
    ...(missing.length === 0 ? [] : [`${missing.length} no longer in the queue`]),
    ...(workers === null
      ? []
      : [workers === 0 ? 'no worker is there: start one with fettle worker' : counted(workers, 'worker')]),
  ].join('; ')

/** A sign of life while there is nothing else to tell. */
const HEARTBEAT_MS = 30_000

/** Waits until no shard of the list is left to do, or `settings` say to stop; tells how it goes on. */
async function waitForShards(board: Board, { jobs }: QueuedRun, settings: RunSettings): Promise<void> {
  const { clock } = REAL_WORLD
  const limit = stopAt(settings.signal, settings.timeoutMs, clock)
  const note = settings.onNote ?? (() => {})
  const ended = new Set<string>()
  const shardOf = (id: string): string => `shard ${jobs.indexOf(id) + 1}/${jobs.length}`
  const onNotice = ({ id, is, what }: Notice): void => {
    if (is !== 'moved') ended.add(id)
    if (is === 'moved') note(`${shardOf(id)}: ${what}`)
    else note(`${shardOf(id)} ${is === 'done' ? 'is done' : `was given up: ${what}`} (${ended.size} of ${jobs.length})`)
  }
  const heart = new AbortController()
  const beat = async (): Promise<void> => {
    for (;;) {
      note(standingInWords(await board.standing(jobs)))
      await clock.sleep(HEARTBEAT_MS, heart.signal)
    }
  }
  beat().catch(() => {})
  try {
    await board.wait(jobs, limit.signal, onNotice)
  } finally {
    heart.abort()
    limit.clear()
  }
}

/**
 * Waits for the shards of a list and joins them; then nothing of it is left in the queue. Throws the reason of a stop, with the
 * command that goes on, and the errors of shards that came to none but a bad end.
 */
export async function collectShards(connected: Connected, run: QueuedRun, settings: RunSettings): Promise<RunResult> {
  const board = new Board(connected)
  const worlds = sharedWorlds(connected)
  try {
    await waitForShards(board, run, settings).catch(error => {
      // What no waiting cures keeps its own cure.
      const canWait = FettleError.is(error) && error.kind !== 'usage'
      throw canWait ? new FettleError(error.code, error.message, { hint: goOn(run), cause: error }) : error
    })
    const { failed, missing } = await board.standing(run.jobs)
    if (failed.length > 0)
      throw new FettleError('FETTLE_QUEUE', `${failed.length} of ${run.jobs.length} shards were given up: ${failed[0]?.why}`, {
        hint: `Cure it, then run the same again, with whatever else was said: ${sameAgain(run)}`,
      })
    if (missing.length > 0)
      throw new FettleError('FETTLE_QUEUE', `${missing.length} of ${run.jobs.length} shards are no longer in the queue`, {
        hint: 'If another process has merged the list already, nothing is left to do: see fettle runs. If not, run the same again.',
      })
    const ends = await board.ends(run.jobs)
    const jobs = run.jobs.map((id, at) => ({ id, end: ends[at] }))
    const all = { ...settings, world: worlds.of(run.identity) }
    // Two at once would write the same runs.
    const shards = await withLock(run.pipeline, settings, () => gatherShards(connected, jobs, all))
    const result = await mergeRuns(shards, settings, run.runId)
    if (result.state.finished) await clearMerged(connected, { ...run, runId: result.state.runId }, settings.runsDir)
    return result
  } finally {
    await worlds.close()
    await board.close()
  }
}

/** The command that finds the same shards: with another number of them, or in another queue, they would be others, and paid anew. */
export const sameAgain = ({ file, url, name, jobs }: QueuedRun): string =>
  `fettle run ${file} --queue ${url}${name === 'fettle' ? '' : ` --queue-name ${name}`} --shards ${jobs.length}`

const goOn = ({ runId }: QueuedRun): string => `The workers go on. To wait again: fettle collect ${runId}`
