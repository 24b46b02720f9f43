/**
 * Rows that are hard to match, made by rule from an invented register: spelling, numbers as people write them, scripts, former names, groups.
 * `expected` is the id of the company that is meant, '' where no company may be matched. The sister companies of sisters.ts come on top.
 */
import type { Company, Query } from '../../../../src/service/matching/index.ts'
import { company } from './companies.ts'

export interface HardRow {
  readonly rule: string
  readonly query: Query
  readonly expected: string
}

const companies: Company[] = []
const rows: HardRow[] = []

const register = (fields: Partial<Company> & { readonly name: string; readonly country: string }): Company => {
  const made = company({ id: `C${companies.length + 1}`, status: 'Active', ...fields })
  companies.push(made)
  return made
}
const row = (rule: string, { id }: { readonly id: string }, query: Query): void => void rows.push({ rule, query, expected: id })
const NONE = { id: '' }

/** British companies with an address each; the spelling rules are applied to all of them. */
const BRITISH = (
  [
    ['Thornbury Castings Limited', 'Foundry Lane', 'Sheffield', 'S9 2TX'],
    ['Ashdown Brewing Company Limited', 'Mill Street', 'Lewes', 'BN7 2AA'],
    ['Hollowell Pharmaceutical Manufacturing Limited', 'Station Road', 'Derby', 'DE1 2GB'],
    ['Brimstone Commercial Vehicles Limited', 'Dock Road', 'Hull', 'HU3 4LL'],
    ['Morwenna Oceanographic Instruments plc', 'Harbour View', 'Falmouth', 'TR11 3XA'],
    ['Kettlewell International Textiles Limited', 'Canal Walk', 'Leeds', 'LS1 4AP'],
    ['Pembridge Community Homecare Limited', 'High Street', 'Glasgow', 'G32 9AT'],
    ['Oldroyd Farm Machinery Limited', 'Market Place', 'Louth', 'LN11 9PD'],
  ] as const
).map(([name, street, town, postcode], at) =>
  register({
    name,
    country: 'GB',
    orgNumber: String(8_000_100 + at * 1_117).padStart(8, '0'),
    address1: `${at + 3} ${street}`,
    town,
    postcode,
    phone: `+44 114 496 01${at}3`,
  }),
)

const core = (name: string): string => name.replace(/ (?:Limited|plc|Company Limited)$/, '')
const longest = (name: string): string => name.split(' ').sort((a, b) => b.length - a.length)[0]!
const inLongest = (name: string, change: (word: string) => string): string => name.replace(longest(name), change(longest(name)))

const SPELLINGS: readonly (readonly [rule: string, write: (name: string) => string])[] = [
  ['a letter is missing', name => inLongest(name, word => word.slice(0, 3) + word.slice(4))],
  ['a letter is doubled', name => inLongest(name, word => word.slice(0, 4) + word[3] + word.slice(4))],
  ['two letters are swapped', name => inLongest(name, word => word.slice(0, 3) + word[4] + word[3] + word.slice(5))],
  ['0 for o', name => inLongest(name, word => word.replace('o', '0'))],
  ['rn for m', name => name.replace(/(?<=\w)m/, 'rn')],
  ['capitals and a short form', name => core(name).toUpperCase().concat(' LTD')],
  ['words in another order', name => core(name).split(' ').reverse().join(' ')],
  [
    'abbreviated words',
    name =>
      name.replace('International', 'Intl').replace('Manufacturing', 'Mfg').replace('Company', 'Co').replace('Limited', 'Ltd.'),
  ],
  ['what a department adds', name => `${name} - Accounts Payable`],
  ['a department in brackets', name => `${name} (invoices)`],
  ['cut off by a column', name => name.slice(0, Math.max(18, Math.round(name.length * 0.7)))],
  ['blanks and punctuation', name => `  ${core(name).replaceAll(' ', ' . ')},  `],
]
for (const own of BRITISH) {
  const { name, postcode, town, address1 } = own
  for (const [rule, write] of SPELLINGS) row(`${rule}, with its postcode`, own, { name: write(name), postcode, country: 'GB' })
  row('by phone with half a name', own, { name: name.split(' ')[0]!, phone: own.phone, country: 'GB' })
  row('address without a postcode', own, { name: core(name), address1, town, country: 'GB' })
  row('free mail proves nothing against it', own, { name, email: 'office@gmail.com', postcode, country: 'GB' })
  row('another company at its address', NONE, { name: 'Netherby Dental Studio Ltd', address1, town, postcode, country: 'GB' })
  row('in another country', NONE, { name, country: 'Canada' })
  row('a number, and another name at the address', own, {
    name: 'Sandmoor Ventures Ltd',
    orgNumber: own.orgNumber,
    postcode,
    country: 'GB',
  })
  row('a number in words', own, { orgNumber: `Company Registration No: ${own.orgNumber.replace(/^0+/, '')}`, country: 'UK' })
  row('a digit of the number is another', own, {
    name,
    postcode,
    orgNumber: own.orgNumber.slice(0, -1) + ((Number(own.orgNumber.at(-1)) + 1) % 10),
    country: 'GB',
  })
}

const FOREIGN: readonly (readonly [
  Partial<Company> & { name: string; country: string },
  ...(readonly [rule: string, query: Query])[],
])[] = [
  [
    { name: 'Müller & Söhne Maschinenbau GmbH', country: 'DE', orgNumber: 'HRB 16935', postcode: '37073', town: 'Göttingen' },
    ['umlauts spelled out', { name: 'Mueller und Soehne Maschinenbau GmbH', postcode: '37073' }],
    ['umlauts without dots', { name: 'Muller & Sohne Maschinenbau', town: 'Gottingen' }],
    ['umlauts in the wrong encoding', { name: 'MÃ¼ller & SÃ¶hne Maschinenbau GmbH', postcode: '37073' }],
    ['court and number', { orgNumber: 'Amtsgericht Göttingen HRB 16935', name: 'Müller Söhne' }],
    ['a letter behind the number', { orgNumber: 'HRB 16935 B', name: 'Müller & Söhne' }],
  ],
  [
    { name: 'Fonderie Riva SpA', country: 'IT', orgNumber: 'MI-2079384', vatNumber: 'IT01234567897', postcode: '20121' },
    ['P.IVA', { orgNumber: 'P.IVA 01234567897' }],
    ['C.F.', { taxCode: 'C.F. 01234567897' }],
    ['a dotted legal form', { name: 'FONDERIE RIVA S. P. A.' }],
  ],
  [
    { name: 'Talleres Monteverde SL', country: 'ES', vatNumber: 'ESB12345674', postcode: '28001', town: 'Madrid' },
    ['CIF', { orgNumber: 'CIF B-12345674' }],
    ['ES and number', { orgNumber: 'ES B12345674' }],
    ['accents too many', { name: 'Talléres Montevérde S.L.', town: 'Madrid' }],
  ],
  [
    { name: 'Vermeulen Transport NV', country: 'BE', orgNumber: '0403170701', postcode: '2000', town: 'Antwerpen' },
    ['KBO', { orgNumber: 'KBO 0403.170.701' }],
    ['in the column of VAT numbers', { vatNumber: 'BE0403170701' }],
    ['check digits swapped', { name: 'Vermeulen Transport', orgNumber: '0403170710' }],
  ],
  [
    { name: 'Ateliers Beaumont SAS', country: 'FR', orgNumber: '732829320', postcode: '69002', town: 'Lyon' },
    ['RCS', { orgNumber: 'RCS Lyon B 732 829 320' }],
    ['SIRET', { orgNumber: '73282932000074' }],
    ['a French VAT number', { vatNumber: 'FR44 732 829 320' }],
    ['one digit of a SIREN is another', { name: 'Ateliers Beaumont', orgNumber: '732829321' }],
  ],
  [
    { name: 'Rederij Zuiderzee BV', country: 'NL', orgNumber: '24330102', postcode: '1671AB', town: 'Medemblik' },
    ['KVK-nummer', { orgNumber: 'KVK-nummer 24330102' }],
    ['a dotted form and a digraph', { name: 'Rederij Zuiderzee B.V.', postcode: '1671 AB' }],
  ],
  [
    { name: 'Norrskog Kraft AB', country: 'SE', orgNumber: '556016-0680', postcode: '11432', town: 'Stockholm' },
    ['a number with 01', { orgNumber: '556016068001' }],
    ['a number with its century', { orgNumber: '16556016-0680' }],
    ['a Swedish VAT number', { vatNumber: 'SE556016068001' }],
  ],
  [
    { name: 'Fjordheim Sjømat AS', country: 'NO', orgNumber: '923609016', postcode: '5003', town: 'Bergen' },
    ['MVA', { orgNumber: '923 609 016 MVA' }],
    ['another spelling of ø', { name: 'Fjordheim Sjoemat AS', town: 'Bergen' }],
  ],
  [
    { name: 'Alpwerk Maschinen AG', country: 'CH', orgNumber: 'CHE-116.281.710', postcode: '8001', town: 'Zürich' },
    ['MWST', { orgNumber: 'CHE-116.281.710 MWST' }],
    ['without CHE', { orgNumber: '116.281.710' }],
    ['in the column of VAT numbers', { vatNumber: 'CHE-116.281.710 TVA' }],
  ],
  [
    { name: 'Vinhos Serra Alta Lda', country: 'PT', orgNumber: '500278725', postcode: '4000', town: 'Porto' },
    ['NIPC', { orgNumber: 'NIPC 500 278 725' }],
  ],
  [
    { name: 'Kladno Ocelárny s.r.o.', country: 'CZ', orgNumber: '25596641', postcode: '27201', town: 'Kladno' },
    ['IČO', { orgNumber: 'IČO: 255 96 641' }],
    ['DIČ', { vatNumber: 'CZ25596641' }],
  ],
  [
    { name: 'Outback Drilling Pty Ltd', country: 'AU', orgNumber: '000000019', postcode: '6000', town: 'Perth' },
    ['A.C.N.', { orgNumber: 'A.C.N. 000 000 019' }],
  ],
  [
    { name: 'Metalúrgica Ipiranga Ltda', country: 'BR', orgNumber: '11222333000181', town: 'São Paulo' },
    ['CNPJ', { orgNumber: 'CNPJ 11.222.333/0001-81' }],
    ['nasal vowels', { name: 'METALURGICA IPIRANGA LTDA.', town: 'Sao Paulo' }],
  ],
  [
    { name: 'Shannon Precision Components Limited', country: 'IE', orgNumber: '123456', town: 'Limerick' },
    ['CRO', { orgNumber: 'CRO 123456' }],
  ],
  [
    {
      name: 'Glenfarrow Home Care Ltd',
      country: 'GB',
      orgNumber: 'SC272838',
      postcode: 'G32 8AT',
      tradingNames: ['Farrow Carers'],
    },
    ['Registered in Scotland', { orgNumber: 'Registered in Scotland No. 272838' }],
    ['trading as', { name: 'Farrow Carers', postcode: 'G32 8AT' }],
  ],
  [
    {
      name: 'Northgate Data Systems Ltd',
      country: 'GB',
      orgNumber: '07000001',
      previousNames: ['Bluestone Computing Ltd'],
      postcode: 'LS2 4AP',
    },
    ['its former name', { name: 'Bluestone Computing Limited', postcode: 'LS2 4AP' }],
    ['formerly', { name: 'Northgate Data Systems Ltd (formerly Bluestone Computing Ltd)', postcode: 'LS2 4AP' }],
  ],
  [
    { name: 'Consolidated Pumps and Valves Limited', country: 'GB', postcode: 'B1 2XY' },
    ['initials at its postcode', { name: 'CPV Ltd', postcode: 'B1 2XY' }],
  ],
  [
    { name: '本田精密工業株式会社', country: 'JP', town: '鈴鹿市' },
    ['without its form', { name: '本田精密工業' }],
    ['a circled form', { name: '本田精密工業㈱' }],
    ['form in front', { name: '株式会社本田精密工業' }],
  ],
  [{ name: 'ニッポンセンサー株式会社', country: 'JP' }, ['half width', { name: 'ﾆｯﾎﾟﾝｾﾝｻｰ(株)' }]],
  [
    { name: '江南精密仪器有限公司', country: 'CN' },
    ['traditional characters', { name: '江南精密儀器有限公司' }],
    ['without its form', { name: '江南精密仪器' }],
  ],
  [
    { name: '한빛정밀 주식회사', country: 'KR' },
    ['a short form', { name: '(주)한빛정밀' }],
    ['without its form', { name: '한빛정밀' }],
  ],
  [
    { name: 'טבע נגב תעשיות בע"מ', country: 'IL' },
    ['other quotes', { name: 'טבע נגב תעשיות בע״מ' }],
    ['without its form', { name: 'טבע נגב תעשיות' }],
  ],
  [{ name: 'شركة النور الوطنية للتجارة ذ.م.م', country: 'AE' }, ['without its form', { name: 'النور الوطنية للتجارة' }]],
  [{ name: 'บริษัท สยามเครื่องจักร จำกัด', country: 'TH' }, ['without its form', { name: 'สยามเครื่องจักร' }]],
  [
    { name: 'ООО «Балтийский Прибор»', country: 'RU', postcode: '190031', town: 'Санкт-Петербург' },
    ['form behind the name', { name: 'Балтийский прибор, ООО' }],
    ['transliterated, with its postcode', { name: 'Baltiyskiy Pribor', postcode: '190031' }],
  ],
]
for (const [fields, ...queries] of FOREIGN) {
  const own = register(fields)
  for (const [rule, query] of queries) row(rule, own, { country: fields.country, ...query })
}

/** One name in two countries: the country decides, and without it nobody can. */
const [irish, british] = ['IE', 'GB'].map(country => register({ name: 'Slievemore Knitwear Limited', country }))
row('one name in two countries', irish!, { name: 'Slievemore Knitwear Ltd', country: 'Ireland' })
row('one name in two countries', british!, { name: 'Slievemore Knitwear Ltd', country: 'GBR' })
row('one name in two countries, none given', NONE, { name: 'Slievemore Knitwear Ltd' })
row('transliterated, nothing else', NONE, { name: 'Baltiyskiy Pribor OOO', country: 'RU' })
for (const name of ['n/a', '-', '???', 'TOTAL', 'see above', 'Limited', 'The Company', '0000', 'test test', '#REF!'])
  row('not a company', NONE, { name, country: 'GB' })
for (const name of [
  'Thornbury Bakery Limited',
  'Ashdown Windows Limited',
  'Morwenna Hair Studio',
  'Pembridge Scaffolding Ltd',
  'Oldroyd Solicitors LLP',
])
  row('another company with the same first word', NONE, { name, country: 'GB' })

export const HARD = { companies, rows }
