/**
 * The real `fettle serve` under more than it is made for: 200 matches at once, 10,000 open jobs, a register imported again while it
 * matches, an upload of 1 GiB. Each case prints its figures.
 */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { importRegister } from '../../../src/service/registers/index.ts'
import { serveReal } from './kill-sweep.ts'
import type { Caller } from './kit.ts'

const jobs = '/dataCleaning/jobs'
const COMPANIES = 5_000
const nameOf = (n: number): string => `${n.toString(36).padStart(4, 'q')}stone ${(n * 7919).toString(36)}worth Foundry Limited`

/** A register of companies of their own names; `version` stands in every id. */
async function importVersion(folder: string, version: number): Promise<void> {
  const file = join(folder, `version-${version}.csv`)
  const rows = Array.from({ length: COMPANIES }, (_, n) => `v${version}n${n},${nameOf(n)},GB,\n`)
  await writeFile(file, `id,name,country,orgNumber\n${rows.join('')}`)
  await importRegister({ file, name: 'companies', dir: join(folder, 'data', 'registers'), now: new Date(version * 1_000) })
}

async function served() {
  const folder = await mkdtemp(join(tmpdir(), 'fettle-load-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await importVersion(folder, 1)
  const begin = async () => {
    const began = performance.now()
    const service = await serveReal(folder)
    onTestFinished(() => void service.child.kill('SIGKILL'))
    const memory = (field: 'VmHWM' | 'VmRSS'): number =>
      Math.round(
        Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))?.[1]) / 1024,
      )
    const end = async (): Promise<number> => {
      const ending = performance.now()
      service.child.kill('SIGTERM')
      expect((await service.ended).code).toBe(0)
      return performance.now() - ending
    }
    return { ...service, memory, end, startMs: performance.now() - began }
  }
  return { folder, begin }
}

/** Asks /health over a connection of its own until `stop`; gives the 99th of 100 of the times, and the longest. */
function watchHealth(url: string): () => Promise<{ asked: number; p99: number; max: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  let isOver = false
  const ask = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const began = performance.now()
      request(new URL('/health', url), { agent }, reply => {
        reply.resume().on('end', () => {
          times.push(performance.now() - began)
          if (reply.statusCode === 200) resolve()
          else reject(new Error(`/health: ${reply.statusCode}`))
        })
      })
        .on('error', reject)
        .end()
    })
  const watching = (async () => {
    while (!isOver) {
      await ask()
      await pause(10)
    }
  })()
  return async () => {
    isOver = true
    await watching
    agent.destroy()
    times.sort((a, b) => a - b)
    const at = (part: number): number => Math.round(times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0)
    return { asked: times.length, p99: at(0.99), max: at(1) }
  }
}

const told = (title: string, figures: object): void => console.log(`${title}: ${JSON.stringify(figures)}`)

const matchOf = (caller: Caller, n: number) =>
  caller.call('GET', `/companies/match?matchThreshold=893&country=GB&name=${encodeURIComponent(nameOf(n))}`)

const csvOf = (rows: number, from: number): string =>
  `name\n${Array.from({ length: rows }, (_, n) => `${nameOf((from + n) % COMPANIES)}\n`).join('')}`

/** The connectIds in the results of a job, in row order. */
const answersOf = (folder: string, id: string): string[] =>
  readFileSync(join(folder, 'data', 'service', 'files', `${id}.results.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line).company)

test('200 matches at once, single and as jobs: every answer is right, and /health answers meanwhile', async () => {
  const { folder, begin } = await served()
  const service = await begin()
  const { caller } = service
  const stop = watchHealth(service.url)
  const began = performance.now()
  const single = await Promise.all(Array.from({ length: 200 }, (_, n) => matchOf(caller, n * 17)))
  const singleMs = Math.round(performance.now() - began)
  const singleHealth = await stop()
  const stopJobs = watchHealth(service.url)
  for (const [n, { status, body }] of single.entries()) {
    expect(status).toBe(200)
    expect(JSON.stringify(body)).toContain(`GB-X-v1n${n * 17}"`)
  }
  const jobsBegan = performance.now()
  const ids = await Promise.all(Array.from({ length: 200 }, (_, n) => caller.submitted(csvOf(50, n * 20))))
  for (const id of ids) await caller.reach(id, 'jobMatchingComplete')
  for (const [n, id] of ids.entries()) {
    expect(answersOf(folder, id)).toEqual(Array.from({ length: 50 }, (_, row) => `GB-X-v1n${(n * 20 + row) % COMPANIES}`))
  }
  const health = await stopJobs()
  told('200 matches at once', {
    singleMs,
    singleHealth,
    jobsMs: Math.round(performance.now() - jobsBegan),
    health,
    rssPeakMb: service.memory('VmHWM'),
  })
  // It does not wait for all of them.
  expect(singleHealth.max).toBeLessThan(singleMs / 2 + 200)
  expect(health.p99).toBeLessThan(1_000)
  expect(service.memory('VmHWM')).toBeLessThan(700)
  await service.end()
})

test('10,000 open jobs: listed, paged, taken up after a restart, and closed', async () => {
  const { begin } = await served()
  const service = await begin()
  const { caller } = service
  const began = performance.now()
  const COUNT = 10_000
  const create = async (from: number): Promise<void> => {
    for (let n = from; n < COUNT; n += 50) await caller.create(`job ${n}`)
  }
  await Promise.all(Array.from({ length: 50 }, (_, from) => create(from)))
  const createMs = Math.round(performance.now() - began)
  const listed = async (by: Caller): Promise<Set<string>> => {
    const ids = new Set<string>()
    for (let page = 1; ; page++) {
      const { status, body } = await by.call('GET', `${jobs}?pageSize=1000&page=${page}`)
      expect(status).toBe(200)
      for (const { id } of body) ids.add(id)
      if (body.length === 0) return ids
    }
  }
  const pagingBegan = performance.now()
  const stop = watchHealth(service.url)
  const ids = await listed(caller)
  const pagingMs = Math.round(performance.now() - pagingBegan)
  expect(ids.size).toBe(COUNT)
  const health = await stop()
  const rssPeakMb = service.memory('VmHWM')
  const endMs = Math.round(await service.end())
  const again = await begin()
  expect(await listed(again.caller)).toEqual(ids)
  const againEndMs = Math.round(await again.end())
  told('10,000 open jobs', { createMs, pagingMs, health, rssPeakMb, endMs, startMs: Math.round(again.startMs), againEndMs })
  expect(again.startMs).toBeLessThan(3 * service.startMs + 5_000)
  expect(endMs).toBeLessThan(15_000)
  expect(rssPeakMb).toBeLessThan(700)
})

test('a register imported again while it matches: the answers of each job come all from one version', async () => {
  const { folder, begin } = await served()
  const service = await begin()
  const { caller } = service
  const versionsOf = (id: string): Set<string> => new Set(answersOf(folder, id).map(one => /v\d/.exec(one)?.[0] ?? ''))
  const began: string[] = []
  for (let version = 2; version <= 4; version++) {
    const id = await caller.submitted(csvOf(3_000, version))
    began.push(id)
    await importVersion(folder, version)
    await caller.reach(id, 'jobMatchingComplete')
    expect(versionsOf(id)).toEqual(new Set(['v1']))
  }
  // Stopped in the middle of a job: the next process matches all of it again, against the register of then.
  const half = await caller.submitted(csvOf(5_000, 0))
  await service.end()
  await importVersion(folder, 5)
  const again = await begin()
  await again.caller.reach(half, 'jobMatchingComplete')
  expect([...versionsOf(half)]).toHaveLength(1)
  for (const id of began) expect(versionsOf(id)).toEqual(new Set(['v1']))
  told('a register imported again', { jobs: began.length + 1, rssPeakMb: again.memory('VmHWM') })
  await again.end()
})

test('an upload of 1 GiB: every byte arrives, in bounded memory; one byte more is refused and leaves nothing', async () => {
  const { folder, begin } = await served()
  const free = await statfs(folder).then(({ bavail, bsize }) => bavail * bsize)
  expect(free).toBeGreaterThan(4 * 2 ** 30)
  const service = await begin()
  const { caller } = service
  const uploads = join(folder, 'data', 'service', 'uploads')
  const piece = randomBytes(2 ** 19).toString('hex')
  const begin_ =
    '--b\r\nContent-Disposition: form-data; name="hasHeader"\r\n\r\ntrue\r\n--b\r\nContent-Disposition: form-data; name="jobFile"; filename="a.csv"\r\n\r\n'
  /** Sends this many bytes as a file that is made on the way; a length announced is refused before it is read. */
  const upload = async (id: string, bytes: number): Promise<{ status: number; sha256: string }> => {
    const digest = createHash('sha256')
    const headers = { Authorization: `Bearer ${caller.token}`, 'Content-Type': 'multipart/form-data; boundary=b' }
    const call = request(`${service.url}${jobs}/${id}/upload`, { method: 'POST', headers })
    const answered = once(call, 'response').then(([reply]) => reply.resume().statusCode as number)
    const body = async function* () {
      yield begin_
      for (let left = bytes; left > 0; left -= piece.length) {
        const text = left < piece.length ? piece.slice(0, left) : piece
        digest.update(text)
        yield text
      }
      yield '\r\n--b--\r\n'
    }
    const sent = pipeline(body, call).catch(() => {})
    const status = await answered
    await sent
    return { status, sha256: digest.digest('hex') }
  }
  const client = process.memoryUsage().rss
  let clientPeak = client
  const watch = setInterval(() => {
    clientPeak = Math.max(clientPeak, process.memoryUsage().rss)
  }, 50)
  onTestFinished(() => clearInterval(watch))
  const stop = watchHealth(service.url)
  const id = await caller.create()
  const began = performance.now()
  const { status, sha256 } = await upload(id, 2 ** 30)
  const ms = Math.round(performance.now() - began)
  expect(status).toBe(200)
  const [name = '', ...others] = await readdir(uploads)
  expect(others).toEqual([])
  expect((await stat(join(uploads, name))).size).toBe(2 ** 30)
  const kept = createHash('sha256')
  for await (const chunk of createReadStream(join(uploads, name))) kept.update(chunk)
  expect(kept.digest('hex')).toBe(sha256)
  expect((await upload(await caller.create(), 2 ** 30 + 1)).status).toBe(413)
  expect(await readdir(uploads)).toEqual([name])
  const health = await stop()
  const clientMb = Math.round((clientPeak - client) / 2 ** 20)
  told('an upload of 1 GiB', { ms, health, rssPeakMb: service.memory('VmHWM'), clientMb })
  expect(service.memory('VmHWM')).toBeLessThan(700)
  expect(clientMb).toBeLessThan(400)
  await service.end()
})
