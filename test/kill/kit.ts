/**
 * What the kill sweep is made of: a service, a proxy in front of it that can kill the client at any request, a fettle process
 * in a fresh folder, and a checker that judges by the service's own record and the files on disk.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { listRunIds, readRun, runDirectory } from '../../src/compose/run-directory.ts'
import { fold, readJournal } from '../../src/journal/index.ts'
import { type Service, serve } from '../../src/service/index.ts'
import { importCsv } from '../../src/service/register/index.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const preload = fileURLToPath(new URL('preload.mjs', import.meta.url))

/** When the client dies at a request: as it arrives, when it is carried out but not answered, or when it was answered. */
export type KillMode = 'received' | 'unanswered' | 'answered'

/** A request that reached the service, and what it answered. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly status: number
}

/** A proxy that counts, records, and kills on request. */
export interface Gate {
  readonly url: string
  /** Requests of the present client so far. */
  count(): number
  readonly seen: readonly Seen[]
  /** Arms the next client: it is killed at its request number `at`, counted from 1. Null for none. */
  arm(client: ChildProcess | null, at: number, mode: KillMode): void
  close(): Promise<void>
}

export async function startProxy(target: string): Promise<Gate> {
  const upstream = new URL(target)
  const seen: Seen[] = []
  let count = 0
  let victim: { client: ChildProcess | null; at: number; mode: KillMode } = { client: null, at: 0, mode: 'received' }
  const server: Server = createServer((incoming, outgoing) => {
    count++
    const isPoint = victim.client !== null && count === victim.at
    if (isPoint && victim.mode === 'received') {
      victim.client?.kill('SIGKILL')
      incoming.destroy()
      return
    }
    forward(incoming, outgoing, upstream, self, seen, () => {
      if (!isPoint) return true
      victim.client?.kill('SIGKILL')
      return victim.mode === 'answered'
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const self = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `http://${self}${upstream.pathname}`,
    count: () => count,
    seen,
    arm(client, at, mode) {
      count = 0
      victim = { client, at, mode }
    },
    close: () =>
      new Promise(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

/** `mayAnswer` is asked once the service has answered: it kills the client, and says whether the answer still goes out. */
function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  upstream: URL,
  self: string,
  seen: Seen[],
  mayAnswer: () => boolean,
): void {
  const { method = 'GET', url = '/' } = incoming
  const headers = { ...incoming.headers, host: upstream.host }
  const onward = request({ host: upstream.hostname, port: upstream.port, method, path: url, headers }, reply => {
    const chunks: Buffer[] = []
    reply.on('data', (chunk: Buffer) => chunks.push(chunk))
    reply.on('end', () => {
      seen.push({ method, path: url, status: reply.statusCode ?? 0 })
      if (!mayAnswer()) {
        outgoing.destroy()
        return
      }
      // Links name the service itself; through the proxy they must name the proxy, as a gateway would rewrite them.
      const body = Buffer.from(Buffer.concat(chunks).toString('latin1').replaceAll(upstream.host, self), 'latin1')
      outgoing.writeHead(reply.statusCode ?? 500, { ...reply.headers, 'content-length': body.length })
      outgoing.end(body)
    })
  })
  onward.on('error', () => outgoing.destroy())
  incoming.on('aborted', () => onward.destroy())
  incoming.pipe(onward)
}

/** A register and lists small enough for a hundred runs, real enough for every outcome. */
const REGISTER = [
  'id,name,country,orgNumber,town,postcode',
  ...Array.from({ length: 40 }, (_, n) => `c${n},Harrow ${word(n)} Limited,GB,${10_000_000 + n},Leeds,LS1 ${n % 10}AB`),
].join('\n')
const INPUT = [
  'ref,Company,No,Country',
  ...Array.from({ length: 30 }, (_, n) => `${n},Harrow ${word(n * 2)} Ltd,${n % 3 === 0 ? 10_000_000 + n * 2 : ''},GB`),
  'x,Nobody Knows Them GmbH,,DE',
].join('\n')

function word(n: number): string {
  return `${['Bell', 'Crag', 'Dale', 'Elm', 'Fern', 'Glen', 'Holm', 'Isle', 'Kiln', 'Lark'][n % 10]}${['brook', 'stone', 'field', 'worth', 'mere'][n % 5]}${['', 'ton', 'by', 'wick'][Math.floor(n / 10) % 4]} ${['Foundry', 'Optics', 'Dairy', 'Freight', 'Textiles', 'Pumps', 'Seeds'][n % 7]}`
}

const PIPELINE = `name: killed
input: { path: in.csv, key: ref }
mappings: { name: Company, orgNumber: No, country: Country }
enrich: { product: basic, tags: [general.connectId, general.companyName] }
poll: { every: 500ms, max: 1s }
output: { path: out.csv, columns: ["*", general.connectId, match.outcome, match.score], unmatched: unmatched.csv }
`

/** A folder with pipeline and input, and the environment of a fettle process in it. */
export interface Place {
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
}

export async function makeData(): Promise<string> {
  const data = mkdtempSync(join(tmpdir(), 'fettle-kill-data-'))
  const file = join(data, 'register.csv')
  writeFileSync(file, REGISTER)
  await importCsv({ file, name: 'small', dir: join(data, 'registers'), now: new Date('2026-01-01T00:00:00Z') })
  return data
}

export const CREDENTIALS = { username: 'sweep', password: 'a-password-for-the-sweep' }

export const startService = (data: string): Promise<Service> =>
  serve({ port: 0, dataDir: join(data, 'service'), registerDir: join(data, 'registers'), registers: [], users: [CREDENTIALS] })

export function makePlace(data: string, url: string | null): Place {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-kill-'))
  writeFileSync(join(folder, 'in.csv'), INPUT)
  writeFileSync(join(folder, 'pipeline.yml'), PIPELINE)
  const remote =
    url === null ? {} : { FETTLE_URL: url, FETTLE_USERNAME: CREDENTIALS.username, FETTLE_PASSWORD: CREDENTIALS.password }
  return { folder, env: { PATH: process.env.PATH, HOME: folder, FETTLE_DATA: data, WAIT_DIVISOR: '50', ...remote } }
}

/** How a fettle process ended. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stderr: string
  readonly stdout: string
}

export function start(place: Place, args: readonly string[], killAt?: string): { child: ChildProcess; ended: Promise<Ended> } {
  const env = killAt === undefined ? place.env : { ...place.env, KILL_AT: killAt }
  const child = spawn(process.execPath, ['--import', preload, join(root, 'dist/cli/main.js'), ...args], {
    cwd: place.folder,
    env,
  })
  let stderr = ''
  let stdout = ''
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  child.stdout.on('data', chunk => {
    stdout += chunk
  })
  const ended = new Promise<Ended>(resolve => child.on('close', (code, signal) => resolve({ code, signal, stderr, stdout })))
  return { child, ended }
}

export const outputOf = (place: Place): string =>
  readFileSync(join(place.folder, 'out.csv'), 'utf8') + readFileSync(join(place.folder, 'unmatched.csv'), 'utf8')

/** Goes on with a killed run and checks what must hold: finished, same output, ledger whole. */
export async function resumeAndCheck(place: Place, expected: string): Promise<void> {
  const runsDir = join(place.folder, 'fettle-runs')
  // A run killed before its first event was whole has nothing to resume: a scheduler's answer is the same command again.
  const [id] = listRunIds(runsDir)
  const isBegun =
    id !== undefined &&
    existsSync(runDirectory(runsDir, id).journal) &&
    fold(readJournal(runDirectory(runsDir, id).journal).events) !== null
  const again = await start(place, isBegun ? ['resume', '--json'] : ['run', 'pipeline.yml', '--json']).ended
  expect(again.code, again.stderr).toBe(0)
  expect(outputOf(place)).toBe(expected)
  const { runId, totals } = JSON.parse(again.stdout)
  const { rows, matchRate: _rate, ...counts } = totals
  expect(Object.values<number>(counts).reduce((sum, count) => sum + count, 0)).toBe(rows)
  const state = readRun(runsDir, runId)
  expect(state.finished).toBe(true)
  rmSync(place.folder, { recursive: true, force: true })
}

/** The output of an undisturbed run. */
export async function outputOfRun(data: string, url: string | null): Promise<string> {
  const place = makePlace(data, url)
  const { code, stderr } = await start(place, ['run', 'pipeline.yml', '--json']).ended
  expect(code, stderr).toBe(0)
  const output = outputOf(place)
  rmSync(place.folder, { recursive: true, force: true })
  return output
}

/** Which journal writes to kill at: the first, and how many further on the next. */
export interface Sweep {
  readonly effect: 'torn' | 'after'
  readonly first: number
  readonly step: number
}

/**
 * Kills a run at its journal write `first`, `first + step`, … until one finishes untouched, and resumes after each. `check` is
 * called after every resumed run. Returns the number of points.
 */
export async function sweepJournal(
  data: string,
  url: string | null,
  { effect, first, step }: Sweep,
  expected: string,
  check: (at: number) => void,
): Promise<number> {
  for (let points = 0; ; points++) {
    const at = first + points * step
    const place = makePlace(data, url)
    const killed = await start(place, ['run', 'pipeline.yml', '--json'], `${effect}:${at}`).ended
    if (killed.signal !== 'SIGKILL') {
      expect(killed.code, killed.stderr).toBe(0)
      rmSync(place.folder, { recursive: true, force: true })
      return points
    }
    await resumeAndCheck(place, expected)
    check(at)
  }
}
