/**
 * S1, S2, S6: marked passwords, tokens and link signatures in every command and every kind of end of a run, against services
 * that echo them. Everything printed and written is searched, in every encoding.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSecure } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { cert, key } from '../../../unit/client/self-signed.ts'
import {
  atEnd,
  ENVIRONMENT,
  type Ended,
  fettle,
  fettleBinary,
  folderOf,
  importRegister,
  pipelineOf,
  ROWS,
  start,
} from '../../cli/fettle.ts'
import { realService } from '../../cli/servers.ts'
import { CANARY, canariesBelow, canariesIn } from '../canary.ts'
import { type Careless, careless, type Fault } from './careless-service.ts'

beforeAll(importRegister)

const MORE = 'output: out/p.csv\nreport: {rows: all}\nretry: {attempts: 2}\nenrich: {product: basic, tags: [general.connectId]}'
const SECRETS = { FETTLE_USERNAME: CANARY.username, FETTLE_PASSWORD: CANARY.password }
/** Set in many a CI job, and no business of ours. */
const FOREIGN = { AWS_SECRET_ACCESS_KEY: CANARY.foreign, NPM_TOKEN: CANARY.foreign, TRACEPARENT: CANARY.foreign }

const place = (more = MORE): string => folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p', more) })

/** Carries out a command and searches what it printed; what it wrote is searched by `isClean`. */
async function said(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<Ended> {
  return searched(await fettle(args, { cwd, env: { ...FOREIGN, ...env } }))
}

/** The same by the binary. */
async function saidByBinary(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<Ended> {
  return searched(await fettleBinary(args, { cwd, env: { ...FOREIGN, ...env } }))
}

function searched(ended: Ended): Ended {
  expect(canariesIn(ended.stdout, 'stdout'), ended.stdout).toEqual([])
  expect(canariesIn(ended.stderr, 'stderr'), ended.stderr).toEqual([])
  return ended
}

function isClean(cwd: string, except: RegExp = /^$/): void {
  const { hits, files } = canariesBelow(cwd, except)
  expect(hits).toEqual([])
  expect(files).toBeGreaterThan(2)
}

const LOUD = ['--json', '--result-file', 'r.json', '--debug', '-v']
const FORMATS = ['text', 'json', 'html', 'markdown', 'junit', 'openmetrics']

/** Every command that tells of a run. */
async function lookAtIt(cwd: string, env: Readonly<Record<string, string>>): Promise<void> {
  for (const args of [
    ['status'],
    ['status', '--json'],
    ['runs'],
    ['runs', '--json'],
    ['check', 'p.yml', '--json'],
    ['check', 'p.yml', '--explain'],
  ])
    await said(args, cwd, env)
  for (const format of FORMATS) await said(['report', '--format', format], cwd, env)
}

describe('a successful run', () => {
  test('password from the environment; then every command that prints the run', async () => {
    const service = await realService({ users: [{ username: CANARY.username, password: CANARY.password }] })
    const cwd = place()
    const env = { ...SECRETS, FETTLE_URL: service.url }
    expect(await saidByBinary(['run', 'p.yml', ...LOUD], cwd, env)).toMatchObject({ code: 0 })
    expect(await saidByBinary(['resume', ...LOUD], cwd, env)).toMatchObject({ code: 0 })
    await lookAtIt(cwd, env)
    isClean(cwd)
  })

  test('password from a file, named by the environment', async () => {
    const service = await careless()
    const cwd = place()
    writeFileSync(join(cwd, 'secret'), `${CANARY.password}\n`)
    const env = { FETTLE_USERNAME: CANARY.username, FETTLE_PASSWORD_FILE: 'secret', FETTLE_URL: service.url }
    expect(await said(['run', 'p.yml', ...LOUD], cwd, env)).toMatchObject({ code: 0 })
    expect(JSON.parse(service.heard[0]?.body ?? '{}')).toMatchObject({ password: CANARY.password })
    isClean(cwd, /^secret$/)
  })

  test('password by a reference in the pipeline, against a careless service', async () => {
    const service = await careless()
    const cwd = place(`${MORE}\nservice: {url: "${service.url}", username: "\${MY_USER}", password: "\${MY_PASSWORD}"}`)
    const env = { MY_USER: CANARY.username, MY_PASSWORD: CANARY.password, FETTLE_SERVICE_ORIGINS: new URL(service.url).origin }
    expect(await said(['run', 'p.yml', ...LOUD], cwd, env)).toMatchObject({ code: 0 })
    expect(readFileSync(join(cwd, 'out/p.csv'), 'utf8')).toContain('Acme')
    await lookAtIt(cwd, env)
    isClean(cwd)
  })

  test('the embedded service', async () => {
    const cwd = place()
    expect(
      await saidByBinary(['run', 'p.yml', '--service', 'embedded', ...LOUD], cwd, { FETTLE_PASSWORD: CANARY.password }),
    ).toMatchObject({ code: 0 })
    isClean(cwd)
  })

  test('S1: no secret is in the arguments of any process', async () => {
    const service = await realService({ users: [{ username: CANARY.username, password: CANARY.password }], rowPauseMs: 200 })
    const cwd = place()
    const under = start(['run', 'p.yml'], { cwd, env: { ...SECRETS, FETTLE_URL: service.url } })
    await under.seen(/status matching/)
    const shown = readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .map(pid => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        } catch {
          return ''
        }
      })
    expect(shown.some(line => line.includes('p.yml'))).toBe(true)
    expect(canariesIn(shown.join('\n'), 'arguments')).toEqual([])
    expect((await under.ended).code).toBe(0)
  })
})

/** What goes wrong where, and the exit code that tells so. */
const WRONG: readonly (readonly [string, Fault, number])[] = [
  ['POST /authenticate', 401, 77],
  ['POST /authenticate', 'cutJson', 75],
  ['POST /authenticate', 'html', 76],
  ['POST /authenticate', 'redirect', 76],
  ['POST /dataCleaning/jobs', 403, 77],
  ['POST /dataCleaning/jobs', 400, 76],
  ['POST /dataCleaning/jobs', 422, 76],
  ['POST /dataCleaning/jobs/job-1/upload', 413, 76],
  ['POST /dataCleaning/jobs/job-1/upload', 'reset', 75],
  ['PUT /dataCleaning/jobs/job-1/mappings', 422, 76],
  ['PUT /dataCleaning/jobs/job-1/mappings', 401, 77],
  ['POST /dataCleaning/jobs/job-1/submit', 'html', 76],
  ['GET /dataCleaning/jobs/job-1', 403, 77],
  ['PUT /dataCleaning/jobs/job-1/enrichments', 503, 75],
  ['POST /dataCleaning/jobs/job-1/enrich', 'reset', 75],
  ['GET /dataCleaning/jobs/job-1/enrichedFile', 'foreignLink', 76],
  ['GET /dataCleaning/jobs/job-1/enrichedFile', 'badLink', 76],
  ['GET /files/job-1.csv', 'shortFile', 75],
  ['GET /files/job-1.csv', 403, 76],
  ['GET /files/job-1.csv', 'redirect', 76],
]

describe('a failing run, and its resume', () => {
  test.each(WRONG)('%s: %s', async (line, fault, code) => {
    const service: Careless = await careless({ [line]: fault })
    const cwd = place(`${MORE}\nservice: {rate: {requests: 1000, per: 1s}}`)
    const env = { ...SECRETS, FETTLE_URL: service.url }
    const ended = await said(['run', 'p.yml', '--timeout', '15s', ...LOUD], cwd, env)
    expect(ended.code, ended.stderr).toBe(code)
    service.heal()
    // Before there is a job, going on begins with a search that takes its ten seconds.
    if (line.includes('job-1')) await said(['resume', ...LOUD], cwd, env)
    for (const format of FORMATS) await said(['report', '--format', format], cwd, env)
    isClean(cwd)
  })

  test('an invalid TLS certificate', async () => {
    const server = createSecure({ key, cert }, (_, response) => response.end('{}'))
    await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
    atEnd(() => server.close())
    const cwd = place()
    const env = { ...SECRETS, FETTLE_URL: `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
    expect(await said(['run', 'p.yml', ...LOUD], cwd, env)).toMatchObject({ code: 76 })
    isClean(cwd)
  })

  test('a proxy with a password that refuses and echoes it', async () => {
    const proxy = createServer()
    proxy.on('connect', (request, socket) => {
      const echo = `${request.headers['proxy-authorization']} ${CANARY.password.replace(/[^ -~]/g, '')}`
      socket.end(`HTTP/1.1 407 ${echo}\r\nproxy-authenticate: Basic realm="${echo}"\r\n\r\n${echo}`)
    })
    await new Promise<void>(listening => proxy.listen(0, '127.0.0.1', listening))
    atEnd(() => proxy.close())
    const cwd = place()
    const { port } = proxy.address() as AddressInfo
    const through = `http://proxy-user:${encodeURIComponent(CANARY.password)}@127.0.0.1:${port}`
    const env = { ...SECRETS, FETTLE_URL: 'https://service.example/v1', HTTPS_PROXY: through }
    expect(await said(['run', 'p.yml', ...LOUD], cwd, env)).toMatchObject({ code: 77 })
    await lookAtIt(cwd, env)
    isClean(cwd)
  })

  test('a closed port; a full disk; a killed and resumed run', async () => {
    const service = await realService({ users: [{ username: CANARY.username, password: CANARY.password }], rowPauseMs: 100 })
    const cwd = place()
    const env = { ...FOREIGN, ...SECRETS, FETTLE_URL: service.url }
    const under = start(['run', 'p.yml', ...LOUD], { cwd, env })
    await under.seen(/status matching/)
    under.child.kill('SIGKILL')
    const killed = await under.ended
    expect(canariesIn(killed.stdout + killed.stderr, 'killed')).toEqual([])
    isClean(cwd)
    expect(await said(['resume', ...LOUD], cwd, env)).toMatchObject({ code: 0 })
    isClean(cwd)
    const away = await said(['run', 'p.yml', '--new', ...LOUD], cwd, { ...SECRETS, FETTLE_URL: 'http://127.0.0.1:9/v1' })
    expect(away.code).toBe(75)
    isClean(cwd)
  })

  test('an internal error', async () => {
    const service = await careless()
    const cwd = place()
    // Whatever fails where nobody looks: here a timer of the run, with the password in the environment and the token in memory.
    writeFileSync(join(cwd, 'crash.mjs'), `setTimeout(() => { throw new Error('boom') }, 900)`)
    const env = { ...SECRETS, FETTLE_URL: service.url, NODE_OPTIONS: `--import ${join(cwd, 'crash.mjs')}` }
    const ended = await saidByBinary(['run', 'p.yml', ...LOUD], cwd, env)
    expect(ended.stderr).toMatch(/FETTLE_BUG|Success|unmatched/)
    isClean(cwd)
  })
})

test('S6: a run resumes only at the same service for the same user; its folder holds no token', async () => {
  const service = await careless({ 'POST /dataCleaning/jobs/job-1/submit': 500 })
  const other = await careless()
  const cwd = place()
  const env = { ...SECRETS, FETTLE_URL: service.url }
  expect((await saidByBinary(['run', 'p.yml', ...LOUD], cwd, env)).code).toBe(75)
  const asked = service.heard.length
  const asAnother = await saidByBinary(['resume'], cwd, { ...env, FETTLE_USERNAME: 'another' })
  expect(asAnother).toMatchObject({ code: 2, stderr: expect.stringContaining('FETTLE_FINGERPRINT') })
  const elsewhere = await saidByBinary(['resume'], cwd, { ...env, FETTLE_URL: other.url })
  expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringContaining('FETTLE_FINGERPRINT') })
  expect([service.heard.length, other.heard.length]).toEqual([asked, 0])
  service.heal()
  expect((await saidByBinary(['resume', ...LOUD], cwd, env)).code).toBe(0)
  // A token that was kept would spare the login.
  expect(service.heard.filter(one => one.line === 'POST /authenticate')).toHaveLength(2)
  isClean(cwd)
})

test('serve prints and writes no password and no token', async () => {
  const cwd = folderOf()
  mkdirSync(join(cwd, 'data'))
  const under = start(['serve', '--port', '0', '--data', 'data', '--log'], { cwd, env: { ...FOREIGN, ...SECRETS }, input: null })
  const url = /listening on (\S+)/.exec(await under.seen(/Ctrl-C/))?.[1] ?? ''
  const logIn = (password: string) =>
    fetch(`${url}/authenticate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: CANARY.username, password }),
    })
  expect((await logIn(`${CANARY.password}x`)).status).toBe(401)
  const { token } = (await (await logIn(CANARY.password)).json()) as { token: string }
  await fetch(`${url}/dataCleaning/jobs?token=${token}`, { headers: { authorization: `Bearer ${token}` } })
  await fetch(`${url}/${encodeURIComponent(CANARY.password)}?password=${encodeURIComponent(CANARY.password)}`)
  under.child.kill('SIGTERM')
  const { code, stdout, stderr } = await under.ended
  expect(code).toBe(0)
  expect(stderr.split('\n').length).toBeGreaterThan(4)
  expect(canariesIn(stdout + stderr, 'serve')).toEqual([])
  expect(stdout + stderr).not.toContain(token)
  const { hits, files } = canariesBelow(join(cwd, 'data'))
  expect(hits).toEqual([])
  expect(files).toBeGreaterThan(0)
})

test('commands that need no secret print none', async () => {
  const cwd = place()
  for (const args of [
    ['--version'],
    ['--help'],
    ['schema', 'pipeline'],
    ['explain'],
    ['register', 'list', '--json'],
    ['run', 'p.yml', '--dry-run'],
    ['run', 'nope.yml', ...LOUD],
    ['run', 'p.yml', '--service', `https://u:${encodeURIComponent(CANARY.password)}@example.com/v1`, ...LOUD],
    ['run', 'p.yml', '--service', `https://example.com/v1?sig=${encodeURIComponent(CANARY.signature)}`, ...LOUD],
    ['run', 'p.yml', `--password=${CANARY.password}`, ...LOUD],
  ])
    await said(args, cwd, { ...SECRETS, FETTLE_URL: 'http://127.0.0.1:9/v1' })
  const literal = `service: {url: "https://example.com/v1", password: ${JSON.stringify(CANARY.password)}}`
  writeFileSync(join(cwd, 'secret.yml'), pipelineOf('p', literal))
  expect(await said(['check', 'secret.yml', '--json'], cwd, {})).toMatchObject({ code: 2 })
  expect(canariesBelow(ENVIRONMENT.FETTLE_DATA).hits).toEqual([])
})
