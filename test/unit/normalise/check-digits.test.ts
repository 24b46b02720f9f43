import fc from 'fast-check'
import { stdnum } from 'stdnum'
import { describe, expect, it } from 'vitest'
import { checkDigitsHold, isOneSlipApart } from '../../../src/normalise/check-digits.ts'

/** Numbers of well-known companies and published examples. */
const VALID: readonly (readonly [string, string])[] = [
  ['AU', '004085616'],
  ['BE', '0403170701'],
  ['BG', '831650349'],
  ['BR', '33000167000101'],
  ['CH', 'CHE116281710'],
  ['CZ', '25596641'],
  ['DK', '24256790'],
  ['EE', '12345678'],
  ['ES', 'B12345674'],
  ['FI', '01120389'],
  ['FR', '732829320'],
  ['HR', '33392005961'],
  ['IL', '516179157'],
  ['IT', '01234567897'],
  ['LV', '40003245752'],
  ['NO', '923609016'],
  ['PT', '501964843'],
  ['RO', '14399840'],
  ['SE', '5560160680'],
  ['SK', '31333532'],
]

/** The numbers of stdnum, an independent library, that are the organisation numbers of a country. */
const PEERS: readonly (readonly [country: string, name: string])[] = [
  ['AU', 'acn'],
  ['BE', 'vat'],
  ['BG', 'vat'],
  ['BR', 'cnpj'],
  ['CH', 'uid'],
  ['CZ', 'dic'],
  ['DK', 'cvr'],
  ['EE', 'registrikood'],
  ['ES', 'cif'],
  ['FI', 'ytunnus'],
  ['FR', 'siren'],
  ['HR', 'oib'],
  ['IL', 'hp'],
  ['IT', 'iva'],
  ['LV', 'pvn'],
  ['NO', 'orgnr'],
  ['PT', 'nif'],
  ['RO', 'cui'],
  ['SE', 'orgnr'],
]

describe('check digits', () => {
  it.each(VALID)('hold for a number of %s: %s', (country, number) => {
    expect(checkDigitsHold(number, country)).toBe(true)
  })

  it('fail when a digit is another, but for one of nine where ten is written as another digit, and some of Australia', () => {
    fc.assert(
      fc.property(fc.constantFrom(...VALID), fc.nat(), ([country, number], place) => {
        const digits = [...number.matchAll(/\d/g)]
        const { index } = digits[place % digits.length]!
        const others = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(by => {
          const other = (Number(number[index]) + by) % 10
          return number.slice(0, index) + other + number.slice(index + 1)
        })
        expect(others.filter(other => checkDigitsHold(other, country) === true).length).toBeLessThanOrEqual(
          country === 'AU' ? 4 : 1,
        )
        for (const other of others) expect(isOneSlipApart(other, number)).toBe(true)
      }),
    )
  })

  it.each(PEERS)('of %s match stdnum (%s)', (country, name) => {
    const peer = stdnum[country]![name]!
    const isLetterFirst = country === 'ES'
    let compared = 0
    const compare = (text: string): void => {
      // Latvian numbers that begin with a digit below 4 are of people.
      const number = { CH: `CHE${text}`, ES: `B${text.slice(1)}`, LV: `4${text.slice(1)}` }[country] ?? text
      const { isValid, error } = peer.validate(number)
      // Whether the other parts of a number may be what they are is another question.
      if (!isValid && error?.name !== 'InvalidChecksum') return
      compared += 1
      expect([number, checkDigitsHold(number, country)]).toEqual([number, isValid])
    }
    const digits = VALID.find(([code]) => code === country)![1].replace(/\D/g, '')
    const length = digits.length + (isLetterFirst ? 1 : 0)
    const random = fc.array(fc.nat(9), { minLength: length, maxLength: length }).map(one => one.join(''))
    fc.assert(fc.property(random, compare), { numRuns: 500 })
    // Every tenth random number is right; here each of ten has another last digit.
    for (let last = 0; last < 10; last++) compare((isLetterFirst ? 'B' : '') + digits.slice(0, -1) + last)
    expect(compared).toBeGreaterThan(20)
  })

  it('are unknown for countries without them and for numbers of another kind', () => {
    expect(checkDigitsHold('08064685', 'GB')).toBe(null)
    expect(checkDigitsHold('HRB16935', 'DE')).toBe(null)
    expect(checkDigitsHold('J4083021997', 'RO')).toBe(null)
    expect(checkDigitsHold('', 'FR')).toBe(null)
  })

  it.each([
    ['12345678', '12345678', false],
    ['12345678', '12354678', true],
    ['12345678', '1234678', true],
    ['12345678', '12345679', true],
    ['12345678', '12345768', true],
    ['12345678', '13245768', false],
    ['12345678', '123456', false],
  ])('%s and %s are one slip apart: %s', (a, b, are) => {
    expect(isOneSlipApart(a, b)).toBe(are)
    expect(isOneSlipApart(b, a)).toBe(are)
  })
})
