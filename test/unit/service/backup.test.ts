/** Backups: of a service at work, of one that is not running, and what is there when one is unpacked elsewhere. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packTar } from '../../../src/service/backup/backup.ts'
import { addUser, backup } from '../../../src/service/index.ts'
import { type Caller, logIn, startService, temporaryFolder } from './kit.ts'

const run = promisify(execFile)
const users = [{ username: 'u', password: 'p' }]
const jobs = '/dataCleaning/jobs'

/** Unpacks with the tar of this system, as the documentation says. */
async function unpack(file: string): Promise<string> {
  const folder = join(await temporaryFolder(), 'restored')
  await mkdir(folder)
  await run('tar', ['-xf', file, '-C', folder])
  return folder
}

const listed = async (caller: Caller): Promise<Map<string, string>> =>
  new Map(
    (await caller.call('GET', `${jobs}?pageSize=1000`)).body.map((job: { id: string; status: string }) => [job.id, job.status]),
  )

test.each(['all.tar', 'all.tar.gz'])(
  '%s of a service at work holds every job answered before, and one moment only',
  async name => {
    const dataDir = await temporaryFolder()
    await addUser(dataDir, { username: 'ann', password: 'correct horse battery', role: 'reader', now: new Date(0) })
    const service = await startService({ dataDir, users })
    const caller = await logIn(service)
    const done = await caller.submitted('name\nAcme Ltd\nNobody\n')
    await caller.reach(done, 'jobMatchingComplete')
    await caller.call('POST', `${jobs}/${done}/enrich`, {})
    await caller.reach(done, 'enrichmentComplete')

    // Writers that go on through it: each job is one create and one upload.
    const answered: string[] = []
    let isOver = false
    const writer = async (): Promise<void> => {
      while (!isOver) {
        const id = await caller.create()
        if ((await caller.upload(id, 'name\nAcme Ltd\n')).status === 200) answered.push(id)
      }
    }
    const writers = [writer(), writer()]
    while (answered.length < 3) await caller.create()
    const before = [...answered]
    const file = join(await temporaryFolder(), name)
    const made = await backup({ dataDir, file })
    isOver = true
    await Promise.all(writers)
    expect(made).toEqual({ bytes: (await stat(file)).size, online: true })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readdir(join(dataDir, 'backups'))).toEqual([])

    const restored = await unpack(file)
    expect((await stat(join(restored, 'jobs.db'))).mode & 0o777).toBe(0o600)
    const again = await startService({ dataDir: restored, users })
    const there = await logIn(again)
    const kept = await listed(there)
    for (const id of before) expect(kept.get(id), id).toBe('uploaded')
    // Whatever stands in it is whole: a job that says it has a file can be matched.
    for (const [id, status] of kept) {
      if (status !== 'uploaded') continue
      await there.call('PUT', `${jobs}/${id}/mappings`, { mappings: [{ mapping: 'name', value: '0' }] })
      await there.call('POST', `${jobs}/${id}/submit`, {})
      expect((await there.reach(id, 'jobMatchingComplete')).body.jobSummary.matched).toBe(1)
      break
    }
    const link = (await there.call('GET', `${jobs}/${done}/enrichedFile`)).body.filePath
    expect((await fetch(link).then(reply => reply.text())).split('\n').length).toBeGreaterThan(2)
    const ann = await logIn({ url: again.url, username: 'ann', password: 'correct horse battery' })
    expect((await ann.call('GET', jobs)).status).toBe(200)
  },
)

test('works without a running service', async () => {
  const dataDir = await temporaryFolder()
  const service = await startService({ dataDir, users })
  const id = await (await logIn(service)).create()
  await service.close()
  const file = join(await temporaryFolder(), 'all.tar')
  expect(await backup({ dataDir, file })).toMatchObject({ online: false })
  const caller = await logIn(await startService({ dataDir: await unpack(file), users }))
  expect((await caller.call('GET', `${jobs}/${id}`)).status).toBe(200)
})

test('leaves nothing behind for a folder that is not a data directory and for a file that cannot be written', async () => {
  const dataDir = await temporaryFolder()
  await expect(backup({ dataDir, file: join(dataDir, 'x.tar') })).rejects.toMatchObject({ code: 'FETTLE_SETTINGS' })
  await (await startService({ dataDir, users })).close()
  const file = join(dataDir, 'no', 'such', 'folder.tar')
  await expect(backup({ dataDir, file })).rejects.toMatchObject({ code: 'FETTLE_OUTPUT_WRITE' })
  expect(await readdir(join(dataDir, 'backups'))).toEqual([])
  expect(existsSync(join(dataDir, 'lock'))).toBe(false)
})

test('removes requests of killed commands and keeps requests of running ones', async () => {
  const dataDir = await temporaryFolder()
  await (await startService({ dataDir, users })).close()
  const desk = join(dataDir, 'backups')
  await mkdir(join(desk, '999999999-dead.ready'), { recursive: true })
  await writeFile(join(desk, `${process.ppid}-alive.failed`), '')
  await backup({ dataDir, file: join(await temporaryFolder(), 'a.tar') })
  expect(await readdir(desk)).toEqual([`${process.ppid}-alive.failed`])
})

test('tar unpacks the archive: any bytes, any size', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 1_600 }), { maxLength: 4 }), async contents => {
      const folder = await temporaryFolder()
      const from = join(folder, 'from')
      await mkdir(join(from, 'below'), { recursive: true })
      for (const [at, bytes] of contents.entries()) await writeFile(join(from, at % 2 === 0 ? '' : 'below', `${at}.bin`), bytes)
      const pieces: Buffer[] = []
      for await (const piece of packTar(from)) pieces.push(piece)
      await writeFile(join(folder, 'a.tar'), Buffer.concat(pieces))
      const to = await unpack(join(folder, 'a.tar'))
      for (const [at, bytes] of contents.entries())
        expect(new Uint8Array(await readFile(join(to, at % 2 === 0 ? '' : 'below', `${at}.bin`)))).toEqual(bytes)
      await rm(folder, { recursive: true })
    }),
    { numRuns: 15 },
  )
})
