import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TEST_FAULTS } from '../../../src/pipeline/index.ts'
import { fettle, folderOf } from './fettle.ts'

const PIPELINE = `name: suppliers
service: { url: "\${PROD_URL}", username: "\${PROD_USER}", password: "\${PROD_PASSWORD}" }
input: { path: data/suppliers.csv, key: No, rows: { min: 100 } }
mappings: { name: Company, country: Country, orgNumber: Reg }
checks: { matched: { fail: "< 90%" } }
output: { path: out/suppliers.csv, names: snake, columns: ["*", { from: general.companyName, as: found }, match.outcome] }
`
const TESTS = `# two companies
register:
  - { id: 1, name: Harrow Optics Limited, country: GB, orgNumber: 01234567 }
  - { id: 2, name: Other Works Limited, country: GB, orgNumber: 00000002 }
tests:
  - name: matches by name
    rows:
      - { No: 4711, Company: Harrow Optics Ltd, Country: GB }
      - { No: 0012, Company: Unknown Things Ltd, Country: GB }
    expect:
      4711: { outcome: matched, company: GB-X-01234567, cells: { found: Harrow Optics Limited } }
      "0012": unmatched
`
const files = { 'suppliers.yml': PIPELINE, 'suppliers.test.yml': TESTS }

test('the rows of a test are matched against its register, also under each fault', async () => {
  const faults = Object.keys(TEST_FAULTS)
  const cwd = folderOf({ ...files, 'suppliers.test.yml': `${TESTS}    faults: [${faults.join(', ')}]\n` })
  const { code, stdout, stderr } = await fettle(['test', '--junit', 'junit.xml'], { cwd })
  expect(stderr).toBe('')
  expect(stdout.split('\n').filter(line => line.startsWith('ok '))).toHaveLength(faults.length + 1)
  expect(stdout).toContain(`${faults.length + 1} passed\n`)
  expect(code).toBe(0)
  expect(readFileSync(join(cwd, 'junit.xml'), 'utf8')).toContain(`tests="${faults.length + 1}" failures="0" errors="0"`)
})

test('what differs is named by row, and accepted by --update', async () => {
  const wrong = TESTS.replace('GB-X-01234567', 'GB-X-1')
    .replace('Harrow Optics Limited }', 'Harrow }')
    .replace('"0012": unmatched', '"0012": matched\n      77: review')
  const cwd = folderOf({ ...files, 'suppliers.test.yml': wrong })
  const { code, stdout } = await fettle(['test', 'suppliers.test.yml', '--junit', 'junit.xml'], { cwd })
  expect(code).toBe(1)
  expect(stdout).toMatch(/^FAIL suppliers\.test\.yml > matches by name$/m)
  expect(stdout).toContain('row 4711: expected the company "GB-X-1", found "GB-X-01234567", Harrow Optics Limited\n')
  expect(stdout).toContain('row 4711: found: expected "Harrow", found "Harrow Optics Limited"\n')
  expect(stdout).toMatch(/row 0012: expected matched, found unmatched/)
  expect(stdout).toContain('row 77: there is no row with this key\n')
  expect(stdout).toContain('1 failed, 0 passed. If the new results are right: fettle test --update\n')
  expect(readFileSync(join(cwd, 'junit.xml'), 'utf8')).toContain('<failure message="row 77: there is no row')

  expect((await fettle(['test', '--update'], { cwd })).stdout).toContain('1 passed, 1 expectation replaced\n')
  expect(readFileSync(join(cwd, 'suppliers.test.yml'), 'utf8')).toBe(
    TESTS.replace('4711: {', '"4711": {').replace('found: Harrow Optics Limited', 'found: "Harrow Optics Limited"'),
  )
  expect((await fettle(['test'], { cwd })).code).toBe(0)
})

test('a list, decisions and a file of expected rows', async () => {
  const mapped = [
    ['country', 'gb'],
    ['name', 'unknown things ltd'],
  ]
  const fingerprint = `r${createHash('sha256').update(JSON.stringify(mapped)).digest('hex').slice(0, 32)}`
  const cwd = folderOf({
    'p.yml': PIPELINE,
    'rows.csv': 'No,Company,Country,Reg\n1,Harrow Optics Ltd,GB,\n2,Unknown Things Ltd,GB,\n',
    'register.csv': 'id,name,country,orgNumber\n1,Harrow Optics Limited,GB,01234567\n2,Other Works Limited,GB,00000002\n',
    'decisions.csv': `fingerprint,decision,company,companyName\n${fingerprint},accept,GB-X-00000002,Other Works Limited\n`,
    'a.test.json': JSON.stringify({
      pipeline: 'p.yml',
      register: 'register.csv',
      tests: [{ name: 'a decision holds', rows: 'rows.csv', decisions: 'decisions.csv', output: 'expected.csv' }],
    }),
  })
  expect((await fettle(['test'], { cwd })).stdout).toContain('there is no file expected.csv')
  expect((await fettle(['test', '--update'], { cwd })).code).toBe(0)
  const table = readFileSync(join(cwd, 'expected.csv'), 'utf8').split('\n')
  expect(table[0]).toMatch(/^no,company,country,reg,found,match_outcome/)
  expect(table[2]).toMatch(/^2,Unknown Things Ltd,GB,,Other Works Limited,manualMatched/)
  expect((await fettle(['test', '--json'], { cwd })).code).toBe(0)
})

test('files that cannot be run are errors with their place, and the others run', async () => {
  const cwd = folderOf({ ...files, 'bad.test.yml': 'tests:\n  - name: x\n', 'lost.test.yml': TESTS })
  const { code, stdout, stderr } = await fettle(['test'], { cwd })
  expect(code).toBe(2)
  expect(stderr).toContain('error FETTLE_TEST_FILE bad.test.yml:2:5\n  tests.0.rows is missing')
  expect(stderr).toContain('lost.test.yml names no pipeline, and no pipeline has its name: lost.yml, lost.yaml, lost.json')
  expect(stdout).toContain('2 files could not be run, 1 passed\n')
  for (const [args, text] of [
    [['test', 'none'], 'there is no file none'],
    [['test', 'suppliers.yml'], 'suppliers.yml is neither a test file nor a decision table by its name'],
  ] as const) {
    const refused = await fettle([...args], { cwd })
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(text)])
  }
  const empty = await fettle(['test'], { cwd: folderOf({}) })
  expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('there is no test file in this folder')])
})

test('files and headers that are not there are named with their place, all at once', async () => {
  const bad = `register: none.csv
decisions: none-either.csv
tests:
  - { name: a, rows: missing.csv, expect: { 1: matched } }
`
  const cwd = folderOf({
    ...files,
    'bad.test.yml': `pipeline: suppliers.yml\n${bad}`,
    'p.test.yml': `pipeline: nowhere.yml\n${bad}`,
  })
  const { code, stderr } = await fettle(['test', 'bad.test.yml'], { cwd })
  expect(code).toBe(2)
  for (const text of ['2:11\n  the register none.csv', '3:12\n  the decisions none-either.csv', '5:22\n  the rows missing.csv'])
    expect(stderr).toContain(`error FETTLE_TEST_FILE bad.test.yml:${text}: there is no such file\n`)
  expect((await fettle(['test', 'p.test.yml'], { cwd })).stderr).toContain(
    'p.test.yml:1:11\n  the pipeline nowhere.yml: there is no',
  )
  const typo = TESTS.replace('Country: GB }', 'Countri: GB }').replace(
    '0012, Company: Unknown Things Ltd, Country',
    '12, Company: U, Land',
  )
  const other = await fettle(['test'], { cwd: folderOf({ ...files, 'suppliers.test.yml': typo }) })
  expect([other.code, other.stderr]).toEqual([
    2,
    expect.stringContaining('suppliers.test.yml:8:49\n  "Countri" is not a header that the pipeline maps; did you mean Country?'),
  ])
  // A right header in one row does not hide a mistyped one in another.
  const one = await fettle(['test'], {
    cwd: folderOf({ ...files, 'suppliers.test.yml': TESTS.replace('Country: GB }', 'Countri: GB }') }),
  })
  expect([one.code, one.stderr]).toEqual([2, expect.stringContaining('"Countri" is not a header that the pipeline maps')])
})

test('a test that expects nothing fails; --update holds under its faults, too', async () => {
  const rows = '[{ No: 1, Company: Harrow Optics Ltd, Country: GB }]'
  const text = `register: [{ id: 1, name: Harrow Optics Limited, country: GB }]
tests:
  - { name: nothing, rows: ${rows} }
  - { name: wrong, rows: ${rows}, expect: { 1: unmatched }, output: expected.csv, faults: [upload-lost] }
`
  const cwd = folderOf({ ...files, 'suppliers.test.yml': text })
  const first = await fettle(['test'], { cwd })
  expect([first.code, first.stdout]).toEqual([1, expect.stringContaining('       it expects nothing: add expect or output')])
  expect(first.stdout).toContain('3 failed, 0 passed')
  const second = await fettle(['test', '--update'], { cwd })
  expect([second.code, second.stdout]).toEqual([0, expect.stringContaining('3 passed, 3 expectations replaced\n')])
  expect((await fettle(['test'], { cwd })).stdout).toContain('3 passed\n')
})
