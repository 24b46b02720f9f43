/** Submits the shards of a list to a queue, each under a name that the same submission finds again. */

import { traceOf } from '../env/environment.ts'
import { identityOf } from '../env/identity.ts'
import { packageInfo } from '../env/package-info.ts'
import { DEFAULT_RUNTIME } from '../env/runtime.ts'
import { action, FettleError } from '../errors.ts'
import { askedBefore, chosenEvent, makeWaiting } from '../execution/choice-of-run.ts'
import type { ChosenEvent, RunSettings } from '../execution/run-settings.ts'
import { withLock } from '../execution/start.ts'
import { chosenPlan, type RunArgs } from '../journal/index.ts'
import { isHidden, liveSettingsOf, nameLine, type Plan, shardText } from '../pipeline/index.ts'
import { assertDecisionsKept } from '../prepare/decisions.ts'
import { assertListKept } from '../prepare/kept-list.ts'
import type { Connected } from '../queue/index.ts'
import { counted } from '../report/words.ts'
import { shardFolder } from '../results/file-names.ts'
import { scopeFolders, settleIn } from '../reuse/answer-folder.ts'
import { chooseAndAsk, keyIssues } from '../reuse/choose.ts'
import { readChoice } from '../reuse/files/choice.ts'
import { answersFolder } from '../reuse/settings.ts'
import { assertNotQueued, assertNotStarted } from '../runs/open-runs.ts'
import {
  makeFolder,
  makeRunDirectory,
  newRunId,
  type RunDirectory,
  removeIfPossible,
  runDirectory,
} from '../runs/run-directory.ts'
import { readRowsBefore } from '../runs/run-queries.ts'
import { assertAccount, checkRowBudget, mostCredits, type QueuedSpending, reserveCredits } from '../spending/spending.ts'
import { checkQueue, withShardQueue } from './connection.ts'
import { findQueuedRun, type QueuedRun, type Submitted, saveQueuedRun } from './queued-run.ts'
import { createSigner, isBadEnd, nameJob, openEnd, type ShardTask, sealTask } from './shard-task.ts'

/**
 * Enqueues the shards of a list that are not in the queue yet, and records the list here. Throws FETTLE_USAGE for a list that not
 * every worker can read, FETTLE_INPUT_SHRUNK, FETTLE_DECISIONS_LOST.
 */
export async function submitShards(
  connected: Connected,
  plan: Plan,
  cut: () => Promise<readonly Plan[]>,
  settings: RunSettings & { readonly fresh: boolean },
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
  const { fresh } = settings
  await checkQueue(connected, text => settings.observers?.emit('onNote', text))
  const identity = identityOf(plan.service, settings.credentials)
  const shards = await cut()
  const jobs = shards.map(shard => nameJob(shard, identity))
  return withLock(nameLine(plan), settings, async () => {
    const now = DEFAULT_RUNTIME.clock.now()
    assertListKept(plan, identity, settings)
    await assertDecisionsKept(plan, settings, now)
    const { url, name } = connected.address
    const own = { pipeline: plan.name, file: plan.file, identity, fingerprint: plan.fingerprint, url, name, jobs }
    const earlier = findQueuedRun(settings.runsDir, own, fresh)
    if (fresh) await withShardQueue(connected, board => board.assertIdle(jobs))
    else if (earlier === null) {
      assertNotQueued(plan, identity, settings.runsDir)
      assertNotStarted(plan, identity, settings.runsDir)
    }
    const run = (fresh ? null : earlier) ?? (await newQueuedRun({ plan, shards, own, now }, settings))
    const signer = await createSigner(identity, settings)
    const posted: { id: string; task: ReturnType<typeof sealTask> }[] = []
    for (const [at, shard] of shards.entries()) {
      const id = jobs[at]!
      const task = makeTask(shard, settings, await chosenFor(run, at, settings))
      posted.push({ id, task: sealTask(connected, id, task, signer) })
    }
    const isBad = (id: string, end: unknown): boolean => isBadEnd(openEnd(connected, id, end, signer))
    const how = { atOnce: plan.concurrency, fresh, isBad }
    const { found } = await withShardQueue(connected, board => board.post(posted, how))
    // What its shards may have cost stays reserved: it was a run.
    if (fresh && earlier !== null) await dropQueuedRun(earlier.runId, settings)
    const there = found === 0 ? '' : found === jobs.length ? ', all of them there already' : `, ${found} of them there already`
    settings.observers?.emit(
      'onNote',
      `${counted(jobs.length, 'shard')} of ${counted(plan.rows, 'row')} in the queue ${name} at ${url}${there} (${run.runId})`,
    )
    return run
  })
}

interface NewList {
  readonly plan: Plan
  readonly shards: readonly Plan[]
  readonly own: Pick<QueuedRun, 'pipeline' | 'file' | 'identity' | 'fingerprint' | 'url' | 'name' | 'jobs'>
  readonly now: number
}

/** Chooses the rows that are sent, reserves what they may cost, and records the list: the workers do not check budgets again. */
async function newQueuedRun({ plan, shards, own, now }: NewList, settings: RunSettings): Promise<QueuedRun> {
  const { runsDir } = settings
  const { identity } = own
  const runId = newRunId(runsDir, plan.name, now)
  const directory = await makeRunDirectory(runsDir, runId)
  try {
    const chosen = plan.reuse == null ? undefined : await chooseShards(shards, directory, { identity }, settings)
    const spending = reserveForShards(
      chosen === undefined ? shards : shards.map((shard, at) => chosenPlan(shard, chosen[at]!)),
      own,
      now,
    )
    if (chosen !== undefined) checkRowBudget(plan, spending.sent)
    await assertAccount(plan, settings, spending.reserved)
    const submitted = { ...describeSubmission(shards, settings), chosen }
    return await reserveCredits(
      plan,
      { runsDir, identity, clock: DEFAULT_RUNTIME.clock, most: spending.reserved, runId },
      () => saveQueuedRun(runsDir, { runId, ...own, submitted, spending }),
      () => ({ runId, startedAt: spending.at }),
    )
  } catch (error) {
    await dropQueuedRun(runId, settings)
    throw error
  }
}

/** Removes the record of a list, and what it asked. */
async function dropQueuedRun(runId: string, settings: RunSettings): Promise<void> {
  for (const folder of scopeFolders(answersFolder(settings, settings.args))) await settleIn(folder, [runId])
  removeIfPossible(runDirectory(settings.runsDir, runId).path)
}

/** With the earlier answers of this machine: workers have none. */
async function chooseShards(
  shards: readonly Plan[],
  { id, path }: RunDirectory,
  { identity }: { readonly identity: string },
  settings: RunSettings,
): Promise<readonly ChosenEvent[]> {
  const runs = shards.map((plan, at) => ({ plan, workDir: shardFolder(path, at + 1) }))
  for (const { workDir } of runs) makeFolder(workDir)
  const run = { identity, runId: id, args: settings.args }
  const all = { ...settings, rowsBefore: await readRowsBefore(shards[0]!, run, settings.runsDir) }
  const { chosen: choices, held } = await chooseAndAsk(runs, run, all, makeWaiting(settings))
  // The workers ask: no process holds the keys until the shards are merged.
  held.release()
  const asked = new Map<string, number>()
  for (const { askedBefore } of choices) for (const [run, count] of askedBefore) asked.set(run, (asked.get(run) ?? 0) + count)
  const issues = [...askedBefore(settings.runsDir, asked), ...keyIssues(choices[0]?.unknownKeys ?? [])]
  for (const { message } of issues) settings.observers?.emit('onNote', message)
  return withCredits(choices.map(chosenEvent), shards)
}

/** Divides budget.credits by the rows that are sent: a shard whose rows have answers needs none. */
function withCredits(events: readonly ChosenEvent[], shards: readonly Plan[]): readonly ChosenEvent[] {
  const all = events.reduce((total, { sent }) => total + sent, 0)
  const credits = shards.reduce<number | null>(
    (total, { budget }) => (total === null || budget.credits === null ? null : total + budget.credits),
    0,
  )
  if (credits === null || all === 0) return events
  let before = 0
  return events.map(event => {
    const from = Math.floor((credits * before) / all)
    before += event.sent
    return { ...event, credits: Math.floor((credits * before) / all) - from }
  })
}

/** What the task of a shard has of its chosen rows. */
async function chosenFor({ runId, submitted }: QueuedRun, at: number, { runsDir }: RunSettings): Promise<ShardTask['chosen']> {
  const event = submitted?.chosen?.[at]
  if (event === undefined) return undefined
  const folder = shardFolder(runDirectory(runsDir, runId).path, at + 1)
  const bytes = readChoice(folder, event.choice, choice => choice.forWorker())
  return { event, choice: bytes.toString('base64') }
}

function reserveForShards(shards: readonly Plan[], { identity }: NewList['own'], now: number): QueuedSpending {
  const [first] = shards
  const sum = (of: (plan: Plan) => number): number => shards.reduce((all, plan) => all + of(plan), 0)
  return {
    ...{ pipeline: first!.name, service: first!.service.kind === 'remote' ? first!.service.url : 'embedded', identity },
    ...{ rows: sum(({ rows }) => rows), sent: sum(({ sent }) => sent) },
    ...{ reserved: sum(mostCredits), at: new Date(now).toISOString() },
  }
}

/** The part of the submission that is recorded here instead of read from Redis. */
function describeSubmission(shards: readonly Plan[], { args }: RunSettings): Submitted {
  const [first] = shards
  const { file, description, tags, issues } = first!
  const own = { plan: { ...liveSettingsOf(first!), file, description, tags, issues }, args }
  return { fingerprints: shards.map(({ fingerprint }) => fingerprint), own }
}

/** The concurrency of the pipeline applies to shards; within a shard jobs run one after another. */
const makeTask = (plan: Plan, { args, env }: RunSettings, chosen: ShardTask['chosen']): ShardTask => ({
  version: packageInfo().version,
  plan: { ...plan, concurrency: 1 },
  args: { ...args, shard: plan.shard === undefined ? null : shardText(plan.shard) } as RunArgs,
  traceparent: traceOf(env).traceparent,
  chosen,
})
