import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  domainOf,
  normaliseOrgNumber,
  normalisePostcode,
  normaliseVat,
  phoneDigits,
  postcodeArea,
} from '../../../src/normalise/identifiers.ts'
import { anyCharacter } from '../../support/any-character.ts'

describe('organisation numbers', () => {
  it.each([
    ['8064685', 'GB', '08064685'],
    ['08064685', 'GB', '08064685'],
    ['8064685.0', 'GB', '08064685'],
    ['1517.0000', 'GB', '15170000'],
    ['sc 27283', 'GB', 'SC027283'],
    ['SC272838', 'GB', 'SC272838'],
    ['Reg. 13697141', 'GB', '13697141'],
    ['Company No: 145678', 'GB', '00145678'],
    ['BE 0123.456.789', 'BE', '0123456789'],
    ['123456789', 'BE', '0123456789'],
    ['484 073 842 00017', 'FR', '484073842'],
    ['16556016-0680', 'SE', '5560160680'],
    ['NO 923 609 016 MVA', 'NO', '923609016'],
    ['FN 56247t', 'AT', '56247T'],
    ['1234567-8', 'FI', '12345678'],
    ['HRB 16935', 'DE', 'HRB16935'],
    ['00258834', 'IE', '258834'],
    ['n/a', 'GB', ''],
    ['00000000', 'GB', ''],
    ['', 'GB', ''],
  ])('%j of %s is %j', (text, country, number) => {
    expect(normaliseOrgNumber(text, country)).toBe(number)
  })

  it('restores leading zeros of British numbers with any punctuation, and is idempotent', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99_999_999 }), fc.constantFrom('', ' ', '-', '.'), (number, part) => {
        const full = String(number).padStart(8, '0')
        expect(normaliseOrgNumber(String(number), 'GB')).toBe(full)
        expect(normaliseOrgNumber(full.slice(0, 4) + part + full.slice(4, 7) + full.slice(7), 'GB')).toBe(full)
      }),
    )
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter }),
        fc.constantFrom('GB', 'DE', 'FR', 'BE', 'NO', 'SE', 'AT', ''),
        (text, country) => {
          const once = normaliseOrgNumber(text, country)
          expect(once).toMatch(/^[A-Z0-9]*$/)
          if (/^\d+$/.test(once)) expect(normaliseOrgNumber(once, country)).toBe(once)
        },
      ),
    )
  })
})

describe('other identifiers', () => {
  it('VAT numbers start with their country', () => {
    expect(normaliseVat('123 4567 82', 'GB')).toBe('GB123456782')
    expect(normaliseVat('GB 123456782 001', 'GB')).toBe('GB123456782')
    expect(normaliseVat('EL123456789', '')).toBe('GR123456789')
    expect(normaliseVat('none', 'GB')).toBe('')
  })

  it('phones keep their last eight digits', () => {
    expect(phoneDigits('+44 (0)114 496 0123')).toBe('44960123')
    expect(phoneDigits('0114 4960123 ext. 12')).toBe('44960123')
    expect(phoneDigits('0000000000')).toBe('')
    expect(phoneDigits('12345')).toBe('')
  })

  it.each([
    ['https://www.acme.co.uk/contact', 'acme.co.uk'],
    ['sales@eu.acme.com', 'acme.com'],
    ['ACME.DE', 'acme.de'],
    ['joe@gmail.com', ''],
    ['someone@yahoo.co.uk', ''],
    ['https://www.facebook.com/acme', ''],
    ['no address', ''],
  ])('the domain of %j is %j', (text, domain) => {
    expect(domainOf(text)).toBe(domain)
  })

  it('postcodes are written without blanks and have a district', () => {
    expect(normalisePostcode('sw1a 1aa')).toBe('SW1A1AA')
    expect(normalisePostcode('London')).toBe('')
    expect(postcodeArea('SW1A1AA')).toBe('SW1A')
    expect(postcodeArea('37073')).toBe('370')
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 400 }), text => {
        for (const read of [domainOf, phoneDigits, normalisePostcode]) expect(typeof read(text)).toBe('string')
      }),
    )
  })
})
