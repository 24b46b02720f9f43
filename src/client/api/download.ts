/**
 * Opens the enriched file behind its link: follows redirects one by one, sends the token to the service's own origin only, and times
 * the body. The receiver checks that the file is complete.
 */
import { FettleError } from '../../errors.ts'
import type { CallOptions, Download } from '../../model/requests.ts'
import { lost, notFollowed, readLocation, type Wire } from '../http/exchange.ts'
import { HOPS, isRedirect, judgeLink, resolveLink } from '../http/links.ts'
import { decodedReply, EncodingFailure } from '../http/reply.ts'
import { timed } from '../http/stall-detector.ts'
import { isNetworkError, type Reply } from '../http/transport.ts'
import { showUrl } from '../redact.ts'
import { readNetworkError } from '../retry/network-error.ts'
import type { Outcome } from '../retry/policy.ts'
import { parseRetryAfter } from '../retry/retry-after.ts'
import { sendWithRetries, type Tools } from './send-with-retries.ts'

export interface Opener {
  readonly base: URL
  readonly fileHosts: readonly string[]
  readonly wire: Wire
  readonly tools: Tools
}

/** Types that a portal, a gateway or an API sends instead of the file. */
const NOT_A_FILE = /^(?:text\/html|application\/(?:json|xhtml\+xml|problem\+json))\b/i

const announced = (reply: Reply): number | null => {
  const text = reply.header('content-length') ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : null
}

async function* streamed(reply: Reply, label: string, wire: Wire, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const cut = (why: string) => new FettleError('FETTLE_DOWNLOAD_CUT', `${label}: ${why}.`)
  const onSlow = () => {
    throw cut(`it came slower than ${wire.limits.bytesPerSecond} bytes a second`)
  }
  try {
    yield* timed(reply.body, wire.clock, wire.limits, onSlow)
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (error instanceof EncodingFailure) throw new FettleError('FETTLE_FILE_FORM', `${label}: ${error.message}.`)
    throw FettleError.is(error) ? error : cut(readNetworkError(error).text)
  } finally {
    reply.drop()
  }
}

/** A link with what the messages about it call it, and the signal of the caller. */
interface Fetch {
  readonly link: URL
  readonly label: string
  readonly signal?: AbortSignal
}

async function openOnce(
  { link, label, signal }: Fetch,
  token: string | null,
  { wire, base, fileHosts }: Opener,
): Promise<Outcome<Download>> {
  let url = link
  let trusted = true
  for (let hops = 0; ; hops += 1) {
    const to = judgeLink(url, base, fileHosts)
    trusted = trusted && to === 'service'
    const authorization = token === null ? undefined : `Bearer ${token}`
    const headers = trusted ? { ...wire.headers, authorization } : {}
    wire.onRequest()
    const { headersMs, idleMs } = wire.limits
    const sent = await wire.transport.send({ method: 'GET', url, headers, headersMs, idleMs, to, signal })
    signal?.throwIfAborted()
    if (isNetworkError(sent)) return lost(sent)
    const reply = decodedReply(sent)
    if (isRedirect(reply.status)) {
      reply.drop()
      const target = readLocation(reply, url)
      if (target === null || hops === HOPS)
        return notFollowed(reply.status, target === null ? 'to nowhere' : `to ${showUrl(target)}, after ${HOPS} redirects`)
      url = target
      continue
    }
    const type = reply.header('content-type') ?? ''
    if (reply.status === 200 && NOT_A_FILE.test(type)) {
      reply.drop()
      return {
        type: 'offContract',
        how: 'notJson',
        status: 200,
        text: `with ${type}, which is not a file of rows`,
        correlationId: null,
      }
    }
    const encoding = reply.header('content-encoding') ?? 'identity'
    if (reply.status === 200 && encoding === 'identity') {
      const [, charset = null] = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(type) ?? []
      return { type: 'answer', value: { bytes: announced(reply), charset, body: streamed(reply, label, wire, signal) } }
    }
    // The body is not read: an object store repeats the signature in it.
    reply.drop()
    if (reply.status >= 200 && reply.status < 300) {
      const what = encoding === 'identity' ? 'a part of the file' : `a file encoded as ${wire.redactor.clean(encoding)}`
      const text = `with ${what}, where the plain file was asked for`
      return { type: 'offContract', how: 'shape', status: reply.status, text, correlationId: null }
    }
    const retryAfterMs = parseRetryAfter(reply.header('retry-after'), reply.header('date'), wire.clock.now())
    return { type: 'status', status: reply.status, retryAfterMs, fault: { text: null, correlationId: null } }
  }
}

/**
 * Opens the file behind a link in a reply of enrichedFile. Throws FETTLE_FILE_LINK for a link that may not be followed, and for 401, 403
 * and 410, with the status: then the link expired or was changed.
 */
export async function openLink(filePath: string, opener: Opener, options: CallOptions): Promise<Download> {
  const link = resolveLink(filePath, opener.base)
  const authorised = judgeLink(link, opener.base, opener.fileHosts) === 'service'
  const label = `fetch the enriched file (GET ${showUrl(link)})`
  const expired = 'FETTLE_FILE_LINK'
  const opened = await sendWithRetries<Download>(
    {
      policy: {
        method: 'GET',
        repeat: 'free',
        login: false,
        codes: authorised ? { 403: expired, 410: expired } : { 401: expired, 403: expired, 410: expired },
      },
      label,
      authorised,
      attempts: options.attempts,
      signal: options.signal,
      hints: { noName: `The host ${link.host} does not exist; the link to the file came from the service.` },
      attempt: token => openOnce({ link, label, signal: options.signal }, token, opener),
    },
    opener.tools,
  )
  return opened.value
}
