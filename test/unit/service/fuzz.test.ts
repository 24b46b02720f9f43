/**
 * Requests at random: whatever is sent, the answer is no 5xx, tells nothing of our insides, and its correlationId stands in
 * header, body and log (faults S31, S33). FETTLE_FUZZ names another number of requests; 5,000 is the full size.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DATA_CLEANING } from '../../../src/contract/index.ts'
import { start } from '../../../src/service/server.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { engine } from './engine.ts'
import { logIn } from './kit.ts'
import { sendRaw } from './raw.ts'

const RUNS = Number(process.env.FETTLE_FUZZ ?? 400)

const paths = Object.values(DATA_CLEANING).map(({ path }) => `/v1${path}`)
const wild = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: anyCharacter, maxLength: 30 }),
  fc.constantFrom('\n{"forged":1}', '%0a', '../../etc/passwd', '{{7*7}}', '\u001b[2J'),
)
/** Lone surrogates cannot be written as bytes. */
const wellFormed = (text: string): string => Buffer.from(text).toString()
const token = fc.constantFrom('', 'good', 'bad')
const type = fc.constantFrom('', 'application/json', 'multipart/form-data; boundary=b', 'text/plain')
const request = fc.record({
  method: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'HEAD') },
    { weight: 1, arbitrary: fc.constantFrom('DELETE', 'OPTIONS', 'PATCH', 'get', 'G\u0000T', 'TRACE') },
  ),
  path: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...paths) },
    { weight: 1, arbitrary: wild.map(text => `/${encodeURI(wellFormed(text))}`) },
    { weight: 1, arbitrary: wild.map(text => `/${text}`) },
  ),
  id: fc.oneof(
    fc.constant('good'),
    wild.map(text => encodeURIComponent(wellFormed(text))),
    fc.uuid(),
  ),
  query: fc.oneof(
    fc.constant(''),
    fc
      .tuple(fc.constantFrom('page', 'pageSize', 'status', 'jobName', 'fileType', 'fromDate', 'x'), wild)
      .map(([name, value]) => `?${name}=${encodeURIComponent(wellFormed(value))}`),
  ),
  token,
  type,
  headers: fc.array(
    fc.tuple(
      fc.constantFrom(
        'Idempotency-Key',
        'X-Correlation-Id',
        'Accept',
        'Range',
        'Cookie',
        'If-Match',
        'X-Forwarded-For',
        'Expect',
        'Upgrade',
        'Content-Encoding',
        'Transfer-Encoding',
      ),
      wild,
    ),
    { maxLength: 3 },
  ),
  body: fc.oneof(
    fc.constant(''),
    fc.json(),
    fc.json().map(json => json.slice(0, -1)),
    wild,
    fc.constantFrom('--b\r\n', '--b--\r\n', '{"name":"a"}', '{"mappings":[]}', '{"enrichments":[]}'),
  ),
})

test(`${RUNS} requests at random`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fettle-fuzz-'))
  const lines: string[] = []
  const service = await start(
    {
      dataDir: folder,
      users: [],
      limits: { idleMs: 2_000, clientLogins: 1e9, badLogins: 1e9, sameLogins: 1e9 },
      log: line => lines.push(line),
    },
    engine,
    [],
  )
  const answered = new Map<number, number>()
  try {
    const caller = await logIn(service)
    const id = await caller.create()
    const run = async (one: typeof request extends fc.Arbitrary<infer T> ? T : never): Promise<void> => {
      const head = [
        `${one.method} ${one.path.replace('{id}', one.id === 'good' ? id : one.id)}${one.query} HTTP/1.1`,
        'Host: localhost',
        'Connection: close',
      ]
      if (one.token !== '') head.push(`Authorization: Bearer ${one.token === 'good' ? caller.token : 'x'}`)
      if (one.type !== '') head.push(`Content-Type: ${one.type}`)
      for (const [name, value] of one.headers) head.push(`${name}: ${value}`)
      if (one.body !== '') head.push(`Content-Length: ${Buffer.byteLength(one.body)}`)
      // Our side is closed at once, so that a request that claims more than it sends is over.
      const answer = await sendRaw(service.url, `${head.join('\r\n')}\r\n\r\n${one.body}`, true).catch(() => '')
      const status = Number(/^HTTP\/1\.1 (?!100)(\d{3})/m.exec(answer)?.[1] ?? 0)
      answered.set(status, (answered.get(status) ?? 0) + 1)
      expect(status).toBeLessThan(500)
      if (status < 400) return
      const [headers = '', rest = ''] = answer.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '').split('\r\n\r\n')
      // A request that is refused and then turns out not to end well is answered twice, and closed.
      const body = rest.slice(0, Number(/^content-length: (\d+)/im.exec(headers)?.[1] ?? 0))
      expect(body).not.toMatch(/\.ts\b|node_modules|\/src\/|\bat .+:\d+|fettle-fuzz/)
      const correlation = /^x-correlation-id: ([0-9a-f-]{36})\r?$/im.exec(headers)?.[1]
      expect(correlation, answer).toBeDefined()
      if (body.startsWith('{"correlationId"')) expect(JSON.parse(body).correlationId).toBe(correlation)
      if (correlation !== undefined) expect(lines.some(line => line.includes(correlation))).toBe(true)
    }
    await fc.assert(fc.asyncProperty(request, run), { numRuns: RUNS })
    for (const line of lines) {
      expect(line).not.toMatch(/[\n\r\u001b]/)
      expect(JSON.parse(line)).toHaveProperty('time')
      expect(JSON.parse(line)).not.toHaveProperty('forged')
    }
    expect(lines.join()).not.toMatch(/passwd|forged|7\*7/)
    // And it is still well.
    expect((await caller.call('GET', `/dataCleaning/jobs/${id}`)).status).toBe(200)
  } finally {
    await service.close()
    await rm(folder, { recursive: true, force: true })
  }
  const counts = [...answered]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${count} × ${status === 0 ? 'closed' : status}`)
  console.log(`${RUNS} requests at random: ${counts.join(', ')}`)
}, 600_000)
