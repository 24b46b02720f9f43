/**
 * Rows that are hard to match, of 39 kinds, made by rule from invented British companies; the same seed makes the same rows. `expected` is the
 * id of the company that is meant, '' where no company may be matched: a company more, or less, by a word of a group is another company.
 */
import type { Company, Query } from '../../src/service/matching/index.ts'

export interface KindRow {
  readonly kind: string
  readonly query: Query
  readonly expected: string
}

const FRONT = 'Ash Bram Cald Dun Elm Fern Glen Hart Ing Kel Lang Marl Nether Old Pem Quill Raven Stan Tarn Ull Vex Wex Yar'.split(
  ' ',
)
const BACK = 'worth bury combe dale field ford ham hurst ley mere more shaw stead ton wick wood'.split(' ')
const TRADES = [
  'Precision Engineering',
  'Commercial Vehicles',
  'Environmental Laboratories',
  'Agricultural Machinery',
  'Refrigeration Equipment',
  'Architectural Glazing',
  'Community Pharmacies',
  'Marine Instruments',
  'Textile Manufacturing',
  'Communications Cabling',
  'Structural Steelwork',
  'Horticultural Products',
  'Veterinary Practices',
  'Electrical Distribution',
  'Recruitment Consultants',
  'Hydraulic Components',
]
const STREETS = 'Foundry Lane|Mill Street|Station Road|Canal Walk|Dock Road|Market Place|Quarry Hill|Harbour View'.split('|')
const TOWNS = 'Sheffield LS|Lewes BN|Derby DE|Hull HU|Falmouth TR|Leeds LS|Louth LN|Poole BH|Kendal LA|Truro TR'
  .split('|')
  .map(place => place.split(' ') as [string, string])
const GROUP_WORDS = 'Holdings Group UK International Trading Services Properties Europe'.split(' ')
const ABBREVIATED: Readonly<Record<string, string>> = {
  Engineering: 'Engrg',
  Laboratories: 'Labs',
  Machinery: 'Mach',
  Equipment: 'Equip',
  Manufacturing: 'Mfg',
  Communications: 'Comms',
  Products: 'Prods',
  Distribution: 'Distr',
  Consultants: 'Consult',
}
const NATIVE: readonly (readonly [country: string, name: string, asked: string])[] = [
  ['RU', 'ООО «Северный Компрессор»', 'Severnyy Kompressor OOO'],
  ['GR', 'ΝΑΥΤΙΛΙΑΚΗ ΚΑΛΥΨΗ ΑΕ', 'Nautiliaki Kalypsi AE'],
  ['UA', 'ТОВ «Дніпровська Кераміка»', 'Dniprovska Keramika TOV'],
  ['BG', 'Балкан Лабораторни Уреди ООД', 'Balkan Laboratorni Uredi OOD'],
]

/** Numbers between 0 and 1, the same ones for the same seed. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

export function makeHardKinds(seed = 12_345) {
  const random = seeded(seed)
  const below = (most: number): number => Math.floor(random() * most)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!
  const companies: Company[] = []
  const rows: KindRow[] = []
  const places = FRONT.flatMap(front => BACK.map(back => front + back))
  /** Each is drawn once. */
  const takePlace = (): string => places.splice(below(places.length), 1)[0]!

  const register = (fields: Pick<Company, 'name'> & Partial<Company>): Company => {
    const at = companies.length
    const [town, area] = pick(TOWNS)
    const made: Company = {
      id: `K${at + 1}`,
      connectId: `GB-X-K${at + 1}`,
      country: 'GB',
      orgNumber: String(9_000_000 + at * 1_117).padStart(8, '0'),
      vatNumber: `GB${100_000_000 + at * 7_919}`,
      tradingNames: [],
      previousNames: [],
      address1: `${1 + below(180)} ${pick(STREETS)}`,
      address2: '',
      town,
      postcode: `${area}${1 + below(19)} ${1 + below(9)}${pick(['AB', 'DX', 'QT', 'RW', 'HJ'])}`,
      phone: '',
      email: '',
      website: '',
      status: 'Active',
      ...fields,
    }
    companies.push(made)
    return made
  }
  const british = Array.from({ length: 160 }, (_, at) =>
    register({ name: `${at % 5 === 0 ? `${takePlace()} & ` : ''}${takePlace()} ${TRADES[at % TRADES.length]} Limited` }),
  )
  const core = ({ name }: Company): string => name.replace(/ Limited$/, '')
  const place = ({ address1, town, postcode }: Company): Query => ({ address1, town, postcode, country: 'GB' })
  const code = ({ postcode }: Company): Query => ({ postcode, country: 'GB' })
  const inCountry: Query = { country: 'GB' }
  /** Changes the longest word. */
  const inLongest = (name: string, change: (word: string) => string): string => {
    const longest = name.split(' ').sort((a, b) => b.length - a.length)[0]!
    return name.replace(longest, change(longest))
  }
  const dropLetter = (word: string): string => {
    const at = 2 + below(word.length - 3)
    return word.slice(0, at) + word.slice(at + 1)
  }
  const doubleLetter = (word: string): string => {
    const at = 2 + below(word.length - 3)
    return word.slice(0, at) + word[at] + word.slice(at)
  }
  const swapLetters = (word: string): string => {
    const at = 2 + below(word.length - 4)
    return word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2)
  }

  let next = 0
  /** Adds `count` rows of a kind, each of the next company. `isMeant`: the company asked for is the one registered. */
  const add = (
    kind: string,
    count: number,
    write: (company: Company, at: number) => Query,
    isMeant = true,
    from: readonly Company[] = british,
  ): void => {
    for (let at = 0; at < count; at++) {
      const own = from[next++ % from.length]!
      rows.push({ kind, query: write(own, at), expected: isMeant ? own.id : '' })
    }
  }
  const named = (name: string, ...rest: readonly Query[]): Query => Object.assign({ name }, ...rest)

  add('one typing error, country', 15, (own, at) =>
    named(inLongest(core(own), [dropLetter, doubleLetter, swapLetters][at % 3]!), inCountry),
  )
  add('two typing errors, postcode', 12, (own, at) =>
    named(
      inLongest(core(own), word => dropLetter([dropLetter, doubleLetter, swapLetters][at % 3]!(word))),
      code(own),
    ),
  )
  const OCR: readonly (readonly [RegExp, string])[] = [
    [/o(?=[a-z])/, '0'],
    [/l(?=[a-z])/, '1'],
    [/i(?=[a-z])/, '1'],
    [/(?<=[a-z])s/, '5'],
    [/(?<=[a-z])m/, 'rn'],
    [/(?<=[a-z])d/, 'cl'],
    [/(?<=[a-z])b/, '8'],
  ]
  add('reading error of a scanner, country', 14, (own, at) => {
    const all = [...OCR.slice(at % OCR.length), ...OCR]
    const [from, to] = all.find(([pattern]) => pattern.test(own.name))!
    return named(
      own.name
        .replace(from, to)
        .toUpperCase()
        .replace('RN', at % 2 === 0 ? 'rn' : 'RN'),
      inCountry,
    )
  })
  const shortenable = british.filter(({ name }) => Object.keys(ABBREVIATED).some(word => name.includes(word)))
  add(
    'abbreviated words, country',
    18,
    own => named(own.name.replace(/[A-Z][a-z]+/g, word => ABBREVIATED[word] ?? word).replace('Limited', 'Ltd'), inCountry),
    true,
    shortenable,
  )
  add('trading as, behind the name', 12, (own, at) =>
    named(
      `${own.name} ${['t/a', 'trading as', 'T/A', 'd/b/a'][at % 4]} ${takePlace()} ${pick(['Cars', 'Direct', 'Online'])}`,
      inCountry,
    ),
  )
  add('formerly, behind the name', 12, (own, at) => {
    const former = `${takePlace()} ${pick(TRADES)} Ltd`
    return named(at % 2 === 0 ? `${own.name} (formerly ${former})` : `${core(own)} Ltd f/k/a ${former}`, inCountry)
  })
  add("the register's name behind formerly", 8, own =>
    named(`${takePlace()} ${pick(TRADES)} Ltd (formerly ${own.name})`, code(own)),
  )
  add('words merged, country', 12, own => named(core(own).replace(/ (?=\S+$)/, ''), inCountry))
  add('one word split, country', 8, own => {
    const first = core(own).split(' ')[0]!
    return named(core(own).replace(first, `${first.slice(0, 4)} ${first.slice(4)}`), inCountry)
  })
  add('initials, postcode', 10, own =>
    named(
      `${core(own)
        .split(' ')
        .filter(word => word !== '&')
        .map(word => word[0])
        .join('')} Ltd`,
      code(own),
    ),
  )
  add(
    'ampersand and "and", country',
    10,
    own => named(own.name.replace('&', 'and').toUpperCase(), inCountry),
    true,
    british.filter(({ name }) => name.includes('&')),
  )
  add('wrong country, same postcode and address', 8, own => named(own.name, { ...place(own), country: 'IE' }))
  add('wrong country, name alone', 8, own => named(own.name, { country: 'CA' }), false)
  add('post box instead of the address', 10, (own, at) =>
    named(own.name, { address1: `PO Box ${100 + at * 37}`, town: own.town, country: 'GB' }),
  )
  const more = (own: Company, at: number): string => `${core(own)} ${GROUP_WORDS[at % GROUP_WORDS.length]} Ltd`
  add('a group word more, same address', 24, (own, at) => named(more(own, at), place(own)), false)
  add('a group word more, no address', 24, (own, at) => named(more(own, at), inCountry), false)
  const grouped = Array.from({ length: 24 }, (_, at) =>
    register({ name: `${takePlace()} ${TRADES[at % TRADES.length]} ${GROUP_WORDS[at % GROUP_WORDS.length]} Limited` }),
  )
  add('a group word less, same address', 24, own => named(own.name.replace(/ \w+ Limited$/, ' Ltd'), place(own)), false, grouped)
  add('a number off by one digit, same name and address', 12, own =>
    named(own.name, { ...place(own), orgNumber: own.orgNumber.slice(0, -1) + ((Number(own.orgNumber.at(-1)) + 1) % 10) }),
  )
  const other = (own: Company): Company => british[(british.indexOf(own) + 41) % british.length]!
  add(
    "another company's number, own name and address",
    12,
    own => named(own.name, { ...place(own), orgNumber: other(own).orgNumber }),
    false,
  )
  const stranger = (): Query => ({
    name: `${takePlace()} Dental Studio Ltd`,
    address1: `${300 + below(99)} ${pick(STREETS)}`,
    postcode: `ZE${1 + below(3)} ${1 + below(9)}XY`,
    country: 'GB',
  })
  add('the number and nothing else', 12, own => ({ ...stranger(), orgNumber: own.orgNumber }), false)
  const vat = ({ vatNumber }: Company): string =>
    `VAT Reg. No. GB ${vatNumber.slice(2, 5)} ${vatNumber.slice(5, 9)} ${vatNumber.slice(9)}`
  add('VAT number in words, another name', 12, own => ({ ...stranger(), vatNumber: vat(own) }), false)
  add('VAT number in words, same name', 12, own => named(own.name, { vatNumber: vat(own), country: 'GB' }))
  const native = NATIVE.map(([country, name]) => register({ name, country, vatNumber: '' }))
  const asked = (own: Company): Query => ({ name: NATIVE[native.indexOf(own)]![2], country: own.country })
  add('another script, with the number', 8, own => ({ ...asked(own), orgNumber: own.orgNumber }), true, native)
  add(
    'another script, with the address',
    8,
    own => ({ ...asked(own), address1: own.address1, town: own.town, postcode: own.postcode }),
    true,
    native,
  )
  add('cut at 30 characters, country', 12, own => named(own.name.slice(0, 30), inCountry))
  add(
    'cut at 20 characters, country',
    12,
    own => named(own.name.slice(0, 20), inCountry),
    true,
    british.filter(({ name }) => !name.includes('&')),
  )
  add('cut at 25 characters, postcode', 12, own => named(own.name.slice(0, 25), code(own)))
  add('name and town in one cell', 16, (own, at) =>
    named(
      [
        `${own.name}, ${own.town}`,
        `${own.name} - ${own.town}`,
        `${own.name} ${own.town}`.toUpperCase(),
        `${core(own)} Ltd (${own.town})`,
      ][at % 4]!,
      inCountry,
    ),
  )
  add(
    'a successor with its year, the register has the older company',
    8,
    (own, at) => named(`${core(own)} (${2009 + at}) Ltd`, inCountry),
    false,
  )
  add('filler in the other cells', 12, (own, at) => {
    const filler = ['N/A', 'NULL', '0', '-'][at % 4]!
    return named(own.name, { address1: filler, town: filler, postcode: filler, orgNumber: filler, phone: filler, country: 'GB' })
  })
  add('name and address swapped', 10, own => ({ ...place(own), name: own.address1, address1: own.name }))
  add('town and postcode swapped', 8, own =>
    named(own.name, { address1: own.address1, town: own.postcode, postcode: own.town, country: 'GB' }),
  )
  add('organisation number in the VAT column', 8, own => named(core(own), { vatNumber: own.orgNumber, country: 'GB' }))
  const CONTACTS: readonly ((name: string) => string)[] = [
    name => `${name} FAO Jo Marsden`,
    name => `FAO: Jo Marsden, ${name}`,
    name => `${name} - Accounts Payable`,
    name => `${name} / Purchasing Department`,
    name => `${name} c/o Elmsley Accountants`,
    name => `${name} (attn. Finance)`,
    name => `${name.toUpperCase()} ACCOUNTS DEPT`,
  ]
  add('a contact or department in the name', 14, (own, at) => named(CONTACTS[at % CONTACTS.length]!(own.name), inCountry))
  const SYSTEMS: readonly ((name: string) => string)[] = [
    name => `10023 - ${name.toUpperCase()}`,
    name => `${name} (DO NOT USE)`,
    name => `*** CLOSED *** ${name}`,
    name => `[V00417] ${name}`,
    name => `${name.toUpperCase()} 000509`,
    name => name.replace('&', '&amp;'),
  ]
  add('codes and remarks of a system in the name', 12, (own, at) => named(SYSTEMS[at % SYSTEMS.length]!(own.name), inCountry))
  add('a stranger at the same address', 20, own => named(`${takePlace()} Dental Studio Ltd`, place(own)), false)
  const anotherTrade = (own: Company): string =>
    `${core(own).split(' ')[0]} ${pick(['Bakery', 'Solicitors', 'Nurseries', 'Scaffolding'])} Ltd`
  add('the same first word, another trade, same postcode', 12, own => named(anotherTrade(own), code(own)), false)
  add('the same first word, another trade, no address', 12, own => named(anotherTrade(own), inCountry), false)
  const FORMS = ['Ltd', 'Ltd.', 'LIMITED', 'Private Limited Company', 'Co Ltd']
  add('another spelling of the legal form, country', 20, (own, at) =>
    named(`${core(own)} ${FORMS[at % FORMS.length]}`, inCountry),
  )
  return { companies, rows }
}
