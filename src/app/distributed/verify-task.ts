/**
 * Verifies the data of a shard in a queue before use: its task against the service, account and folder of the worker, and its
 * journal against the task. Any process that may write to Redis may have written both.
 */
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { action, FettleError } from '../../errors.ts'
import { isInside } from '../../files/inside-folder.ts'
import { lineOf, type Plan, problemOf, readShardPlan, recordedInput } from '../../pipeline/index.ts'
import type { Credentials } from '../env/environment.ts'
import { identityOf, serviceOf } from '../env/identity.ts'
import type { ChosenEvent } from '../execution/run-settings.ts'
import { parseRunId } from '../runs/run-id.ts'
import { isBelow } from './input-sources.ts'
import { type ShardEvent, shardEvent } from './shard-events.ts'
import { jobIdOf, type ShardTask } from './shard-task.ts'

const YEAR_3000 = Date.UTC(3000)

export interface Started {
  /** The address of the service: credentials go there and nowhere else. */
  readonly service: string
  readonly credentials: () => Credentials
  readonly cwd: string
  /** Addresses that lists may be fetched from: an object, or a folder that ends in a slash. */
  readonly inputsFrom: readonly string[]
}

/** Throws FETTLE_QUEUE_SETTINGS for a shard of another service or account: this worker can run none of that queue. */
export function proveOwner({ plan }: ShardTask, jobId: string, { service, credentials }: Started): void {
  const asked = plan.service.kind === 'remote' ? plan.service.url : 'embedded'
  if (asked !== service)
    throw new FettleError('FETTLE_QUEUE_SETTINGS', `the shard is for ${asked}, and this worker for ${service}`, {
      hint: 'Set the same FETTLE_URL for workers and submitters.',
    })
  // The account of the worker pays for the shard, and names its run.
  if (jobId !== jobIdOf(plan, identityOf(plan.service, credentials)))
    throw new FettleError(
      'FETTLE_QUEUE_SETTINGS',
      'the shard was submitted by another user than the FETTLE_USERNAME of this worker',
      { hint: 'Set the same FETTLE_USERNAME for workers and submitters.' },
    )
}

/** Throws FETTLE_INPUT_READ for an input outside the working directory and the input sources of this worker. */
export function proveInput({ input }: Plan, { cwd, inputsFrom }: Started): void {
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
  const isBelowHere = (one: string): boolean => resolve(cwd, one) !== resolve(cwd) && isInside(cwd, resolve(cwd, one))
  if ((input.files ?? [input]).every(one => isBelowHere(one.path))) return
  throw new FettleError('FETTLE_INPUT_READ', `the list ${path} is outside the working directory of the worker`)
}

export interface Wanted {
  readonly jobId: string
  readonly identity: string
  /** Task of the shard, where it is known: then the plan and the arguments of the run are the same. */
  readonly task?: ShardTask
  /** Digest of the plan, where it is known from elsewhere than Redis. */
  readonly fingerprint?: string | undefined
  /** The rows that go up, where they are known from elsewhere than Redis. */
  readonly chosen?: ChosenEvent | undefined
}

export interface ProvedRun {
  readonly runId: string
  readonly plan: Plan
}

/** The run in the lines of a shard journal. Throws FETTLE_JOURNAL_DAMAGED for lines that no worker wrote for this shard. */
export function proveLines(lines: readonly string[], wanted: Wanted): ProvedRun {
  const events = lines.map((line, at) => readEvent(line, wanted.jobId, at + 1))
  const [first] = events
  if (first?.type !== 'run.started') throw damaged(wanted.jobId, 1, 'it is not the beginning of a run')
  const plan = provePlan(first, wanted)
  const refuse = (why: string): FettleError => damaged(wanted.jobId, 1, why)
  const id = parseRunId(first.runId)
  // A start that no clock gives is refused: later ids must sort after it.
  const hasStart = id !== null && id.start > 0 && id.start < YEAR_3000
  if (!hasStart || id.line !== lineOf(plan)) throw refuse('its run id is not one of this shard')
  if (first.jobName !== `fettle-${first.runId}`) throw refuse('its job name is not that of the run')
  const chosen = wanted.task?.chosen?.event ?? wanted.chosen
  const { parts } = chosen ?? plan
  const names = parts.map((_, part) => (parts.length === 1 ? first.jobName : `${first.jobName}-${part + 1}`))
  for (const [at, event] of events.entries()) {
    if (event.type === 'reuse.chosen' && !isChoice(event, chosen)) throw otherChoice(wanted)
    if ('part' in event && Number(event.part) >= names.length) throw damaged(wanted.jobId, at + 1, 'the run has no such part')
    const isNamed = event.type === 'job.requested' || event.type === 'job.created'
    if (isNamed && event.name !== names[event.part]) throw damaged(wanted.jobId, at + 1, 'its job name is not that of the run')
  }
  return { runId: first.runId, plan }
}

const CHOSEN = ['counts', 'sent', 'parts', 'answers', 'bits', 'inRegister', 'companyNumbers', 'credits', 'jobName'] as const

const isChoice = (event: ShardEvent & { type: 'reuse.chosen' }, chosen: ChosenEvent | undefined): boolean =>
  chosen !== undefined && CHOSEN.every(key => isDeepStrictEqual(event[key] ?? null, chosen[key] ?? null))

function otherChoice({ jobId }: Wanted): FettleError {
  return new FettleError('FETTLE_QUEUE', `the rows of ${jobId} that go up were chosen by earlier answers of another folder`, {
    hint: 'Collect the list where it was submitted first: the answers to its other rows are there.',
  })
}

function provePlan(first: ShardEvent & { type: 'run.started' }, { jobId, identity, task, fingerprint }: Wanted): Plan {
  const refuse = (why: string): FettleError => damaged(jobId, 1, why)
  const read = readShardPlan(first.plan)
  if ('problem' in read) throw refuse(`of its plan ${read.problem}`)
  const { plan } = read
  const url = plan.service.kind === 'remote' ? plan.service.url : ''
  if (first.identity !== identity || url !== serviceOf(identity)) throw refuse('it is of another service or user than the shard')
  if (jobIdOf(plan, identity) !== jobId || plan.fingerprint !== (fingerprint ?? plan.fingerprint))
    throw refuse('its plan is not that of the shard')
  if (task !== undefined && !(isDeepStrictEqual(plan, task.plan) && isDeepStrictEqual(first.args, task.args)))
    throw refuse('its plan or its arguments are not those of the task')
  return plan
}

function readEvent(line: string, jobId: string, number: number): ShardEvent {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw damaged(jobId, number, 'it is not JSON')
  }
  const parsed = shardEvent.safeParse(value)
  if (!parsed.success) throw damaged(jobId, number, `${problemOf(parsed.error)}`)
  if (number > 1 && parsed.data.type === 'run.started') throw damaged(jobId, number, 'the run was started before')
  return parsed.data
}

const damaged = (jobId: string, line: number, why: string): FettleError =>
  new FettleError(
    'FETTLE_JOURNAL_DAMAGED',
    `the journal that the queue keeps of ${jobId} is not one that a worker wrote for it: line ${line}, ${why}`,
    { hint: 'Find out who else may write to Redis. Nothing was sent because of it.' },
  )
