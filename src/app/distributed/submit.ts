/** A list given to a queue: its shards posted, each under a name of its own, so that the same again finds the same shards. */
import { action, FettleError } from '../../errors.ts'
import type { RunArgs } from '../../journal/index.ts'
import { isHidden, lineOf, liveSettingsOf, type Plan, shardText } from '../../pipeline/index.ts'
import type { Connected } from '../../queue/index.ts'
import { counted } from '../../report/words.ts'
import { traceOf } from '../env/environment.ts'
import { identityOf } from '../env/identity.ts'
import { DEFAULT_RUNTIME } from '../env/runtime.ts'
import type { RunSettings } from '../execution/execute.ts'
import { withLock } from '../execution/start.ts'
import { checkQueue, withShardQueue } from './connection.ts'
import { type QueuedRun, type Submitted, saveQueuedRun } from './queued-run.ts'
import { isBadEnd, jobIdOf, type ShardTask } from './shard-task.ts'

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
      hint: 'Start a service that all workers reach, and set its address as service.url.',
      action: action('serve'),
    })
  if (isHidden(plan.input.path))
    throw new FettleError(
      'FETTLE_USAGE',
      `workers cannot read ${plan.input.path}: its query may be a signature, and is handed to nobody`,
      {
        hint: 'Put the list at an s3:// address, at an address without a query, or in a folder that all workers see.',
      },
    )
  await checkQueue(connected, text => settings.observers?.emit('onNote', text))
  const identity = identityOf(plan.service, settings.credentials)
  const shards = await cut()
  const jobs = shards.map(shard => jobIdOf(shard, identity))
  return withLock(lineOf(plan), settings, async () => {
    const { url, name } = connected.address
    const kept = { pipeline: plan.name, file: plan.file, identity, url, name, jobs, submitted: submittedOf(shards, settings) }
    const { run } = await saveQueuedRun(settings.runsDir, kept, { now: DEFAULT_RUNTIME.clock.now(), fresh })
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

/** What is kept here of the shards, so that it need not be taken from Redis. */
function submittedOf(shards: readonly Plan[], { args }: RunSettings): Submitted {
  const [first] = shards
  const { file, description, tags, issues } = first!
  const own = { plan: { ...liveSettingsOf(first!), file, description, tags, issues }, args }
  return { fingerprints: shards.map(({ fingerprint }) => fingerprint), own }
}

/** As many jobs at once as the pipeline allows are as many shards at once: within a shard they go one after the other. */
const taskOf = (plan: Plan, { args, env }: RunSettings): ShardTask => ({
  version: 1,
  plan: { ...plan, concurrency: 1 },
  args: { ...args, shard: plan.shard === undefined ? null : shardText(plan.shard) } as RunArgs,
  traceparent: traceOf(env).traceparent,
})
