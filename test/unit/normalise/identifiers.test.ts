import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  domainOf,
  normaliseOrgNumber,
  normalisePostcode,
  normaliseVat,
  orgNumberOfVat,
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
    // As people write them.
    ['P.IVA 01234567897', 'IT', '01234567897'],
    ['P. IVA IT01234567897', 'IT', '01234567897'],
    ['C.F. 01234567897', 'IT', '01234567897'],
    ['Partita IVA: 01234567897', 'IT', '01234567897'],
    ['NIPC 501 964 843', 'PT', '501964843'],
    ['CIF B-12345674', 'ES', 'B12345674'],
    ['CIF: ES B12345674', 'ES', 'B12345674'],
    ['ESB12345674', 'ES', 'B12345674'],
    ['KBO 0403.170.701', 'BE', '0403170701'],
    ['BTW BE 0403.170.701', 'BE', '0403170701'],
    ['ABN 53 004 085 616', 'AU', '004085616'],
    ['A.C.N. 004 085 616', 'AU', '004085616'],
    ['CNPJ 33.000.167/0001-01', 'BR', '33000167000101'],
    ['GSTIN 27AAPFU0939F1ZV', 'IN', '27AAPFU0939F1ZV'],
    ['INN 7707083893', 'RU', '0007707083893'],
    ['KVK-nummer 33123456', 'NL', '33123456'],
    ['KvK: 33123456', 'NL', '33123456'],
    ['CRO 258834', 'IE', '258834'],
    ['IČO: 25596641', 'CZ', '25596641'],
    ['IČ 25596641', 'CZ', '25596641'],
    ['Tax ID 12-3456789', 'US', '123456789'],
    ['RCS Lyon B 484 073 842', 'FR', '484073842'],
    ['484 073 842 RCS Lyon', 'FR', '484073842'],
    ['FR 83 484 073 842', 'FR', '484073842'],
    ['FRK7 484073842', 'FR', '484073842'],
    ['Registered in Scotland No. 272838', 'GB', 'SC272838'],
    ['Registered in Scotland No. SC272838', 'GB', 'SC272838'],
    ['Registered in England & Wales No 8064685', 'GB', '08064685'],
    ['Amtsgericht München HRB 12345', 'DE', 'HRB12345'],
    ['HRB 12345 B', 'DE', 'HRB12345'],
    ['CHE-116.281.710 MWST', 'CH', 'CHE116281710'],
    ['CHE-116.281.710', 'CH', 'CHE116281710'],
    ['116.281.710', 'CH', 'CHE116281710'],
    ['SE556016068001', 'SE', '5560160680'],
    ['556016068001', 'SE', '5560160680'],
    ['Org.nr 556016-0680', 'SE', '5560160680'],
    ['923609016MVA', 'NO', '923609016'],
    ['RO 14399840', 'RO', '14399840'],
    ['J40/8302/1997', 'RO', 'J4083021997'],
    ['P.IVA 01234567897', '', '01234567897'],
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
    expect(normaliseVat('USt-IdNr. DE 123456789', 'DE')).toBe('DE123456789')
    expect(normaliseVat('NO 923 609 016 MVA', '')).toBe('NO923609016')
    expect(normaliseVat('FR 83 484 073 842', '')).toBe('FR83484073842')
  })

  it.each([
    ['BE0403170701', '0403170701'],
    ['DK24256790', '24256790'],
    ['FI01120389', '01120389'],
    ['FR83484073842', '484073842'],
    ['NO923609016', '923609016'],
    ['SE556016068001', '5560160680'],
    ['IT01234567897', '01234567897'],
    ['PT501964843', '501964843'],
    ['ESB12345674', 'B12345674'],
    ['RO14399840', '14399840'],
    ['LV40003245752', '40003245752'],
    ['HR33392005961', '33392005961'],
    ['CZ25596641', '25596641'],
    ['BG831650349', '831650349'],
    ['CHE116281710', 'CHE116281710'],
    // A person's number, and countries that keep the two apart.
    ['CZ7103192745', ''],
    ['GB123456782', ''],
    ['DE136695976', ''],
  ])('the VAT number %j holds the organisation number %j', (vat, number) => {
    expect(orgNumberOfVat(normaliseVat(vat, ''))).toBe(number)
    if (number !== '') expect(normaliseOrgNumber(vat, vat.slice(0, 2))).toBe(number)
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
