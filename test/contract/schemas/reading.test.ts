/** Tolerant parsing: dates (§2.2, §2.6) and error bodies in every shape of §2.5. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatWireDate, parseWireDate, readFault } from '../../../src/contract/index.ts'

describe('dates', () => {
  test.each<[string, string]>([
    ['2025-02-07T14:07:10.8766667', '2025-02-07T14:07:10.876Z'],
    ['2019-03-14 22:21:50', '2019-03-14T22:21:50.000Z'],
    ['2025-02-07T14:07:10', '2025-02-07T14:07:10.000Z'],
    ['2025-02-07T14:07:10.5', '2025-02-07T14:07:10.500Z'],
    ['2025-02-07T14:07:10.05', '2025-02-07T14:07:10.050Z'],
    ['2025-02-07T14:07:10.123456789', '2025-02-07T14:07:10.123Z'],
    ['2025-02-07T14:07:10Z', '2025-02-07T14:07:10.000Z'],
    ['2025-02-07T14:07:10.8766667Z', '2025-02-07T14:07:10.876Z'],
    ['2025-02-07T14:07:10+01:00', '2025-02-07T13:07:10.000Z'],
    ['2025-02-07 14:07:10.25-0530', '2025-02-07T19:37:10.250Z'],
    [' 2025-02-07T14:07:10 ', '2025-02-07T14:07:10.000Z'],
    ['2024-02-29T00:00:00', '2024-02-29T00:00:00.000Z'],
    ['1969-12-31T23:59:59.999', '1969-12-31T23:59:59.999Z'],
    ['1970-01-01T00:00:00', '1970-01-01T00:00:00.000Z'],
  ])('%s', (text, instant) => {
    expect(new Date(parseWireDate(text) ?? Number.NaN).toISOString()).toBe(instant)
  })

  test.each([
    '',
    'yesterday',
    '2025-02-07',
    '14:07:10',
    '2025-02-30T00:00:00',
    '2025-02-29T00:00:00',
    '2025-04-31T00:00:00Z',
    '2025-13-01T00:00:00',
    '2025-00-01T00:00:00',
    '2025-02-07T25:00:00',
    '2025-02-07T14:60:00',
    '2025-02-07T14:07:10.',
    '2025-02-07T14:07:10.1234567890',
    '2025-02-07T14:07:10+99:99',
    '2025-02-07T14:07:10 GMT',
    '07/02/2025 14:07:10',
    '1738937230',
  ])('not a date: "%s"', text => {
    expect(parseWireDate(text)).toBeNull()
  })

  test('a formatted date has no zone and seven digits, and parses back', () => {
    expect(formatWireDate(Date.UTC(2025, 1, 7, 14, 7, 10, 876))).toBe('2025-02-07T14:07:10.8760000')
    fc.assert(fc.property(fc.integer({ min: -6e13, max: 2e14 }), millis => parseWireDate(formatWireDate(millis)) === millis))
  })

  test('any text is parsed or rejected without an exception', () => {
    fc.assert(fc.property(fc.string(), text => parseWireDate(text) === null || Number.isInteger(parseWireDate(text))))
  })
})

describe('error bodies', () => {
  const id = '2a7b5537-7c0f-4f0e-8d39-5a4f1c2b9e77'

  test.each<[string, unknown, string | null, string | null]>([
    ['301', { message: 'Moved' }, 'Moved', null],
    ['400', { correlationId: id, message: 'Bad request', details: 'name is empty' }, 'Bad request: name is empty', id],
    ['401', { error: 'Invalid token.' }, 'Invalid token.', null],
    ['401 at login', { message: 'Access denied' }, 'Access denied', null],
    ['403', { message: 'Access forbidden' }, 'Access forbidden', null],
    ['404 of 1.10.9', { correlationId: id, message: 'Not found', details: 'no such job' }, 'Not found: no such job', id],
    ['404 of 1.10.4', { message: 'Portfolio resource not found' }, 'Portfolio resource not found', null],
    ['404 as a JSON string', JSON.stringify({ correlationId: id, message: 'Not found', details: 'gone' }), 'Not found: gone', id],
    ['409 of monitoring', { correlationId: id, message: 'Already there' }, 'Already there', id],
    ['409 of AML', { correlationId: id, message: 'Conflict', details: 'already decided' }, 'Conflict: already decided', id],
    ['500 of identity search', { message: 'Broken' }, 'Broken', null],
    [
      '400 of identity search',
      { errors: { postcode: ['is empty', 'is short'], name: ['is empty'] } },
      'postcode: is empty; name: is empty',
      null,
    ],
    ['the same with a message', { message: 'Invalid', errors: { postcode: ['is empty'] } }, 'Invalid: postcode: is empty', null],
    ['502 of KYC', { correlationId: id, message: 'Bad gateway', details: 'upstream' }, 'Bad gateway: upstream', id],
    [
      'an element of a batch',
      { type: 'about:blank', title: 'Refused', status: 400, detail: 'unknown value', instance: '/1' },
      'Refused',
      null,
    ],
    ['the PDF’s spelling', { correlationID: id, message: 'No' }, 'No', id],
    ['details that say the same', { message: 'No', details: 'No' }, 'No', null],
    ['details alone', { details: 'why not' }, 'why not', null],
    ['a list of texts', { message: ['', 'second'] }, 'second', null],
    ['an empty message', { message: '  ', error: 'real' }, 'real', null],
    ['a message of another kind', { message: { text: 'deep' }, title: 'Title' }, 'Title', null],
    ['an id of another kind', { message: 'No', correlationId: 7 }, 'No', null],
    ['plain text', ' Service Unavailable ', 'Service Unavailable', null],
    ['text that begins like JSON', '{"message":"cut', '{"message":"cut', null],
    ['a string in a string is opened once', JSON.stringify(JSON.stringify({ message: 'x' })), '"{\\"message\\":\\"x\\"}"', null],
    ['an empty text', '', null, null],
    ['an empty object', {}, null, null],
    ['a list', [{ message: 'x' }], null, null],
    ['null', null, null, null],
    ['a number', 500, null, null],
    ['a truth value', false, null, null],
  ])('%s', (_, body, text, correlationId) => {
    expect(readFault(body)).toEqual({ text, correlationId })
  })

  test('any body is read without an exception', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.json(), fc.string()), body => {
        const { text, correlationId } = readFault(body)
        expect(text === null || (typeof text === 'string' && text.trim() !== '')).toBe(true)
        expect(correlationId === null || correlationId !== '').toBe(true)
      }),
    )
  })

  const corpora = process.env.CORPORA
  test.runIf(corpora)('a body that is not JSON is its own text', () => {
    const folder = join(corpora ?? '', 'json')
    const bodies = readdirSync(folder).filter(name => /^n_.*\.json$/.test(name))
    expect(bodies.length).toBeGreaterThan(100)
    for (const name of bodies) {
      const body = readFileSync(join(folder, name), 'utf8')
      expect(readFault(body), name).toEqual({ text: body.trim() === '' ? null : body.trim(), correlationId: null })
    }
  })
})
