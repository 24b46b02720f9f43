/** The task and the end of a shard as the queue stores them. Both come from other machines and are validated before use. */
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { z } from 'zod'
import { FettleError } from '../../errors.ts'
import { KnownBits } from '../../input/upload/known-rows.ts'
import type { RunArgs, RunState } from '../../journal/index.ts'
import { lineOf, type Plan, problemOf, readShardPlan, shardText } from '../../pipeline/index.ts'
import type { ChosenEvent } from '../execution/run-settings.ts'
import { chosenRows, endCode, endStatus, runArgs } from './shard-events.ts'

/** A shard to run. The plan is complete: a worker needs the input and the credentials, not the pipeline file. */
export interface ShardTask {
  readonly version: 1
  readonly plan: Plan
  readonly args: RunArgs
  readonly traceparent: string | null
  /** With `reuse`: the rows that go up, as the submitter chose them, and the file of their fates in base64. */
  readonly chosen?: { readonly event: ChosenEvent; readonly bits: string }
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

const taskSchema = z.strictObject({
  version: z.literal(1),
  plan: z.unknown(),
  args: runArgs,
  traceparent: z.string().max(200).nullable(),
  chosen: z
    .strictObject({ event: z.strictObject({ type: z.literal('reuse.chosen'), ...chosenRows }), bits: z.base64() })
    .optional(),
})

/** The task of a job as it came out of a queue. Throws FETTLE_QUEUE_SETTINGS for what no submitter of this version put there. */
export function readTask(value: unknown, jobId: string): ShardTask & { readonly shard: string } {
  const parsed = taskSchema.safeParse(value)
  if (!parsed.success) throw noShard(problemOf(parsed.error))
  const read = readShardPlan(parsed.data.plan)
  if ('problem' in read) throw noShard(`of its plan ${read.problem}`)
  const { plan } = read
  if (!jobId.startsWith(`${lineOf(plan)}-`)) throw noShard('it has the name of another one')
  const why = whyNotChosen(plan, (value as ShardTask).chosen)
  if (why !== null) throw noShard(why)
  return { ...(value as ShardTask), plan, shard: `${plan.name} ${shardText(plan.shard)}` }
}

function whyNotChosen({ reuse, sent: all }: Plan, chosen: ShardTask['chosen']): string | null {
  if (reuse == null || chosen === undefined)
    return (reuse == null) === (chosen === undefined) ? null : 'it names no rows that go up, or too many'
  const { counts, sent, parts, bits } = chosen.event
  const bytes = Buffer.from(chosen.bits, 'base64')
  const fates = new KnownBits(bytes)
  const found = { known: 0, sent: 0, repeated: 0 }
  for (let row = 0; row < all; row++) found[fates.fate(row)]++
  const isCounted = counts.asked === all && found.known === counts.known && found.sent === counts.sent && counts.sent === sent
  const isWhole = parts.every(
    ({ from, rows }, at) => from === (at === 0 ? 0 : parts[at - 1]!.from + parts[at - 1]!.rows) && rows > 0,
  )
  const sum = parts.reduce((total, { rows }) => total + rows, 0)
  const isDigest = createHash('sha256').update(bytes).digest('hex') === bits
  return isCounted && isWhole && sum === sent && isDigest ? null : 'the rows that go up are not those of its plan'
}

const noShard = (why: string): FettleError =>
  new FettleError('FETTLE_QUEUE_SETTINGS', `a job of the queue is not a shard of this version: ${why}`, {
    hint: 'Use the same version of fettle for workers and submitters, and a queue name that no other program uses.',
  })

/** A folder of a run, on this machine or on a share that is part of its file system: never on a host that its name gives. */
const folder = z
  .string()
  .max(4096)
  .regex(/^(\/(?!\/)|[A-Za-z]:[/\\])[^\u0000-\u001f\u007f]*$/)
const endSchema = z.looseObject({
  runId: z.string().max(200),
  directory: folder,
  status: endStatus,
  exitCode: endCode.nullable(),
})

/** An end as it came out of a queue; null for none. */
export function readEnd(value: unknown): ShardEnd | null {
  const { success, data } = endSchema.safeParse(value)
  return success && basename(data.directory) === data.runId ? data : null
}

/** Whether a shard ended in an error: submitted again, it starts again. */
export const isBadEnd = (value: unknown): boolean => {
  const end = readEnd(value)
  return end === null || end.status === 'error' || end.status === 'fail'
}
