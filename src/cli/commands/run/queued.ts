/** Pipelines whose shards run on workers: submitted to a queue, polled there, and collected. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { QueueTarget } from '../../../distributed/run-or-queue.ts'
import type { QueuedRun } from '../../../distributed/through-queue.ts'
import { EXIT } from '../../../errors.ts'
import { MOST_SHARDS } from '../../../pipeline/index.ts'
import { escapeTerminal } from '../../../report/index.ts'
import { shellCommand } from '../../../shell-command.ts'
import type { Flags } from '../../command.ts'
import { isOn, needText, readQueue, textFlag, wholeFlag } from '../../options/read.ts'
import { queuedLine } from '../../result/result.ts'
import type { Io } from '../../terminal/io.ts'

/** The queue of the flags, null where they name none. Throws FETTLE_USAGE. */
export const queueTarget = (flags: Flags): QueueTarget | null =>
  textFlag(flags, 'queue') === null ? null : { ...readQueue(flags), shards: wholeFlag(flags, 'shards', 1, MOST_SHARDS) }

const POLL_MS = 2_000

/** Exit code 0: ready to collect, 75: running, 76: failed or missing. */
export async function statusQueued(run: QueuedRun, flags: Flags, io: Io, timeoutMs: number | null): Promise<number> {
  const { rerunOf, queuedStatus, formatQueuedStatus, withQueue } = await import('../../../distributed/through-queue.ts')
  return withQueue(run, io.env, async connected => {
    let waited = 0
    let last = ''
    for (;;) {
      const status = await queuedStatus(connected, run)
      const isRunning = status.active + status.waiting > 0
      const isBad = status.failed.length + status.missing.length + status.bad > 0
      const code = isRunning ? EXIT.retryable : isBad ? EXIT.rejected : EXIT.ok
      const words = formatQueuedStatus(status)
      if (!isOn(flags, 'watch') || !isRunning || waited >= (timeoutMs ?? Number.POSITIVE_INFINITY)) {
        const again = shellCommand(rerunOf(run), needText(flags, 'runs-dir'))
        const next = {
          [EXIT.ok]: `It is ready: fettle collect ${run.runId}`,
          [EXIT.retryable]: 'The workers continue without this process.',
          [EXIT.rejected]: `Fix the cause, then run the original command again with the same options: ${again}`,
        }[code]
        if (isOn(flags, 'json')) io.out(queuedLine(run, code === EXIT.rejected ? 'error' : 'running', code))
        else io.text(escapeTerminal(`${run.runId}  in the queue ${run.name} at ${run.url}\n${words}. ${next}`))
        return code
      }
      if (words !== last) io.err(escapeTerminal(words))
      last = words
      await sleep(POLL_MS, undefined, { signal: io.signal }).catch(() => io.signal.throwIfAborted())
      waited += POLL_MS
    }
  })
}
