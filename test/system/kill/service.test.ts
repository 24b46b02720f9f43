/** `kill -9` of the service at any moment: no answered request is lost, and work continues at the next start (faults H34). */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, utimes, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { backup } from '../../../src/service/index.ts'
import { importRegister } from '../../../src/service/registers/index.ts'
import { serveReal, sweepService } from '../../unit/service/kill-sweep.ts'
import { type Caller, logIn, send, startService, temporaryFolder } from '../../unit/service/kit.ts'
import { folderOf } from '../cli/fettle.ts'

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const jobs = '/dataCleaning/jobs'
const users = [{ username: 'u', password: 'p' }]

interface Child {
  readonly url: string
  readonly caller: Caller
  kill(): Promise<void>
}

async function spawnService(dataDir: string, rowPauseMs: number): Promise<Child> {
  const child: ChildProcess = spawn(
    process.execPath,
    ['--import', here('run-typescript.mjs'), here('serve-child.ts'), dataDir, String(rowPauseMs)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  onTestFinished(kill)
  const [line] = (await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line')) as [string]
  const login = JSON.parse(line)
  return { url: login.url, caller: await logIn(login), kill }
}

const rows = (count: number): string =>
  `name\n${Array.from({ length: count }, (_, n) => (n % 2 === 0 ? 'Acme Ltd\n' : 'Nobody\n')).join('')}`
const summary = { totalRows: 40, matched: 1, manualMatched: 0, unmatched: 20, duplicates: 19 }

/** A folder whose register is small: a first start would import the sample, in seconds. */
async function folderWithRegister(): Promise<string> {
  const folder = folderOf({ 'small.csv': 'id,name,country,town\n1,ACME FORGINGS LIMITED,GB,Leeds\n' })
  const dir = join(folder, 'data', 'registers')
  await importRegister({ file: join(folder, 'small.csv'), name: 'small', dir, now: new Date(0) })
  return folder
}

const KILLS = Number(process.env.FETTLE_KILLS ?? 3)

test(`the service killed ${KILLS} times during uploads, matching and enrichment`, async () => {
  const seed = Number(process.env.FETTLE_SEED ?? 20_26)
  const { byPhase, answered, lost } = await sweepService(await folderWithRegister(), KILLS, seed)
  const phases = Object.entries(byPhase).map(([phase, count]) => `${count} ${phase}`)
  console.log(
    `service killed ${KILLS} times (${phases.join(', ')}; seed ${seed}): ${answered} answers with 2xx, ${lost.length} lost`,
  )
  expect(lost).toEqual([])
  expect(answered).toBeGreaterThan(KILLS * 3)
}, 3_600_000)

test('SIGTERM with a request in flight: it is answered, and the process exits within ten seconds', async () => {
  const { child, ended, url, caller } = await serveReal(await folderWithRegister())
  const id = await caller.create()
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  const parts = ['--b', 'Content-Disposition: form-data; name="hasHeader"', '', 'true', '--b']
  const body = [
    ...parts,
    'Content-Disposition: form-data; name="jobFile"; filename="a.csv"',
    '',
    'name\nAcme\n',
    '--b--',
    '',
  ].join('\r\n')
  const head = `POST /v1${jobs}/${id}/upload HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${caller.token}\r\n`
  socket.write(
    `${head}Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 20)}`,
  )
  await caller.reach(id, 'uploading')
  const began = performance.now()
  child.kill('SIGTERM')
  while (
    await send(url).then(
      reply => reply.status !== 503,
      () => false,
    )
  )
    await setImmediate()
  socket.write(body.slice(20))
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /)
  expect((await ended).code).toBe(0)
  expect(performance.now() - began).toBeLessThan(10_000)
})

test('a kill while matching, then while enriching: the job is finished by the next process', async () => {
  const dataDir = await temporaryFolder()
  const first = await spawnService(dataDir, 5_000)
  const id = await first.caller.submitted(rows(40))
  await first.caller.reach(id, 'matching')
  await first.kill()

  // The pause is on in the second process too, but only where this test wants it: between rows of enriching.
  const second = await startService({ dataDir, users })
  const caller = await logIn(second)
  expect((await caller.reach(id, 'jobMatchingComplete')).body.jobSummary).toMatchObject(summary)
  await second.close()

  const third = await spawnService(dataDir, 5_000)
  await third.caller.call('POST', `${jobs}/${id}/enrich`, {})
  await third.caller.reach(id, 'enriching')
  await third.kill()

  const fourth = await logIn(await startService({ dataDir, users }))
  await fourth.reach(id, 'enrichmentComplete')
  const link = await fourth.call('GET', `${jobs}/${id}/enrichedFile`)
  expect((await send(link.body.filePath)).body.trim().split('\n')).toHaveLength(41)
  expect(await readdir(join(dataDir, 'files'))).toHaveLength(2)
})

test('a kill during an upload leaves uploadError and no stray file; one after the answer loses nothing', async () => {
  const dataDir = await temporaryFolder()
  const child = await spawnService(dataDir, 0)
  const kept = await child.caller.create('kept')
  await child.caller.upload(kept, rows(40))
  const cut = await child.caller.create('cut')
  const { hostname, port } = new URL(child.url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  const head = `POST /v1${jobs}/${cut}/upload HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${child.caller.token}\r\n`
  socket.write(`${head}Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 9000\r\n\r\n`)
  socket.write('--b\r\nContent-Disposition: form-data; name="jobFile"; filename="a.csv"\r\n\r\nname\nAcme\n')
  await child.caller.reach(cut, 'uploading')
  while ((await readdir(join(dataDir, 'uploads'))).length < 2) await setImmediate()
  await child.kill()

  const caller = await logIn(await startService({ dataDir, users }))
  expect((await caller.call('GET', `${jobs}/${cut}`)).body.status).toBe('uploadError')
  expect((await caller.call('GET', `${jobs}/${kept}`)).body.status).toBe('uploaded')
  expect(await readdir(join(dataDir, 'uploads'))).toHaveLength(1)
  expect((await caller.upload(cut, rows(2))).status).toBe(200)
})

test('every create answered before a kill exists afterwards', async () => {
  const dataDir = await temporaryFolder()
  const child = await spawnService(dataDir, 0)
  const answered: string[] = []
  const pending: Promise<void>[] = []
  for (let n = 0; n < 40; n++) {
    const headers = { 'Idempotency-Key': `k${n}` }
    const one = child.caller.call('POST', jobs, { name: `job ${n}` }, headers).then(reply => void answered.push(reply.body.id))
    pending.push(one.catch(() => {}))
  }
  while (answered.length < 10) await setImmediate()
  await child.kill()
  await Promise.all(pending)

  const caller = await logIn(await startService({ dataDir, users }))
  const before = (await caller.call('GET', `${jobs}?pageSize=1000`)).body.map((job: { id: string }) => job.id)
  expect(answered.length).toBeGreaterThanOrEqual(10)
  expect(before).toEqual(expect.arrayContaining(answered))
  // Repeating all of them with their keys makes exactly the missing ones.
  for (let n = 0; n < 40; n++) await caller.call('POST', jobs, { name: `job ${n}` }, { 'Idempotency-Key': `k${n}` })
  const names = (await caller.call('GET', `${jobs}?pageSize=1000`)).body.map((job: { name: string }) => job.name)
  expect(names.sort()).toEqual(Array.from({ length: 40 }, (_, n) => `job ${n}`).sort())
})

const lockOf = (pid: number): string =>
  JSON.stringify({ pid, host: hostname(), since: '2026-01-01T00:00:00.000Z', token: 'theirs' })

test('a lock of a dead owner and a partial file do not stop the next service from starting', async () => {
  const dataDir = await temporaryFolder()
  await (await startService({ dataDir, users })).close()
  const longAgo = new Date(Date.now() - 4 * 60_000)
  for (const stale of [lockOf(process.pid), lockOf(999_999_999), '', 'garbage']) {
    await writeFile(join(dataDir, 'lock'), stale)
    // The owner of a damaged lock cannot be checked: it is gone once the lock was not touched for three minutes.
    await utimes(join(dataDir, 'lock'), longAgo, longAgo)
    await writeFile(join(dataDir, 'uploads', 'x.csv.part'), 'half')
    await (await startService({ dataDir, users })).close()
    expect(await readdir(join(dataDir, 'uploads'))).toEqual([])
    expect(await readdir(dataDir)).not.toContain('lock')
  }
})

test('a kill during backups leaves no partial archive or snapshot, and the next service works', async () => {
  const dataDir = await temporaryFolder()
  const child = await spawnService(dataDir, 0)
  const id = await child.caller.create('kept')
  await child.caller.upload(id, rows(2_000))
  const file = join(await temporaryFolder(), 'all.tar.gz')
  const making = backup({ dataDir, file })
  while (!(await readdir(dataDir)).includes('backups')) await setImmediate()
  await child.kill()
  // Whoever asked takes the snapshot itself when the service is gone.
  await making
  expect(await readdir(join(dataDir, 'backups'))).toEqual([])
  const restored = await temporaryFolder()
  await promisify(execFile)('tar', ['-xf', file, '-C', restored])
  for (const folder of [dataDir, restored]) {
    const caller = await logIn(await startService({ dataDir: folder, users }))
    expect((await caller.call('GET', `${jobs}/${id}`)).body.status).toBe('uploaded')
  }
})

test('of several services that find a stale lock at once, exactly one starts', async () => {
  const dataDir = await temporaryFolder()
  await writeFile(join(dataDir, 'lock'), lockOf(999_999_999))
  const children = Array.from({ length: 3 }, () =>
    spawn(process.execPath, ['--import', here('run-typescript.mjs'), here('serve-child.ts'), dataDir], {
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  )
  onTestFinished(() => {
    for (const child of children) child.kill('SIGKILL')
  })
  const ends = children.map(child => {
    const started = once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line').then(() => 'started')
    return Promise.race([started, once(child, 'exit').then(([code]) => (code === 0 ? 'ended' : 'refused'))])
  })
  expect((await Promise.all(ends)).sort()).toEqual(['refused', 'refused', 'started'])
})
