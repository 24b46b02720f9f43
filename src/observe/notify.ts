/** Reports the end of a run to the receivers of its pipeline. A receiver that cannot be reached is a warning, never a failure. */

import { createHmac, randomUUID } from 'node:crypto'
import { dirname, join } from 'node:path'
import type { Credentials, Env } from '../env/environment.ts'
import { findIdentity } from '../env/identity.ts'
import type { Runtime } from '../env/runtime.ts'
import { FettleError } from '../errors.ts'
import { writeAtomic } from '../files/atomic-file.ts'
import { readKeptText } from '../files/kept-files.ts'
import type { Clock } from '../model/requests.ts'
import { describeSeries, type Pipeline, type Secrets, type SeriesPlan } from '../pipeline/index.ts'
import { isGood, NOTICE_BODIES, type Notice, noticeOf, reasonsFor } from '../report/notify/notice.ts'
import { explainRejection, isRejection, type PipelineResult } from '../report/pipeline-result.ts'
import { describeAttempt, keepAttempt } from '../runs/attempts.ts'
import { makeFolder, makeRunsFolder, removeIfPossible } from '../runs/run-directory.ts'
import { openPoster } from './post.ts'
import type { ReporterDispatcher, RunReporter } from './reporters.ts'

export interface Receiver extends Omit<Pipeline['notify'][number], 'to' | 'secret'> {
  readonly pipeline: string
  /** The full address. */
  readonly to: string
  /** What messages show of it. */
  readonly shown: string
  readonly secret: string | null
}

/** The bytes that messages are signed with. */
const signingKey = (secret: string): Buffer =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret)

/** One with an empty address is switched off. */
export const listReceivers = ({ name, notify }: Pipeline, secrets: Secrets): readonly Receiver[] =>
  notify.flatMap((receiver, index) => {
    const { to = '', secret = null } = secrets.notify[index] ?? {}
    if (to !== '' && secret !== null && signingKey(secret).length === 0)
      throw new FettleError(
        'FETTLE_SETTINGS',
        `the secret of the receiver ${receiver.to} (${receiver.as}) is empty: messages would be signed with nothing`,
        { hint: 'Set the variable of notify.secret to the key, after whsec_ in base64.' },
      )
    return to === '' ? [] : [{ ...receiver, pipeline: name, to, shown: `${receiver.to} (${receiver.as})`, secret }]
  })

/** Three attempts with their pauses take less than half a minute. */
const TIMEOUT_MS = 5_000
const PAUSES_MS = [1_000, 3_000]
const LONGEST_PAUSE_MS = 10_000
/** Refusals that another attempt may change. */
const PASSING: readonly number[] = [408, 425, 429]

export interface DeliveryContext {
  readonly env: Env
  readonly clock: Clock
  readonly signal: AbortSignal
  /** For one attempt; five seconds if absent. */
  readonly attemptMs?: number
}

/** Null when the receiver accepted the message, else why not. Throws only the reason of an abort. */
export async function deliver(receiver: Receiver, notice: Notice, context: DeliveryContext): Promise<string | null> {
  const id = randomUUID()
  const { contentType, text } = NOTICE_BODIES[receiver.as](notice, id)
  const { clock, signal } = context
  const { post, close } = await openPoster(context.env, context.attemptMs ?? TIMEOUT_MS)
  try {
    for (let attempt = 0; ; attempt++) {
      const headers = { 'content-type': contentType, ...signBody(receiver.secret, id, text, clock.now()) }
      const refusal = await post(new URL(receiver.to), headers, text, signal)
      signal.throwIfAborted()
      if (refusal === null) return null
      const isFinal = refusal.status !== null && refusal.status < 500 && !PASSING.includes(refusal.status)
      const pauseMs = PAUSES_MS[attempt]
      if (isFinal || pauseMs === undefined) return refusal.why
      await clock.sleep(Math.min(refusal.pauseMs ?? pauseMs, LONGEST_PAUSE_MS), signal)
    }
  } finally {
    await close()
  }
}

/** `webhook-id`, `webhook-timestamp` and `webhook-signature`, as standardwebhooks.com describes them. */
function signBody(secret: string | null, id: string, body: string, nowMs: number): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000))
  const ids = { 'webhook-id': id, 'webhook-timestamp': timestamp }
  if (secret === null) return ids
  const signature = createHmac('sha256', signingKey(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { ...ids, 'webhook-signature': `v1,${signature}` }
}

export interface NotifyContext extends DeliveryContext {
  readonly runsDir: string
}

/** The reporter of a run. What it throws becomes a warning. */
export const notifyReporter = (receivers: readonly Receiver[], context: NotifyContext): RunReporter => ({
  name: 'notify',
  async onRunEnd(report, { detached, plan, identity }) {
    // The shards of a list are reported when they are merged.
    if (detached || plan.shard !== undefined) return
    const warnings = await notifyResult(report, findEnds(context.runsDir, plan, identity), receivers, context)
    if (warnings.length > 0) throw new Error(warnings.join('; '))
  },
})

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
  settings: Omit<NotifyContext, 'clock'> & { readonly runtime: Runtime; readonly observers?: ReporterDispatcher },
): Promise<void> {
  if (series === null || settings.signal.aborted) return
  const { clock } = settings.runtime
  const identity = findIdentity(series.service, credentials)
  await keepAttempt(settings.runsDir, error, describeAttempt(series, identity, clock.now()))
  if (notify.length === 0) return
  const ends = findEnds(settings.runsDir, series, identity)
  const result = notifyResult(explainRejection(error, series.name), ends, notify, { ...settings, clock })
  const warnings = await result.catch((cause: Error) => [cause.message])
  if (warnings.length > 0) settings.observers?.emit('onWarning', warnings.join('; '))
}

/** Where the end of the last run of a series is kept, and the end of a run whose account was not known. */
interface Ends {
  readonly own: string
  readonly unknown: string
}

function findEnds(runsDir: string, plan: SeriesPlan, identity: string | null): Ends {
  const endPath = (account: string | null): string => join(runsDir, 'notify', `_${describeSeries(plan, account).name}.json`)
  return { own: endPath(identity), unknown: endPath(null) }
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
