/** Time, connections and disk: what the service does when one of them runs out. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { refusalOf } from '../../src/service/answer-error.ts'
import { makePaces, Stopped } from '../../src/service/jobs/pace.ts'
import { HandClock, logIn, send, startService } from './kit.ts'
import { sendRaw } from './raw.ts'

const open = async (url: string): Promise<Socket> => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

test('headers that do not end are answered 408', async () => {
  const service = await startService({ limits: { headersMs: 50, checkMs: 10 } })
  expect(await sendRaw(service.url, 'GET /health HTTP/1.1\r\nHost: loc')).toMatch(/^HTTP\/1\.1 408 [\s\S]*"correlationId"/)
})

test('a JSON body that does not end is cut off, an upload has more time', async () => {
  const clock = new HandClock()
  const service = await startService({ clock })
  const caller = await logIn(service)
  const head = `POST /v1/dataCleaning/jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${caller.token}\r\n`
  const slow = await open(service.url)
  slow.write(`${head}Content-Type: application/json\r\nContent-Length: 20\r\n\r\n{"name":`)
  const id = await caller.create()
  const upload = await open(service.url)
  const type = 'Content-Type: multipart/form-data; boundary=b'
  upload.write(`${head.replace('jobs', `jobs/${id}/upload`)}${type}\r\nContent-Length: 900\r\n\r\n--b\r\n`)
  await caller.reach(id, 'uploading')
  clock.move(10_000)
  slow.resume()
  await once(slow, 'close')
  expect((await caller.call('GET', `/dataCleaning/jobs/${id}`)).body.status).toBe('uploading')
})

test('connections beyond the limit are closed at once, the others are served', async () => {
  const service = await startService({ limits: { connections: 2 } })
  const first = await open(service.url)
  await open(service.url)
  const third = await open(service.url)
  third.resume()
  await once(third, 'close')
  first.write('GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  const [answer] = await once(first, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /)
})

test('a full disk is 507, what nobody expected is 500 and says nothing', async () => {
  expect(refusalOf(Object.assign(new Error('write'), { code: 'ENOSPC' }))?.status).toBe(507)
  expect(refusalOf(new Error('database or disk is full'))?.headers['Retry-After']).toBe('60')
  expect(refusalOf(new Error('x'))).toBeNull()
  expect(refusalOf(undefined)).toBeNull()
})

test('loops side by side come back one per turn of the event loop', async () => {
  const clock = { now: () => 0, elapsed: () => Number.MAX_SAFE_INTEGER, sleep: async () => {} }
  const stop = new AbortController()
  const newPace = makePaces({ clock, sliceMs: 0, pauseMs: 0, signal: stop.signal })
  let rows = 0
  const loops = Array.from({ length: 5 }, async () => {
    const pace = newPace()
    for (;;) {
      await pace()
      rows += 1
    }
  })
  for (let turn = 0; turn < 50; turn++) {
    const before = rows
    await setImmediate()
    expect(rows - before).toBeLessThanOrEqual(1)
  }
  expect(rows).toBeGreaterThan(40)
  stop.abort()
  for (const end of await Promise.allSettled(loops)) expect(end).toMatchObject({ reason: expect.any(Stopped) })
})

test('requests are answered quickly while eight jobs are matched', async () => {
  const caller = await logIn(await startService())
  const csv = `name\n${'Acme Ltd\n'.repeat(3_000)}`
  const ids = await Promise.all(Array.from({ length: 8 }, () => caller.submitted(csv)))
  let answered = 0
  while ((await caller.call('GET', `/dataCleaning/jobs/${ids[7]}`)).body.status === 'matching') answered += 1
  expect(answered).toBeGreaterThan(3)
  for (const id of ids) expect((await caller.reach(id, 'jobMatchingComplete')).body.jobSummary.totalRows).toBe(3_000)
  expect((await send(`${(await startService()).url}/../health`)).status).toBe(200)
})
