/** Sends a message to a receiver: three attempts at most, signed by the rules of Standard Webhooks where there is a secret. */
import { createHmac, randomUUID } from 'node:crypto'
import type { Clock } from '../../../model/requests.ts'
import { NOTICE_BODIES, type Notice } from '../../../report/notify/notice.ts'
import { type Env, proxiesOf } from '../../env/environment.ts'
import { type Receiver, signingKey } from './receivers.ts'

const ATTEMPTS = 3
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
  const transport = await open(context.env, context.attemptMs ?? TIMEOUT_MS)
  let why = ''
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const headers = { 'content-type': contentType, ...signatureOf(receiver.secret, id, text, context.clock.now()) }
      const reply = await transport.send(receiver.to, headers, text, context.signal)
      if (reply === null) return null
      why = reply.why
      if (reply.isFinal || attempt === ATTEMPTS - 1) break
      await context.clock.sleep(Math.min(reply.pauseMs ?? PAUSES_MS[attempt]!, LONGEST_PAUSE_MS), context.signal)
    }
  } finally {
    await transport.close()
  }
  return why
}

/** `webhook-id`, `webhook-timestamp` and `webhook-signature`, as standardwebhooks.com describes them. */
function signatureOf(secret: string | null, id: string, body: string, nowMs: number): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000))
  const ids = { 'webhook-id': id, 'webhook-timestamp': timestamp }
  if (secret === null) return ids
  const signature = createHmac('sha256', signingKey(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { ...ids, 'webhook-signature': `v1,${signature}` }
}

interface Refusal {
  readonly why: string
  readonly isFinal: boolean
  /** Asked for by the receiver. */
  readonly pauseMs: number | null
}

/** Loaded only when there is a message to send. */
async function open(env: Env, timeoutMs: number) {
  const [{ createTransport, isNetworkError }, { LIMITS }, { parseRetryAfter }] = await Promise.all([
    import('../../../client/http/transport.ts'),
    import('../../../client/http/transport.ts'),
    import('../../../client/retry/retry-after.ts'),
  ])
  const transport = createTransport({ ...LIMITS, connectMs: timeoutMs }, { proxies: proxiesOf(env) })
  const send = async (to: string, headers: Record<string, string>, body: string, stop: AbortSignal): Promise<Refusal | null> => {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)])
    const limits = { headersMs: timeoutMs, idleMs: timeoutMs, to: 'service', signal } as const
    const reply = await transport.send({ method: 'POST', url: new URL(to), headers, body, ...limits })
    stop.throwIfAborted()
    if (isNetworkError(reply)) return { why: reply.text, isFinal: false, pauseMs: null }
    reply.drop()
    if (reply.status >= 200 && reply.status < 300) return null
    return {
      why: `status ${reply.status}`,
      isFinal: reply.status < 500 && !PASSING.includes(reply.status),
      pauseMs: parseRetryAfter(reply.header('retry-after'), reply.header('date'), 0),
    }
  }
  return { send, close: () => transport.close() }
}
