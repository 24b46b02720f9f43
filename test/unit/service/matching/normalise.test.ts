import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import words from '../../../../src/service/matching/data/abbreviations.json' with { type: 'json' }
import countries from '../../../../src/service/matching/data/countries.json' with { type: 'json' }
import legalForms from '../../../../src/service/matching/data/legal-forms.json' with { type: 'json' }
import { normaliseCountry } from '../../../../src/service/matching/index.ts'
import { parseName } from '../../../../src/service/matching/text/name.ts'
import { fold } from '../../../../src/service/matching/text/normalise.ts'
import { withoutTail } from '../../../../src/service/matching/text/tails.ts'

const anyText = fc.string({ unit: 'binary', maxLength: 80 })

describe('fold', () => {
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
  ])('%j is %j', (text, folded) => {
    expect(fold(text)).toBe(folded)
  })

  it('is idempotent, never throws and leaves only a–z, 0–9 and single blanks', () => {
    fc.assert(
      fc.property(anyText, text => {
        const once = fold(text)
        expect(once).toMatch(/^(?:[a-z0-9]+(?: [a-z0-9]+)*)?$/)
        // Transliteration may lengthen a text past the limit; such a text is not one that would be folded again.
        if (once.length <= 500) expect(fold(once)).toBe(once)
      }),
    )
  })
})

describe('the tables hold words as fold leaves them', () => {
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
    expect(entries.filter(entry => entry === '' || fold(entry) !== entry)).toEqual([])
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
    ['Atlantis', ''],
    ['', ''],
  ])('%j is %j', (text, code) => {
    expect(normaliseCountry(text)).toBe(code)
  })

  it('gives a code of the table or nothing', () => {
    fc.assert(
      fc.property(anyText, text => {
        expect(['', ...Object.keys(countries)]).toContain(normaliseCountry(text))
      }),
    )
  })
})

describe('withoutTail', () => {
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
    expect(withoutTail(name).trim()).toBe(rest)
  })
})

describe('parseName', () => {
  it.each([
    ['Thornbury Castings Limited', 'thornbury castings', 'private'],
    ['Sociedad Anónima Fenix', 'fenix', 'public'],
    ['OOO Oboronnye Initsiativy', 'oboronnye initsiativy', 'llc'],
    ['Faberlic Europe Sp. z o.o.', 'faberlic europe', 'private'],
    ['Faberlic Europe Sp. z o. o.', 'faberlic europe', 'private'],
    ['Müller GmbH & Co. KG', 'muller', 'partnership'],
    ['Mueller GmbH & Co. KG', 'muller', 'partnership'],
    ['Gesellschaft mit beschränkter Haftung', 'gesellschaft mit beschrankter haftung', null],
    ['Daimler Aktiengesellschaft', 'daimler', 'public'],
    ['Vodafone Public Limited Company', 'vodafone', 'public'],
    ['Intl Hldgs Mfg Ltd', 'international holding manufacturing', 'private'],
    ['ADYEN NV ADYEN ORD SHS', 'adyen', 'public'],
    ['The Company', 'company', null],
    ['Limited', 'limited', null],
    ['The', 'the', null],
    ['!?', '', null],
  ])('%j is %j, %s', (text, words, legal) => {
    expect(parseName(text)).toEqual({ words: words.split(' ').filter(word => word !== ''), legal })
  })

  it('never throws and is never empty where there are words', () => {
    fc.assert(
      fc.property(anyText, text => {
        expect(parseName(text).words.length > 0).toBe(fold(text.length > 3 ? withoutTail(text) : text) !== '')
      }),
    )
  })
})
