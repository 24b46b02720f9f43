/**
 * Lists and results that lie elsewhere, by the command line: presigned addresses of a server on loopback, and a store of S3. The
 * outputs are those of the same run over files, shards and collectors on other machines find the list, and no query is ever shown.
 */

import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { hasS3, serveS3 } from '../../unit/client/s3-server.ts'
import {
  ENVIRONMENT,
  fettle,
  folderOf,
  follow,
  importRegister,
  lastLine,
  pipelineOf,
  project,
  ROOT,
  ROWS,
  start,
} from './fettle.ts'
import { serveFiles } from './objects.ts'
import { CREDENTIALS, realService } from './servers.ts'

const SECRET = 'c4nary-signature'
const SIGNED = `?X-Amz-Signature=${SECRET}`
const serveObjects = (objects = new Map([['/in.csv', Buffer.from(ROWS)]])) => serveFiles(objects, SIGNED)

const OUTPUTS = 'output: {path: "${TO}/out.csv${SIGN:-}", unmatched: "${TO}/unmatched.csv${SIGN:-}"}'
/** A pipeline that reads `${FROM}` and writes below `${TO}`. */
const far = (more = OUTPUTS): string => folderOf({ 'p.yml': pipelineOf('p', more).replace('rows.csv', '"${FROM}"') })
const signed = (origin: string) => ({ FROM: `${origin}/in.csv${SIGNED}`, TO: origin, SIGN: SIGNED })

/** The outputs of the same run over files. */
async function near(): Promise<{ out: Buffer; unmatched: Buffer }> {
  const cwd = project(OUTPUTS)
  expect(await fettle(['run', 'p.yml', '-q'], { cwd, env: { TO: 'out' } })).toMatchObject({ code: 0, stderr: '' })
  return { out: readFileSync(join(cwd, 'out/out.csv')), unmatched: readFileSync(join(cwd, 'out/unmatched.csv')) }
}

/** All that lies below a folder, as one text. */
const written = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')

const kept = (cwd: string): string[] => {
  const folder = join(cwd, 'fettle-runs/inputs')
  return existsSync(folder) ? readdirSync(folder) : []
}

let same: Awaited<ReturnType<typeof near>>
beforeAll(async () => {
  await importRegister()
  same = await near()
}, 120_000)

describe('presigned addresses', () => {
  test('are read and written as files are, and their queries shown and recorded nowhere', async () => {
    const { objects, origin } = await serveObjects()
    const cwd = far()
    const ended = await fettle(['run', 'p.yml', '--json', '-v'], { cwd, env: signed(origin) })
    expect(ended.code).toBe(0)
    expect(objects.get('/out.csv')).toEqual(same.out)
    expect(objects.get('/unmatched.csv')).toEqual(same.unmatched)
    expect(ended.stdout + ended.stderr + written(cwd)).not.toContain(SECRET)
    expect(written(join(cwd, 'fettle-runs'))).toContain(`${origin}/in.csv?***`)
    expect(kept(cwd)).toEqual([])
    const again = await fettle(['run', 'p.yml', '-q', '--input', `${origin}/in.csv${SIGNED}`], { cwd, env: signed(origin) })
    expect(again).toMatchObject({ code: 0, stderr: '' })
    expect(written(cwd)).not.toContain(SECRET)
  }, 120_000)

  test('check sends nothing and reports that; a dry run reads and stores nothing', async () => {
    const { asked, origin } = await serveObjects()
    const cwd = far()
    const checked = await fettle(['check', 'p.yml'], { cwd, env: signed(origin) })
    expect(checked).toMatchObject({ code: 0, stdout: 'ok p.yml: the pipeline is valid; its input was not read\n' })
    expect(checked.stderr).toContain('the input was not read, because the pipeline is untrusted')
    expect(asked).toEqual([])
    const dry = await fettle(['run', 'p.yml', '--dry-run'], { cwd, env: signed(origin) })
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining(`${origin}/in.csv?***`) })
    expect(asked).toEqual(['GET /in.csv'])
    expect(existsSync(join(cwd, 'fettle-runs'))).toBe(false)
    const doctor = await fettle(['doctor', 'p.yml', '--trusted'], { cwd, env: signed(origin) })
    expect(doctor.stdout + doctor.stderr).toContain('5 rows of')
    expect(dry.stdout + dry.stderr + doctor.stdout + checked.stderr).not.toContain(SECRET)
  }, 120_000)

  test('shards on machines of their own, and a merge on a third, find the list', async () => {
    const { objects, origin } = await serveObjects()
    const [one, two, three] = [far(), far(), far()]
    const env = signed(origin)
    for (const [cwd, shard] of [
      [one, '1/2'],
      [two, '2/2'],
    ] as const)
      expect(await fettle(['run', 'p.yml', '-q', '--shard', shard], { cwd, env })).toMatchObject({ code: 0, stderr: '' })
    expect([...objects.keys()]).toEqual(['/in.csv'])
    for (const cwd of [one, two]) cpSync(join(cwd, 'fettle-runs'), join(three, 'fettle-runs'), { recursive: true })
    expect(await fettle(['merge', 'p', '-q'], { cwd: three, env })).toMatchObject({ code: 0, stderr: '' })
    expect(objects.get('/out.csv')).toEqual(same.out)
  }, 120_000)

  test('a kill while a result is sent leaves the old one whole; the same again sends it, with one remote job', async () => {
    const service = await realService()
    const { objects, asked, held, origin } = await serveObjects()
    const cwd = far()
    const env = { ...CREDENTIALS, ...signed(origin), FETTLE_URL: service.url }
    expect((await fettle(['run', 'p.yml', '-q'], { cwd: far(), env })).code).toBe(0)
    const wanted = objects.get('/out.csv')
    objects.set('/out.csv', Buffer.from('old'))
    held.add('/out.csv')
    const isSent = (): boolean => asked.filter(one => one === 'PUT /out.csv').length > 1
    const killed = start(['run', 'p.yml', '-q'], { cwd, env })
    await vi.waitUntil(isSent, { timeout: 60_000 })
    killed.child.kill('SIGKILL')
    await killed.ended
    expect(objects.get('/out.csv')?.toString()).toBe('old')
    held.clear()
    expect(await fettle(['run', 'p.yml', '-q'], { cwd, env })).toMatchObject({ code: 0, stderr: '' })
    expect(objects.get('/out.csv')).toEqual(wanted)
    expect(kept(cwd)).toEqual([])
    const created = service.requests.filter(({ method, route }) => method === 'POST' && route === '/v1/dataCleaning/jobs')
    expect(created).toHaveLength(2)
  }, 120_000)

  test('collected elsewhere, the list is fetched again, and must be the same', async () => {
    const { objects, origin } = await serveObjects()
    const cwd = far()
    const env = signed(origin)
    expect((await fettle(['run', 'p.yml', '-q', '--detach'], { cwd, env })).code).toBe(0)
    expect(kept(cwd)).toHaveLength(1)
    rmSync(join(cwd, 'fettle-runs/inputs'), { recursive: true })
    objects.set('/in.csv', Buffer.from(ROWS.replace('Acme', 'Alma')))
    const changed = await fettle(['collect', 'p', '-q'], { cwd, env })
    expect(changed).toMatchObject({ code: 65, stdout: expect.stringContaining('changed since the run was planned') })
    expect(objects.has('/out.csv')).toBe(false)
    objects.set('/in.csv', Buffer.from(ROWS))
    const unsigned = await fettle(['collect', 'p', '-q'], { cwd, env: { ...env, FROM: `${origin}/in.csv`, SIGN: '' } })
    expect(unsigned.code).not.toBe(0)
    expect((await fettle(['collect', 'p', '-q'], { cwd, env })).code).toBe(0)
    expect(objects.get('/out.csv')).toEqual(same.out)
    expect(kept(cwd)).toEqual([])
  }, 120_000)

  test.each<[string, Record<string, string>, number, RegExp]>([
    ['a signature that has expired', { FROM: '{origin}/in.csv?X-Amz-Signature=old' }, 65, /answered 403[\s\S]*create a new one/],
    ['an object that is not there', { FROM: `{origin}/nowhere.csv${SIGNED}` }, 65, /answered 404/],
    ['http to another machine', { FROM: 'http://files.example/in.csv' }, 2, /p\.yml:2:8[\s\S]*would show the rows/],
    ['a password in the address', { FROM: `https://ada:${SECRET}@files.example/in.csv` }, 2, /user name or password/],
    ['a scheme nobody knows', { FROM: 'ftp://files.example/in.csv' }, 2, /scheme ftp:[\s\S]*Give s3:/],
    ['nobody there', { FROM: 'http://127.0.0.1:1/in.csv' }, 75, /cannot be reached|refused|connect/],
  ])('%s is told, with its cure', async (_, from, code, why) => {
    const { origin } = await serveObjects()
    const env = { ...signed(origin), FROM: from.FROM?.replace('{origin}', origin) ?? '' }
    const ended = await fettle(['run', 'p.yml', '-q'], { cwd: far('retry: {attempts: 1}'), env })
    expect(ended).toMatchObject({ code, stderr: expect.stringMatching(why) })
    expect(ended.stderr).not.toContain(SECRET)
  })
})

test.each(['init', 'clean'])('fettle %s takes files, and says so', async command => {
  const ended = await fettle([command, `https://files.example/in.csv${SIGNED}`], { cwd: folderOf() })
  expect(ended).toMatchObject({ code: 65, stderr: expect.stringContaining('in.csv?*** is a remote object') })
  expect(ended.stderr).not.toContain(SECRET)
})

describe.runIf(hasS3)('S3', () => {
  let store: Awaited<ReturnType<typeof serveS3>>
  const env = (): Record<string, string> => ({ ...store.env, FROM: 's3://lists/in.csv', TO: 's3://lists/night' })
  beforeAll(async () => {
    store = await serveS3()
    const cwd = folderOf({ 'put.csv': ROWS })
    const put = pipelineOf('put', 'output: {path: "s3://lists/seed.csv", columns: ["*"]}').replace('rows.csv', 'put.csv')
    writeFileSync(join(cwd, 'p.yml'), put)
    // The store is filled by what is under test: columns "*" are the input's own bytes.
    const ended = await fettle(['run', 'p.yml', '-q'], { cwd, env: store.env })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
  }, 120_000)
  afterAll(() => store?.close())

  test('is read and written as files are, with its keys written nowhere', async () => {
    const cwd = far()
    const ended = await fettle(['run', 'p.yml', '--json'], { cwd, env: { ...env(), FROM: 's3://lists/seed.csv' } })
    expect(ended.stderr).not.toMatch(/Warning/)
    expect(ended.code).toBe(0)
    expect(lastLine(ended)).toMatchObject({ output: 's3://lists/night/out.csv' })
    expect(ended.stdout + ended.stderr + written(cwd)).not.toContain(store.settings.secretAccessKey)
    const back = folderOf({
      'p.yml': pipelineOf('back', 'output: {path: out.csv, columns: ["*"]}').replace('rows.csv', '"${FROM}"'),
    })
    const read = await fettle(['run', 'p.yml', '-q'], { cwd: back, env: { ...env(), FROM: 's3://lists/night/out.csv' } })
    expect(read.code).toBe(0)
    expect(readFileSync(join(back, 'out.csv'))).toEqual(same.out)
  }, 120_000)

  test('missing, wrong or rejected settings are reported before anything is sent to the service', async () => {
    const { AWS_SECRET_ACCESS_KEY: _, ...halved } = env()
    const cases: [Record<string, string>, number, RegExp][] = [
      [halved, 2, /FETTLE_CREDENTIALS[\s\S]*AWS_SECRET_ACCESS_KEY not set/],
      [{ ...env(), AWS_SECRET_ACCESS_KEY: SECRET }, 65, /403: SignatureDoesNotMatch/],
      [{ ...env(), AWS_ENDPOINT_URL_S3: 'http://minio.example' }, 2, /AWS_ENDPOINT_URL_S3 is http:/],
      [{ ...env(), AWS_ENDPOINT_URL_S3: '' }, 2, /AWS_REGION is not set/],
      [{ ...env(), FROM: 's3://lists/nowhere.csv' }, 65, /404: NoSuchKey/],
      [{ ...env(), FROM: 's3://lists/seed.csv', TO: 's3://no-such-bucket/x' }, 73, /404: NoSuchBucket/],
    ]
    for (const [env, code, why] of cases) {
      const cwd = far()
      const ended = await fettle(['run', 'p.yml', '-q'], { cwd, env })
      expect(ended).toMatchObject({ code, stderr: expect.stringMatching(why) })
      expect(ended.stderr).not.toContain(SECRET)
      expect(existsSync(join(cwd, 'fettle-runs/latest'))).toBe(false)
    }
  }, 120_000)

  test('without its packages the command that installs them is named', async () => {
    const home = folderOf({})
    cpSync(join(ROOT, 'dist'), join(home, 'dist'), { recursive: true })
    cpSync(join(ROOT, 'package.json'), join(home, 'package.json'))
    mkdirSync(join(home, 'node_modules'))
    for (const name of readdirSync(join(ROOT, 'node_modules')))
      if (name !== '@aws-sdk') symlinkSync(join(ROOT, 'node_modules', name), join(home, 'node_modules', name))
    const args = [join(home, 'dist/cli/main.js'), 'run', 'p.yml', '-q']
    const ended = await follow(spawn(process.execPath, args, { cwd: far(), env: { ...ENVIRONMENT, ...env() } })).ended
    expect(ended).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('npm install @aws-sdk/client-s3 @aws-sdk/lib-storage'),
    })
  }, 60_000)
})

test('nothing is left where inputs are looked at', () => {
  expect(readdirSync(tmpdir()).filter(name => name.startsWith('fettle-inputs-'))).toEqual([])
})
