/** Pipelines whose shards others carry out: posted to a queue, looked at there, and collected. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { QueuedRun } from '../../../app/distributed/index.ts'
import type { Prepared, RunSettings } from '../../../app/index.ts'
import { MOST_SHARDS } from '../../../app/light.ts'
import { EXIT, errorOfIssues } from '../../../errors.ts'
import { escapeTerminal } from '../../../report/index.ts'
import { shellCommand } from '../../../shell-command.ts'
import type { Flags } from '../../command.ts'
import { queuedLine, queueOf } from '../../options/queue.ts'
import { isOn, needText, wholeFlag } from '../../options/read.ts'
import type { Ending } from '../../result/result.ts'
import type { Io } from '../../terminal/io.ts'

const load = () => import('../../../app/distributed/index.ts')

/** `--shards`, null when absent. Throws FETTLE_USAGE. */
export const shardsOf = (flags: Flags): number | null => wholeFlag(flags, 'shards', 1, MOST_SHARDS)

/** Posts a pipeline, and unless it is to be left there waits for it and joins it. Throws as submitShards and collectShards do. */
export async function runQueued(prepared: Prepared, settings: RunSettings, flags: Flags): Promise<Ending> {
  const { plan, cut } = prepared
  if (plan === null) throw errorOfIssues(prepared.issues)
  const { collectShards, submitShards, withQueue } = await load()
  return withQueue(queueOf(flags), settings.env, async connected => {
    const of = shardsOf(flags) ?? Math.max(1, plan.parts.length)
    const run = await submitShards(connected, plan, () => cut(of), settings, isOn(flags, 'new'))
    if (isOn(flags, 'detach')) return { name: plan.name, left: queuedLine(run, 'running', EXIT.ok) }
    return { name: plan.name, result: await collectShards(connected, run, settings) }
  })
}

/** Waits for a list that is in a queue, and joins it. */
export async function collectQueued(run: QueuedRun, settings: RunSettings): Promise<Ending> {
  const { collectShards, withQueue } = await load()
  return { name: run.pipeline, result: await withQueue(run, settings.env, queue => collectShards(queue, run, settings)) }
}

/** How often a watched list is looked at. */
const LOOK_MS = 2_000

/** How a list stands that is in a queue: 0 ready to be collected, 75 going on, 76 not to be had. */
export async function statusQueued(run: QueuedRun, flags: Flags, io: Io, timeoutMs: number | null): Promise<number> {
  const { rerunOf, queuedStatus, formatQueuedStatus, withQueue } = await load()
  return withQueue(run, io.env, async connected => {
    let waited = 0
    let last = ''
    for (;;) {
      const standing = await queuedStatus(connected, run)
      const isGoing = standing.active + standing.waiting > 0
      const isBad = standing.failed.length + standing.missing.length + standing.bad > 0
      const code = isGoing ? EXIT.retryable : isBad ? EXIT.rejected : EXIT.ok
      const words = formatQueuedStatus(standing)
      if (!isOn(flags, 'watch') || !isGoing || waited >= (timeoutMs ?? Number.POSITIVE_INFINITY)) {
        if (isOn(flags, 'json')) io.out(queuedLine(run, isGoing || code === EXIT.ok ? 'running' : 'error', code))
        else {
          const next =
            isBad && !isGoing
              ? `Fix the cause, then run the original command again with the same options: ${shellCommand(rerunOf(run), needText(flags, 'runs-dir'))}`
              : nextOf(run, code)
          io.out(escapeTerminal(`${run.runId}  in the queue ${run.name} at ${run.url}\n${words}. ${next}`))
        }
        return code
      }
      if (words !== last) io.err(escapeTerminal(words))
      last = words
      await sleep(LOOK_MS, undefined, { signal: io.signal }).catch(() => io.signal.throwIfAborted())
      waited += LOOK_MS
    }
  })
}

const nextOf = ({ runId }: QueuedRun, code: number): string =>
  code === EXIT.ok ? `It is ready: fettle collect ${runId}` : 'Nobody need wait here.'

/** Takes out of the queue what a list left there whose merge was interrupted, and gone on with by its journal. */
export async function clearQueue(run: QueuedRun, { env, runsDir }: RunSettings): Promise<void> {
  const { clearMerged, withQueue } = await load()
  await withQueue(run, env, connected => clearMerged(connected, run, runsDir))
}

/** Throws FETTLE_USAGE for what a queue cannot do. */
export function checkQueued(flags: Flags): void {
  queueOf(flags)
  shardsOf(flags)
}
