/** Events of OpenLineage sent by HTTP, one after the other. A service that is slow or gone costs a run two seconds at most, and one note. */
import type { LineageEvent } from '../../../report/index.ts'
import { type Env, proxiesOf } from '../../env/environment.ts'
import type { RunReporter } from '../reporters.ts'
import type { LineageSettings } from './settings.ts'

/** For one event, and for all that are still under way when the run is over. */
const TIMEOUT_MS = 2_000

/** A reporter that posts every event. Connections are made with the first. */
export function httpLineage({ url, apiKey }: NonNullable<LineageSettings['http']>, env: Env): RunReporter {
  const over = new AbortController()
  let last = Promise.resolve()
  let transport: Promise<{ send: (body: string) => Promise<string | null>; close: () => Promise<void> }> | null = null
  const post = async (event: LineageEvent): Promise<void> => {
    transport ??= open(url, apiKey, env, over.signal)
    const { send, close } = await transport
    const why = await send(JSON.stringify(event))
    if (why === null) return
    await close()
    throw new Error(`${url.origin} did not accept the event ${event.eventType}: ${why}`)
  }
  return {
    name: 'OpenLineage',
    onLineageEvent(event) {
      last = last.then(() => post(event))
      return last
    },
    async onRunEnd() {
      const timer = setTimeout(() => over.abort(new DOMException('no response in time', 'TimeoutError')), TIMEOUT_MS)
      await last.catch(() => {})
      clearTimeout(timer)
      await (await transport)?.close()
    },
  }
}

/** Loaded only when an address is set. */
async function open(url: URL, apiKey: string | null, env: Env, over: AbortSignal) {
  const [{ createTransport, isNetworkError }, { LIMITS }] = await Promise.all([
    import('../../../client/http/transport.ts'),
    import('../../../client/http/transport.ts'),
  ])
  const transport = createTransport({ ...LIMITS, connectMs: TIMEOUT_MS }, { proxies: proxiesOf(env) })
  const headers = {
    'content-type': 'application/json',
    ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
  }
  const send = async (body: string): Promise<string | null> => {
    const signal = AbortSignal.any([over, AbortSignal.timeout(TIMEOUT_MS)])
    const limits = { headersMs: TIMEOUT_MS, idleMs: TIMEOUT_MS, to: 'service', signal } as const
    const reply = await transport.send({ method: 'POST', url, headers, body, ...limits })
    if (isNetworkError(reply)) return reply.text
    reply.drop()
    return reply.status >= 200 && reply.status < 300 ? null : `status ${reply.status}`
  }
  return { send, close: () => transport.close() }
}
