/** Reports the end of a run to the receivers of its pipeline. A receiver that cannot be reached is a warning, never a failure. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writeAtomic } from '../../../files/atomic-file.ts'
import { isGood, noticeOf, reasonsFor } from '../../../report/notify/notice.ts'
import { isRejection, nameOf, type PipelineResult, rejectionOf } from '../../../report/pipeline-result.ts'
import { DEFAULT_RUNTIME, type Runtime } from '../../env/runtime.ts'
import { makeFolder, makeRunsFolder } from '../../runs/run-directory.ts'
import type { ReporterDispatcher, RunReporter } from '../reporters.ts'
import { type DeliveryContext, deliver } from './deliver.ts'
import type { Receiver } from './receivers.ts'

export interface NotifyContext extends DeliveryContext {
  readonly runsDir: string
}

/** The reporter of a run. What it throws becomes a warning. */
export const notifyReporter = (receivers: readonly Receiver[], context: NotifyContext): RunReporter => ({
  name: 'notify',
  async onRunEnd(report, { detached, plan }) {
    // The shards of a list are reported when they are merged.
    if (detached || plan.shard !== undefined) return
    const warnings = await notifyResult(report, receivers, context)
    if (warnings.length > 0) throw new Error(warnings.join('; '))
  },
})

interface Rejecting extends Omit<NotifyContext, 'clock'> {
  readonly world?: Runtime
  readonly observers?: ReporterDispatcher
}

/** Reports a run that ended before it began. */
export async function notifyRejection(error: unknown, receivers: readonly Receiver[], settings: Rejecting): Promise<void> {
  const [first] = receivers
  if (first === undefined || settings.signal.aborted) return
  const { clock } = settings.world ?? DEFAULT_RUNTIME
  const warnings = await notifyResult(rejectionOf(error, first.pipeline), receivers, { ...settings, clock }).catch(
    (cause: Error) => [cause.message],
  )
  if (warnings.length > 0) settings.observers?.emit('onWarning', warnings.join('; '))
}

/** Sends the messages that the result is a reason for, and returns why some were not accepted. */
async function notifyResult(result: PipelineResult, receivers: readonly Receiver[], context: NotifyContext): Promise<string[]> {
  const good = isGood(result)
  if (receivers.length === 0 || good === null) return []
  const path = join(context.runsDir, 'notify', `${nameOf(result).replace(/[^\w.-]/g, '_')}.json`)
  const reasons = reasonsFor(result, lastEnd(path))
  const at = new Date(context.clock.now()).toISOString()
  const results = await Promise.all(
    receivers.map(async receiver => {
      const own = receiver.on.filter(reason => reasons.includes(reason))
      if (own.length === 0) return []
      const notice = noticeOf(result, { reasons: own, rows: receiver.rows, at })
      const why = await deliver(receiver, notice, context)
      return why === null ? [] : [`${receiver.shown} did not accept the message: ${why}`]
    }),
  )
  await keepEnd(path, { good, at, runId: isRejection(result) ? null : result.metadata.runId }, context.runsDir)
  return results.flat()
}

/** Whether the last end ended well, null if unknown: failures without a run count, too. */
function lastEnd(path: string): boolean | null {
  try {
    const { good } = JSON.parse(readFileSync(path, 'utf8')) as { readonly good?: unknown }
    return typeof good === 'boolean' ? good : null
  } catch {
    return null
  }
}

async function keepEnd(path: string, end: object, runsDir: string): Promise<void> {
  makeRunsFolder(runsDir)
  makeFolder(dirname(path))
  await writeAtomic(path, `${JSON.stringify(end)}\n`)
}
