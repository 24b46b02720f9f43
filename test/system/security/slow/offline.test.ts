/**
 * S18, S19, S39, S40 with the built program: commands that only read send nothing, not even a login or a name lookup; texts of
 * a service reach no terminal control and no runner command; `fettle serve` offers no faults.
 */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { atEnd, fettle, folderOf, pipelineOf, ROWS, start } from '../../cli/fettle.ts'
import { counting } from '../../cli/servers.ts'

/** Forbids every way out, and says so on stderr with a word of its own. */
const FORBID = `
import net from 'node:net'
import dns from 'node:dns'
import dgram from 'node:dgram'
const refuse = what => (...args) => { process._rawDebug('WAY-OUT ' + what); throw new Error('no ' + what) }
net.Socket.prototype.connect = refuse('socket')
net.Server.prototype.listen = refuse('server')
dgram.createSocket = refuse('datagram')
dns.lookup = refuse('lookup')
dns.promises.lookup = refuse('lookup')
`

describe('S39: commands that only read send nothing', () => {
  test('no socket, no server, no name lookup, with a remote service and a password', async () => {
    const server = await counting(() => ({ status: 500, body: {} }))
    const cwd = folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p'), 'forbid.mjs': FORBID })
    const env = {
      FETTLE_URL: server.url,
      FETTLE_USERNAME: 'u',
      FETTLE_PASSWORD: 'p',
      NODE_OPTIONS: `--import ${join(cwd, 'forbid.mjs')}`,
    }
    for (const args of [
      ['check', 'p.yml'],
      ['check', 'p.yml', '--explain', '--json'],
      ['run', 'p.yml', '--dry-run'],
      ['status'],
      ['runs'],
      ['explain', '75'],
      ['--version'],
    ]) {
      const ended = await fettle(args, { cwd, env })
      expect(ended.stderr, args.join(' ')).not.toContain('WAY-OUT')
      expect(ended.code, ended.stderr).toBe(args[0] === 'status' ? 2 : 0)
    }
    // The trap works: a run cannot get past it.
    const run = await fettle(['run', 'p.yml'], { cwd, env })
    expect(run.stderr).toContain('WAY-OUT socket')
    expect(server.connections).toBe(0)
  })
})

const CONTROLS = '\u001b]8;;http://evil\u0007\u001b[2J\u001b[31mred\r\u009b2J\u202e\u0085\u0000'
const COMMANDS = '\n::set-output name=x::y\n##vso[task.setvariable variable=x]y\n##[error]z %0A::stop'
const EVIL = `${CONTROLS} ${COMMANDS}`
const asHeader = (text: string): string => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '')

describe('S18, S19: texts of a service', () => {
  test.each([
    ['a refused login', 'POST /authenticate', 400],
    ['a refused create', 'POST /dataCleaning/jobs', 422],
    ['a page where the API should be', 'POST /authenticate', 200],
    ['an unknown status, ids and names', 'none', 0],
  ])('%s', async (_, line, status) => {
    const job = { id: `id${EVIL}`, name: `n${EVIL}`, status: `strange${EVIL}Error`, correlationId: EVIL }
    const server = createServer(async (request, response) => {
      for await (const _piece of request);
      const asked = `${request.method} ${(request.url ?? '').replace(/^\/v1|\?.*/g, '')}`
      const headers = { 'x-correlation-id': asHeader(EVIL), 'content-type': `text/html; ${asHeader(EVIL)}` }
      const failed = asked === line && status !== 200
      const told = failed ? { message: EVIL, details: EVIL, correlationId: EVIL } : asked.startsWith('GET') ? [] : job
      const body =
        asked === line && status === 200
          ? `<p>${EVIL}`
          : JSON.stringify(asked.endsWith('authenticate') && !failed ? { token: 't' } : told)
      response.writeHead(failed ? status : 200, headers).end(body)
    })
    await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
    atEnd(() => {
      server.closeAllConnections()
      server.close()
    })
    const cwd = folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p', 'retry: {attempts: 1}') })
    const env = {
      FETTLE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      FETTLE_USERNAME: 'u',
      FETTLE_PASSWORD: 'p',
      GITHUB_ACTIONS: 'true',
      CI: 'true',
    }
    const said = [await fettle(['run', 'p.yml', '--json', '--debug', '-v', '--timeout', '3s'], { cwd, env })]
    for (const format of ['text', 'json', 'markdown', 'junit', 'openmetrics', 'html'])
      said.push(await fettle(['report', '--format', format], { cwd, env }))
    said.push(await fettle(['status'], { cwd, env }), await fettle(['runs', '--json'], { cwd, env }))
    for (const { stdout, stderr } of said)
      for (const text of [stdout, stderr]) {
        expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
        // Annotations are ours, and what the service says stands within them.
        expect(text.split('\n').filter(one => /^\s*::(?!error title=)|##(?:\[|vso\[)/i.test(one))).toEqual([])
      }
    expect(said[0]?.code).not.toBe(0)
  })
})

test('S40: fettle serve has no route for faults, and no setting turns one on', async () => {
  const cwd = folderOf()
  writeFileSync(join(cwd, 'x'), '')
  const env = { FETTLE_FAULTS: '1', FETTLE_TESTING: '1', NODE_ENV: 'test' }
  const under = start(['serve', '--port', '0', '--data', 'data'], { cwd, env, input: null })
  const url = new URL(/listening on (\S+)/.exec(await under.seen(/Ctrl-C/))?.[1] ?? '')
  for (const path of ['/__faults', '/v1/__faults', '/v1/faults', '/faults'])
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      const reply = await fetch(new URL(path, url), {
        method,
        ...(method === 'GET' ? {} : { body: '{}', headers: { 'content-type': 'application/json' } }),
      })
      expect(`${method} ${path} ${reply.status}`).toBe(`${method} ${path} 404`)
    }
  under.child.kill('SIGTERM')
  expect((await under.ended).code).toBe(0)
})
