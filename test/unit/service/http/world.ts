/** What the cases of the HTTP table share: one service with two users and small limits, the shape of a refusal, and raw requests. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Service, start } from '../../../../src/service/server.ts'
import type { StartOptions } from '../../../../src/service/start-options.ts'
import { engine } from '../engine.ts'
import { type Caller, logIn, type Reply } from '../kit.ts'
import { sendRaw } from '../raw.ts'

/** Path of the jobs below the base address. */
export const jobs = '/dataCleaning/jobs'

/** A service for all cases, and what is known of it. */
export interface World {
  readonly service: Service
  readonly folder: string
  /** Ann, the first user. */
  readonly ann: Caller
  readonly bob: Caller
  readonly log: readonly string[]
  /** Another service, for a case that needs limits or a state of its own; it is closed after the case. */
  fresh(options?: Partial<StartOptions>): Promise<{ service: Service; caller: Caller; folder: string }>
  /** Calls this after the case. */
  atEnd(end: () => unknown): void
}

/** One bad request, or a handful of a kind: a line of the table and what is done. `run` gives how many inputs were tried; anything but a number is one. */
export interface Case {
  readonly line: `H${number}`
  readonly title: string
  readonly run: (world: World) => Promise<unknown>
}

/** A case, for the tables. */
export const one = (line: Case['line'], title: string, run: Case['run']): Case => ({ line, title, run })

/** Every refusal has the shape of its status, the id in its header, and no trace of our insides. */
export function expectRefusal(reply: Reply, status: number, details?: RegExp): void {
  expect([reply.status, reply.body]).toEqual([status, expect.anything()])
  expect(reply.headers.get('x-correlation-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(reply.headers.get('x-content-type-options')).toBe('nosniff')
  const keys =
    status === 401 ? ['error'] : status === 403 || status === 429 ? ['message'] : ['correlationId', 'details', 'message']
  expect(Object.keys(reply.body).sort()).toEqual(keys)
  if (keys.includes('correlationId')) expect(reply.body.correlationId).toBe(reply.headers.get('x-correlation-id'))
  expect(JSON.stringify(reply.body)).not.toMatch(/\.ts\b|\/src\/|node_modules|at .+:\d+|fettle-http/)
  if (details !== undefined) expect(reply.body.details).toMatch(details)
}

/** Status codes of everything that came back on one connection. */
export async function rawStatuses(url: string, bytes: string | Buffer, half = false): Promise<number[]> {
  const answer = await sendRaw(url, bytes, half)
  return [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
}

/** A raw request to an operation, with this user's token; `headers` are lines, `body` comes after the empty line. */
export const rawRequest = (caller: Caller, method: string, path: string, headers: readonly string[], body = ''): string =>
  [`${method} /v1${path} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${caller.token}`, ...headers, '', body].join('\r\n')

const USERS = [
  { username: 'ann', password: 'the password of ann' },
  { username: 'bob', password: 'the password of bob' },
]

/** Opens the world; `close` ends it and what the last case left. */
export async function openWorld(): Promise<World & { afterCase(): Promise<void>; close(): Promise<void> }> {
  const log: string[] = []
  const ends: (() => unknown)[] = []
  const afterCase = async (): Promise<void> => {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end()
  }
  const make = async (options: Partial<StartOptions>): Promise<{ service: Service; folder: string }> => {
    const folder = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'fettle-http-')))
    return { folder, service: await start({ users: USERS, ...options, dataDir: folder }, engine, []) }
  }
  const limits = { jsonBytes: 400_000, uploadBytes: 50_000, recordBytes: 20_000, rows: 2_000 }
  const { service, folder } = await make({ limits, log: line => log.push(line) })
  const [, second] = USERS
  return {
    service,
    folder,
    log,
    ann: await logIn(service),
    bob: await logIn({ ...service, ...second }),
    async fresh(options = {}) {
      const made = await make(options)
      ends.push(async () => {
        await made.service.close()
        if (options.dataDir === undefined) await rm(made.folder, { recursive: true, force: true })
      })
      return { ...made, caller: await logIn(made.service) }
    },
    atEnd: end => void ends.push(end),
    afterCase,
    async close() {
      await afterCase()
      await service.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
