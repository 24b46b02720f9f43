/** Every kind of fault at the requests of the stage `monitor`: how the run ends, and that its resume leaves each company under monitoring once. */
import { expect, test } from 'vitest'
import type { FaultEffectInput, FaultInput } from '../../../src/testing/index.ts'
import { disturb, monitoredNight } from '../kill/monitor.ts'

const night = monitoredNight()

const status = (code: number, more: object = {}): FaultEffectInput => ({ kind: 'status', status: code, ...more })

/** The fault, and the exit code of the run where the request has an effect, and where it only reads. */
const FAULTS: readonly (readonly [string, FaultEffectInput, number, number])[] = [
  ['F5 reset before the request was carried out', { kind: 'reset', at: 'reply', carriedOut: false }, 0, 0],
  ['F5 reset after it was carried out', { kind: 'reset', at: 'reply', carriedOut: true }, 0, 0],
  ['F7 reset in the middle of the reply', { kind: 'reset', at: 'replyBody', carriedOut: true }, 0, 0],
  ['F10 the token expired', { kind: 'expireToken' }, 0, 0],
  ['F12 403', status(403), 77, 77],
  ['F17 429 with Retry-After', status(429, { headers: { 'retry-after': '2' } }), 0, 0],
  ['F17 503 with Retry-After, carried out', status(503, { headers: { 'retry-after': '2' }, carriedOut: true }), 0, 0],
  ['F20 500, carried out', status(500, { carriedOut: true }), 0, 0],
  ['F20 500, not carried out', status(500), 0, 0],
  ['F22 a page in place of the answer', { kind: 'body', text: '<html>portal</html>', type: 'text/html' }, 0, 0],
  ['F23 JSON cut short', { kind: 'truncate', framing: 'close', keep: 0.5 }, 0, 0],
  ['F25 delivered twice by something in between', { kind: 'duplicate' }, 0, 0],
]

const cells = FAULTS.flatMap(([name, effect, effectful, reading]) =>
  (['createSchedules', 'listSchedules', 'listScheduleAlerts'] as const).map(
    operation => [`${operation}: ${name}`, { operation, effect }, operation === 'createSchedules' ? effectful : reading] as const,
  ),
)

test.each<readonly [string, FaultInput, number]>(cells)('%s', async (_, fault, exit) => {
  const { codes, unmet, violations } = await disturb(night(), fault)
  expect(violations).toEqual([])
  expect([codes, unmet]).toEqual([exit === 0 ? [0] : [exit, 0], []])
})
