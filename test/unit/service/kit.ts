/** What the service's tests share: a service around a small engine, a plain HTTP caller, and a folder that is removed. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { findOperation, type OperationName } from '../../../src/contract/index.ts'
import { type Login, openUsers } from '../../../src/service/auth/users.ts'
import type { Clock } from '../../../src/service/clock.ts'
import { PLAYS, type Play } from '../../../src/service/plays.ts'
import { type Service, start } from '../../../src/service/server.ts'
import type { StartOptions } from '../../../src/service/start-options.ts'
import { describedAnswer } from '../../contract/described.ts'
import { atFileEnd } from '../../support/file-end.ts'
import { engine } from './engine.ts'

/** By address; a service that is not here is `own`. */
const PLAYED = new Map<string, Play>()

/** Time that stands still until it is moved. */
export class HandClock implements Clock {
  #now = Date.UTC(2026, 0, 15)
  #sleepers: { until: number; wake: () => void }[] = []
  now = (): number => this.#now
  elapsed = (): number => this.#now
  sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise(wake => {
      if (signal.aborted) return wake()
      this.#sleepers.push({ until: this.#now + ms, wake })
      signal.addEventListener('abort', () => wake(), { once: true })
    })
  move(ms: number): void {
    this.#now += ms
    const due = this.#sleepers.filter(one => one.until <= this.#now)
    this.#sleepers = this.#sleepers.filter(one => one.until > this.#now)
    for (const one of due) one.wake()
  }
}

/** A folder for one test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fettle-service-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** The check of logins by itself, without a service. */
export async function loginCheck(logins: readonly Login[]): Promise<(login: Login) => Promise<boolean>> {
  const users = await openUsers(logins, { all: () => new Map() }, () => 1)
  return users.isCorrect
}

/** A service for one test. */
export async function startService(options: Partial<StartOptions> = {}): Promise<Service> {
  const dataDir = options.dataDir ?? (await temporaryFolder())
  const service = await start({ users: [], ...options, dataDir }, engine, [])
  onTestFinished(() => service.close())
  PLAYED.set(service.url, PLAYS[options.play ?? 'own'])
  return service
}

interface Described {
  readonly play: Play
  readonly name: OperationName
  readonly reply: Reply
}

const answers: Described[] = []

/**
 * Every answer of the service has the form that the service describes. They are compared after the tests of the file: compiling the
 * schemas takes so long that a service would close its idle connections.
 */
function expectDescribed(url: string, method: string, path: string, reply: Reply): void {
  // Clients write `searchCriteria`.
  const [plain = ''] = path.replace(/searchcriteria/i, 'searchcriteria').split('?')
  const name = findOperation(method, plain)?.name ?? null
  if (name === null || reply.status > 299 || reply.headers.get('content-type')?.startsWith('application/json;') === false) return
  if (answers.length === 0)
    atFileEnd(() => {
      for (const { play, name, reply } of answers.splice(0))
        expect(describedAnswer(play, name, reply.status, reply.body), name).toEqual([])
    })
  answers.push({ play: PLAYED.get(url) ?? PLAYS.own, name, reply })
}

/** An answer with its body read. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly body: any
}

/** One request; a body that is not FormData or text goes out as JSON. */
export async function send(url: string, method = 'GET', body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
  const raw = typeof body === 'string' || body instanceof FormData
  const reply = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...(body === undefined || body instanceof FormData ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: raw ? (body as string | FormData) : JSON.stringify(body) }),
  })
  const text = await reply.text()
  const isJson = reply.headers.get('content-type')?.includes('json') === true
  return { status: reply.status, headers: reply.headers, body: isJson && text !== '' ? JSON.parse(text) : text }
}

/** A logged-in caller of one service. */
export interface Caller {
  readonly token: string
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  /** A new job; gives its id. */
  create(name?: string): Promise<string>
  upload(id: string, csv: string, hasHeader?: string): Promise<Reply>
  /** Reads the job until it has this status; fails when it ends in an error status instead. */
  reach(id: string, status: string): Promise<Reply>
  /** A job with this file, name in column 0, that was submitted. */
  submitted(csv: string): Promise<string>
}

/** Logs in. */
export async function logIn(service: { url: string; username: string; password: string }): Promise<Caller> {
  const { username, password } = service
  const login = await send(`${service.url}/authenticate`, 'POST', { username, password })
  const token = login.body.token as string
  const caller: Caller = {
    token,
    async call(method, path, body, headers = {}) {
      const reply = await send(service.url + path, method, body, { Authorization: `Bearer ${token}`, ...headers })
      expectDescribed(service.url, method, path, reply)
      return reply
    },
    create: async (name = 'a job') => (await caller.call('POST', '/dataCleaning/jobs', { name })).body.id,
    upload(id, csv, hasHeader = 'true') {
      const form = new FormData()
      form.append('jobFile', new Blob([csv]), 'suppliers.csv')
      form.append('hasHeader', hasHeader)
      return caller.call('POST', `/dataCleaning/jobs/${id}/upload`, form)
    },
    async reach(id, status) {
      for (;;) {
        const reply = await caller.call('GET', `/dataCleaning/jobs/${id}`)
        if (reply.body.status === status) return reply
        if (reply.status !== 200 || String(reply.body.status).endsWith('Error')) {
          throw new Error(`waited for ${status}, got ${JSON.stringify(reply.body)}`)
        }
        // Asked without a pause, it would spend more on the questions than on the job.
        await wait(2)
      }
    },
    async submitted(csv) {
      const id = await caller.create()
      await caller.upload(id, csv)
      await caller.call('PUT', `/dataCleaning/jobs/${id}/mappings`, { mappings: [{ mapping: 'name', value: '0' }] })
      await caller.call('POST', `/dataCleaning/jobs/${id}/submit`, {})
      return id
    },
  }
  return caller
}
