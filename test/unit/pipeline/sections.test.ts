/** Headings, totals and repeated headers inside a list: each that is proved is found, and no row of a company is taken for one. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseCompanyName } from '../../../src/normalise/company-name.ts'
import { normaliseCountry } from '../../../src/normalise/country.ts'
import { SectionFinder } from '../../../src/pipeline/index.ts'
import { runs } from '../../support/runs.ts'

const KNOWN = {
  countryOf: normaliseCountry,
  hasLegalForm: (text: string) => parseCompanyName(text).legal !== null,
}
const HEADER = ['Name', 'Town', 'Country', 'Spend']

/** `found`: the rows, from 1, that are proved; `doubtful`: those that only look like one. */
function findIn(rows: readonly (readonly string[])[], header: readonly string[] | null = HEADER) {
  const finder = new SectionFinder(header, KNOWN)
  for (const row of rows) finder.add(row)
  const { found, doubtful } = finder.end()
  return { found: found.map(({ row }) => row), doubtful: doubtful.map(({ row }) => row) }
}

/** Rows of a table as text: `Acme Ltd|Leeds|GB|10`. */
const rowsOf = (text: string): string[][] =>
  text
    .trim()
    .split('\n')
    .map(line => {
      const cells = line.trim().split('|')
      return [...cells, ...Array<string>(Math.max(0, 4 - cells.length)).fill('')]
    })

const DATA = 'Acme Ltd|Leeds|GB|10\nBolt Ltd|York|GB|20\nCork DAC|Cork|IE|30'

describe('what is proved', () => {
  test.each([
    ['names of regions', `NORTH REGION\n${DATA}\nRegion South\n${DATA}`, [1, 5]],
    ['names of countries', `Germany\n${DATA}\nÖsterreich\n${DATA}`, [1, 5]],
    ['one country, which the rows below have', 'Deutschland\nAlt|Ulm|DE|1\nBau|Bonn|DE|2', [1]],
    ['names of parties', `Lieferanten\n${DATA}`, [1]],
    ['numbered groups', `Group A\n${DATA}\nGroup B\n${DATA}`, [1, 5]],
    ['initials', 'A\nAcme Ltd|Leeds|GB|10\nAlba|York|GB|20\nB\nBolt Ltd|York|GB|20', [1, 4]],
    ['the header again', `${DATA}\nName|Town|Country|Spend\n${DATA}`, [4]],
    ['a second line of the header', `Company|City|Land|Amount\n${DATA}`, [1]],
    ['a subtotal and a total of all', `${DATA}\nSubtotal|||60\n${DATA}\nSubtotal|||60\nGrand total|||120`, [4, 8, 9]],
    ['a subtotal of one row', `${DATA}\nSubtotal|||60\nDent Ltd|Hull|GB|7\nSubtotal|||7`, [4, 6]],
    ['a total of one row that names it', 'Alt|Ulm|DE|1\nBau|Bonn|DE|2\nDE Total|||3\nCau|Wien|AT|4\nAT Total|||4', [3, 5]],
    ['German amounts', 'Alt|Ulm|DE|1.234,50\nBau|Bonn|DE|2.000,00\nZwischensumme|||3.234,50\nCau|Bonn|DE|5,00', [3]],
    ['amounts with the sign behind', 'Alt|Ulm|DE|100.00\nBau|Bonn|DE|30.00-\nSumme|||70.00', [3]],
    ['a currency beside the amount', 'Alt|Ulm|EUR|1\nBau|Bonn|EUR|2\nTotal||EUR|3', [3]],
    ['the number of rows', `${DATA.replaceAll(/\|\d+$/gm, '|x')}\nTotal|||3`, [4]],
    [
      'a total that names its rows',
      'Alt|Ulm|DE|1\nBau|Bonn|DE|2\nDE Total|||3\nCau|Wien|AT|4\nDau|Linz|AT|5\nAT Total|||9',
      [3, 6],
    ],
    [
      'a total that names its heading',
      'Plumbing\nAlt|Ulm|DE|1\nBau|Bonn|DE|2\nTotal Plumbing|||3\nPaint\nCau|Wien|DE|4\nDau|Ulm|DE|5\nTotal Paint|||9',
      [1, 4, 5, 8],
    ],
    [
      'texts that totals close',
      'Plumbing\nAlt|Ulm|DE|1\nBau|Bonn|DE|2\nTotal|||3\nPaint\nCau|Wien|DE|4\nDau|Ulm|DE|5\nTotal|||9',
      [1, 4, 5, 8],
    ],
    ['texts at which a column changes', 'Plumbing\nAlt|Ulm|DE|1\nBau|Bonn|DE|2\nPaint\nCau|Wien|AT|4\nDau|Graz|AT|5', [1, 4]],
    ['texts below blank rows', `Plumbing\n${DATA}\n \nPaint\n${DATA}\n \nWood\n${DATA}`, [1, 6, 11]],
    ['texts in a column of codes', '|Plumbing\n|17|Acme Ltd|Leeds\n|18|Bolt Ltd|York\n|Paint\n|19|Cork DAC|Cork', [1, 4]],
  ])('%s', (_, text, rows) => {
    const given = rowsOf(text)
    expect(findIn(given, given[0]![0] === '' ? ['', 'Code', 'Name', 'Town'] : HEADER).found).toEqual(rows)
  })
})

describe('what stays a row', () => {
  test.each([
    ['a company called like a total', `${DATA}\nTotal Energies|||60\nGrand Total Ltd|||60`],
    ['a company called Total, with its town', `${DATA}\nTotal|Paris|FR|60`],
    ['a company called Total whose amount is no sum', `${DATA}\nTotal|||61`],
    ['a company called Total with the amount of the row above', 'Acme Ltd|Leeds|GB|10\nTotal|||10\nBolt Ltd|York|GB|3'],
    ['a company called Total without an amount', `${DATA}\nTotal\n${DATA}`],
    ['a company with nothing but a name', `${DATA}\nAcme Trading\n${DATA}`],
    ['a company with a legal form below a blank row', `Nord Ltd\n${DATA}\n \nWest Ltd\n${DATA}`],
    ['one company called like a country', `Jordan\n${DATA}`],
    ['a public body', `Region Midtjylland\n${DATA}`],
    ['two texts, of which one may be a company', `Plumbing\nAcme Trading\n${DATA}\n \nPaint\n${DATA}`],
    [
      'a company with nothing but a name below a blank row',
      `NORTH REGION\n${DATA}\nSOUTH REGION\n${DATA}\n \nTotal Energies\n${DATA}`,
      [1, 5],
    ],
    ['parents above their companies', `Acme Ltd\n${DATA}\nBolt Ltd\n${DATA.replaceAll('IE', 'GB')}`],
    ['a text above nothing', `${DATA}\nNORTH REGION`],
    ['names in a list of names', 'North Region|GB\nGermany|DE\nFrance|FR\nSpain|ES'],
    ['a list of names alone', 'Acme\nGermany\nBolt\nFrance'],
    ['totals that do not add up', `${DATA}\nSubtotal|||59\n${DATA}`],
    ['zeros', 'Alt|Ulm|DE|0\nBau|Bonn|DE|0\nTotal|||0'],
  ] as [string, string, number[]?][])('%s', (_, text, found = []) => expect(findIn(rowsOf(text)).found).toEqual(found))

  test('what only looks like a heading or a total is returned as such', () => {
    expect(findIn(rowsOf(`${DATA}\nSubtotal|||59\nAcme Trading\n${DATA}`))).toEqual({ found: [], doubtful: [4, 5] })
    expect(findIn(rowsOf(`${DATA}\nTotal Energies|Paris|FR|9\n${DATA}`))).toEqual({ found: [], doubtful: [] })
  })
})

const word = fc.stringMatching(/^[A-Z][a-z]{3,9}$/)
const company = fc.record({
  name: fc.tuple(word, fc.constantFrom('', ' Ltd', ' GmbH', ' Trading', ' Energies')).map(([name, form]) => name + form),
  town: word,
  amount: fc.integer({ min: 1, max: 99_999 }),
})
/** Companies with nothing but a name, as some lists have them. */
const bare = fc.constantFrom(
  'Acme Trading',
  'Total',
  'Bolt Ltd',
  'Jordan',
  'Total Energies',
  'Summa',
  'Nordic',
  'Grand Total Ltd',
)
const section = fc.record({
  rows: fc.array(company, { minLength: 1, maxLength: 6 }),
  bare: fc.option(bare, { nil: undefined }),
})
const HEADINGS = ['NORTH REGION', 'Germany', 'Frankreich', 'Kategorie 7', 'Region Süd', 'Europe', 'Kunden:', 'Group B']
const list = fc.record({
  sections: fc.array(section, { minLength: 2, maxLength: 6 }),
  headings: fc.shuffledSubarray(HEADINGS, { minLength: 6 }),
  hasTotals: fc.boolean(),
  hasBlanks: fc.boolean(),
  label: fc.constantFrom('Subtotal', 'Zwischensumme', 'Total', 'Summe'),
})

test('all headings and totals of any list are found, and no company is taken for one', () => {
  fc.assert(
    fc.property(list, ({ sections, headings, hasTotals, hasBlanks, label }) => {
      const rows: string[][] = []
      const inserted: number[] = []
      const countries = headings.filter(text => normaliseCountry(text) !== '').length
      for (const [at, { rows: companies, bare: name }] of sections.entries()) {
        rows.push([headings[at]!, '', '', ''])
        inserted.push(rows.length)
        for (const [n, { name, town, amount }] of companies.entries()) rows.push([`${name} ${n}`, town, 'XX', String(amount)])
        if (hasBlanks) rows.push(['', '', '', ''])
        if (name !== undefined) rows.push([name, '', '', ''])
        if (!hasTotals || companies.length < 2) continue
        rows.push([label, '', '', String(companies.reduce((sum, { amount }) => sum + amount, 0))])
        inserted.push(rows.length)
      }
      const { found } = findIn(rows)
      const shown = sections.map((_, at) => headings[at]!).filter(text => normaliseCountry(text) !== '')
      // One country alone may be a company.
      const isAlone = countries > 0 && shown.length === 1
      const wanted = inserted.filter(row => !isAlone || rows[row - 1]![0] !== shown[0])
      expect(found).toEqual(expect.arrayContaining(wanted))
      expect(found.filter(row => !inserted.includes(row))).toEqual([])
    }),
    { numRuns: runs(300, 3000) },
  )
})

test('any rows: only texts alone, totals and headers are ever found, and the rest is as before', () => {
  const cell = fc.constantFrom('', 'Acme', 'Germany', 'Total', '10', '20', '30', 'A', 'North Region')
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell, cell, cell), { maxLength: 30 }), rows => {
      for (const row of findIn(rows).found) {
        const cells = rows[row - 1]!.filter(text => text !== '')
        expect(cells.length === 1 || cells.filter(text => !/^\d+$/.test(text)).length === 1).toBe(true)
      }
    }),
    { numRuns: runs(300, 3000) },
  )
})
