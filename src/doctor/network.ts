/**
 * Checks the connection to a remote service step by step: proxy, name, certificate, answer, clock, login. After a failed step the
 * rest is skipped, since it would fail for the same reason.
 */
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { type TLSSocket, connect as tlsConnect } from 'node:tls'
import { accountWords, openClient, readAccount } from '../account/account.ts'
import { realClock } from '../client/clock.ts'
import type { Proxies } from '../client/index.ts'
import type { Credentials } from '../env/environment.ts'
import { ERRORS, type ErrorCode } from '../errors.ts'
import type { PlannedService } from '../pipeline/index.ts'
import { attempt, type CheckResult, fail, ok, warn } from './check-result.ts'

export interface Way {
  readonly service: Extract<PlannedService, { kind: 'remote' }>
  readonly proxies: Proxies
  /** Null where they are missing, which is already reported. */
  readonly credentials: Credentials | null
  readonly signal: AbortSignal
}

export async function checkNetwork(way: Way): Promise<CheckResult[]> {
  const { proxyFor } = await import('../client/http/transport.ts')
  const url = new URL(way.service.url)
  const proxy = proxyFor(url, way.proxies)
  const found: CheckResult[] = proxy === null ? [] : [ok('proxy', `through ${new URL(proxy).protocol}//${new URL(proxy).host}`)]
  const steps = [
    ...(proxy === null && isIP(bare(url)) === 0 ? [() => checkName(url)] : []),
    ...(proxy === null && url.protocol === 'https:' ? [() => checkCertificate(url)] : []),
    () => checkAnswer(way, proxy !== null),
    ...(way.credentials === null ? [] : [() => checkLogin(way, way.credentials!)]),
  ]
  for (const step of steps) {
    way.signal.throwIfAborted()
    const results = [await step()].flat()
    found.push(...results)
    if (results.some(({ status, name }) => status === 'fail' && name !== 'clock')) break
  }
  return found
}

const bare = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

async function checkName(url: URL): Promise<CheckResult> {
  try {
    const addresses = await lookup(bare(url), { all: true })
    const shown = addresses.slice(0, 4).map(({ address }) => address)
    return ok('name', `${url.hostname} is ${shown.join(', ')}`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'ENOTFOUND' ? 'there is no host of that name' : `it cannot be looked up (${code})`
    return fail('name', 'FETTLE_NETWORK', `${url.hostname}: ${why}`, {
      hint: 'Check the address; behind a proxy set HTTPS_PROXY.',
    })
  }
}

const PATIENCE_MS = 10_000
const SOON_MS = 14 * 86_400_000

async function checkCertificate(url: URL): Promise<CheckResult> {
  const name = 'certificate'
  const socket = await shakeHands(url)
  // A missing server is reported by the check of the answer.
  if (socket === null) return ok(name, 'not seen: no connection came about')
  const reason = socket.authorizationError as unknown
  const why = reason instanceof Error ? reason.message : String(reason ?? '')
  const validTo = socket.getPeerCertificate().valid_to
  const protocol = socket.getProtocol() ?? 'TLS'
  socket.destroy()
  if (!socket.authorized) return fail(name, 'FETTLE_TLS', `${url.host} could not prove who it is: ${why}`)
  const left = Date.parse(validTo) - realClock.now()
  const text = `${protocol}, valid until ${new Date(validTo).toISOString().slice(0, 10)}`
  return left < SOON_MS ? warn(name, text, 'Ask the operator of the service to renew it.') : ok(name, text)
}

/** A handshake that is looked at whether or not the certificate is good; nothing is sent over it. Null when none came about. */
function shakeHands(url: URL): Promise<TLSSocket | null> {
  const host = bare(url)
  const servername = isIP(host) === 0 ? host : undefined
  return new Promise(resolve => {
    const port = Number(url.port || 443)
    const socket = tlsConnect({ host, port, servername, rejectUnauthorized: false, timeout: PATIENCE_MS })
    const giveUp = (): void => {
      socket.destroy()
      resolve(null)
    }
    socket.once('secureConnect', () => resolve(socket))
    socket.once('timeout', giveUp)
    socket.once('error', giveUp)
  })
}

/** Tokens and signatures are judged by the clock: minutes are too many. */
const ODD_MS = 30_000
const WRONG_MS = 300_000

async function checkAnswer({ service, proxies, signal }: Way, byProxy: boolean): Promise<CheckResult[]> {
  const { probe } = await import('../client/api/probe.ts')
  const answer = await probe({ url: service.url, insecure: service.insecure, proxies, clock: realClock, signal })
  if ('why' in answer)
    return [fail('answer', answer.code, `${service.url}: ${answer.why}`, { hint: hintFor(answer.code, byProxy) })]
  const { status, tookMs, skewMs } = answer
  const text = `${service.url} answers${byProxy ? ' through the proxy' : ''} (${status}, ${Math.round(tookMs)} ms)`
  const isElsewhere = status >= 300 && status < 400
  const reached = isElsewhere
    ? warn('answer', `${text} with a redirect`, 'Check that this is the API itself, not a portal or a proxy page.')
    : status >= 500
      ? warn('answer', text, 'The service reports errors; try again later.')
      : ok('answer', text)
  return [reached, checkClock(skewMs)]
}

const hintFor = (code: ErrorCode, byProxy: boolean): string => {
  if (code === 'FETTLE_FORBIDDEN') return 'Put its user name and password into HTTPS_PROXY: http://user:password@host:port.'
  if (code === 'FETTLE_TLS') return ERRORS.FETTLE_TLS.hint
  return byProxy
    ? 'Check the proxy (HTTPS_PROXY, NO_PROXY) and the address.'
    : 'Check the address and the network; behind a proxy set HTTPS_PROXY.'
}

function checkClock(skewMs: number | null): CheckResult {
  if (skewMs === null) return ok('clock', 'the service sends no Date header')
  const seconds = Math.round(Math.abs(skewMs) / 1000)
  const text = seconds === 0 ? 'the same as the service has' : `${seconds} s ${skewMs > 0 ? 'behind' : 'ahead of'} the service`
  const hint = 'Set the clock of this machine, by NTP.'
  if (Math.abs(skewMs) > WRONG_MS) return fail('clock', 'FETTLE_SETTINGS', text, { hint })
  return Math.abs(skewMs) > ODD_MS ? warn('clock', text, hint) : ok('clock', text)
}

/** Logs in and lists one job: both are free, and neither changes anything. */
async function checkLogin({ service, proxies, signal }: Way, credentials: Credentials): Promise<CheckResult[]> {
  const login = await attempt('login', async () => {
    const client = await openClient({ service, proxies, signal, credentials, attempts: 1 })
    try {
      await client.authenticate({ signal })
      await client.listJobs({ page: 1, pageSize: 1 }, { signal })
      return ok('login', 'user name and password are right, and jobs may be listed')
    } finally {
      await client.close()
    }
  })
  if (login.status === 'fail') return [login]
  const account = await attempt('account', async () => {
    const found = await readAccount({ service, proxies, signal, credentials })
    return found?.left === 0
      ? warn('account', accountWords(found), 'Ask the service for more before the next run.')
      : ok('account', accountWords(found))
  })
  // An account may run jobs without the right to read its own volume.
  const isUnknown = account.status === 'fail'
  return [login, isUnknown ? warn('account', `what it has left is unknown: ${account.message}`, 'No run needs this.') : account]
}
