/** `fettle request` against real servers: what is sent, how often, and what is shown of the answer. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fault, LOGIN, page, reset, type ScriptedServer, serveScript } from '../../unit/client/kit.ts'
import { CANARY } from '../security/canary.ts'
import { fettle, folderOf } from './fettle.ts'
import { CREDENTIALS, realService } from './servers.ts'

const request = (server: { readonly url: string }, args: readonly string[], cwd = folderOf(), input?: string) =>
  fettle(['request', ...args], { cwd, env: { ...CREDENTIALS, FETTLE_URL: server.url }, input })

const sentTo = (server: ScriptedServer) => server.seen.filter(({ path }) => !path.endsWith('/authenticate'))

describe('the request', () => {
  test('has path, query, body and login, and its answer is printed as JSON', async () => {
    const server = await serveScript({
      'POST /freshinvestigations': [
        { status: 201, json: { orderID: 7, name: 'Müller\u009b' }, headers: { 'x-correlation-id': 'c1' } },
      ],
    })
    const cwd = folderOf({ 'order.json': '\ufeff{"consent": true}' })
    const args = ['post', '/freshinvestigations', '--query', 'a=1=2', '--query', 'b=x', '--query', 'b=y', '--data', '@order.json']
    const ended = await request(server, args, cwd)
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toBe('{\n  "orderID": 7,\n  "name": "Müller\\u009b"\n}\n')
    const [sent] = sentTo(server)
    expect([sent?.query.toString(), sent?.body.toString()]).toEqual(['a=1%3D2&b=x&b=y', '{"consent":true}'])
    expect(sent?.headers.authorization).toBe('Bearer token-1')
    const line = await request(server, [...args.slice(0, 2), '--data', '@-', '--json'], cwd, '[1]')
    expect(JSON.parse(line.stdout)).toEqual({
      ...{ schema: 'fettle/request/v1', status: 201, correlationId: 'c1' },
      data: { orderID: 7, name: 'Müller\u009b' },
    })
    expect(sentTo(server)[1]?.body.toString()).toBe('[1]')
  })

  test('reaches a real service, by FETTLE_URL and by --service', async () => {
    const { url } = await realService()
    const found = await request({ url }, ['GET', '/companies', '--query', 'countries=GB', '--query', 'name=Mellor'])
    expect([found.code, JSON.parse(found.stdout)]).toEqual([0, expect.objectContaining({ companies: expect.any(Array) })])
    const named = await fettle(['request', 'GET', '/access', '--service', url], { cwd: folderOf(), env: CREDENTIALS })
    expect([named.code, JSON.parse(named.stdout)]).toEqual([0, expect.objectContaining({ countryAccess: expect.anything() })])
    const head = await request({ url }, ['HEAD', '/companies', '--query', 'countries=GB', '--query', 'name=Mellor'])
    expect(head).toEqual({ code: 0, stdout: expect.stringMatching(/^200: application\/json.*\n$/), stderr: '' })
    expect((await request({ url }, ['HEAD', '/companys'])).stderr).toContain('FETTLE_NOT_FOUND')
    const wrong = await request({ url }, ['GET', '/companys'])
    expect([wrong.code, wrong.stdout]).toEqual([76, ''])
    expect(wrong.stderr).toContain('FETTLE_NOT_FOUND')
    expect((await request({ url }, ['GET', '/images/4711'])).stderr).toContain(
      'Ask the service for the right to: GET /images/4711',
    )
  })

  test('an empty answer prints nothing', async () => {
    const server = await serveScript({ 'DELETE /freshinvestigations/1': [{ status: 204, text: '' }] })
    expect(await request(server, ['DELETE', '/freshinvestigations/1'])).toEqual({
      ...{ code: 0, stdout: '', stderr: '204: an empty answer\n' },
    })
  })
})

describe('a failure', () => {
  test.each([
    ['GET', '/images/4711', 1],
    ['GET', '/IMAGES/4711', 1],
    ['GET', '/companies/GB-1', 1],
    ['GET', '/%63ompanies/GB-1', 1],
    ['POST', '/compliance/kyc-protect/searches/businesses', 1],
    ['POST', '/freshinvestigations', 1],
    ['POST', '/not/described', 1],
    ['DELETE', '/not/described', 1],
    ['GET', '/not/described', 2],
    ['GET', '/dataCleaning/jobs', 2],
    ['HEAD', '/dataCleaning/jobs', 2],
    ['HEAD', '/companies/GB-1', 1],
    ['HEAD', '/images/4711', 1],
    ['PUT', '/dataCleaning/jobs/7/mappings', 2],
  ] as const)('with 503, or without an answer, of %s %s: sent %i times', async (method, path, times) => {
    for (const [failure, code] of [
      [fault(503, { 'retry-after': '0' }), 69],
      [reset, 69],
    ] as const) {
      const server = await serveScript({ [`${method} ${path}`]: [failure, { json: { done: true } }] })
      const ended = await request(server, [method, path])
      expect(sentTo(server), `${code}`).toHaveLength(times)
      if (times === 2 && method === 'HEAD') expect(ended.stdout).toMatch(/^200: application\/json/)
      else if (times === 2) expect(JSON.parse(ended.stdout)).toEqual({ done: true })
      else
        expect([ended.code !== 0, ended.stdout, ended.stderr]).toEqual([true, '', expect.stringContaining('FETTLE_UNANSWERED')])
    }
  })

  test('shows neither password nor token, in messages, answers and result lines', async () => {
    const { password } = CANARY
    const echo = { password, header: 'Bearer token-1', nested: [{ url: `https://h/?p=${encodeURIComponent(password)}` }] }
    const server = await serveScript({
      [LOGIN]: [{ json: { token: 'token-1' } }],
      'GET /not/echo': [{ json: echo }],
      'GET /not/refused': [{ status: 400, json: { message: `no ${password} token-1` } }],
      'GET /not/text': [{ text: `${password} token-1` }],
    })
    for (const path of ['/not/echo', '/not/refused', '/not/text'])
      for (const flags of [[], ['--json']]) {
        const { stdout, stderr } = await request(server, ['GET', path, ...flags])
        expect(stdout + stderr).toContain('***')
        expect(stdout + stderr).not.toMatch(/token-1|ZqCanary/)
      }
  })

  test('an answer that is not JSON is an error, and --output writes it to a new file', async () => {
    const server = await serveScript({ 'GET /images/1': [page] })
    const cwd = folderOf({ 'old.pdf': 'kept' })
    const refused = await request(server, ['GET', '/images/1'], cwd)
    expect([refused.code, refused.stdout]).toEqual([76, ''])
    expect(refused.stderr).toMatch(/answered 200 with text\/html, not JSON: "<!doctype html>[\s\S]*--output FILE/)
    const old = await request(server, ['GET', '/images/1', '-o', 'old.pdf'], cwd)
    expect([old.code, readFileSync(join(cwd, 'old.pdf'), 'utf8')]).toEqual([2, 'kept'])
    expect((await request(server, ['GET', '/images/1', '-o', 'old.pdf/a.pdf'], cwd)).code).not.toBe(0)
    expect(sentTo(server)).toHaveLength(1)
    expect(await request(server, ['GET', '/images/1', '-o', 'new.pdf'], cwd)).toMatchObject({
      ...{ code: 0, stdout: '200: 36 bytes written to new.pdf\n', stderr: '' },
    })
    expect(readFileSync(join(cwd, 'new.pdf'), 'utf8')).toContain('Portal')
  })

  test.each<[string, readonly string[], string]>([
    ['a method that is not supported', ['TRACE', '/companies'], 'the method TRACE is not supported'],
    ['a HEAD with --output', ['HEAD', '/companies', '-o', 'a.pdf'], 'no body to write'],
    ['a path without /', ['GET', 'companies'], 'must start with /'],
    ['a query in the path', ['GET', '/companies?name=x'], '--query name=value'],
    ['a name in braces', ['GET', '/images/{imageId}'], 'name in braces'],
    ['a path that climbs out', ['GET', '/a/../b'], 'a part of the path is . or ..'],
    ['the login', ['POST', '/authenticate'], 'the client logs in by itself'],
    ['a query without =', ['GET', '/companies', '--query', 'name'], 'expected name=value'],
    ['a body of a GET', ['GET', '/companies', '--data', '{}'], 'a GET has no --data'],
    ['data that are not JSON', ['POST', '/a', '--data', '{"a":'], '--data is not JSON, see line 1, column 6'],
    ['a file that is not JSON', ['POST', '/a', '--data', '@bad.json'], 'bad.json is not JSON, see line 2, column 8'],
    ['a file that is not there', ['POST', '/a', '--data', '@no.json'], 'no.json cannot be read: ENOENT'],
    ['an embedded service', ['GET', '/access', '--service', 'embedded'], 'an embedded service ends with its command'],
  ])('%s is refused before anything is sent', async (_, args, message) => {
    const server = await serveScript({})
    const cwd = folderOf({ 'bad.json': '{\n  "a": x}' })
    const { code, stdout, stderr } = await request(server, args, cwd)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
    expect(server.seen).toEqual([])
    expect(existsSync(join(cwd, 'fettle-runs'))).toBe(false)
  })
})
