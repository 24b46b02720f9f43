/**
 * One cell of the walk: a project of its own, with a run that is held at one moment while something is killed, and a service that
 * counts. Requests pass through a proxy that can hold one of them.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { atEnd, BINARY, ROOT } from '../../cli/fettle.ts'
import { CREDENTIALS, LOGIN, realService } from '../../cli/servers.ts'
import { outputsOf, type Project, project } from '../kit.ts'

export const MOMENTS = ['before create', 'matching', 'enriching', 'writing', 'after the end'] as const
export type Moment = (typeof MOMENTS)[number]

/** The last request that costs nothing: the choice of the tags. */
export const BEFORE_ENRICHING = 'before enriching'

export const VICTIMS = ['fettle', 'task', 'scheduler', 'machine'] as const
export type Victim = (typeof VICTIMS)[number]

const JOBS = '/v1/dataCleaning/jobs'

/** The request that is held at each moment; the others are held by hold.mjs. */
const HELD: Readonly<
  Partial<Record<Moment | typeof BEFORE_ENRICHING, (method: string, path: string, isSubmitted: boolean) => boolean>>
> = {
  'before create': (method, path) => method === 'POST' && path === JOBS,
  matching: (method, path, isSubmitted) => isSubmitted && method === 'GET' && /\/jobs\/[^/]+$/.test(path),
  [BEFORE_ENRICHING]: (_method, path) => path.endsWith('/enrichments'),
  enriching: (method, path) => method === 'POST' && path.endsWith('/enrich'),
}
const HOLDS: Readonly<Partial<Record<Moment | typeof BEFORE_ENRICHING, string>>> = { writing: 'write', 'after the end': 'end' }

export interface Cell {
  readonly name: string
  readonly victim: Victim
  readonly moment: Moment | typeof BEFORE_ENRICHING
  readonly work: Project
  /** The processes of fettle that live. */
  pids(): readonly number[]
  /** The process of fettle that is held; null while none is. */
  held(): number | null
  /** Nothing is held any more. */
  release(): void
  /** The jobs that the service has, and how often one was enriched. */
  counts(): Promise<{ readonly jobs: number; readonly enriched: number }>
  isDone(): boolean
}

async function jobsAt(url: string): Promise<readonly unknown[]> {
  const json = { 'content-type': 'application/json' }
  const login = await fetch(`${url}/authenticate`, { method: 'POST', headers: json, body: JSON.stringify(LOGIN) })
  const { token } = (await login.json()) as { token: string }
  return (await (await fetch(`${url}/dataCleaning/jobs`, { headers: { authorization: `Bearer ${token}` } })).json()) as unknown[]
}

/** Has `fettle` note its process in the working directory, and wait where hold.mjs says so. */
export function noteProcesses({ cwd }: Project): void {
  const hold = join(ROOT, 'test/system/examples/walk/hold.mjs')
  // Each cell has a service of its own, and the tool one environment: the credentials are for the service of the pipeline.
  const origin = `FETTLE_SERVICE_ORIGINS="$(sed -n 's#^service: *\\(http://[^/]*\\).*#\\1#p' pipelines/suppliers.yml)"`
  const lines = [
    '#!/bin/sh',
    'echo $$ >> pids',
    `export ${origin}`,
    `exec '${process.execPath}' --import '${hold}' '${BINARY}' "$@"`,
    '',
  ]
  writeFileSync(join(cwd, 'node_modules/.bin/fettle'), lines.join('\n'))
}

/** `lastOf` matches the arguments of the command whose result may be lost after the end. */
export async function openCell(victim: Victim, moment: Cell['moment'], lastOf: string): Promise<Cell> {
  let isArmed = true
  let isSubmitted = false
  let isHeld = false
  const parked: (() => void)[] = []
  const holds = HELD[moment]
  const service = await realService()

  function forward(request: IncomingMessage, response: ServerResponse): void {
    const target = new URL(request.url!, service.url)
    const path = target.pathname
    const asked = send(target, { method: request.method, headers: { ...request.headers, host: target.host } }, answer => {
      if (request.method === 'POST' && path.endsWith('/submit') && (answer.statusCode ?? 500) < 300) isSubmitted = true
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    asked.on('error', () => response.destroy())
    response.on('close', () => asked.destroy())
    request.pipe(asked)
  }
  const proxy = createServer((request, response) => {
    const path = new URL(request.url!, service.url).pathname
    if (!isArmed || holds?.(request.method!, path, isSubmitted) !== true) return forward(request, response)
    isHeld = true
    // A client that was killed meanwhile has closed its connection: its request never arrives.
    parked.push(() => (request.socket.destroyed ? undefined : forward(request, response)))
  })
  await new Promise<void>(listening => proxy.listen(0, '127.0.0.1', listening))
  atEnd(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/v1`
  const work = project({ ...CREDENTIALS, FETTLE_URL: url })
  const { cwd } = work
  // A tool may have one environment for all its projects: the address is in the pipeline, too.
  const file = join(cwd, 'pipelines/suppliers.yml')
  writeFileSync(file, `${readFileSync(file, 'utf8')}\nservice: ${url}\n`)
  noteProcesses(work)
  const hold = HOLDS[moment]
  if (hold !== undefined) writeFileSync(join(cwd, `hold-${hold}`), hold === 'end' ? lastOf : '')
  const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`)
  const pids = (): number[] =>
    existsSync(join(cwd, 'pids')) ? readFileSync(join(cwd, 'pids'), 'utf8').trim().split('\n').map(Number).filter(isAlive) : []
  return {
    name: `${victim}_${moment.replaceAll(' ', '_')}`,
    victim,
    moment,
    work,
    pids,
    held: () => {
      if (hold === undefined) return isHeld ? (pids().at(-1) ?? null) : null
      const note = join(cwd, `held-${hold}`)
      const pid = existsSync(note) ? Number(readFileSync(note, 'utf8')) : 0
      return pid > 0 && isAlive(pid) ? pid : null
    },
    release: () => {
      isArmed = false
      rmSync(join(cwd, `hold-${hold}`), { force: true })
      for (const go of parked.splice(0)) go()
    },
    counts: async () => ({
      jobs: (await jobsAt(service.url)).length,
      enriched: service.requests.filter(
        ({ method, route, status }) => method === 'POST' && route.endsWith('/enrich') && status < 300,
      ).length,
    }),
    isDone: () => {
      try {
        return outputsOf(work).length > 0
      } catch {
        return false
      }
    },
  }
}

/** Waits until `test` returns a value, at most so long; throws with `what`. */
export async function until<T>(what: string, test: () => T | Promise<T>, ms = 900_000): Promise<NonNullable<T>> {
  const end = Date.now() + ms
  for (;;) {
    const value = await test()
    if (value != null && value !== false) return value as NonNullable<T>
    if (Date.now() > end) throw new Error(`not within ${ms / 1000} s: ${what}`)
    await sleep(250)
  }
}
