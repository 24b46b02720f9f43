/** Submits the shards of a list to a queue, each under a name that the same submission finds again. */
import { action, FettleError } from '../../errors.ts'
import type { RunArgs } from '../../journal/index.ts'
import { isHidden, lineOf, liveSettingsOf, type Plan, shardText } from '../../pipeline/index.ts'
import type { Connected } from '../../queue/index.ts'
import { counted } from '../../report/words.ts'
import { traceOf } from '../env/environment.ts'
import { identityOf } from '../env/identity.ts'
import { DEFAULT_RUNTIME } from '../env/runtime.ts'
import type { RunSettings } from '../execution/run-settings.ts'
import { withLock } from '../execution/start.ts'
import { assertDecisionsKept } from '../prepare/kept-decisions.ts'
import { removeIfPossible, runDirectory } from '../runs/run-directory.ts'
import { assertAccount, assertMonth, mostCredits, type QueuedSpending, withSpendingLock } from '../runs/spending.ts'
import { checkQueue, withShardQueue } from './connection.ts'
import { type QueuedRun, type Submitted, saveQueuedRun } from './queued-run.ts'
import { isBadEnd, jobIdOf, type ShardTask } from './shard-task.ts'

/**
 * Enqueues the shards of a list that are not in the queue yet, and records the list here. Throws FETTLE_USAGE for a list that not
 * every worker can read, FETTLE_DECISIONS_LOST.
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
      hint: 'Start a service that all workers reach, and set its address as service.url.',
      action: action('serve'),
    })
  // Workers read the copy of the rows of a database, which is among the runs.
  if (isHidden(plan.input.path) && plan.input.query === undefined)
    throw new FettleError(
      'FETTLE_USAGE',
      `workers cannot read ${plan.input.path}: its query may be a signature, so it is not stored in the queue`,
      {
        hint: 'Put the list at an s3:// address, at an address without a query, or in a folder that all workers see.',
      },
    )
  await checkQueue(connected, text => settings.observers?.emit('onNote', text))
  const identity = identityOf(plan.service, settings.credentials)
  const shards = await cut()
  const jobs = shards.map(shard => jobIdOf(shard, identity))
  return withLock(lineOf(plan), settings, async () => {
    const now = DEFAULT_RUNTIME.clock.now()
    await assertDecisionsKept(plan, settings, now)
    const { url, name } = connected.address
    const spending = queuedSpendingOf(shards, identity, now)
    await assertAccount(plan, settings, spending.reserved)
    const own = { pipeline: plan.name, file: plan.file, identity, url, name, jobs }
    const kept = { ...own, submitted: submittedOf(shards, settings), spending }
    // The workers do not check it again: what is reserved here covers all shards.
    const { run } = await withSpendingLock(settings.runsDir, DEFAULT_RUNTIME.clock, async () => {
      const saved = await saveQueuedRun(settings.runsDir, kept, { now, fresh })
      if (!saved.isNew) return saved
      try {
        assertMonth(plan, settings.runsDir, identity, now, { most: spending.reserved, except: saved.run.runId })
      } catch (error) {
        removeIfPossible(runDirectory(settings.runsDir, saved.run.runId).path)
        throw error
      }
      return saved
    })
    const posted = shards.map((shard, at) => ({ id: jobs[at]!, task: taskOf(shard, settings) }))
    const how = { atOnce: plan.concurrency, fresh, isBad: isBadEnd }
    const { found } = await withShardQueue(connected, board => board.post(posted, how))
    const there = found === 0 ? '' : found === jobs.length ? ', all of them there already' : `, ${found} of them there already`
    settings.observers?.emit(
      'onNote',
      `${counted(jobs.length, 'shard')} of ${counted(plan.rows, 'row')} in the queue ${name} at ${url}${there} (${run.runId})`,
    )
    return run
  })
}

/** With `reuse`, too: a shard sends all of its rows. */
function queuedSpendingOf(shards: readonly Plan[], identity: string, now: number): QueuedSpending {
  const [first] = shards
  const sum = (of: (plan: Plan) => number): number => shards.reduce((all, plan) => all + of(plan), 0)
  return {
    ...{ pipeline: first!.name, service: first!.service.kind === 'remote' ? first!.service.url : 'embedded', identity },
    ...{ rows: sum(({ rows }) => rows), reserved: sum(mostCredits), at: new Date(now).toISOString() },
  }
}

/** The part of the submission that is recorded here instead of read from Redis. */
function submittedOf(shards: readonly Plan[], { args }: RunSettings): Submitted {
  const [first] = shards
  const { file, description, tags, issues } = first!
  const own = { plan: { ...liveSettingsOf(first!), file, description, tags, issues }, args }
  return { fingerprints: shards.map(({ fingerprint }) => fingerprint), own }
}

/** The concurrency of the pipeline applies to shards; within a shard jobs run one after another. */
const taskOf = (plan: Plan, { args, env }: RunSettings): ShardTask => ({
  version: 1,
  plan: { ...plan, concurrency: 1 },
  args: { ...args, shard: plan.shard === undefined ? null : shardText(plan.shard) } as RunArgs,
  traceparent: traceOf(env).traceparent,
})
