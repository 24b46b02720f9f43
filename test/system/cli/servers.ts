/** Services the command line is tried against: one that counts and says what it is told, and the real one of this repository. */
import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { start } from '../../../src/service/server.ts'
import type { StartOptions } from '../../../src/service/start-options.ts'
import { engine } from '../../unit/service/engine.ts'
import { CANARY } from '../security/canary.ts'
import { atEnd, folderOf } from './fettle.ts'

/** An answer; absent: the connection is cut. */
export interface Answer {
  readonly status: number
  readonly body: unknown
  /** The answer waits so long. */
  readonly delayMs?: number
}

/** A server that counts what reaches it. */
export interface Counting {
  readonly url: string
  connections: number
  /** `METHOD /path` of each request, in order. */
  readonly requests: string[]
  /** The trace context of each. */
  readonly traces: (string | undefined)[]
  /** Resolves when a request of this line has arrived. */
  asked(line: string): Promise<void>
}

/** Starts a server that answers as told: `METHOD /path` without `/v1`, and the body, to an answer; null cuts the connection. */
export async function counting(answer: (request: string, body: string) => Answer | null): Promise<Counting> {
  const requests: string[] = []
  const traces: (string | undefined)[] = []
  const arrivals = new EventEmitter()
  const server = createServer(async (request: IncomingMessage, response) => {
    const line = `${request.method} ${(request.url ?? '').replace(/^\/v1/, '').replace(/\?.*/, '')}`
    requests.push(line)
    traces.push(request.headers.traceparent?.toString())
    arrivals.emit(line)
    let body = ''
    for await (const piece of request) body += piece
    const told = answer(line, body)
    if (told === null) {
      request.socket.destroy()
      return
    }
    const tell = () => response.writeHead(told.status, { 'content-type': 'application/json' }).end(JSON.stringify(told.body))
    if (told.delayMs === undefined) tell()
    else setTimeout(tell, told.delayMs).unref()
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const counted: Counting = {
    url,
    connections: 0,
    requests,
    traces,
    asked: async line => {
      if (!requests.includes(line)) await once(arrivals, line)
    },
  }
  server.on('connection', () => {
    counted.connections++
  })
  return counted
}

/** A service whose job has the given status once it was submitted, and stays there while it is the same. */
export function scripted(told: string | (() => string)): Promise<Counting> {
  const status = typeof told === 'string' ? () => told : told
  let isSubmitted = false
  let name = ''
  let now = 'created'
  const job = (next = now): Answer => {
    now = next
    return { status: 200, body: { id: 'job-1', name, status: now, correlationId: 'corr-1' } }
  }
  const answers: Readonly<Record<string, (body: string) => Answer>> = {
    'POST /authenticate': () => ({ status: 200, body: { token: CANARY.token } }),
    'GET /dataCleaning/jobs': () => ({ status: 200, body: [] }),
    'POST /dataCleaning/jobs': body => {
      name = JSON.parse(body).name
      return job()
    },
    'GET /dataCleaning/jobs/job-1': () => job(isSubmitted ? status() : now),
    'POST /dataCleaning/jobs/job-1/upload': () => job('uploaded'),
    'PUT /dataCleaning/jobs/job-1/mappings': () => ({ status: job('ready').status, body: [] }),
    'POST /dataCleaning/jobs/job-1/submit': () => {
      isSubmitted = true
      return job(status())
    },
  }
  return counting((line, body) => answers[line]?.(body) ?? { status: 404, body: { message: 'no such thing' } })
}

/** Who may log in to the real service. */
export const LOGIN = { username: CANARY.username, password: CANARY.password }
/** The settings that go with it. */
export const CREDENTIALS = { FETTLE_USERNAME: LOGIN.username, FETTLE_PASSWORD: LOGIN.password }

/** The settings for a service that a pipeline names. */
export const loginAt = ({ url }: { readonly url: string }) => ({ ...CREDENTIALS, FETTLE_SERVICE_ORIGINS: new URL(url).origin })

/** The real service around a small register (Acme Ltd, Bolt Ltd, Cork SA), with what is asked of it. */
export async function realService(options: Partial<StartOptions> = {}) {
  const requests: { method: string; route: string; status: number }[] = []
  const service = await start(
    { users: [LOGIN], dataDir: folderOf(), log: line => requests.push(JSON.parse(line)), ...options },
    engine,
    [],
  )
  atEnd(() => service.close())
  return { url: service.url, requests, close: () => service.close() }
}
