/** Placeholders of a recording: of the same shape, equal for equal words, different for different ones. */
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPlaceholders } from '../../../src/client/record/placeholders.ts'

const placeholder = createPlaceholders(randomBytes(32))
const text = fc.string({ unit: 'grapheme', maxLength: 40 })
const words = fc.array(fc.constantFrom('Anna', 'Müller', 'GmbH', '李小龍', 'Иван', 'café', '0042', 'SC123456', '1970-05-01'), {
  maxLength: 6,
})

describe('a placeholder', () => {
  test('has the length of the text in characters and in bytes, and its punctuation', () => {
    const shape = (value: string) => value.replace(/[\p{L}\p{M}\p{N}]/gu, 'x')
    fc.assert(
      fc.property(
        fc.oneof(
          text,
          words.map(list => list.join(' ')),
        ),
        value => {
          const replaced = placeholder(value)
          expect(replaced.length).toBe(value.length)
          expect(Buffer.byteLength(replaced)).toBe(Buffer.byteLength(value))
          expect(shape(replaced)).toBe(shape(value))
        },
      ),
    )
  })

  test('differs for different texts', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(placeholder(a) === placeholder(b)).toBe(a === b)
      }),
    )
    const numbers = Array.from({ length: 2_000 }, (_, at) => placeholder(String(at)))
    expect(new Set(numbers).size).toBe(numbers.length)
    const pairs = [...'abcdefghij'].flatMap(a => [...'klmnopqrst'].map(b => placeholder(a + b)))
    expect(new Set(pairs).size).toBe(pairs.length)
  })

  test('is the same in upper case, padded with zeros, and inside a longer text', () => {
    const word = fc.stringMatching(/^[a-zäöüéа-я]{1,12}$/)
    fc.assert(
      fc.property(word, fc.nat(), fc.nat(6), (name, number, zeros) => {
        expect(placeholder(name.toUpperCase())).toBe(placeholder(name).toUpperCase())
        expect(placeholder('0'.repeat(zeros) + number)).toBe('0'.repeat(zeros) + placeholder(String(number)))
        expect(placeholder(` ${name}, "${number}"`)).toBe(` ${placeholder(name)}, "${placeholder(String(number))}"`)
      }),
    )
  })

  test('of a date is a date, of a code of a country such a code', () => {
    expect(placeholder('1970-05-01')).toMatch(/^(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/)
    expect(placeholder('1970-05-01T12:30:00Z')).toBe(`${placeholder('1970-05-01')}T00:00:00Z`)
    const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
    for (const code of ['GB', 'DE', 'FR', 'US']) expect(names.of(placeholder(code))).toBeDefined()
    expect(placeholder('gb')).toBe(placeholder('GB').toLowerCase())
  })

  test('is the same under the same key, and differs under another key', () => {
    const key = randomBytes(32)
    const name = 'Harrow Optics Limited 10000001'
    expect(createPlaceholders(key)(name)).toBe(createPlaceholders(key)(name))
    expect(createPlaceholders(randomBytes(32))(name)).not.toBe(createPlaceholders(key)(name))
  })
})
