/**
 * Proves that a shard in a queue is for this worker: its service, account and list, and that its journal is about it. The signature
 * of the account proves who wrote it.
 */
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { action, FettleError } from '../../errors.ts'
import { isInside } from '../../files/paths.ts'
import type { RunEvent } from '../../journal/index.ts'
import { type Plan, recordedInput } from '../../pipeline/index.ts'
import { unsigned } from '../../queue/index.ts'
import type { Credentials } from '../env/environment.ts'
import { packageInfo } from '../env/package-info.ts'
import type { ChosenEvent } from '../execution/run-settings.ts'
import { checkRunId } from '../runs/run-directory.ts'
import { isBelow } from './input-sources.ts'
import { jobIdOf, otherVersion } from './shard-task.ts'

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
  const { plan } = first
  const isOfShard = first.identity === identity && jobIdOf(plan, identity) === jobId
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
