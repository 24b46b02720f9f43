/** Names in other scripts: their legal forms, their widths and forms, and what a transliterated name proves. */
import { describe, expect, it } from 'vitest'
import { parseCompanyName } from '../../../src/normalise/company-name.ts'
import { splitWords } from '../../../src/normalise/text.ts'
import { buildIndex, match, type Query } from '../../../src/service/matching/index.ts'
import { company } from '../service/matching/companies.ts'

describe('a legal form in its own script leaves the name and counts', () => {
  it.each([
    ['本田技研工業株式会社', '本田技研工業', 'public'],
    ['株式会社本田技研工業 名古屋支店', '本田技研工業 名古屋支店', 'public'],
    ['(有)山本商店', '山本商店', 'private'],
    ['合同会社西友', '西友', 'llc'],
    ['华为技术有限公司', '華為技術', 'private'],
    ['中国石油化工股份有限公司', '中国石油化工', 'public'],
    ['上海某某企业管理合伙企业（有限合伙）', '上海某某企业管理', 'partnership'],
    ['주식회사 카카오', '카카오', 'public'],
    ['삼성전자(주)', '삼성전자', 'public'],
    ['טבע תעשיות בע"מ', 'טבע תעשיות', 'private'],
    ['טבע תעשיות בע״מ', 'טבע תעשיות', 'private'],
    ['شركة النور للتجارة ذ.م.م', 'النور للتجارة', 'private'],
    ['شركة الوطنية مساهمة عامة', 'الوطنية', 'public'],
    ['บริษัท ปตท. จำกัด (มหาชน)', 'ปตท', 'public'],
    ['ООО «Балтийский Прибор»', 'Балтийский Прибор', 'llc'],
    ['Τσιμέντα Βόλου Α.Ε.', 'Τσιμέντα Βόλου', 'public'],
  ] as const)('%s', (full, core, legal) => {
    expect(parseCompanyName(full)).toMatchObject({ words: parseCompanyName(core).words, legal })
  })

  it('and is the name where there is no other', () => {
    expect(parseCompanyName('株式会社').words).toHaveLength(1)
    expect(parseCompanyName('有限公司')).toEqual({ ...parseCompanyName('有限公司'), legal: null })
  })
})

describe('forms of characters', () => {
  it.each([
    ['ﾄﾖﾀ自動車(株)', 'トヨタ自動車株式会社'],
    ['トヨタ自動車㈱', 'トヨタ自動車株式会社'],
    ['ＨＯＹＡ株式会社', 'HOYA'],
    ['華為技術有限公司', '华为技术有限公司'],
    ['أرامكو السعودية', 'ارامكو السعوديّة'],
  ])('%s is %s', (one, other) => expect(parseCompanyName(one).words).toEqual(parseCompanyName(other).words))

  it('voiced kana keep their sound, and Katakana is a separate word', () => {
    expect(splitWords('ホンダ')).toEqual(['honda'])
    expect(splitWords('トヨタ自動車')[0]).toBe('toyota')
  })

  it('text in the wrong encoding is read, other text is unchanged', () => {
    expect(splitWords('MÃ¼ller SÃ¶hne')).toEqual(['muller', 'sohne'])
    expect(splitWords('MÃ¼ller Łódź')).toEqual(['ma1', '4ller', 'lodz'])
    expect(splitWords('SÃO PAULO')).toEqual(['sao', 'paulo'])
  })

  it('accents of Latin, Greek and Cyrillic letters go as before', () => {
    expect(splitWords('Ñandú Straße Žižkov')).toEqual(['nandu', 'strasse', 'zizkov'])
    expect(splitWords('Ёлка')).toEqual(splitWords('Елка'))
  })
})

describe('a transliterated name', () => {
  const index = buildIndex([
    company({ id: 'JP1', name: 'Honda Kiken Ltd', country: 'JP', postcode: '107-8556', phone: '+81 3 3423 1111' }),
    company({ id: 'JP2', name: '日立金属株式会社', country: 'JP', town: '東京' }),
    company({ id: 'RU1', name: 'ООО «Балтийский Прибор»', country: 'RU', postcode: '190031' }),
  ])
  const answer = (query: Query) => {
    const { decision, reason, candidates } = match(index, query)
    return [decision, reason, index.companies.id(candidates[0]!.company)]
  }

  it('is reviewed where nothing else agrees', () => {
    expect(answer({ name: 'Baltiyskiy Pribor OOO', country: 'RU' })).toEqual(['review', 'other-script', 'RU1'])
    expect(answer({ name: 'Baltiyskiy Pribor OOO', country: 'RU', postcode: '190031' })).toEqual(['matched', null, 'RU1'])
  })

  it('is matched in its own script', () => {
    expect(answer({ name: '日立金属㈱', country: 'JP' })).toEqual(['matched', null, 'JP2'])
    expect(answer({ name: 'Балтийский прибор', country: 'RU' })).toEqual(['matched', null, 'RU1'])
  })
})
