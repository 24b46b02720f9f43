import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import words from '../../../src/normalise/abbreviations.json' with { type: 'json' }
import { hasCutWord, parseCompanyName, withoutMarketSuffix } from '../../../src/normalise/company-name.ts'
import countries from '../../../src/normalise/countries.json' with { type: 'json' }
import { normaliseCountry } from '../../../src/normalise/country.ts'
import legalForms from '../../../src/normalise/legal-forms.json' with { type: 'json' }
import { normaliseText } from '../../../src/normalise/text.ts'
import { anyCharacter } from '../../support/any-character.ts'

const anyText = fc.string({ unit: anyCharacter, maxLength: 80 })

describe('normaliseText', () => {
  it.each([
    ['S. p. A.', 'spa'],
    ['S.p.A.', 'spa'],
    ['A/S', 'as'],
    ['J.P. Morgan & Co.', 'jp morgan and co'],
    ['Capital + Regional', 'capital and regional'],
    ["Pilgrim’s L'Oréal", 'pilgrims loreal'],
    ['PHARMACEUT.GR.', 'pharmaceut gr'],
    ['Łódź  Straße', 'lodz strasse'],
    ['ООО "Байкал"', 'ooo baikal'],
    ['—***—', ''],
  ])('%j is %j', (text, normalised) => {
    expect(normaliseText(text)).toBe(normalised)
  })

  it('is idempotent, never throws and leaves only a–z, 0–9 and single blanks', () => {
    fc.assert(
      fc.property(anyText, text => {
        const once = normaliseText(text)
        expect(once).toMatch(/^(?:[a-z0-9]+(?: [a-z0-9]+)*)?$/)
        // Transliteration may lengthen a text past the limit; such a text is not normalised again.
        if (once.length <= 500) expect(normaliseText(once)).toBe(once)
      }),
    )
  })
})

describe('the tables have words in normalised spelling', () => {
  it.each([
    [
      'legal forms',
      Object.values(legalForms.closing).flatMap(region => Object.values(region).flatMap(forms => forms.split('|'))),
    ],
    ['leading forms', legalForms.leading.split('|')],
    ['middle forms', legalForms.middle.split('|')],
    ['abbreviations', Object.entries(words.abbreviations).flatMap(([to, from]) => [to, ...from.split(' ')])],
    ['stop words', words.stopWords.split(' ')],
    ['countries', Object.values(countries).flatMap(names => names.split('|'))],
  ])('%s', (_, entries) => {
    expect(entries.filter(entry => entry === '' || normaliseText(entry) !== entry)).toEqual([])
  })
})

describe('normaliseCountry', () => {
  it.each([
    ['GB', 'GB'],
    ['gbr', 'GB'],
    ['U.K.', 'GB'],
    ['England', 'GB'],
    ['America', 'US'],
    ['The Netherlands', 'NL'],
    ['Deutschland', 'DE'],
    ['Österreich', 'AT'],
    ['España', 'ES'],
    ['Éire', 'IE'],
    ['Dänemark', 'DK'],
    ['日本', 'JP'],
    ['Republic of Poland', 'PL'],
    ['Korea, North', 'KP'],
    ['Bahamas, The', 'BS'],
    ['Congo, Democratic Republic of the', 'CD'],
    ['Atlantis', ''],
    ['', ''],
  ])('%j is %j', (text, code) => {
    expect(normaliseCountry(text)).toBe(code)
  })

  it('returns a code of the table or an empty text', () => {
    fc.assert(
      fc.property(anyText, text => {
        expect(['', ...Object.keys(countries)]).toContain(normaliseCountry(text))
      }),
    )
  })
})

describe('withoutMarketSuffix', () => {
  it.each([
    ['STEEL DYNAMIC  DL-,0025', 'STEEL DYNAMIC'],
    ['GIGASET AG O.N.', 'GIGASET AG'],
    ['KLASSIK RADIO AG NA O.N.', 'KLASSIK RADIO AG'],
    ['ERG S.P.A.  EO 0,10', 'ERG S.P.A.'],
    ['Rubicon Inc. Common Stock', 'Rubicon Inc.'],
    ['1895 Bancorp of Wisconsin, Inc. /MD/', '1895 Bancorp of Wisconsin, Inc.'],
    ['AMARIN CORP PLC\\UK', 'AMARIN CORP PLC'],
    ['Port Services Ltd', 'Port Services Ltd'],
  ])('%j is %j', (name, rest) => {
    expect(withoutMarketSuffix(name).trim()).toBe(rest)
  })
})

describe('hasCutWord', () => {
  it.each([
    ['NORTHERN STAR RES.LTD.', true],
    ['JOHNSON CONTR.INTL.', true],
    ['Österr. Post', true],
    ['Northern Star Resources Ltd.', false],
    ['AZTECH MINERALS CORP.', false],
    ['J. W. Mays, Inc.', false],
    ['Ashfield Health Limited', false],
    ['', false],
    [`${'x'.repeat(250)}.${'y'.repeat(251)}`, false],
  ])('of %s is %s', (name, expected) => expect(hasCutWord(name)).toBe(expected))

  it('answers any text quickly', () => {
    for (const text of ['a'.repeat(500), 'a.'.repeat(250), 'abc '.repeat(125)]) expect(typeof hasCutWord(text)).toBe('boolean')
  })
})

describe('parseCompanyName', () => {
  it.each([
    ['Thornbury Castings Limited', 'thornbury castings', 'private'],
    ['Sociedad Anónima Fenix', 'fenix', 'ag'],
    ['OOO Oboronnye Initsiativy', 'oboronnye initsiativy', 'llc'],
    ['Faberlic Europe Sp. z o.o.', 'faberlic europe', 'private'],
    ['Faberlic Europe Sp. z o. o.', 'faberlic europe', 'private'],
    ['Müller GmbH & Co. KG', 'muller', 'partnership'],
    ['Mueller GmbH & Co. KG', 'muller', 'partnership'],
    ['Gesellschaft mit beschränkter Haftung', 'gesellschaft mit beschrankter haftung', null],
    ['Daimler Aktiengesellschaft', 'daimler', 'ag'],
    ['Vodafone Public Limited Company', 'vodafone', 'public'],
    ['Intl Hldgs Mfg Ltd', 'international holding manufacturing', 'private'],
    ['ADYEN NV ADYEN ORD SHS', 'adyen', 'ag'],
    ['The Company', 'company', null],
    ['Limited', 'limited', null],
    ['The', 'the', null],
    ['!?', '', null],
  ])('%j is %j, %s', (text, words, legal) => {
    expect(parseCompanyName(text)).toMatchObject({ words: words.split(' ').filter(word => word !== ''), legal })
  })

  it('never throws and returns words for every text with words', () => {
    fc.assert(
      fc.property(anyText, text => {
        expect(parseCompanyName(text).words.length > 0).toBe(
          normaliseText(text.length > 3 ? withoutMarketSuffix(text) : text) !== '',
        )
      }),
    )
  })
})
