/** The task and the end of a shard as the queue stores them: signed, each for its queue and job. */

import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Credentials, type Env, readPassword } from '../env/environment.ts'
import { packageInfo } from '../env/package-info.ts'
import { action, FettleError } from '../errors.ts'
import type { ChosenEvent } from '../execution/run-settings.ts'
import { isInside } from '../files/paths.ts'
import type { RunArgs, RunEvent, RunState } from '../journal/index.ts'
import { nameLine, type Plan, recordedInput, shardText } from '../pipeline/index.ts'
import { planSchema } from '../pipeline/model/plan.ts'
import { type Connected, openSigner, type Signed, type Signer, unsigned } from '../queue/index.ts'
import { checkRunId } from '../runs/run-directory.ts'
import { isBelow } from './input-sources.ts'

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
export const nameJob = (plan: Plan, identity: string): string =>
  `${nameLine(plan)}-${createHash('sha256')
    .update(JSON.stringify([plan.fingerprint, identity]))
    .digest('hex')
    .slice(0, 12)}`

const signers = new Map<string, Promise<Signer>>()

/** The signer of an account: from FETTLE_QUEUE_KEY, otherwise from the password of the service. Throws FETTLE_CREDENTIALS. */
export function createSigner(
  identity: string,
  { env, credentials }: { env: Env; credentials: () => Credentials },
): Promise<Signer> {
  const secret = readPassword(env, 'FETTLE_QUEUE_KEY') ?? credentials().password
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
  const plan = readPlan(`the task of ${jobId}`, task.plan)
  return { ...task, plan, shard: `${plan.name} ${shardText(plan.shard!)}` }
}

/** A plan as it was sent: what the schema does not describe of its issues is kept. Throws FETTLE_QUEUE_SIGNATURE. */
function readPlan(what: string, value: unknown): Plan {
  const { data, error } = planSchema.safeParse(value)
  if (data?.shard !== undefined) return value as Plan
  const [found] = error?.issues ?? []
  throw unsigned(what, `has no plan of a shard${found === undefined ? '' : `: ${found.path.join('.')} ${found.message}`}`)
}

const otherVersion = (what: string, version: string): FettleError =>
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

export interface Started {
  /** The address of the service: credentials go there and nowhere else. */
  readonly service: string
  readonly credentials: () => Credentials
  readonly cwd: string
  /** Addresses that lists may be fetched from: an object, or a folder that ends in a slash. */
  readonly inputsFrom: readonly string[]
}

/** Throws FETTLE_INPUT_READ for an input outside the working directory and the input sources of this worker. */
export function proveInput({ input }: Plan, { cwd, inputsFrom }: Pick<Started, 'cwd' | 'inputsFrom'>): void {
  const { path } = input
  // The rows of a query are read from their copy, and never from a database that a task names.
  if (input.query !== undefined) return
  if (recordedInput(input).kind === 'object') {
    if (inputsFrom.some(from => isBelow(from, path))) return
    throw new FettleError('FETTLE_INPUT_READ', `the worker may not fetch the list from ${path}`, {
      hint: 'Start the worker with this address, or the address of its folder, among its input sources.',
      action: action('worker', '--input-from', path),
    })
  }
  const isBelowHere = (file: string): boolean => resolve(cwd, file) !== resolve(cwd) && isInside(cwd, resolve(cwd, file))
  if ((input.files ?? [input]).every(file => isBelowHere(file.path))) return
  throw new FettleError('FETTLE_INPUT_READ', `the list ${path} is outside the working directory of the worker`)
}

export interface Wanted {
  readonly jobId: string
  readonly identity: string
  /** Digest of the plan, where this machine submitted it. */
  readonly fingerprint?: string | undefined
  /** The rows to send, where they are recorded elsewhere than in this journal. */
  readonly chosen?: ChosenEvent | undefined
}

export interface ProvedRun {
  readonly runId: string
  readonly plan: Plan
}

/** The run in the signed lines of a shard. Throws FETTLE_QUEUE_SIGNATURE for lines of another version or shard, FETTLE_QUEUE for another choice. */
export function proveRun(lines: readonly string[], { jobId, identity, fingerprint, chosen }: Wanted): ProvedRun {
  const events = lines.map(line => JSON.parse(line) as RunEvent)
  const [first] = events
  const refuse = (why: string): FettleError => unsigned(`the journal of ${jobId}`, why)
  if (first?.type !== 'run.started') throw refuse('does not start with a run')
  if (first.tool.version !== packageInfo().version) throw otherVersion(`the journal of ${jobId}`, first.tool.version)
  const plan = readPlan(`the journal of ${jobId}`, first.plan)
  const isOfShard = first.identity === identity && nameJob(plan, identity) === jobId
  if (!isOfShard || plan.fingerprint !== (fingerprint ?? plan.fingerprint)) throw refuse('is about a different shard')
  for (const event of events) if (event.type === 'reuse.chosen' && !isChoice(event, chosen)) throw otherChoice(jobId)
  return { runId: checkRunId(first.runId), plan }
}

const CHOSEN = ['counts', 'sent', 'parts', 'choice', 'fit', 'credits'] as const

const isChoice = (event: ChosenEvent, chosen: ChosenEvent | undefined): boolean =>
  chosen !== undefined && CHOSEN.every(key => isDeepStrictEqual(event[key] ?? null, chosen[key] ?? null))

const otherChoice = (jobId: string): FettleError =>
  new FettleError('FETTLE_QUEUE', `the rows of ${jobId} to send were chosen by earlier answers of another folder`, {
    hint: 'Collect the list where it was submitted first: the answers to its other rows are there.',
  })
