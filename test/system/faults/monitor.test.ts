/** Every kind of fault at the requests for directors and of the stage `monitor`: how the run ends, and that its resume leaves each company under monitoring once. */
import { expect, test } from 'vitest'
import type { FaultEffectInput, FaultInput } from '../../../src/testing/index.ts'
import { disturb, monitoredNight } from '../kill/monitor.ts'

const night = monitoredNight()

const status = (code: number, more: object = {}): FaultEffectInput => ({ kind: 'status', status: code, ...more })

/** The fault, and the exit code of the run where the request has an effect, where it only reads, and of a paid one, which is not sent again on a guess. */
const FAULTS: readonly (readonly [string, FaultEffectInput, number, number, number])[] = [
  ['F5 reset before the request was carried out', { kind: 'reset', at: 'reply', carriedOut: false }, 0, 0, 75],
  ['F5 reset after it was carried out', { kind: 'reset', at: 'reply', carriedOut: true }, 0, 0, 0],
  ['F7 reset in the middle of the reply', { kind: 'reset', at: 'replyBody', carriedOut: true }, 0, 0, 0],
  ['F10 the token expired', { kind: 'expireToken' }, 0, 0, 0],
  ['F12 403', status(403), 77, 77, 77],
  ['F17 429 with Retry-After', status(429, { headers: { 'retry-after': '2' } }), 0, 0, 0],
  ['F17 503 with Retry-After, carried out', status(503, { headers: { 'retry-after': '2' }, carriedOut: true }), 0, 0, 0],
  ['F20 500, carried out', status(500, { carriedOut: true }), 0, 0, 0],
  ['F20 500, not carried out', status(500), 0, 0, 75],
  ['F22 a page in place of the answer', { kind: 'body', text: '<html>portal</html>', type: 'text/html' }, 0, 0, 0],
  ['F23 JSON cut short', { kind: 'truncate', framing: 'close', keep: 0.5 }, 0, 0, 0],
  ['F25 delivered twice by something in between', { kind: 'duplicate' }, 0, 0, 0],
]

/** Of the service: it takes a search that is delivered twice for two. */
const SEARCHED_TWICE = 5

type Cell = readonly [string, readonly FaultInput[], number, number | undefined]

/** A search for a director whose answer is lost is looked for. */
const LOST: FaultInput = { operation: 'createIndividualSearch', effect: { kind: 'reset', at: 'reply', carriedOut: true } }

const cells = FAULTS.flatMap(([name, effect, effectful, reading, paid]): Cell[] => {
  const cell = (operation: FaultInput['operation'], exit: number, searches?: number): Cell => [
    `${operation}: ${name}`,
    [...(operation === 'listIndividualSearches' ? [LOST] : []), { operation, effect }],
    ...([exit, searches] as const),
  ]
  return [
    cell('createIndividualSearch', paid, effect.kind === 'duplicate' ? SEARCHED_TWICE : undefined),
    cell('listIndividualSearches', reading),
    cell('listIndividualHits', reading),
    cell('createSchedules', effectful),
    cell('listSchedules', reading),
    cell('listScheduleAlerts', reading),
  ]
})

test.each<Cell>(cells)('%s', async (_, faults, exit, searches) => {
  const { codes, unmet, violations } = await disturb(night(), faults, searches)
  expect(violations).toEqual([])
  expect([codes, unmet]).toEqual([exit === 0 ? [0] : [exit, 0], []])
})
