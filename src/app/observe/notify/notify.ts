/** Reports the end of a run to the receivers of its pipeline. A receiver that cannot be reached is a warning, never a failure. */
import { dirname, join } from 'node:path'
import { writeAtomic } from '../../../files/atomic-file.ts'
import { readKeptText } from '../../../files/kept-files.ts'
import { describeSeries, type SeriesPlan } from '../../../pipeline/index.ts'
import { isGood, noticeOf, reasonsFor } from '../../../report/notify/notice.ts'
import { isRejection, type PipelineResult, rejectionOf } from '../../../report/pipeline-result.ts'
import type { Credentials } from '../../env/environment.ts'
import { findIdentity } from '../../env/identity.ts'
import type { Runtime } from '../../env/runtime.ts'
import { describeAttempt, keepAttempt } from '../../runs/attempts.ts'
import { makeFolder, makeRunsFolder, removeIfPossible } from '../../runs/run-directory.ts'
import type { ReporterDispatcher, RunReporter } from '../reporters.ts'
import { type DeliveryContext, deliver } from './deliver.ts'
import type { Receiver } from './receivers.ts'

export interface NotifyContext extends DeliveryContext {
  readonly runsDir: string
}

/** The reporter of a run. What it throws becomes a warning. */
export const notifyReporter = (receivers: readonly Receiver[], context: NotifyContext): RunReporter => ({
  name: 'notify',
  async onRunEnd(report, { detached, plan, identity }) {
    // The shards of a list are reported when they are merged.
    if (detached || plan.shard !== undefined) return
    const warnings = await notifyResult(report, endsOf(context.runsDir, plan, identity), receivers, context)
    if (warnings.length > 0) throw new Error(warnings.join('; '))
  },
})

interface Rejecting extends Omit<NotifyContext, 'clock'> {
  readonly runtime: Runtime
  readonly observers?: ReporterDispatcher
}

/** What is known of a run that did not start. */
interface Rejected {
  readonly notify: readonly Receiver[]
  readonly series: SeriesPlan | null
  readonly credentials: () => Credentials
}

/** Records a run that ended before it began, and reports it. */
export async function notifyRejection(
  error: unknown,
  { notify, series, credentials }: Rejected,
  settings: Rejecting,
): Promise<void> {
  if (series === null || settings.signal.aborted) return
  const { clock } = settings.runtime
  const identity = findIdentity(series.service, credentials)
  await keepAttempt(settings.runsDir, error, describeAttempt(series, identity, clock.now()))
  if (notify.length === 0) return
  const ends = endsOf(settings.runsDir, series, identity)
  const warnings = await notifyResult(rejectionOf(error, series.name), ends, notify, { ...settings, clock }).catch(
    (cause: Error) => [cause.message],
  )
  if (warnings.length > 0) settings.observers?.emit('onWarning', warnings.join('; '))
}

/** Where the end of the last run of a series is kept, and the end of a run whose account was not known. */
interface Ends {
  readonly own: string
  readonly unknown: string
}

function endsOf(runsDir: string, plan: SeriesPlan, identity: string | null): Ends {
  const pathOf = (account: string | null): string => join(runsDir, 'notify', `_${describeSeries(plan, account).name}.json`)
  return { own: pathOf(identity), unknown: pathOf(null) }
}

/** Sends the messages that the result is a reason for, and returns why some were not accepted. */
async function notifyResult(
  result: PipelineResult,
  { own, unknown }: Ends,
  receivers: readonly Receiver[],
  context: NotifyContext,
): Promise<string[]> {
  const good = isGood(result)
  if (receivers.length === 0 || good === null) return []
  const reasons = reasonsFor(result, lastEnd(unknown) === false ? false : lastEnd(own))
  const at = new Date(context.clock.now()).toISOString()
  const results = await Promise.all(
    receivers.map(async receiver => {
      const wanted = receiver.on.filter(reason => reasons.includes(reason))
      if (wanted.length === 0) return []
      const notice = noticeOf(result, { reasons: wanted, rows: receiver.rows, at })
      const why = await deliver(receiver, notice, context)
      return why === null ? [] : [`${receiver.shown} did not accept the message: ${why}`]
    }),
  )
  await keepEnd(own, { good, at, runId: isRejection(result) ? null : result.metadata.runId }, context.runsDir)
  if (good && unknown !== own) removeIfPossible(unknown)
  return results.flat()
}

/** Whether the last end ended well, null if unknown: failures without a run count, too. */
function lastEnd(path: string): boolean | null {
  try {
    const { good } = JSON.parse(readKeptText(path) ?? 'null') as { readonly good?: unknown }
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
