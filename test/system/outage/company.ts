/**
 * Many pipelines in one process against one service over real loopback connections, in virtual time: a minimal service, an
 * outage of three kinds, and a log of every request.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from 'undici'
import { onTestFinished } from 'vitest'
import { createClientState } from '../../../src/env/runtime.ts'
import type { RunResult } from '../../../src/execution/run-settings.ts'
import { startRun } from '../../../src/execution/start.ts'
import { createDispatcher } from '../../../src/observe/reporters.ts'
import { prepareValue } from '../../../src/prepare/prepare.ts'
import { NO_OVERRIDES } from '../../../src/prepare/read-pipeline.ts'
import { VirtualClock } from '../../../src/testing/virtual-clock.ts'
import { runs } from '../../support/runs.ts'

export const PIPELINES = runs(12, 50)
export const MINUTE = 60_000

/** A request as the process sent it, whether or not anybody heard it. */
export interface Sent {
  readonly at: number
  readonly route: string
}

/** How the service behaves: as it should, closed, answering 500, or hearing and saying nothing. */
export type Mode = 'up' | 'refused' | '500' | 'silence'

/** What a test may answer in place of the service; true when it did. */
export type Intercept = (request: IncomingMessage, response: ServerResponse, route: string) => boolean

interface Job {
  readonly id: string
  readonly name: string
  status: string
  submits: number
  matchedAt: number
}

const SUMMARY = { totalRows: 1, matched: 1, unmatched: 0, duplicates: 0 }
const ROUTES = /^\/v1\/(authenticate|dataCleaning\/jobs)(?:\/([^/]+))?(?:\/(\w+))?$/

/** A token that lives ten minutes, so that it has to be renewed in any long outage. */
const token = (serial: number): string => {
  const claims = Buffer.from(JSON.stringify({ iat: 0, exp: 600, serial })).toString('base64url')
  return `h.${claims}.s`
}

interface Wishes {
  readonly matchMs?: number
  /** In place of the clock's chance, so that all pipelines go in step. */
  readonly chance?: number
  /** Real milliseconds that a request waits for its answer. */
  readonly patienceMs?: number
}

/** A service that matches within `matchMs`, and its outages. */
export async function openCompany({ matchMs = 5 * MINUTE, chance, patienceMs = 10_000 }: Wishes = {}) {
  const clock = new VirtualClock({ seed: 11 })
  if (chance !== undefined) clock.random = () => chance
  const jobs = new Map<string, Job>()
  const sent: Sent[] = []
  const retries: Sent[] = []
  const state = { mode: 'up' as Mode, pending: 0, most: 0, logins: 0, intercept: null as Intercept | null }

  const answer = (response: ServerResponse, json: unknown, status = 200): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
  }
  /** What the service answers; undefined for no such thing. */
  const reply = (method: string, url: URL, body: string): unknown => {
    const [, kind, id, action = ''] = ROUTES.exec(url.pathname) ?? []
    if (kind === 'authenticate') return { token: token(++state.logins) }
    if (id === undefined && method === 'GET')
      return [...jobs.values()].filter(job => job.name === url.searchParams.get('jobName'))
    if (id === undefined) {
      const { name } = JSON.parse(body) as { name: string }
      const fresh: Job = { id: `job-${jobs.size + 1}`, name, status: 'created', submits: 0, matchedAt: 0 }
      jobs.set(fresh.id, fresh)
      return fresh
    }
    const job = jobs.get(id)
    if (job === undefined) return undefined
    if (action === 'upload') job.status = 'uploaded'
    if (action === 'mappings') job.status = 'ready'
    if (action === 'submit') {
      job.status = 'matching'
      job.submits += 1
      job.matchedAt = clock.now() + matchMs
    }
    if (job.status === 'matching' && clock.now() >= job.matchedAt) job.status = 'jobMatchingComplete'
    if (action === 'mappings') return []
    if (action !== '') return { id: 'x', messageId: 'm' }
    return job.status === 'jobMatchingComplete' ? { ...job, jobSummary: SUMMARY } : job
  }

  const server = createServer((request, response) => {
    state.pending += 1
    state.most = Math.max(state.most, state.pending)
    response.on('close', () => {
      state.pending -= 1
    })
    request.on('error', () => undefined)
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://local')
      const route = `${request.method} ${url.pathname}`
      if (state.mode === 'silence') return
      if (state.mode === '500') return answer(response, { message: 'down' }, 500)
      if (state.intercept?.(request, response, route) === true) return
      const json = reply(request.method ?? '', url, Buffer.concat(chunks).toString('latin1'))
      answer(response, json ?? { message: 'no such job' }, json === undefined ? 404 : 200)
    })
  })
  const listen = (port: number) => new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo
  clock.isIdle = () => state.pending === 0

  const agent = new Agent({ connections: 64 })
  const dispatcher = agent.compose(dispatch => (options, handler) => {
    sent.push({ at: clock.monotonic(), route: `${options.method} ${options.path.split('?')[0]}` })
    return dispatch(options, handler)
  })

  const folder = mkdtempSync(join(tmpdir(), 'fettle-outage-'))
  const home = process.cwd()
  process.chdir(folder)
  writeFileSync('in.csv', 'name,country\nHarrow Optics Ltd,GB\n')
  onTestFinished(async () => {
    process.chdir(home)
    rmSync(folder, { recursive: true, force: true })
    await agent.destroy()
    server.closeAllConnections()
    if (server.listening) await new Promise<void>(resolve => server.close(() => resolve()))
  })

  const runtime = {
    clock,
    clients: createClientState(),
    connection: { dispatcher, limits: { headersMs: patienceMs, bodyMs: patienceMs } },
  }
  const env = { FETTLE_URL: `http://127.0.0.1:${port}/v1`, FETTLE_USERNAME: 'user', FETTLE_PASSWORD: 'canary-password' }

  /** Carries out pipeline `n`, or goes on with it. */
  const carryOut = async (n: number): Promise<RunResult> => {
    const pipeline = {
      name: `pipeline-${n}`,
      input: 'in.csv',
      mappings: { name: 'name', country: 'country' },
      service: { rate: { requests: 1000, per: '1s' } },
    }
    const { plan, issues, credentials } = await prepareValue(pipeline, { ...NO_OVERRIDES, env, cwd: folder })
    if (plan === null) throw new Error(JSON.stringify(issues))
    const signal = new AbortController().signal
    return startRun(
      plan,
      {
        env,
        cwd: folder,
        runsDir: `runs-${n}`,
        credentials,
        args: {},
        timeoutMs: null,
        signal,
        runtime,
        observers: createDispatcher([
          {
            name: 'test',
            onProgress: progress => {
              if (progress.type === 'retry' && progress.message.endsWith('sending it again'))
                retries.push({ at: clock.monotonic(), route: progress.message })
            },
          },
        ]),
      },
      false,
    )
  }

  return {
    clock,
    jobs,
    sent,
    retries,
    state,
    all: <T>(body: (n: number) => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: PIPELINES }, (_, n) => body(n))),
    carryOut,
    /** As a scheduler does: again five minutes after every 75, until it is done. Gives the exit codes. */
    async insist(n: number): Promise<number[]> {
      const codes: number[] = []
      for (;;) {
        const { report } = await carryOut(n)
        codes.push(report.exitCode ?? -1)
        if (report.exitCode !== 75) return codes
        await clock.sleep(5 * MINUTE)
      }
    },
    /** From now on. */
    async turn(mode: Mode): Promise<void> {
      if (state.mode === 'refused' && mode !== 'refused') await listen(port)
      state.mode = mode
      if (mode !== 'refused') return
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}
