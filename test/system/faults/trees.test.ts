/**
 * Every kind of fault at the requests about a decision tree: what the run ends with, what its resume makes of it, and that the tree was run
 * once for each company, by the log of the service.
 */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { FaultEffectInput } from '../../../src/testing/index.ts'
import { DECIDED, disturb, type Lane, openLane } from '../kill/after.ts'
import { makeData } from '../kill/kit.ts'

let data: string
let lane: Lane

beforeAll(async () => {
  data = await makeData()
  lane = await openLane(data, 'trees', DECIDED)
})
afterAll(async () => {
  await lane.close()
  rmSync(data, { recursive: true, force: true })
})

const status = (code: number, more: object = {}): FaultEffectInput => ({ kind: 'status', status: code, ...more })
const page: FaultEffectInput = { kind: 'body', text: '<html>portal</html>', type: 'text/html' }

/** The fault, and the exit code of the run; what does not end with 0 ends so when it is resumed. */
const FAULTS: readonly (readonly [string, FaultEffectInput, number])[] = [
  ['F5 reset before the request was carried out', { kind: 'reset', at: 'reply', carriedOut: false }, 75],
  ['F5 reset after it was carried out', { kind: 'reset', at: 'reply', carriedOut: true }, 0],
  ['F7 reset in the middle of the reply', { kind: 'reset', at: 'replyBody', carriedOut: true }, 0],
  ['F10 the token expired', { kind: 'expireToken' }, 0],
  ['F12 403', status(403), 77],
  ['F17 429 with Retry-After', status(429, { headers: { 'retry-after': '2' } }), 0],
  ['F17 503 with Retry-After, carried out', status(503, { headers: { 'retry-after': '2' }, carriedOut: true }), 0],
  ['F18 429 without it', status(429), 0],
  ['F20 500, carried out', status(500, { carriedOut: true }), 0],
  ['F20 500, not carried out', status(500), 75],
  ['F22 a page in place of the answer', page, 0],
  ['F23 JSON cut short', { kind: 'truncate', framing: 'close', keep: 0.5 }, 0],
  ['F24 another answer in its place', { kind: 'body', text: '[]' }, 0],
  ['F43 a redirect', { kind: 'redirect', to: '{self}/elsewhere' }, 76],
  ['F44 an endless reply', { kind: 'bomb', how: 'endless' }, 76],
  ['F47 surplus and __proto__ keys', { kind: 'rewrite', set: { more: 1 }, raw: '"__proto__":{"a":1},' }, 0],
]

test.each(FAULTS)('%s', async (_, effect, exit) => {
  const { codes, unmet, violations } = await disturb(lane, [{ operation: 'runDecision', nth: 2, effect }])
  expect(violations).toEqual([])
  expect([codes, unmet]).toEqual([exit === 0 ? [0] : [exit, 0], []])
})

const TWICE = [{ operation: 'runDecision', nth: 2, effect: { kind: 'duplicate' } }] as const

test('F25 delivered twice by something in between: the tree is run once, by the key of the request', async () => {
  const withKeys = await openLane(data, 'keys', DECIDED, [])
  onTestFinished(() => withKeys.close())
  expect(await disturb(withKeys, TWICE)).toEqual({ codes: [0], unmet: [], violations: [] })
})

test('F25 at a service without such keys: the tree is run twice there, and the run has one of the answers', async () => {
  const [first, second, third] = lane.account.decided
  const violations = [`decided: ${[first, second, second, third]}`]
  expect(await disturb(lane, TWICE)).toEqual({ codes: [0], unmet: [], violations })
})

test('the log is asked, and is away: the run stops with 75 and sends nothing again before it is there', async () => {
  const { codes, violations } = await disturb(lane, [
    { operation: 'runDecision', nth: 2, effect: { kind: 'reset', at: 'reply', carriedOut: true } },
    { operation: 'listDecisionLogs', times: 'always', effect: status(500) },
  ])
  expect(violations).toEqual([])
  expect(codes).toEqual([75, 0])
})
