/** Where a text stops being JSON: the same verdict as JSON.parse, on anything, and the place where it changes. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findJsonFault, readJson } from '../../../src/service/http/json-body.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { runs } from '../../support/runs.ts'
import { mutated } from './malformed.ts'

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const text = fc.oneof(
  fc.json(),
  fc.json().map(json => JSON.stringify(JSON.parse(json), null, 1)),
  fc.json().chain(mutated),
  fc.string({ unit: fc.constantFrom(...'{}[]",:\\u0123456789eE+-. tfn\n\t\u0000é') }),
  fc.string({ unit: anyCharacter }),
)

test('the verdict equals JSON.parse', () => {
  fc.assert(
    fc.property(text, one => {
      expect(findJsonFault(one, 1_000) === null, JSON.stringify(one)).toBe(isJson(one))
    }),
    { numRuns: runs(1_000, 5_000) },
  )
})

test('the position is the first at which no continuation can help, or the end', () => {
  const cases: [string, number, string][] = [
    ['', 0, 'end'],
    ['[1,]', 3, 'syntax'],
    ['{"a":1,}', 7, 'syntax'],
    ['{"a" 1}', 5, 'syntax'],
    ['{"a":01}', 6, 'syntax'],
    ["{'a':1}", 1, 'syntax'],
    ['"\\x"', 1, 'syntax'],
    ['"a\nb"', 2, 'syntax'],
    ['"a', 2, 'end'],
    ['[1', 2, 'end'],
    ['1 2', 2, 'syntax'],
    ['nul', 0, 'syntax'],
    ['[[[', 2, 'depth'],
  ]
  for (const [one, position, kind] of cases) expect([one, findJsonFault(one, 2)]).toEqual([one, { position, kind }])
})

test('a megabyte of one thing, deep or long, is judged in no time and without a stack', () => {
  for (const one of ['[', '{"a":', '"\\u0061', '1', ' ', '"a"', '\\']) {
    const long = one.repeat(1_000_000 / one.length)
    expect(findJsonFault(long, 1_000_000) === null).toBe(isJson(long))
    expect(() => readJson(Buffer.from(`"${long}`), 32)).toThrow('The body is not valid JSON')
  }
  expect(readJson(Buffer.from(JSON.stringify('x'.repeat(1_000_000))), 32)).toHaveLength(1_000_000)
})

test('bytes that are not text: the first of them is named', () => {
  const at = (bytes: number[]): string => {
    try {
      return String(readJson(Buffer.from(bytes), 32))
    } catch (error) {
      return (error as { details: string }).details
    }
  }
  expect(at([0x22, 0xff, 0x22])).toBe('body: is not UTF-8, see position 1')
  expect(at([0x22, 0xc3, 0xa9, 0xe2, 0x82, 0x22])).toBe('body: is not UTF-8, see position 3')
  expect(at([0xff])).toBe('body: is not UTF-8, see position 0')
  expect(at([0x22, 0xc3, 0xa9, 0x22])).toBe('é')
})
