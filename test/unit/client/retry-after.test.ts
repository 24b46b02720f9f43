import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseHttpDate, parseRetryAfter } from '../../../src/client/retry/retry-after.ts'

const NOON = Date.UTC(2026, 10, 20, 12)
const http = (millis: number) => new Date(millis).toUTCString()

describe('Retry-After', () => {
  test.each([
    ['seconds', '120', null, 120_000],
    ['spaces around', ' 7 ', null, 7000],
    ['absurd', '1000000000', null, 1e12],
    ['a date, by our clock', http(NOON + 90_000), null, 90_000],
    ["a date, by the reply's own", http(NOON + 90_000), http(NOON + 60_000), 30_000],
    ['RFC 850', 'Friday, 20-Nov-26 12:00:05 GMT', null, 5000],
    ['asctime', 'Fri Nov 20 12:00:05 2026', null, 5000],
    ['an unreadable Date beside it', http(NOON + 1000), 'yesterday', 1000],
    ['absent', null, null, null],
    ['empty', '', null, null],
    ['zero', '0', null, null],
    ['negative', '-5', null, null],
    ['a fraction', '1.5', null, null],
    ['an exponent', '1e9', null, null],
    ['a word', 'soon', null, null],
    ['a past date', http(NOON - 1000), null, null],
    ["past by the reply's own clock", http(NOON + 1000), http(NOON + 2000), null],
    ['ISO 8601, which is no HTTP date', '2026-11-20T12:00:05Z', null, null],
    ['a date without a zone', 'Fri, 20 Nov 2026 12:00:05', null, null],
    ['two values', '5, 6', null, null],
  ])('%s', (_, value, date, expected) => {
    expect(parseRetryAfter(value, date, NOON)).toBe(expected)
  })

  test('every HTTP date is read to the second', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_102_444_800 }), seconds => {
        expect(parseHttpDate(http(seconds * 1000))).toBe(seconds * 1000)
      }),
    )
  })

  test('returns null or a positive finite wait for any value', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.integer().map(String),
          fc.date({ noInvalidDate: true }).map(date => date.toUTCString()),
        ),
        text => {
          const wait = parseRetryAfter(text, null, NOON)
          expect(wait === null || (wait > 0 && Number.isFinite(wait))).toBe(true)
        },
      ),
    )
  })
})
