/** Jobs, requests and a full disk side by side: none takes the others' turn. */
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { makePaces, Stopped } from '../../../src/service/data-cleaning/processing/job-pace.ts'
import { refusalOf } from '../../../src/service/http/errors.ts'
import { logIn, send, startService } from './kit.ts'

test('a full disk is 507, an unexpected error is 500 without details', async () => {
  expect(refusalOf(Object.assign(new Error('write'), { code: 'ENOSPC' }))?.status).toBe(507)
  expect(refusalOf(new Error('database or disk is full'))?.headers['Retry-After']).toBe('60')
  expect(refusalOf(new Error('x'))).toBeNull()
  expect(refusalOf(undefined)).toBeNull()
})

test('loops side by side come back one by one, turns of the event loop apart', async () => {
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
  let most = 0
  for (let turn = 0; turn < 400; turn++) {
    const before = rows
    await setImmediate()
    most = Math.max(most, rows - before)
  }
  // Never two in one turn, and a dozen turns between two.
  expect(most).toBe(1)
  expect(rows).toBeGreaterThan(15)
  expect(rows).toBeLessThan(34)
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
