import { describe, expect, test } from 'vitest'
import { readLifetime, renewalAge } from '../../../src/client/auth/session.ts'
import { type Answer, clientOf, errorOf, fault, JOBS, job, LOGIN, reset, serveScript, silence, uploadOf } from './kit.ts'

const MINUTE = 60_000
const READ = `GET ${JOBS}/7`
const readable: Record<string, Answer[]> = { [READ]: [{ json: job('7') }] }

/** Refuses every token but this one. */
const only =
  (token: string): Answer =>
  (request, response) => {
    const good = request.headers.authorization === `Bearer ${token}`
    response.writeHead(good ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify(good ? job('7') : { error: 'Invalid token.' }))
  }

const jwt = (claims: object) => `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`

describe('login discipline', () => {
  test('nothing is sent before the first request, and ten callers share one login', async () => {
    const server = await serveScript(readable)
    const client = clientOf(server)
    expect(server.seen).toHaveLength(0)
    await Promise.all(Array.from({ length: 10 }, () => client.readJob('7')))
    expect(server.of(LOGIN)).toHaveLength(1)
    expect(JSON.parse(String(server.of(LOGIN)[0]?.body))).toEqual({ username: 'user', password: 'canary-password' })
    expect(server.of(READ).map(one => one.headers.authorization)).toEqual(Array(10).fill('Bearer token-1'))
  })

  test('a wrong password costs exactly one request, with ten callers at once and one later', async () => {
    const server = await serveScript({ ...readable, [LOGIN]: [{ status: 401, json: { message: 'Access denied' } }] })
    const client = clientOf(server)
    const errors = await Promise.all(Array.from({ length: 10 }, () => errorOf(client.readJob('7'))))
    errors.push(await errorOf(client.readJob('7')))
    for (const error of errors) expect(error).toMatchObject({ code: 'FETTLE_LOGIN', exitCode: 77, status: 401 })
    expect(errors[0]?.message).toContain('Access denied')
    expect(server.seen).toHaveLength(1)
  })

  test.each([
    [403, 'FETTLE_FORBIDDEN', 77],
    [400, 'FETTLE_REJECTED', 76],
    [404, 'FETTLE_NOT_FOUND', 76],
  ])('a login answered %i ends with %s', async (status, code, exitCode) => {
    const server = await serveScript({ [LOGIN]: [fault(status)] })
    expect(await errorOf(clientOf(server).authenticate())).toMatchObject({ code, exitCode, status })
    expect(server.seen).toHaveLength(1)
  })

  test('the refusal of a token with a space names the cause', async () => {
    const server = await serveScript({ [LOGIN]: [{ json: { token: 'two words' } }] })
    const error = await errorOf(clientOf(server).authenticate())
    expect(error).toMatchObject({ code: 'FETTLE_CONTRACT', exitCode: 76 })
    expect(error.message).toContain('at token: must have no spaces')
    expect(error.message).not.toContain('two words')
  })

  test('a login is repeated after a reset and a 503, once after silence', async () => {
    const server = await serveScript({ [LOGIN]: [reset, fault(503), { json: { token: 'late' } }] })
    await clientOf(server).authenticate()
    expect(server.of(LOGIN)).toHaveLength(3)
    const silent = await serveScript({ [LOGIN]: [silence] })
    const error = await errorOf(clientOf(silent, { limits: { headersMs: 60, bodyMs: 60 } }).authenticate())
    expect(error).toMatchObject({ code: 'FETTLE_TIMEOUT', exitCode: 75 })
    expect(silent.of(LOGIN)).toHaveLength(2)
  })

  test('renews the token once for all callers after a 401, and repeats each request once', async () => {
    const server = await serveScript({ [READ]: [only('token-2')] })
    const client = clientOf(server)
    const jobs = await Promise.all(Array.from({ length: 8 }, () => client.readJob('7')))
    expect(jobs).toHaveLength(8)
    expect(server.of(LOGIN)).toHaveLength(2)
    expect(server.of(READ)).toHaveLength(16)
  })

  test('a service that is away after a 401 may refuse the newer token too: it is renewed again', async () => {
    const server = await serveScript({ [READ]: [only('none'), fault(502), only('none'), only('token-3')] })
    await clientOf(server).readJob('7')
    expect([server.of(READ).length, server.of(LOGIN).length]).toEqual([4, 3])
  })

  test('401 with the new token as well is final', async () => {
    const server = await serveScript({ [READ]: [only('never')] })
    const error = await errorOf(clientOf(server).readJob('7'))
    expect(error).toMatchObject({ code: 'FETTLE_LOGIN', exitCode: 77, status: 401 })
    expect(server.of(READ)).toHaveLength(2)
    expect(server.of(LOGIN)).toHaveLength(2)
  })

  test('a token is renewed at 55 minutes, also when only the wall clock moved (a machine that slept)', async () => {
    const server = await serveScript(readable)
    const client = clientOf(server)
    await client.readJob('7')
    client.clock.advance(54 * MINUTE)
    await client.readJob('7')
    expect(server.of(LOGIN)).toHaveLength(1)
    client.clock.advance(MINUTE)
    await client.readJob('7')
    expect(server.of(LOGIN)).toHaveLength(2)
  })

  test('a readable exp brings the renewal forward', async () => {
    const server = await serveScript({ ...readable, [LOGIN]: [{ json: { token: jwt({ iat: 1000, exp: 1000 + 1200 }) } }] })
    const client = clientOf(server)
    await client.readJob('7')
    client.clock.advance(14 * MINUTE)
    await client.readJob('7')
    expect(server.of(LOGIN)).toHaveLength(1)
    client.clock.advance(MINUTE)
    await client.readJob('7')
    expect(server.of(LOGIN)).toHaveLength(2)
  })

  test('an upload begins with five minutes of life left in the token', async () => {
    const script = { ...readable, [`POST ${JOBS}/7/upload`]: [{ json: { id: 'f' } }] }
    const server = await serveScript({ ...script, [LOGIN]: [{ json: { token: jwt({ iat: 0, exp: 480 }) } }] })
    const client = clientOf(server)
    await client.readJob('7')
    client.clock.advance(3.5 * MINUTE)
    await client.readJob('7')
    expect(server.of(LOGIN)).toHaveLength(1)
    await client.upload('7', uploadOf(Buffer.from('a\n')).file, { key: 'k', look: async () => undefined })
    expect(server.of(LOGIN)).toHaveLength(2)
  })

  test.each([
    ['who began it', 0, 2],
    ['who joined it', 1, 1],
  ])('a caller that gives up (%s) does not end the login for the others', async (_, who, logins) => {
    let answer = () => {}
    const held: Answer = (_request, response) => {
      answer = () => void response.setHeader('content-type', 'application/json').end('{"token":"t"}')
    }
    const server = await serveScript({ ...readable, [LOGIN]: [held] })
    const client = clientOf(server)
    const stop = new AbortController()
    const signals = [{}, {}].map((options, n) => (n === who ? { signal: stop.signal } : options))
    const reads = signals.map(options => client.readJob('7', options))
    const impatient = errorOf(reads[who]!)
    while (server.seen.length === 0) await new Promise(resolve => setImmediate(resolve))
    stop.abort(new Error('enough'))
    expect((await impatient).message).toBe('enough')
    while (server.seen.length < logins) await new Promise(resolve => setImmediate(resolve))
    answer()
    expect((await reads[1 - who]!).id).toBe('7')
    expect(server.of(LOGIN)).toHaveLength(logins)
  })

  test('the password may come from a function, and must not be empty', async () => {
    const server = await serveScript(readable)
    await clientOf(server, { password: () => 'from the vault' }).readJob('7')
    expect(String(server.of(LOGIN)[0]?.body)).toContain('from the vault')
    expect(await errorOf(clientOf(server, { password: '' }).readJob('7'))).toMatchObject({
      code: 'FETTLE_CREDENTIALS',
      exitCode: 2,
    })
  })
})

describe('the life of a token', () => {
  test.each([
    ['opaque', 'garbage', 60],
    ['three parts of nonsense', 'a.b.c', 60],
    ['no exp', jwt({ iat: 0 }), 60],
    ['exp as text', jwt({ iat: 0, exp: '900' }), 60],
    ['already over by its own account', jwt({ iat: 900, exp: 0 }), 60],
    ['null claims', `h.${Buffer.from('null').toString('base64url')}.s`, 60],
    ['iat and exp', jwt({ iat: 1e9, exp: 1e9 + 900 }), 15],
    ['nbf and exp', jwt({ nbf: 1e9, exp: 1e9 + 1800 }), 30],
    ['exp alone, by our clock', jwt({ exp: 600 }), 10],
  ])('%s', (_, token, minutes) => {
    expect(readLifetime(token, 0)).toBe(minutes * MINUTE)
  })

  test('the renewal age is 55 min at most, 5 min before the end, and never zero', () => {
    expect([180, 60, 30, 8, 1].map(minutes => renewalAge(minutes * MINUTE) / MINUTE)).toEqual([55, 55, 25, 4, 0.5])
  })
})
