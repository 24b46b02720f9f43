/**
 * S24, S25, S27, S31–S33 as rules of the whole service; test/unit/service tests single requests. FETTLE_FUZZ sets the number
 * of random requests (default 300).
 */
import { request } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeThrottle } from '../../../src/service/auth/throttle.ts'
import { LIMITS } from '../../../src/service/limits.ts'
import { loginCheck, startService } from '../../unit/service/kit.ts'
import { MARK } from './canary.ts'

test('S24: the service listens on loopback only', async () => {
  const { port } = new URL((await startService()).url)
  const others = Object.values(networkInterfaces())
    .flatMap(faces => faces ?? [])
    .filter(face => !face.internal && face.family === 'IPv4')
  for (const { address } of others) {
    const reached = await new Promise(resolve => {
      const socket = connect(Number(port), address, () => resolve(true)).on('error', () => resolve(false))
      socket.on('connect', () => socket.destroy())
    })
    expect(reached, address).toBe(false)
  }
})

test('S25: case, form and user name matter; the right password in another Unicode form is accepted', async () => {
  const check = await loginCheck([{ username: 'ann', password: 'pässwörd' }])
  expect(await check({ username: 'ann', password: 'pässwörd' })).toBe(true)
  expect(await check({ username: 'ann', password: 'pässwörd'.normalize('NFD') })).toBe(true)
  for (const [username, password] of [
    ['ann', 'Pässwörd'],
    ['ann', 'pässwör'],
    ['ann', ''],
    ['Ann', 'pässwörd'],
    ['nobody', 'pässwörd'],
    ['__proto__', 'pässwörd'],
  ] as const)
    expect(await check({ username, password }), `${username} ${password}`).toBe(false)
})

/** Node has no other way to collect garbage in a process that was started without --expose-gc. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

test('S27: unlimited names neither fill memory nor unlock guessing of one name', () => {
  const throttle = makeThrottle({ ...LIMITS, clientLogins: Number.MAX_SAFE_INTEGER }, () => 0)
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let n = 0; n < 3 * LIMITS.loginKeys; n++) throttle.rejected({ username: `user-${n}`, password: 'x' }, '127.0.0.1')
  collectGarbage()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(30_000_000)
  const guess = { username: 'ann', password: 'same' }
  for (let n = 0; n < LIMITS.sameLogins; n++) {
    throttle.admit(guess, '127.0.0.1')
    throttle.rejected(guess, '127.0.0.1')
  }
  expect(() => throttle.admit(guess, '127.0.0.1')).toThrowError(expect.objectContaining({ status: 429 }))
})

/** One raw exchange; null when the connection was closed without an answer. */
const ask = (url: URL, method: string, path: string, headers: Record<string, string>, body: Buffer) =>
  new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string } | null>(resolve => {
    const call = request(
      { host: url.hostname, port: url.port, method, path, headers: { ...headers, 'content-length': body.length } },
      reply => {
        let text = ''
        reply.setEncoding('latin1').on('data', piece => {
          text += piece
        })
        reply.on('end', () => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text }))
      },
    )
    call.on('error', () => resolve(null))
    call.end(body)
  })

test('S31, S32, S33: for any request, answers contain no stack, path or query, no origin is allowed, and each log line is one object', async () => {
  const lines: string[] = []
  const service = await startService({ log: line => lines.push(line) })
  const url = new URL(service.url)
  const piece = fc.constantFrom(
    '/v1',
    '/dataCleaning',
    '/jobs',
    '/authenticate',
    '/..',
    '/%2e%2e',
    '/%0a{"level":9}',
    '/%00',
    '/x',
    '?q=',
    MARK,
    '%E2%80%A8',
    ';',
    '//',
  )
  const asked = fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'),
    path: fc.array(piece, { maxLength: 6 }).map(parts => `/${parts.join('')}`),
    type: fc.constantFrom('application/json', 'text/plain', 'multipart/form-data; boundary=x', ''),
    agent: fc.constantFrom('a', '"} {"forged":1}', `\t${MARK}`),
    body: fc.uint8Array({ maxLength: 60 }).map(bytes => Buffer.from(bytes)),
  })
  const runs = Number(process.env.FETTLE_FUZZ ?? 300)
  let answered = 0
  await fc.assert(
    fc.asyncProperty(asked, async ({ method, path, type, agent, body }) => {
      const headers = { 'content-type': type, 'user-agent': agent, origin: 'http://127.0.0.1:1', 'x-correlation-id': agent }
      const reply = await ask(url, method, `${path}?secret=${MARK}`, headers, body)
      if (reply === null) return
      answered++
      expect(reply.status).not.toBe(500)
      expect(reply.text).not.toMatch(/\bat .+:\d+:\d+|node_modules|\/src\/|\.[jt]s\b/)
      expect(reply.text).not.toContain(MARK)
      expect(Object.keys(reply.headers).filter(name => name.startsWith('access-control-'))).toEqual([])
    }),
    { numRuns: runs },
  )
  expect(answered).toBeGreaterThan(runs * 0.9)
  expect(lines.length).toBeGreaterThanOrEqual(answered * 0.9)
  for (const line of lines) {
    expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/)
    expect(JSON.parse(line)).toBeTypeOf('object')
    expect(line).not.toContain(MARK)
    expect(line).not.toContain('forged')
  }
})
