import fc from 'fast-check'
import { stdnum } from 'stdnum'
import { describe, expect, it } from 'vitest'
import { vatNumberIn } from '../../../src/normalise/check-digits.ts'

/** The VAT numbers of stdnum, an independent library, and texts of their form with 15 random digits to take from. */
const PEERS: readonly (readonly [country: string, name: string, write: (digits: string, letter: string) => string])[] = [
  ['AT', 'uid', digits => `U${digits.slice(0, 8)}`],
  ['DE', 'vat', digits => digits.slice(0, 9)],
  ['GB', 'vat', digits => digits.slice(0, 9)],
  ['GB', 'vat', digits => digits.slice(0, 12)],
  ['IE', 'vat', (digits, letter) => `${digits.slice(0, 7)}${letter}`],
  ['IE', 'vat', (digits, letter) => `${digits.slice(0, 7)}${letter}A`],
  ['IE', 'vat', (digits, letter) => `${digits[0]}Y${digits.slice(2, 7)}${letter}`],
  ['NL', 'btw', digits => `${digits.slice(0, 9)}B${digits.slice(9, 11)}`],
  ['PL', 'nip', digits => digits.slice(0, 10)],
]

describe('a VAT number in a column of other numbers', () => {
  it.each(PEERS)('of %s has the check digits of stdnum (%s)', (country, name, write) => {
    const peer = stdnum[country]![name]!
    let valid = 0
    const compare = (number: string): void => {
      const { isValid } = peer.validate(number)
      if (isValid) valid += 1
      const canonical = `${country}${country === 'GB' ? number.slice(0, 9) : number}`
      expect([number, vatNumberIn(number, country)]).toEqual([number, isValid ? canonical : ''])
      expect(vatNumberIn(`${country} ${number}`, '')).toBe(canonical)
    }
    const digits = fc.array(fc.nat(9), { minLength: 14, maxLength: 14 }).map(all => all.join(''))
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), digits, fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVW'), (first, rest, letter) =>
        compare(write(`${first}${rest}`, letter)),
      ),
      { numRuns: 1500, seed: 4711 },
    )
    expect(valid).toBeGreaterThan(10)
  })

  it.each([
    ['DE 136 695 976', '', 'DE136695976'],
    ['USt-IdNr. DE136695976', 'DE', 'DE136695976'],
    ['136695976', 'DE', 'DE136695976'],
    ['ATU 13585627', '', 'ATU13585627'],
    ['VAT Reg No GB 980 7806 84', 'GB', 'GB980780684'],
    ['IE 6433435F', '', 'IE6433435F'],
    ['NL 0044.95.445.B.01', '', 'NL004495445B01'],
    ['NIP 526-025-09-95', 'PL', 'PL5260250995'],
  ])('is read as people write it: %s', (text, country, number) => {
    expect(vatNumberIn(text, country)).toBe(number)
  })

  it.each([
    ['136695976', '', 'without a country'],
    ['136695977', 'DE', 'without a prefix and with a wrong check digit'],
    ['DE 13669597', 'DE', 'with a digit too few'],
    ['HRB 16935', 'DE', 'the number of a court'],
    ['08064685', 'GB', 'a company number'],
    ['008064685', 'GB', 'a company number with a zero too many'],
    ['SC272838', 'GB', 'a Scottish company number'],
    ['0000028860', 'PL', 'the number of a Polish court'],
    ['24330102', 'NL', 'the number of a Dutch chamber'],
    ['732829320', 'FR', 'a number of a country whose VAT number holds it'],
    ['FR44732829320', '', 'a VAT number of such a country'],
    ['', 'DE', 'nothing'],
  ])('is not: %s (%s), %s', (text, country) => {
    expect(vatNumberIn(text, country)).toBe('')
  })
})
