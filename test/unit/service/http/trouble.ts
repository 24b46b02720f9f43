/** H32, H34, H35, H37: a disk without room, a death, names meant to stall, and the door that must not be there. */
import { spawnSync } from 'node:child_process'
import fs, { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { importRegister } from '../../../../src/service/registers/index.ts'
import { serve } from '../../../../src/service/serve.ts'
import { type Caller, logIn, send } from '../kit.ts'
import { type Case, expectRefusal, jobs, one, rawRequest, type World } from './world.ts'

/** A disk that can be full, and have room again. */
interface Disk {
  fill(): void
  free(): void
}

/** Every write of this process fails as on a full disk, once it is told so. */
async function failingWrites(world: World, folder: string): Promise<Disk> {
  const handle = await open(folder)
  const files = Object.getPrototypeOf(handle)
  await handle.close()
  const { writeSync, write, writev } = fs
  const { appendFile } = files
  const full = (): Error => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  const free = (): void => {
    Object.assign(fs, { writeSync, write, writev })
    files.appendFile = appendFile
    syncBuiltinESMExports()
  }
  world.atEnd(free)
  return {
    free,
    fill() {
      const later = (...rest: unknown[]): void => (rest.at(-1) as (error: Error) => void)(full())
      const now = (): never => {
        throw full()
      }
      Object.assign(fs, { writeSync: now, write: later, writev: later })
      files.appendFile = () => Promise.reject(full())
      syncBuiltinESMExports()
    },
  }
}

const succeeds = (tool: string, ...words: string[]): boolean => spawnSync(tool, words).status === 0

/** A file system of a megabyte, filled to the last byte; null where mounting is not allowed. */
function smallDisk({ atEnd }: World): (Disk & { folder: string }) | null {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-http-disk-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  if (!succeeds('mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder)) return null
  atEnd(() => succeeds('umount', folder))
  const filler = join(folder, 'filler')
  const free = (): void => rmSync(filler, { force: true })
  return {
    folder,
    free,
    fill() {
      for (let size = 1_024; size > 0; size -= 1) {
        try {
          writeFileSync(filler, Buffer.alloc(1_024), { flag: 'a' })
        } catch {
          return
        }
      }
    },
  }
}

/** What must hold on a full disk, and after. */
async function liveThrough(caller: Caller, login: () => Promise<unknown>, disk: Disk): Promise<void> {
  const done = await caller.submitted('name\nAcme Ltd\n')
  await caller.reach(done, 'jobMatchingComplete')
  const waiting = await caller.create('waiting')
  const file = `name\n${'Acme Ltd\n'.repeat(1_000)}`
  disk.fill()
  // A database has some room of its own: what it takes is kept, what it refuses is not there.
  let kept = 2
  let refused = await caller.call('POST', jobs, { name: 'more' })
  for (; refused.status === 200; kept++) refused = await caller.call('POST', jobs, { name: 'more' })
  for (const reply of [refused, await caller.upload(waiting, file)]) {
    expectRefusal(reply, 507)
    expect(reply.headers.get('retry-after')).toBe('60')
  }
  expect((await caller.call('GET', `${jobs}/${done}`)).body.jobSummary.totalRows).toBe(1)
  expect((await caller.call('GET', `${jobs}?pageSize=1000`)).body).toHaveLength(kept)
  await login()
  disk.free()
  expect((await caller.upload(waiting, file)).status).toBe(200)
  await caller.call('PUT', `${jobs}/${waiting}/mappings`, [{ mapping: 'name', value: '0' }])
  await caller.call('POST', `${jobs}/${waiting}/submit`, {})
  expect((await caller.reach(waiting, 'jobMatchingComplete')).body.jobSummary.totalRows).toBe(1_000)
  expect((await caller.call('GET', `${jobs}?pageSize=1000`)).body).toHaveLength(kept)
}

/** Starts another service on a copy of the state as it stands: what a kill at this moment leaves. */
async function succeed({ fresh, atEnd }: World, folder: string): Promise<Caller> {
  const copy = mkdtempSync(join(tmpdir(), 'fettle-http-'))
  atEnd(() => rmSync(copy, { recursive: true, force: true }))
  cpSync(folder, copy, { recursive: true })
  rmSync(join(copy, 'lock'))
  return (await fresh({ dataDir: copy })).caller
}

const HOSTILE = [
  '',
  ' ',
  '…',
  '-.,;:!?()[]{}',
  '((((a+)+)+)',
  '(a|aa)+$',
  '.*.*.*.*.*=',
  '\\',
  "'; DROP TABLE jobs; --",
  '\u202e\u200b\u0301'.repeat(300),
  'x'.repeat(10_000),
  'a '.repeat(5_000),
  'limited '.repeat(1_250),
  'ab'.repeat(5_000),
  '1'.repeat(10_000),
  '𝔄𝔠𝔪𝔢'.repeat(1_000),
  `${'e\u0301'.repeat(4_000)}`,
  '%s%n%x',
  '${jndi:ldap://x}',
  '__proto__',
]
const COLUMNS = [
  'name',
  'orgNumber',
  'vatNumber',
  'address1',
  'town',
  'postcode',
  'phone',
  'email',
  'country',
  'tradingName',
] as const

export const trouble: Case[] = [
  one('H32', 'no write succeeds', async world => {
    const { service, caller, folder } = await world.fresh({ limits: { diskMs: 20 } })
    await liveThrough(caller, () => logIn(service), await failingWrites(world, folder))
  }),
  one('H32', 'a file system that is really full', async world => {
    const disk = smallDisk(world)
    if (disk === null) {
      console.log('H32, a file system that is really full: not run, mounting is not allowed here')
      return 0
    }
    const { service, caller } = await world.fresh({ dataDir: disk.folder, limits: { diskMs: 20 } })
    await liveThrough(caller, () => logIn(service), disk)
    return 1
  }),
  one('H34', 'the state as a kill leaves it while a file arrives, is matched, is enriched', async world => {
    const { service, caller, folder } = await world.fresh({ rowPauseMs: 2 })
    const rows = `name\n${'Acme Ltd\n'.repeat(60)}`
    const id = await caller.submitted(rows)
    await caller.reach(id, 'matching')
    const second = await succeed(world, folder)
    expect((await second.reach(id, 'jobMatchingComplete')).body.jobSummary.totalRows).toBe(60)
    await caller.reach(id, 'jobMatchingComplete')
    await caller.call('POST', `${jobs}/${id}/enrich`, {})
    await caller.reach(id, 'enriching')
    const third = await succeed(world, folder)
    await third.reach(id, 'enrichmentComplete')
    const { filePath } = (await third.call('GET', `${jobs}/${id}/enrichedFile`)).body
    expect((await send(filePath)).body.trim().split('\n')).toHaveLength(61)
    const arriving = await caller.create()
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    world.atEnd(() => socket.destroy())
    const head = ['Content-Type: multipart/form-data; boundary=b', 'Content-Length: 9000']
    socket.write(rawRequest(caller, 'POST', `${jobs}/${arriving}/upload`, head, '--b\r\n'))
    await caller.reach(arriving, 'uploading')
    const fourth = await succeed(world, folder)
    expect((await fourth.call('GET', `${jobs}/${arriving}`)).body.status).toBe('uploadError')
    expect((await fourth.upload(arriving, rows)).status).toBe(200)
    return 3
  }),
  one('H35', 'names meant to stall the matcher, in every column, are unmatched in bounded time', async world => {
    const folder = mkdtempSync(join(tmpdir(), 'fettle-http-'))
    world.atEnd(() => rmSync(folder, { recursive: true, force: true }))
    const file = fileURLToPath(new URL('../../../../samples/register.csv', import.meta.url))
    await importRegister({ file, name: 'sample', dir: join(folder, 'registers'), now: new Date('2026-01-15T00:00:00Z') })
    const options = { dataDir: join(folder, 'data'), registerDir: join(folder, 'registers'), registers: ['sample'], users: [] }
    const service = await serve(options)
    world.atEnd(() => service.close())
    const caller = await logIn(service)
    const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
    const lines = HOSTILE.map(text => COLUMNS.map(() => quoted(text)).join())
    const id = await caller.create()
    await caller.upload(id, `${COLUMNS.join()}\n${lines.join('\n')}\n`)
    const mappings = COLUMNS.map((mapping, index) => ({ mapping, value: String(index) }))
    expect((await caller.call('PUT', `${jobs}/${id}/mappings`, { mappings })).status).toBe(200)
    const began = performance.now()
    await caller.call('POST', `${jobs}/${id}/submit`, {})
    const { jobSummary } = (await caller.reach(id, 'jobMatchingComplete')).body
    expect(jobSummary).toEqual({
      inRegister: expect.any(Object),
      companyNumbers: 'reliable',
      registers: [{ name: 'sample', snapshotDate: null, sha256: null }],
      totalRows: HOSTILE.length,
      matched: 0,
      manualMatched: 0,
      unmatched: HOSTILE.length,
      duplicates: 0,
    })
    expect(performance.now() - began).toBeLessThan(5_000)
    return HOSTILE.length * COLUMNS.length
  }),
  one('H37', 'there is no way to ask for faults', async ({ service, ann }) => {
    const { origin } = new URL(service.url)
    const paths = ['/__faults', '/v1/__faults', '/faults', '/v1/faults', '/__admin', '/v1/__reset']
    for (const path of paths) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        const headers = { Authorization: `Bearer ${ann.token}` }
        expectRefusal(await send(origin + path, method, method === 'GET' ? undefined : {}, headers), 404)
      }
    }
    return paths.length * 4
  }),
]
