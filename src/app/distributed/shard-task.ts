/** The task and the end of a shard as the queue stores them: signed, each for its queue and job. */
import { createHash } from 'node:crypto'
import type { FettleError } from '../../errors.ts'
import type { RunArgs, RunState } from '../../journal/index.ts'
import { lineOf, type Plan, shardText } from '../../pipeline/index.ts'
import { type Connected, openSigner, type Signed, type Signer, unsigned } from '../../queue/index.ts'
import { type Credentials, type Env, passwordOf } from '../env/environment.ts'
import { packageInfo } from '../env/package-info.ts'
import type { ChosenEvent } from '../execution/run-settings.ts'

/** A shard to run. The plan is complete: a worker needs the input and the credentials, not the pipeline file. */
export interface ShardTask {
  /** Of fettle: a worker runs only the shards of the same version. */
  readonly version: string
  readonly plan: Plan
  readonly args: RunArgs
  readonly traceparent: string | null
  /** With `reuse`: the rows to send, as the submitter chose them, and the part of the choice that a worker needs in base64. */
  readonly chosen?: { readonly event: ChosenEvent; readonly choice: string } | undefined
}

/** How a shard ended, and the folder of the worker that ended it with the received files. */
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

const signers = new Map<string, Promise<Signer>>()

/** The signer of an account: from FETTLE_QUEUE_KEY, otherwise from the password of the service. Throws FETTLE_CREDENTIALS. */
export function signerOf(identity: string, { env, credentials }: { env: Env; credentials: () => Credentials }): Promise<Signer> {
  const secret = passwordOf(env, 'FETTLE_QUEUE_KEY') ?? credentials().password
  const key = createHash('sha256')
    .update(JSON.stringify([identity, secret]))
    .digest('hex')
  const signer = signers.get(key) ?? openSigner(secret, identity)
  signers.set(key, signer)
  return signer
}

const place = (kind: 'task' | 'end', { address }: Pick<Connected, 'address'>, jobId: string) => [kind, address.name, jobId]

export const sealTask = (connected: Connected, jobId: string, task: ShardTask, signer: Signer): Signed =>
  signer.seal(place('task', connected, jobId), task)

export const sealEnd = (connected: Connected, jobId: string, end: ShardEnd, signer: Signer): Signed =>
  signer.seal(place('end', connected, jobId), end)

/** The task of a job. Throws FETTLE_QUEUE_SIGNATURE for one that this account and version did not submit. */
export function openTask(connected: Connected, jobId: string, stored: unknown, signer: Signer): ShardTask & { shard: string } {
  const task = signer.open(place('task', connected, jobId), stored, `the task of ${jobId}`) as ShardTask
  if (task.version !== packageInfo().version) throw otherVersion(`the task of ${jobId}`, task.version)
  return { ...task, shard: `${task.plan.name} ${shardText(task.plan.shard!)}` }
}

export const otherVersion = (what: string, version: string): FettleError =>
  unsigned(what, `is of fettle ${version}, and this is ${packageInfo().version}`)

/** The end of a job; null for none. Throws FETTLE_QUEUE_SIGNATURE. */
export const openEnd = (connected: Connected, jobId: string, stored: unknown, signer: Signer): ShardEnd | null =>
  stored === null ? null : (signer.open(place('end', connected, jobId), stored, `the end of ${jobId}`) as ShardEnd)

/** Whether a shard ended in an error: submitted again, it starts again. */
export const isBadEnd = (end: ShardEnd | null): boolean => end !== null && (end.status === 'error' || end.status === 'fail')

/** The text of a message without a proof of its signature, only to be shown. */
const readShown = (stored: unknown): unknown => {
  try {
    return JSON.parse(String((Object(stored) as Partial<Signed>).body))
  } catch {
    return null
  }
}

export const readShownEnd = (stored: unknown): ShardEnd | null => readShown(stored) as ShardEnd | null

/** The address of the service of a task; null for a value without one. */
export function readShownTask(stored: unknown): string | null {
  const { plan } = Object(readShown(stored)) as { plan?: { service?: { url?: unknown } } | null }
  const url = plan?.service?.url
  return typeof url === 'string' && URL.canParse(url) && url.length < 300
    ? `${new URL(url).origin}${new URL(url).pathname}`
    : null
}
