/** `fettle doctor`: each line against a machine or a service that has what it looks for; and never a secret. */
import { chmodSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { cert, key } from '../../unit/client/self-signed.ts'
import { CANARY } from '../security/canary.ts'
import { atEnd, type Ended, fettle, folderOf, importRegister, lastLine, project, STACK } from './fettle.ts'
import { CREDENTIALS, realService } from './servers.ts'

beforeAll(importRegister)

interface Line {
  readonly name: string
  readonly status: string
  readonly message: string
  readonly code: string | null
}

const findings = (ended: Ended): Line[] => {
  expect(ended.stderr).toBe('')
  return lastLine(ended).findings as Line[]
}
const find = (ended: Ended, name: string): Line | undefined => findings(ended).find(one => one.name === name)
const told = (ended: Ended): Record<string, string> => Object.fromEntries(findings(ended).map(one => [one.name, one.status]))

/** A server on loopback that answers everything alike. */
async function answering(status: number, headers: Record<string, string>): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status, headers).end('{}'))
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  atEnd(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

describe.concurrent('doctor', () => {
  test('reports a good result in every line on a machine with a register', async () => {
    const ended = await fettle(['doctor'], { cwd: folderOf() })
    expect(ended.code).toBe(0)
    expect(ended.stdout).toMatch(/^ok {4}versions {5}fettle \d+\.\d+\.\d+, Node v/)
    expect(ended.stdout).toMatch(/^ok {4}register {5}small: 4 companies of \d{4}-/m)
    expect(ended.stdout).toMatch(/no problems\n$/)
  })

  test('a machine without a register: the command that imports one', async () => {
    const cwd = folderOf()
    const ended = await fettle(['doctor'], { cwd, env: { FETTLE_DATA: join(cwd, 'none') } })
    expect(ended.code).toBe(0)
    expect(ended.stdout).toMatch(
      /^warn {2}register .*does not exist\n +-> FETTLE_DATA .*import a register: fettle register import csv FILE$/m,
    )
  })

  test('a service that is there: name, answer, clock, login', async () => {
    const service = await realService()
    const ended = await fettle(['doctor', '--service', service.url, '--json'], { cwd: folderOf(), env: CREDENTIALS })
    expect(ended.code).toBe(0)
    expect(told(ended)).toMatchObject({ service: 'ok', credentials: 'ok', answer: 'ok', clock: 'ok', login: 'ok' })
    expect(service.requests.every(one => one.method === 'GET' || one.route.includes('authenticate'))).toBe(true)
  })

  test('a wrong password is 77, and neither password is shown', async () => {
    const service = await realService()
    const env = { ...CREDENTIALS, FETTLE_PASSWORD: `${CANARY.password}-wrong` }
    const ended = await fettle(['doctor', '--service', service.url, '--json'], { cwd: folderOf(), env })
    expect([ended.code, find(ended, 'login')?.code]).toEqual([77, 'FETTLE_LOGIN'])
    expect(ended.stdout).not.toContain(CANARY.password)
  })

  test('--offline sends nothing', async () => {
    const service = await realService()
    const ended = await fettle(['doctor', '--service', service.url, '--offline', '--json'], { cwd: folderOf(), env: CREDENTIALS })
    expect([ended.code, find(ended, 'network')?.message, service.requests]).toEqual([0, 'left alone', []])
  })

  test.each([
    [20, 'ok'],
    [-120, 'warn'],
    [120, 'warn'],
    [3600, 'fail'],
  ])('a clock that is %i seconds off: %s', async (seconds, status) => {
    const url = await answering(404, { date: new Date(Date.now() + seconds * 1000).toUTCString() })
    const ended = await fettle(['doctor', '--service', url, '--json'], { cwd: folderOf() })
    const clock = find(ended, 'clock')
    expect(clock?.status).toBe(status)
    if (status !== 'ok') expect(clock?.message).toMatch(seconds > 0 ? /\d s behind/ : /\d s ahead/)
  })

  test('no answer is 75; a portal in place of the API gives a warning', async () => {
    const gone = await fettle(['doctor', '--service', 'http://127.0.0.1:9/v1', '--json'], { cwd: folderOf(), env: CREDENTIALS })
    expect([gone.code, find(gone, 'answer')?.code]).toEqual([75, 'FETTLE_NETWORK'])
    const url = await answering(302, { location: 'https://portal.example/' })
    const portal = await fettle(['doctor', '--service', url, '--json'], { cwd: folderOf() })
    expect(find(portal, 'answer')?.status).toBe('warn')
    const named = await fettle(['doctor', '--service', 'https://nowhere.invalid/v1', '--json'], {
      cwd: folderOf(),
      env: CREDENTIALS,
    })
    expect([find(named, 'name')?.status, find(named, 'login')]).toEqual(['fail', undefined])
  })

  test('an untrusted certificate is 76; a trusted one is shown with its expiry date', async () => {
    const server = createTlsServer({ key, cert }, (_, response) => response.writeHead(404).end('{}'))
    await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
    atEnd(() => server.close())
    const url = `https://localhost:${(server.address() as AddressInfo).port}/v1`
    const cwd = folderOf({ 'ca.pem': cert })
    const refused = await fettle(['doctor', '--service', url, '--json'], { cwd, env: CREDENTIALS })
    expect([refused.code, find(refused, 'certificate')?.code]).toEqual([76, 'FETTLE_TLS'])
    const env = { ...CREDENTIALS, NODE_EXTRA_CA_CERTS: join(cwd, 'ca.pem') }
    const vouched = await fettle(['doctor', '--service', url, '--json'], { cwd, env })
    expect(find(vouched, 'certificate')?.message).toContain('valid until 2126-10-27')
  })

  test('a proxy is named without its password', async () => {
    const env = { ...CREDENTIALS, HTTPS_PROXY: `http://me:${encodeURIComponent(CANARY.password)}@127.0.0.1:9` }
    const ended = await fettle(['doctor', '--service', 'https://service.example/v1'], { cwd: folderOf(), env })
    expect(ended.code).toBe(75)
    expect(ended.stdout).toMatch(/^ok {4}proxy {8}through http:\/\/127\.0\.0\.1:9$/m)
  })

  test('settings that are wrong, misspelled or unsafe', async () => {
    const cwd = folderOf({ secret: CANARY.password })
    chmodSync(join(cwd, 'secret'), 0o644)
    const env = { FETTLE_PASWORD: 'x', FETTLE_PASSWORD_FILE: join(cwd, 'secret'), NODE_EXTRA_CA_CERTS: join(cwd, 'none.pem') }
    const ended = await fettle(['doctor'], { cwd, env })
    expect(ended.stdout).toContain('Did you mean FETTLE_PASSWORD?')
    expect(ended.stdout).toContain('can be read by others')
    expect(ended.stdout).toContain('names a file that is not there')
    const empty = await fettle(['doctor', '--json'], { cwd, env: { FETTLE_URL: '' } })
    expect([empty.code, find(empty, 'service')?.code]).toEqual([2, 'FETTLE_SETTINGS'])
    const proxy = await fettle(['doctor', '--json'], { cwd, env: { HTTPS_PROXY: 'socks5://x' } })
    expect([proxy.code, find(proxy, 'settings')?.code]).toEqual([2, 'FETTLE_SETTINGS'])
  })

  test('a pipeline and its input, and an unfinished run that can be resumed', async () => {
    const cwd = project()
    const fine = await fettle(['doctor', 'p.yml', '--json'], { cwd })
    expect([fine.code, find(fine, 'pipeline')?.message]).toEqual([0, 'p.yml: 5 rows of rows.csv can be sent'])
    const gone = await fettle(['doctor', 'q.yml', '--json'], { cwd })
    expect([gone.code, find(gone, 'pipeline')?.code]).toEqual([2, 'FETTLE_PIPELINE_READ'])
    const begun = await fettle(['run', 'p.yml', '--service', 'http://127.0.0.1:9/v1', '-q'], { cwd, env: CREDENTIALS })
    expect(begun.code).toBe(75)
    const waiting = await fettle(['doctor', '--json'], { cwd })
    expect(find(waiting, 'runs')).toMatchObject({
      status: 'warn',
      message: expect.stringMatching(/^1 in fettle-runs with 1 MB, the oldest of \d{4}-\d\d-\d\d, 1 unfinished: \d{8}T\d{6}Z-p-/),
    })
  })

  test('a folder that cannot be written is 73', async () => {
    const cwd = folderOf()
    mkdirSync(join(cwd, 'shut'), { mode: 0o500 })
    const ended = await fettle(['doctor', '--json'], { cwd, env: { FETTLE_RUNS_DIR: 'shut/runs' } })
    // Root may write anywhere.
    expect([ended.code, find(ended, 'disk')?.code ?? null]).toEqual(
      process.getuid?.() === 0 ? [0, null] : [73, 'FETTLE_OUTPUT_WRITE'],
    )
    expect(ended.stdout).not.toMatch(STACK)
  })
})
