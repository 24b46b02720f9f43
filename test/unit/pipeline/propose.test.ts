/** Proposals from headers and values: headers in each language, evidence of values, and the written draft. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseCompanyName } from '../../../src/normalise/company-name.ts'
import { normaliseCountry } from '../../../src/normalise/country.ts'
import { claimsOf, wordsOf } from '../../../src/pipeline/propose/claims.ts'
import { draftOf, draftYaml, nameDecisionsFile } from '../../../src/pipeline/propose/draft.ts'
import { isIban, isVat } from '../../../src/pipeline/propose/numbers.ts'
import { chosen, type Proposal, propose } from '../../../src/pipeline/propose/propose.ts'
import SYNONYMS from '../../../src/pipeline/propose/synonyms.json' with { type: 'json' }
import type { SeenColumn } from '../../../src/pipeline/propose/values.ts'
import { FACTS, parseYaml, planOf } from './support.ts'

const KNOWN = {
  isCountry: (text: string) => normaliseCountry(text) !== '',
  hasLegalForm: (text: string) => parseCompanyName(text).legal !== null,
}

/** Columns of rows of cells. */
const seen = (header: readonly (string | null)[], rows: readonly (readonly string[])[]): SeenColumn[] =>
  header.map((name, index) => {
    const cells = rows.map(row => row[index] ?? '').filter(cell => cell !== '')
    const values = [...new Set(cells)]
    const counts = values.map(value => cells.filter(cell => cell === value).length)
    return { index, header: name, filled: cells.length, distinct: values.length, values, counts, examples: values.slice(0, 3) }
  })

/** `name 0.9`, or what stands in the column together. */
const claimed = (header: string): string => {
  const { claims, holds } = claimsOf(header)
  return holds.length > 0 ? holds.join('+') : claims.map(one => `${one.target} ${one.strength}`).join(', ')
}

describe('claims of headers', () => {
  test.each([
    ['Company Name', 'name 0.9'],
    ['company_name', 'name 0.9'],
    ['CompanyName', 'name 0.9'],
    ['COMPANYNAME', 'name 0.9'],
    ['Registered Company Name', 'name 0.85'],
    ['Supplier Name', 'name 0.9'],
    ['Firma', 'name 0.9'],
    ['Firmenname', 'name 0.9'],
    ['Name des Unternehmens', 'name 0.9'],
    ['Straße u. Hausnr.', 'address1 0.9'],
    ['Strasse', 'address1 0.9'],
    ['PLZ', 'postcode 0.9'],
    ['USt-IdNr.', 'vatNumber 0.9'],
    ['Laendercode', 'countryCode 0.9'],
    ['Ländercode', 'countryCode 0.9'],
    ['Raison sociale', 'name 0.9'],
    ['Code postal', 'postcode 0.9'],
    ['N° SIRET', 'orgNumber 0.9'],
    ['N° TVA intracommunautaire', 'vatNumber 0.9'],
    ['Téléphone', 'phone 0.9'],
    ['Razón social', 'name 0.9'],
    ['Teléfono', 'phone 0.9'],
    ['Partita IVA', 'vatNumber 0.9'],
    ['Codice Fiscale', 'taxCode 0.9'],
    ['Morada', 'address1 0.9'],
    ['KvK-nummer', 'orgNumber 0.9'],
    ['Organisationsnummer', 'orgNumber 0.9'],
    ['Postort', 'town 0.9'],
    ['CVR-nr.', 'orgNumber 0.9'],
    ['Poststed', 'town 0.9'],
    ['Y-tunnus', 'orgNumber 0.9'],
    ['Nazwa firmy', 'name 0.9'],
    ['NIP', 'vatNumber 0.9'],
    ['IČO', 'orgNumber 0.9'],
    ['PSČ', 'postcode 0.9'],
    ['Cégnév', 'name 0.9'],
    ['Denumire firmă', 'name 0.9'],
    ['Επωνυμία', 'name 0.9'],
    ['Kunden-Ort', 'town 0.85'],
    ['Lieferantenstraße', 'address1 0.85'],
    ['Kundennummer', 'key 0.9'],
    ['Lieferanten-ID', 'key 0.85'],
    ['Supplier No', 'key 0.9'],
    ['Address 2', 'address2 0.9'],
    ['Kunde', 'name 0.5, key 0.5'],
    ['Nummer', 'orgNumber 0.5'],
    ['Fax', 'other 0.9'],
    ['Email consent', 'other 0.55'],
    ['Ansprechpartner Name', 'other 0.55'],
    ['PLZ/Ort', 'postcode+town'],
    ['Name und Anschrift', 'name+address1'],
    ['Spalte 7', ''],
    ['ORT01', 'town 0.9'],
    ['codePostalEtablissement', 'postcode 0.85'],
    ['Quux', ''],
    ['', ''],
  ])('%s', (header, claims) => expect(claimed(header)).toBe(claims))

  test('accepts any text and ignores case, accents and punctuation', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), header =>
        claimsOf(header).claims.every(one => one.strength <= 0.9),
      ),
    )
    const words = Object.values(SYNONYMS).flatMap(language => Object.values(language).flatMap(list => list.split('|')))
    fc.assert(
      fc.property(
        fc.constantFrom(...words.filter(word => !word.startsWith('~'))),
        fc.constantFrom(' ', '_', '-', '.', ' / '),
        (word, between) => {
          expect(claimed(word.replaceAll(' ', between).toUpperCase())).toBe(claimed(word))
        },
      ),
    )
  })

  test('the table is folded like headers, and no word is duplicated in a language and meaning', () => {
    for (const [language, meanings] of Object.entries(SYNONYMS))
      for (const [meaning, list] of Object.entries(meanings)) {
        const words = list.split('|')
        expect(
          words.filter((word, at) => words.indexOf(word) < at),
          `${language} ${meaning}`,
        ).toEqual([])
        // The parting of `address2` at its digit is the reader's.
        for (const word of words)
          expect(wordsOf(word.replace('~', '')).join(''), `${language} ${meaning}`).toBe(
            word.replace(/[~ ]/g, '').replaceAll('ς', 'σ'),
          )
      }
  })
})

test.each([
  ['DE123456789', true],
  ['ATU12345678', true],
  ['NL 123456789 B01', true],
  ['FR 40 303 265 045', true],
  ['GB 123 4567 89', true],
  ['EL123456789', true],
  ['XX123456789', false],
  ['12345678', false],
  ['DE12345678', false],
])('%s as a VAT number: %s', (text, is) => expect(isVat(text)).toBe(is))

test('an IBAN is recognised by its check digits', () => {
  expect(isIban('GB82 WEST 1234 5698 7654 32')).toBe(true)
  expect(isIban('GB82 WEST 1234 5698 7654 33')).toBe(false)
})

const NAMES = ['Abel', 'Bern', 'Cora', 'Dorn', 'Emsa', 'Falk', 'Gero', 'Hild', 'Irma', 'Jost', 'Kern', 'Lund']
const told = ({ columns }: Proposal): string[] =>
  columns.map(one => `${one.column.header ?? one.column.index}: ${one.status === 'mapped' ? one.target : one.status}`)

/** The values of a column under a vague header, and what they are taken for. */
const BY_VALUES: [string, (n: number) => string, string][] = [
  ['company names', n => `${NAMES[n]} Holding ${['GmbH', 'Ltd', 'S.A.', 'AB'][n % 4]}`, 'name'],
  ['e-mail addresses', n => `info@${NAMES[n]}.example`.toLowerCase(), 'email'],
  ['VAT numbers', n => `DE1234567${String(n).padStart(2, '0')}`, 'vatNumber'],
  ['phone numbers', n => `+49 30 12345${String(n).padStart(2, '0')}`, 'phone'],
  ['British postcodes', n => `SW1A ${n % 10}A${'ABCDEFGHJLNP'[n]}`, 'postcode'],
  ['Dutch postcodes', n => `10${String(n).padStart(2, '0')} AB`, 'postcode'],
  [
    'countries',
    n =>
      ['Germany', 'France', 'Spain', 'Italy', 'Poland', 'Sweden', 'Norway', 'Denmark', 'Finland', 'Austria', 'Belgium', 'Greece'][
        n
      ]!,
    'country',
  ],
  ['British company numbers', n => (n % 4 === 0 ? `SC${100_000 + n}` : `0${1_000_000 + n}`), 'orgNumber'],
  [
    'SIREN',
    n =>
      [
        '303265045',
        '542051180',
        '552100554',
        '775670417',
        '552081317',
        '552120222',
        '562082909',
        '542065479',
        '662042449',
        '380129866',
        '552032534',
        '440048882',
      ][n]!,
    'orgNumber',
  ],
  ['plain numbers', n => String(10_000_000 + n * 7), 'left'],
  ['web addresses', n => `https://${NAMES[n]}.example/`, 'left'],
  ['dates', n => `2026-01-${String(n + 10)}`, 'left'],
  ['amounts', n => `1.${200 + n},50`, 'left'],
  ['words', n => NAMES[n]!, 'left'],
]

test.each(BY_VALUES)('%s are recognised without a header', (_, cellOf, target) => {
  const rows = NAMES.map((_name, n) => [cellOf(n)])
  expect(told(propose(seen(['Wert'], rows), rows.length, KNOWN))).toEqual([`Wert: ${target}`])
})

test('one odd value in a column of one country does not hide it', () => {
  const rows = NAMES.map((name, n) => [`${name} Ltd`, n === 11 ? '247' : 'GB'])
  expect(told(propose(seen(['Company', 'Country'], rows), rows.length, KNOWN))).toEqual(['Company: name', 'Country: country'])
})

describe('a column of countries is recognised by its values', () => {
  const columnOf = (header: string, ...values: string[]) => {
    const rows = Array.from({ length: 20 }, (_, n) => [values[n % values.length]!, `${NAMES[n % 12]} ${n} GmbH`])
    return told(propose(seen([header, 'Firma'], rows), rows.length, KNOWN))[0]
  }

  test.each([
    ['Ctry', ['UK'], 'country'],
    ['Nat.', ['DE', 'AT', 'CH'], 'country'],
    ['Nat.', ['GB'], 'country'],
    ['Land/Region', ['Germany', 'France'], 'country'],
    ['Pays du siège', ['FR'], 'country'],
    ['xyz', ['Deutschland', 'Österreich', 'Schweiz'], 'country'],
    ['xyz', ['GBR', 'IRL'], 'country'],
    // Codes of languages, of states and of cantons are written like countries.
    ['xyz', ['DE'], 'unsure'],
    ['Spr.', ['DE', 'FR', 'IT'], 'unsure'],
    ['xyz', ['CA', 'GA', 'IN'], 'unsure'],
    ['xyz', ['BY', 'BW', 'NI'], 'unsure'],
    ['Ctry', ['DE'], 'country'],
    ['State', ['CA', 'GA', 'IN', 'DE'], 'region'],
    ['Kanton', ['BE', 'AR', 'GE'], 'region'],
    ['Sprache', ['DE', 'FR'], 'left'],
    ['xyz', ['GB', 'GB', 'GB', 'GB', 'no country'], 'unsure'],
    ['xyz', ['Nord', 'Süd'], 'left'],
  ])('%s: %s', (header, values, target) => expect(columnOf(header, ...values)).toBe(`${header}: ${target}`))

  test('not in fewer than ten cells', () => {
    const rows = NAMES.slice(0, 6).map(name => ['GB', `${name} GmbH`])
    expect(told(propose(seen(['xyz', 'Firma'], rows), rows.length, KNOWN))[0]).toBe('xyz: unsure')
  })

  test.each([
    [['Tax country', 'Country of registration'], 'Tax country: unsure, Country of registration: unsure'],
    [['xyz', 'Nat.'], 'xyz: unsure, Nat.: unsure'],
    [['Country', 'Tax country'], 'Country: country, Tax country: unsure'],
    [['Land', 'xyz'], 'Land: country, xyz: unsure'],
    [['Country', 'Country code'], 'Country: country, Country code: countryCode'],
  ])('of two such columns a person chooses: %s', (headers, expected) => {
    const rows = Array.from({ length: 20 }, (_, n) => [n % 2 ? 'GB' : 'DE', n % 3 ? 'FR' : 'AT', `${NAMES[n % 12]} ${n} GmbH`])
    const found = told(propose(seen([...headers, 'Firma'], rows), rows.length, KNOWN))
    expect(found.slice(0, 2).join(', ')).toBe(expected)
  })
})

/** Headers that the values gainsay. */
test.each([
  ['Email', ['yes', 'no']],
  ['Telefon', ['ja', 'nein']],
  ['Land', ['train', 'dev']],
  ['PLZ', ['Nord', 'Ost']],
  ['Name', ['Lieferant', 'Kunde']],
  ['USt-IdNr', ['pflichtig', 'befreit']],
])('the values contradict the header %s', (header, words) => {
  const rows = Array.from({ length: 100 }, (_, n) => [words[n % 2]!])
  expect(told(propose(seen([header], rows), rows.length, KNOWN))).toEqual([`${header}: left`])
})

describe('several columns', () => {
  const rows = NAMES.map((name, n) => [`${name} GmbH`, `${name} Werke GmbH`, `Hauptstraße ${n}`, `Haus ${n}`, `V${n}`])

  test('two equally good columns are left to a person; a better one is mapped', () => {
    expect(told(propose(seen(['Firma', 'Unternehmen'], rows), 12, KNOWN))).toEqual(['Firma: unsure', 'Unternehmen: unsure'])
    expect(told(propose(seen(['Firma', 'Kunde'], rows), 12, KNOWN))).toEqual(['Firma: name', 'Kunde: unsure'])
  })

  test('choices of a person are kept, and the other columns are proposed', () => {
    const columns = seen(['Firma', 'Unternehmen', 'Straße', 'Zusatz', 'Kd-Nr'], rows)
    const decided = propose(
      columns,
      12,
      KNOWN,
      new Map([
        ['name', 1],
        ['address1', null],
      ]),
    )
    expect(told(decided)).toEqual(['Firma: left', 'Unternehmen: name', 'Straße: left', 'Zusatz: address2', 'Kd-Nr: key'])
    expect(decided.isEnough).toBe(true)
  })

  test('company names under a header of persons are asked about where no other column may be the name', () => {
    const named = rows.map((row, n) => [row[0]!, row[1]!, `V${n}`])
    expect(told(propose(seen(['Contact name', 'xyz', 'ID'], named), 12, KNOWN))[0]).toBe('Contact name: left')
    const alone = named.map(([name, , id]) => [name!, id!])
    expect(told(propose(seen(['Contact name', 'ID'], alone), 12, KNOWN))).toEqual(['Contact name: unsure', 'ID: key'])
  })

  test('address lines are numbered in the order of the columns', () => {
    expect(
      told(
        propose(
          seen(
            ['x', 'Firma', 'Straße', 'Adresse', 'y'],
            rows.map(row => ['', row[0]!, row[2]!, row[3]!, '']),
          ),
          12,
          KNOWN,
        ),
      ),
    ).toEqual(['x: left', 'Firma: name', 'Straße: address1', 'Adresse: address2', 'y: left'])
  })

  test('a name beside first names may be the name of a person', () => {
    const persons = NAMES.map((name, n) => [name, `Peter${n}`])
    const { columns, isEnough } = propose(seen(['Name', 'Vorname'], persons), 12, KNOWN)
    expect([columns[0]?.status, isEnough]).toEqual(['unsure', false])
  })

  test.each([
    ['one prefix', (n: number) => `Q${n * 17 + 3}`, 'key'],
    ['one width', (n: number) => `uk-${(n * 7919 + 2e6).toString(16)}`, 'key'],
    ['digits of one width', (n: number) => String(70_000 + 31 * n), null],
    ['amounts', (n: number) => String(100 * n ** 3 + 7), null],
    ['decimals', (n: number) => `${1000 + 7 * n}.50`, null],
    ['dates', (n: number) => `2024-05-${10 + n}`, null],
    ['words', (n: number) => `word ${n}`, null],
    ['a repeated value', (n: number) => `Q${Math.max(n, 1)}`, null],
    ['a missing value', (n: number) => (n === 0 ? '' : `Q${n}`), null],
  ])('a column that nothing names is the key by its values: %s', (_, idOf, target) => {
    const header = ['xyz', 'Firma']
    const { columns } = propose(
      seen(
        header,
        rows.map((row, n) => [idOf(n), row[0]!]),
      ),
      rows.length,
      KNOWN,
    )
    expect(columns[0]?.target).toBe(target)
    if (target === 'key')
      expect(columns[0]).toMatchObject({ status: 'mapped', why: expect.stringMatching(/different value .* such as/) })
    const own = seen(
      ['xyz', 'ID'],
      rows.map((__, n) => [idOf(n), `K${n}`]),
    )
    expect(propose(own, rows.length, KNOWN).columns[0]?.target).toBeNull()
    expect(propose(own, rows.length, KNOWN, new Map([['key', null]])).columns[0]?.target).toBeNull()
  })

  test('a key has a different value in every row', () => {
    expect(
      told(
        propose(
          seen(
            ['ID', 'Firma'],
            rows.map((row, n) => [`K${n}`, row[0]!]),
          ),
          12,
          KNOWN,
        ),
      )[0],
    ).toBe('ID: key')
    expect(
      told(
        propose(
          seen(
            ['ID', 'Firma'],
            rows.map((row, n) => [`K${n % 3}`, row[0]!]),
          ),
          12,
          KNOWN,
        ),
      )[0],
    ).toBe('ID: left')
  })

  test('a first row of data is not read as a header', () => {
    const data = NAMES.map((name, n) => [`${name} GmbH`, `1011${n % 10}`, 'Berlin'])
    const [first = [], ...others] = data
    expect(propose(seen(first, others), 11, KNOWN).isHeaderless).toBe(true)
    expect(propose(seen(['Firma', 'PLZ', 'Ort'], data), 12, KNOWN).isHeaderless).toBe(false)
    expect(propose(seen(['A', 'B', 'C'], data), 12, KNOWN).isHeaderless).toBe(false)
    // A column that is chosen does not make a header of it.
    expect(propose(seen(first, others), 11, KNOWN, new Map([['name', 0]])).isHeaderless).toBe(true)
    const graded = [1, 2, 3, 4].map(at => [`Orla ${at}`, at % 2 === 0 ? 'Gold' : 'Silver'])
    expect(propose(seen(graded[0]!, graded.slice(1)), 3, KNOWN).isHeaderless).toBe(true)
    expect(propose(seen(['Vendor', 'Gold'], graded), 4, KNOWN).isHeaderless).toBe(false)
    const coded = Array.from({ length: 12 }, (_, at) => [`tse_${1101 + at}.tw`, `台泥${at}`])
    expect(propose(seen(coded[0]!, coded.slice(1)), 11, KNOWN).isHeaderless).toBe(true)
    expect(propose(seen(['tse_code.tw', '股票'], coded), 12, KNOWN).isHeaderless).toBe(false)
    expect(propose(seen(coded[0]!, coded.slice(1, 9)), 8, KNOWN).isHeaderless).toBe(false)
  })
})

describe('the draft', () => {
  const cells = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  const anyHeader = fc.uniqueArray(
    fc.oneof(cells, fc.constantFrom('${HOME}', '# x', 'a: b', "it's", '"q"', '- y', 'null', '007', '{a}', '--- a')),
    { minLength: 5, maxLength: 5 },
  )

  test('the file and the value are the same pipeline with the proposed columns, for any headers', () => {
    fc.assert(
      fc.property(anyHeader, cells, fc.boolean(), (header, path, isLong) => {
        const columns = seen(header, [])
        const proposal = propose(
          columns,
          0,
          KNOWN,
          new Map([
            ['name', 0],
            ['town', 1],
            ['country', 2],
            ['key', 3],
          ] as const),
        )
        // Windows has no file named CON.
        const facts = { ...FACTS, path: `lists/a${path.replace(/[\p{C}~]/gu, '')}.csv`, header, columns: 5 }
        const options = {
          facts,
          reading: isLong ? { encoding: 'windows-1252' } : {},
          output: { path: 'out/x.csv', unmatched: 'out/y.csv' },
        }
        const text = draftYaml(proposal, options, { schema: 'schema/pipeline.v1.json', by: 'test' })
        const draft = draftOf(proposal, options)
        // The lists of a pipeline are compared with each other.
        const input = { ...(typeof draft.input === 'string' ? { path: draft.input } : draft.input), columns: { expect: 'known' } }
        expect(parse(text)).toEqual({ ...draft, input, review: { decisions: nameDecisionsFile(draft.name) } })
        const { pipeline, issues } = parseYaml(text)
        expect(issues.filter(one => one.severity === 'error')).toEqual([])
        expect(pipeline?.input.path).toBe(facts.path)
        const made = planOf(text, facts)
        expect(made.mappings.map(one => [one.mapping, one.index])).toEqual([
          ['name', 0],
          ['town', 1],
          ['country', 2],
        ])
        expect(made.key?.index).toBe(3)
      }),
    )
  })

  test('shows confidence, reasons and left-out columns, and no cell', () => {
    const rows = NAMES.map(name => [`${name} GmbH`, `info@${name}.example`, `${name}-Text`, `${name} Stadt`])
    const proposal = propose(seen(['Firma', 'E-Mail', 'Notiz', 'Gebiet'], rows), 12, KNOWN)
    const text = draftYaml(
      proposal,
      {
        facts: { ...FACTS, path: 'Müller & Söhne 2026.csv', header: ['Firma', 'E-Mail', 'Notiz', 'Gebiet'] },
        reading: {},
        output: 'out/x.csv',
      },
      { schema: 's.json', by: 'test' },
    )
    expect(text).toMatch(/^# yaml-language-server: \$schema=s\.json$/m)
    expect(text).toMatch(/^name: muller-sohne-2026$/m)
    expect(text).toMatch(/^ {2}name: Firma +# 9\d%: the header names it, 100% of the values have a legal form$/m)
    expect(text).toMatch(/^ {2}# region: Gebiet +# 50%: /m)
    expect(text).toMatch(/# Left out: "Notiz"$/m)
    for (const name of NAMES) expect(text).not.toContain(name)
    expect(chosen(proposal).mappings.map(([mapping]) => mapping)).toEqual(['name', 'email'])
  })
})
