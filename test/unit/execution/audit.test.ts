/** A run whose service sells wrong companies for some rows: they are marked, counted and checked. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { csvText } from '../../../src/formats/text-formats.ts'
import { run } from '../../../src/index.ts'
import { packageFile } from '../../../src/package-file.ts'
import { openChangedWay, serveSample } from '../../support/changed-answers.ts'
import { type Place, place } from '../../support/place.ts'

let here: Place
beforeEach(() => {
  here = place()
})
afterEach(() => here.leave())

type Cells = Record<string, string>
const readTable = (text: string | Buffer): Cells[] => parse(text, { columns: true, bom: true })

/** Tags, and the columns of the register that they are made of. */
const TAGS: Readonly<Record<string, string>> = {
  'general.companyName': 'name',
  'general.companyNumber': 'orgNumber',
  'contact.country': 'country',
  'contact.addressLine1': 'address1',
  'contact.city': 'town',
  'contact.postalCode': 'postcode',
}
const ADDRESS = { address1: 'Address', town: 'Town', postcode: 'Post Code', country: 'Country' }
/** One in so many matched rows gets a different company. */
const ONE_IN = 10

test.each([
  ['name and address', { name: 'Company Name', ...ADDRESS }],
  ['name, number and address', { name: 'Company Name', orgNumber: 'Reg No', ...ADDRESS }],
])(
  'of planted companies, the next ones of the register by name, most are found in a list with %s, and few others',
  async (_, mappings) => {
    const register = readTable(readFileSync(packageFile('samples/register.csv'))).sort((a, b) => (a.name! < b.name! ? -1 : 1))
    const service = await serveSample(here)
    try {
      const planted = new Set<string>()
      let matched = 0
      const url = await openChangedWay(
        service.url,
        (operation, body) => {
          if (operation !== 'file') return body
          const rows = readTable(body)
          const named = new Set(rows.map(row => row['general.companyName']))
          for (const row of rows) {
            if (row['general.connectId'] === '' || matched++ % ONE_IN !== 3) continue
            const at = register.findIndex(({ name }) => name === row['general.companyName'])
            const other = register.find(({ name }, place) => place > at && !named.has(name))!
            row['general.connectId'] = `${other.country || 'XX'}-0-${other.orgNumber || other.id}`
            for (const [tag, column] of Object.entries(TAGS)) row[tag] = other[column]!
            planted.add(row['general.rowNumber']!)
          }
          const names = Object.keys(rows[0]!)
          return csvText([names, ...rows.map(row => names.map(name => row[name]!))], {
            delimiter: ',',
            lineEnd: '\n',
            columns: names.length,
          })
        },
        here,
      )
      here.write('in.csv', readFileSync(packageFile('samples/suppliers.csv'), 'utf8'))
      const { username, password } = service
      const pipeline = here.pipeline({
        mappings,
        enrich: { product: 'standard', tags: ['general.rowNumber', 'general.connectId', ...Object.keys(TAGS)] },
        output: { path: 'out.csv', onFail: 'replace', columns: ['*', 'general.rowNumber', 'match.outcome', 'match.doubt'] },
        audit: { fail: '> 1%' },
      })
      const report = await run(pipeline, here.options({ FETTLE_URL: url, FETTLE_USERNAME: username, FETTLE_PASSWORD: password }))
      const rows = readTable(readFileSync(join(here.folder, 'out.csv')))
      const doubted = rows.filter(row => row['match.doubt'] !== '').map(row => row['general.rowNumber']!)
      const right = doubted.filter(row => planted.has(row)).length
      expect(planted.size).toBeGreaterThan(25)
      expect(right / doubted.length).toBeGreaterThanOrEqual(0.9)
      expect(right / planted.size).toBeGreaterThanOrEqual(0.7)
      expect([report.exitCode, report.results[0]!.checks]).toMatchObject([
        1,
        [{ assertion: 'doubtful', success: false, actual: expect.stringMatching(new RegExp(`^${doubted.length} of 500 `)) }],
      ])
      expect(
        rows
          .filter(row => row['match.outcome'] === 'review' || row['match.outcome'] === 'unmatched')
          .every(row => row['match.doubt'] === ''),
      ).toBe(true)
    } finally {
      await service.close()
    }
  },
)
