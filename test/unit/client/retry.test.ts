import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { NetworkErrorKind } from '../../../src/client/retry/network-error.ts'
import { readNetworkError } from '../../../src/client/retry/network-error.ts'
import { backoffMs, decide, type Miss, type Policy, throttleMs } from '../../../src/client/retry/policy.ts'
import { createRetryBudget } from '../../../src/client/retry/retry-budget.ts'

const free: Policy = { method: 'GET', repeat: 'free', login: false }
const put: Policy = { method: 'PUT', repeat: 'free', login: false }
const look: Policy = { method: 'POST', repeat: 'look', login: false }
const login: Policy = { method: 'POST', repeat: 'free', login: true }

const status = (code: number, retryAfterMs: number | null = null): Miss => ({
  type: 'status',
  status: code,
  retryAfterMs,
  fault: { text: null, correlationId: null },
})
const loss = (kind: NetworkErrorKind, sent = true): Miss => ({ type: 'loss', loss: { kind, sent, text: '' } })
const off = (how: 'cut' | 'empty' | 'notJson' | 'shape'): Miss => ({
  type: 'offContract',
  how,
  status: 200,
  text: '',
  correlationId: null,
})

describe('what an outcome calls for', () => {
  test.each([408, 500, 502, 503, 504, 520, 522, 524, 599])('%i is repeated, and may have run', code => {
    for (const policy of [free, put, look, login])
      expect(decide(policy, status(code))).toMatchObject({ act: 'repeat', mayHaveRun: true })
  })

  test.each([402, 404, 405, 406, 410, 411, 413, 414, 415, 418, 426, 428, 431, 451, 501, 505, 507, 511])(
    '%i is never repeated',
    code => {
      for (const policy of [free, put, look, login]) expect(decide(policy, status(code)).act).toBe('stop')
    },
  )

  test.each([
    [free, 400, 'stop', 'FETTLE_REJECTED'],
    [look, 400, 'ask', 'FETTLE_REJECTED'],
    [look, 409, 'ask', 'FETTLE_REJECTED'],
    [look, 422, 'ask', 'FETTLE_REJECTED'],
    [put, 409, 'stop', 'FETTLE_REJECTED'],
    [free, 409, 'repeat', 'FETTLE_REJECTED'],
    [free, 401, 'renew', 'FETTLE_LOGIN'],
    [login, 401, 'stop', 'FETTLE_LOGIN'],
    [login, 403, 'stop', 'FETTLE_FORBIDDEN'],
    [look, 407, 'stop', 'FETTLE_FORBIDDEN'],
    [free, 302, 'stop', 'FETTLE_REDIRECT'],
    [free, 304, 'stop', 'FETTLE_REDIRECT'],
    [free, 429, 'wait', 'FETTLE_THROTTLED'],
    [free, 507, 'stop', 'FETTLE_UNAVAILABLE'],
  ] as const)('%o, %i: %s %s', (policy, code, act, error) => {
    expect(decide(policy, status(code))).toMatchObject({ act, code: error })
  })

  test('a 429 certainly did nothing, a 503 with a pause perhaps did', () => {
    expect(decide(look, status(429, 1000))).toMatchObject({ act: 'wait', ms: 1000, mayHaveRun: false })
    expect(decide(look, status(503, 1000))).toMatchObject({ act: 'wait', ms: 1000, mayHaveRun: true })
  })

  test.each([
    ['noName', { act: 'repeat', most: 1, cost: 5 }],
    ['unreachable', { act: 'repeat', cost: 5 }],
    ['connectTimeout', { act: 'repeat', cost: 10 }],
    ['timeout', { act: 'repeat', cost: 10 }],
    ['reset', { act: 'repeat', cost: 5 }],
    ['tls', { act: 'stop', code: 'FETTLE_TLS' }],
    ['noProxy', { act: 'repeat', code: 'FETTLE_NETWORK', mayHaveRun: false, cost: 5 }],
    ['proxy', { act: 'stop', code: 'FETTLE_FORBIDDEN' }],
    ['tooLarge', { act: 'stop', code: 'FETTLE_CONTRACT' }],
  ] as const)('loss %s', (kind, expected) => {
    expect(decide(look, loss(kind, kind !== 'noProxy'))).toMatchObject(expected)
  })

  test('a login that timed out is tried once more only', () => {
    expect(decide(login, loss('timeout'))).toMatchObject({ most: 1 })
    expect(decide(free, loss('timeout'))).toMatchObject({ most: Number.POSITIVE_INFINITY })
  })

  test('an off-contract 2xx: an effect is asked after, a read is tried twice more or given up', () => {
    for (const how of ['cut', 'empty', 'notJson', 'shape'] as const)
      expect(decide(look, off(how))).toMatchObject({ mayHaveRun: true })
    expect(decide(free, off('cut'))).toMatchObject({ act: 'repeat', code: 'FETTLE_NETWORK' })
    for (const how of ['empty', 'notJson'] as const)
      expect(decide(free, off(how))).toMatchObject({ act: 'repeat', most: 2, code: 'FETTLE_CONTRACT' })
    expect(decide(free, off('shape'))).toMatchObject({ act: 'stop', code: 'FETTLE_CONTRACT' })
  })

  test('ends the request with the code that is set for a status', () => {
    expect(decide({ ...look, codes: { 400: 'FETTLE_NOT_FOUND' } }, status(400))).toMatchObject({
      act: 'stop',
      code: 'FETTLE_NOT_FOUND',
    })
  })
})

describe('waits', () => {
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

  test('back-off is between 0 and min(30 s, 0.5 s × 2ⁿ)', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2000 }), chance, (failures, random) => {
        const wait = backoffMs(failures, random)
        expect(wait).toBeGreaterThanOrEqual(0)
        expect(wait).toBeLessThan(Math.min(30_000, 500 * 2 ** failures))
      }),
    )
  })

  test('an untold pause doubles from 5 s to 60 s and is never shorter than that', () => {
    expect([1, 2, 3, 4, 5, 6].map(count => throttleMs(count, 0))).toEqual([5000, 10_000, 20_000, 40_000, 60_000, 60_000])
    fc.assert(fc.property(fc.integer({ min: 1, max: 50 }), chance, (count, random) => throttleMs(count, random) <= 72_000))
  })
})

test('the retry budget allows twenty retries', () => {
  const quota = createRetryBudget()
  expect(Array.from({ length: 30 }, () => quota.take(5)).filter(Boolean)).toHaveLength(20)
  quota.refund()
  expect(quota.take(5)).toBe(false)
  for (let n = 0; n < 500; n++) quota.refund()
  expect(Array.from({ length: 30 }, () => quota.take(10)).filter(Boolean)).toHaveLength(10)
})

describe('describes an error of the connection', () => {
  const error = (code: string, syscall?: string) => Object.assign(new Error(code), { code, syscall })
  test.each([
    [error('ECONNREFUSED', 'connect'), 'unreachable', false],
    [error('EHOSTUNREACH', 'connect'), 'unreachable', false],
    [error('ETIMEDOUT', 'connect'), 'connectTimeout', false],
    [error('UND_ERR_CONNECT_TIMEOUT'), 'connectTimeout', false],
    [Object.assign(new AggregateError([error('ECONNREFUSED', 'connect')]), { code: 'ECONNREFUSED' }), 'unreachable', false],
    [error('ENOTFOUND', 'getaddrinfo'), 'noName', false],
    [error('EAI_AGAIN', 'getaddrinfo'), 'unreachable', false],
    [error('CERT_HAS_EXPIRED'), 'tls', false],
    [error('ERR_TLS_CERT_ALTNAME_INVALID'), 'tls', false],
    [error('DEPTH_ZERO_SELF_SIGNED_CERT'), 'tls', false],
    [error('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'tls', false],
    [error('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'), 'tls', false],
    [error('EPROTO', 'write'), 'tls', false],
    [new Error('Proxy response (407) !== 200 when HTTP Tunneling'), 'proxy', false],
    [error('ECONNRESET', 'read'), 'reset', true],
    [error('EPIPE', 'write'), 'reset', true],
    [error('UND_ERR_SOCKET'), 'reset', true],
    [error('HPE_INVALID_CONSTANT'), 'reset', true],
    [error('UND_ERR_HEADERS_TIMEOUT'), 'timeout', true],
    [error('UND_ERR_BODY_TIMEOUT'), 'timeout', true],
    [new DOMException('late', 'TimeoutError'), 'timeout', true],
    [error('UND_ERR_RES_EXCEEDED_MAX_SIZE'), 'tooLarge', true],
    ['not even an error', 'reset', true],
  ])('%s', (thrown, kind, sent) => {
    expect(readNetworkError(thrown)).toMatchObject({ kind, sent })
  })
})
