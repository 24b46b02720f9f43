/** What a shard's job in a queue says, and what is said of its end. Both cross machines, and are looked at before they are believed. */
import { createHash } from 'node:crypto'
import { FettleError } from '../../errors.ts'
import type { RunArgs, RunState } from '../../journal/index.ts'
import { lineOf, type Plan, shardText } from '../../pipeline/index.ts'

/** A shard to be carried out. The plan is whole: whoever carries it out needs the list and the credentials, not the pipeline file. */
export interface ShardTask {
  readonly version: 1
  readonly plan: Plan
  readonly args: RunArgs
  readonly traceparent: string | null
}

/** How a shard ended, and where the worker that ended it keeps what came back. */
export interface ShardEnd {
  readonly runId: string
  readonly directory: string
  readonly status: RunState['status']
  readonly exitCode: number | null
}

/** The name of a shard's job: the same for the same shard of the same list, plan and account. */
export const jobIdOf = (plan: Plan, identity: string): string =>
  `${lineOf(plan)}-${createHash('sha256')
    .update(JSON.stringify([plan.fingerprint, identity]))
    .digest('hex')
    .slice(0, 12)}`

/** A task as it came out of a queue. Throws FETTLE_QUEUE_SETTINGS for what another version put there. */
export function readTask(value: unknown): ShardTask & { readonly shard: string } {
  const task = value as Partial<ShardTask> | null
  if (task?.version !== 1 || typeof task.plan !== 'object' || task.plan?.shard === undefined)
    throw new FettleError('FETTLE_QUEUE_SETTINGS', 'a job of the queue is no shard that this version knows', {
      hint: 'Workers and whoever submits must be of one version, and the queue theirs alone: --queue-name.',
    })
  return { ...(task as ShardTask), shard: `${task.plan.name} ${shardText(task.plan.shard)}` }
}

/** An end as it came out of a queue; null for none. */
export function readEnd(value: unknown): ShardEnd | null {
  const end = value as Partial<ShardEnd> | null
  return typeof end?.runId === 'string' && typeof end.directory === 'string' ? (end as ShardEnd) : null
}

/** Whether a shard ended in an error: submitted again, it is carried out anew. */
export const isBadEnd = (value: unknown): boolean => {
  const end = readEnd(value)
  return end === null || end.status === 'error' || end.status === 'fail'
}
