/** `fettle serve`: what it prints, whom it lets in, how it ends; and a run against it by the words it prints. */
import { spawn } from 'node:child_process'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  atEnd,
  BINARY,
  ENVIRONMENT,
  fettle,
  folderOf,
  follow,
  importRegister,
  lastLine,
  project,
  STACK,
  start,
} from './fettle.ts'

beforeAll(importRegister)

describe.concurrent('serve', () => {
  test('prints address and login; a run by those words works; SIGTERM ends it with 0', async () => {
    const cwd = project()
    const serving = start(['serve', '--port', '0', '--data', 'state', '--log'], { cwd })
    const printed = await serving.seen(/Ctrl-C stops it\./)
    expect(printed).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+\/v1$/m)
    const [, words = ''] = /^ {2}export (FETTLE_URL=.*)$/m.exec(printed) ?? []
    const env = Object.fromEntries(words.split(' ').map(word => word.split('=') as [string, string]))
    const ended = await fettle(['run', 'p.yml', '--json', '--service', String(env.FETTLE_URL)], { cwd, env })
    expect(ended.stderr).not.toMatch(STACK)
    expect(lastLine(ended)).toMatchObject({ exitCode: 0, totals: { rows: 5, matched: 3, duplicates: 1, unmatched: 1 } })
    // The same folder is not served twice.
    const second = await fettle(['serve', '--port', '0', '--data', 'state'], { cwd })
    expect(second.code).toBe(75)
    expect(second.stderr).toContain('FETTLE_LOCKED')

    serving.child.kill('SIGTERM')
    const { code, stderr } = await serving.ended
    expect(code).toBe(0)
    const log = stderr
      .trimEnd()
      .split('\n')
      // Before the first request stand the notes of the start.
      .filter(line => line.startsWith('{'))
      .map(line => JSON.parse(line))
    expect(log).toContainEqual(expect.objectContaining({ method: 'POST', route: '/v1/authenticate', status: 200 }))
    expect(stderr).not.toContain(env.FETTLE_PASSWORD)
  })

  test('with credentials of your own it does not print the password, and lets them in', async () => {
    const cwd = project()
    const own = { FETTLE_USERNAME: 'me', FETTLE_PASSWORD: 'canary-password' }
    const serving = start(['serve', '--port', '0', '--data', 'state'], { cwd, env: own })
    const printed = await serving.seen(/Ctrl-C stops it\./)
    expect(printed).not.toContain('canary')
    const [, url = ''] = /^listening on (\S+)$/m.exec(printed) ?? []
    expect((await fettle(['run', 'p.yml', '-q', '--service', url], { cwd, env: own })).code).toBe(0)
    serving.child.kill('SIGINT')
    expect((await serving.ended).code).toBe(0)
  })

  test('a used port is one line that names it', async () => {
    const server = createServer()
    await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
    atEnd(() => server.close())
    const { port } = server.address() as AddressInfo
    const cwd = folderOf()
    const ended = await fettle(['serve', '--port', String(port), '--data', 'state'], { cwd })
    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain('EADDRINUSE')
    expect(ended.stderr).toContain('fettle serve --port 0')
    expect(ended.stderr).toContain(String(port))
    expect(ended.stderr.trimEnd().split('\n')).toHaveLength(3)
  })

  test.each([
    ['an address that is none', ['--host', '300.1.2.3'], '300.1.2.3', { FETTLE_USERNAME: 'a', FETTLE_PASSWORD: 'b' }],
    ['a register that is not there', ['--register', 'nope'], 'nope', {}],
    ['every address without credentials', ['--host', '0.0.0.0'], 'FETTLE_USERNAME and FETTLE_PASSWORD', {}],
  ] as const)('%s is refused', async (_, args, says, env) => {
    const ended = await fettle(['serve', '--port', '0', '--data', 'state', ...args], { cwd: folderOf(), env })
    expect(ended.stderr).toContain(says)
    expect(ended.stderr).not.toMatch(STACK)
    expect(ended.stdout).toBe('')
    expect(ended.code).toBe(2)
  })

  test('every address with credentials is served, with a warning', async () => {
    const cwd = folderOf()
    const env = { FETTLE_USERNAME: 'a', FETTLE_PASSWORD: 'b' }
    const serving = start(['serve', '--port', '0', '--data', 'state', '--host', '0.0.0.0'], { cwd, env })
    expect(await serving.seen(/Ctrl-C stops it\./)).toMatch(/warning: listening on 0\.0\.0\.0/)
    serving.child.kill('SIGINT')
    expect((await serving.ended).code).toBe(0)
  })

  test('a password file serves as well as a password', async () => {
    const cwd = project(undefined, { secret: 'from-a-file\n' })
    const env = { FETTLE_USERNAME: 'me', FETTLE_PASSWORD_FILE: join(cwd, 'secret') }
    const serving = start(['serve', '--port', '0', '--data', 'state'], { cwd, env })
    const [, url = ''] = /^listening on (\S+)$/m.exec(await serving.seen(/Ctrl-C stops it\./)) ?? []
    const by = (password: string) => ({ FETTLE_USERNAME: 'me', FETTLE_PASSWORD: password })
    expect((await fettle(['run', 'p.yml', '-q', '--service', url], { cwd, env: by('from-a-file') })).code).toBe(0)
    serving.child.kill('SIGTERM')
    expect((await serving.ended).code).toBe(0)
  })

  test('a user name without a password is rejected as a login', async () => {
    const ended = await fettle(['serve', '--port', '0', '--data', 'state'], { cwd: folderOf(), env: { FETTLE_USERNAME: 'me' } })
    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain('FETTLE_PASSWORD')
  })

  test('a reader of its output that goes away does not end it', async () => {
    const cwd = folderOf()
    const command = '"$0" "$1" serve --port 0 --data state | head -1'
    const shell = spawn('sh', ['-c', command, process.execPath, BINARY], { cwd, env: ENVIRONMENT, detached: true })
    atEnd(() => {
      try {
        process.kill(-(shell.pid as number), 'SIGKILL')
      } catch {
        // ended by itself
      }
    })
    const under = follow(shell)
    const [, url = ''] = /^listening on (\S+)$/m.exec(await under.seen(/listening on \S+\n/)) ?? []
    expect((await fetch(new URL('/health', url))).status).toBe(200)
    process.kill(-(shell.pid as number), 'SIGTERM')
    await under.ended
  })
})
