/** A run whose service sells wrong companies for some rows: they are marked, counted and checked. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { csvText } from '../../../src/formats/text-formats.ts'
import { run } from '../../../src/index.ts'
import { packageFile } from '../../../src/package-file.ts'
import { applyDecisions } from '../../../src/review/review.ts'
import { importRegister } from '../../../src/service/registers/index.ts'
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
  ['name and address', { name: 'Company Name', ...ADDRESS }, {}],
  ['name, number and address', { name: 'Company Name', orgNumber: 'Reg No', ...ADDRESS }, {}],
  ['name and country, by a register', { name: 'Company Name', country: 'Country' }, { register: 'sample' }],
])(
  'of planted companies, the next ones of the register by name, most are found in a list with %s, and few others',
  async (_, mappings, byRegister) => {
    const register = readTable(readFileSync(packageFile('samples/register.csv'))).sort((a, b) => (a.name! < b.name! ? -1 : 1))
    const service = await serveSample(here)
    try {
      const planted = new Map<string, string>()
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
            planted.set(row['general.rowNumber']!, row['general.companyName']!)
            row['general.connectId'] = `${other.country || 'XX'}-0-${other.orgNumber || other.id}`
            for (const [tag, column] of Object.entries(TAGS)) row[tag] = other[column]!
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
        audit: { fail: '> 1%', ...byRegister },
      })
      const report = await run(pipeline, here.options({ FETTLE_URL: url, FETTLE_USERNAME: username, FETTLE_PASSWORD: password }))
      const rows = readTable(readFileSync(join(here.folder, 'out.csv')))
      const doubtful = rows.filter(row => !['', 'not comparable'].includes(row['match.doubt']!.split(':')[0]!))
      const doubted = doubtful.map(row => row['general.rowNumber']!)
      const right = doubted.filter(row => planted.has(row)).length
      const named = doubtful.filter(row => row['match.doubt']!.includes(`register: ${planted.get(row['general.rowNumber']!)} (`))
      expect(planted.size).toBeGreaterThan(25)
      expect(right / doubted.length).toBeGreaterThanOrEqual(0.9)
      expect(right / planted.size).toBeGreaterThanOrEqual(0.7)
      expect(named.length / right).toBeGreaterThanOrEqual('register' in byRegister ? 0.9 : 0)
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

test('a list of companies is a register, and match.doubt a column of an output that names none', async () => {
  here.write('sold.csv', 'id,name,country\n7,Harrow Optic Ltd,GB\n8,Zyxwv Utsrqp Ltd,GB\n')
  here.write('own.csv', 'id,name,country\n1,Harrow Optics Ltd,GB\n')
  await run(here.pipeline({ register: { file: 'sold.csv' }, audit: { register: { file: 'own.csv' } } }), here.options())
  const cells = readTable(readFileSync('out.csv')).map(row => [row['general.companyName'], row['match.doubt']])
  expect(cells).toEqual([
    ['Zyxwv Utsrqp Ltd', ''],
    [
      'Harrow Optic Ltd',
      'better in the register: Harrow Optics Ltd (GB-X-1); name differs: Harrow Optics Ltd / Harrow Optic Ltd',
    ],
  ])
})

test('a review reports that the register of the audit was imported again since the run', async () => {
  const env = here.options({ FETTLE_DATA: here.folder }).env
  const importOwn = async (name: string, day: number): Promise<void> => {
    here.write('own.csv', `id,name,country\n1,${name},GB\n`)
    const now = new Date(Date.UTC(2026, 0, day))
    const snapshotDate = now.toISOString().slice(0, 10)
    await importRegister({ file: 'own.csv', name: 'own', dir: join(here.folder, 'registers'), now, snapshotDate })
  }
  await importOwn('Harrow Optics Ltd', 1)
  here.write('sold.csv', 'id,name,country\n7,Harrow Optic Ltd,GB\n')
  const pipeline = here.pipeline({ register: { file: 'sold.csv' }, audit: { register: 'own' } })
  const { metadata } = await run(pipeline, here.options({ FETTLE_DATA: here.folder }))
  const review = async () => {
    const { report } = await applyDecisions(metadata.runId, [], { env, cwd: here.folder, runsDir: 'runs' })
    const { issues, audit } = report.results[0]!
    return [audit?.doubtful, issues.filter(({ code }) => code === 'FETTLE_REGISTER_CHANGED').map(({ message }) => message)]
  }
  expect(await review()).toEqual([1, []])
  await importOwn('Harrow Optic Ltd', 2)
  const changed = [expect.stringContaining('the register own was imported again since the run was planned')]
  expect([await review(), await review()]).toEqual([
    [0, changed],
    [0, changed],
  ])
})

test.each([
  ['no register of the name', { register: 'absent' }, 'FETTLE_REGISTER_NONE', 'absent'],
  ['no list', { register: { file: 'absent.csv' } }, 'FETTLE_INPUT_READ', 'absent.csv'],
  ['a list without a company', { register: { file: 'empty.csv' } }, 'FETTLE_INPUT_EMPTY', 'empty.csv'],
  ['a list without names', { register: { file: 'sums.csv' } }, 'FETTLE_INPUT_COLUMNS', 'sums.csv'],
])('%s is refused before anything is sent', async (_, audit, code, named) => {
  here.write('empty.csv', 'id,name,country\n')
  here.write('sums.csv', 'sum,tax\n12.50,2.10\n13.75,2.20\n')
  const refused = await run(here.pipeline({ audit }), here.options()).catch(error => error)
  expect(refused).toMatchObject({ code, message: expect.stringContaining(named) })
  expect(readdirSync(here.folder)).not.toContain('out.csv')
})
