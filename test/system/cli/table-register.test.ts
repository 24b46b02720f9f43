/** Any list as a register: `register import csv` and `clean --against` by the command line. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inspectColumns } from '../../../src/prepare/propose.ts'
import { inspectTable, tableSource } from '../../../src/prepare/table-register.ts'
import { sheetXml, textCell, workbookOf } from '../../unit/input/workbooks.ts'
import { fettle, folderOf } from './fettle.ts'

const ROWS = [
  ['Customer', 'Vendor name', 'Post code', 'Ctry', 'Company number', 'Parent'],
  ['C-1', 'Acme Forgings Ltd', 'LS1 4AP', 'GB', '01234567', 'x'],
  ['C-2', 'Müller Söhne GmbH', '10115', 'DE', '', ''],
  ['C-3', 'Nordic Steel AB', '11122', 'SE', '', ''],
]
const lines = (delimiter: string, above = ''): string => above + ROWS.map(row => `${row.join(delimiter)}\r\n`).join('')
const LIST = 'ref,name,country\nr1,ACME FORGINGS LIMITED,GB\nr2,Müller Söhne,DE\nr3,Unknown Works BV,NL\n'

const made = (files: Record<string, string | Buffer>) => {
  const cwd = folderOf({ 'list.csv': LIST })
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content)
  const env = { FETTLE_DATA: join(cwd, 'data'), FETTLE_REGISTER: '' }
  return { cwd, call: (...args: string[]) => fettle(args, { cwd, env }) }
}

describe.concurrent('a list becomes a register', () => {
  test.each([
    ['comma', 'crm.csv', Buffer.from(lines(',')), []],
    ['semicolon, in windows-1252', 'crm.csv', Buffer.from(lines(';'), 'latin1'), ['--encoding', 'windows-1252']],
    ['tabs in UTF-16 below a title', 'crm.txt', Buffer.from(`\uFEFF${lines('\t', 'Customers of today\r\n\r\n')}`, 'utf16le'), []],
    ['Excel', 'crm.xlsx', workbookOf({ Customers: sheetXml(...ROWS.map(row => row.map(textCell))) }), []],
  ])('%s', async (_, file, content, flags) => {
    const { call } = made({ [file]: content })
    const imported = await call('register', 'import', 'csv', file, '--id', 'Customer', '--json', '-q', ...flags)
    expect(imported).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(imported.stdout)).toMatchObject({
      ...{ name: 'crm', source: file, companies: 3, countries: { GB: 1, DE: 1, SE: 1 } },
      table: {
        columns: { id: 'Customer', name: 'Vendor name', postcode: 'Post code', country: 'Ctry', orgNumber: 'Company number' },
      },
    })
    const again = await call('register', 'import', 'csv', file, '--id', 'Customer', ...flags)
    expect(again.stderr).toContain('is unchanged; --force imports it again')
    expect(
      (await call('clean', 'list.csv', '-q', '-o', 'out.csv', '--columns', 'ref,match.outcome,general.connectId')).code,
    ).toBe(0)
  })

  test('its columns may be chosen, and columns that only a register has, too', async () => {
    const { call } = made({ 'crm.csv': lines(',') })
    const chosen = ['--map', 'name=Vendor name', '--map', 'status=Parent', '--map', 'phone=-']
    const { stdout } = await call('register', 'import', 'csv', 'crm.csv', '--name', 'mine', '--json', '-q', ...chosen)
    expect(JSON.parse(stdout)).toMatchObject({ table: { columns: { name: 'Vendor name', status: 'Parent' } } })
    expect((await call('register', 'info', 'mine')).stdout).toContain('status: ')
  })

  test('clean --against matches two lists, and other runs do not use the register', async () => {
    const { cwd, call } = made({ 'crm.csv': lines(';') })
    const against = ['--against', 'crm.csv', '--against-map', 'id=Customer', '--columns', 'ref,match.outcome,general.connectId']
    expect(await call('clean', 'list.csv', ...against, '-q', '-o', 'out.csv')).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(join(cwd, 'out.csv'), 'utf8').replace('\uFEFF', '').split('\r\n')).toEqual([
      'ref,match.outcome,general.connectId',
      'r1,matched,GB-X-01234567',
      'r2,matched,DE-X-C_2',
      'r3,unmatched,',
      '',
    ])
    expect((await call('clean', 'list.csv', ...against, '-q', '-o', 'out.csv')).code).toBe(0)
    expect(readdirSync(join(cwd, 'data/registers')).filter(name => name.startsWith('crm-'))).toHaveLength(1)
    expect((await call('clean', 'list.csv', '-q')).stderr).toContain('FETTLE_REGISTER_NONE')
    expect((await call('register', 'list')).stdout).toContain('takes part only if it is named')
    writeFileSync(join(cwd, 'twice.csv'), `${lines(';')}C-1;Acme Works Ltd;LS2;GB;;\r\n`)
    const twice = await call('clean', 'list.csv', '--against', 'twice.csv', '--against-map', 'id=Customer', '-q', '-o', 'out.csv')
    expect(twice).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('skipped line 5 of twice.csv: the id C-1 is on an earlier line'),
    })
    const wrong = await call('clean', 'list.csv', '--against', 'list.csv', '--against-map', 'name=Firma', '-q')
    expect(wrong).toMatchObject({ code: 2 })
    expect((await call('clean', 'list.csv', '--against', 'none.csv', '-q')).stderr).toContain(
      'fettle register import csv none.csv',
    )
  })
})

const pipeline = (register: string): string => `version: 1
name: two
register: ${register}
input: { path: list.csv, key: ref }
mappings: { name: name, country: country }
enrich: { product: basic, tags: [general.connectId] }
poll: { every: 500ms }
output: { path: out.csv, columns: [ref, match.outcome, general.connectId] }
`

describe.concurrent('a list is the register of a pipeline', () => {
  test('it is imported for this pipeline, and again when its content changes; a resume and other pipelines are as before', async () => {
    const { cwd, call } = made({ 'crm.csv': lines(';'), 'p.yml': pipeline('{ file: crm.csv, map: { id: Customer } }') })
    const out = (): string[] => readFileSync(join(cwd, 'out.csv'), 'utf8').trimEnd().split(/\r?\n/)
    expect((await call('run', 'p.yml', '-q')).code).toBe(0)
    expect(out()).toEqual([
      'ref,match.outcome,general.connectId',
      'r1,matched,GB-X-01234567',
      'r2,matched,DE-X-C_2',
      'r3,unmatched,',
    ])
    writeFileSync(join(cwd, 'crm.csv'), `${lines(';')}C-4;Unknown Works BV;;NL;;\r\n`)
    expect((await call('run', 'p.yml', '-q')).code).toBe(0)
    expect(out().at(-1)).toBe('r3,matched,NL-X-C_4')
    expect(readdirSync(join(cwd, 'data/registers')).filter(name => name.startsWith('crm-'))).toHaveLength(1)
    writeFileSync(join(cwd, 'p.yml'), pipeline('null').replace('register: null\n', ''))
    expect((await call('check', 'p.yml')).stderr).toContain('FETTLE_REGISTER_NONE')
  })

  test.each([
    ['{ file: none.csv }', 'cannot read the input none.csv: there is no such file'],
    ['{ file: crm.csv, map: { nmae: Vendor name } }', 'there is no such mapping; did you mean name?'],
    ['{ file: crm.csv, map: { name: Vendor } }', 'register.map.name of crm.csv: "Vendor": there is no such column'],
    ['{ file: latin.csv }', 'set register.encoding: windows-1252'],
    ['{ file: numbers.csv }', 'no column of numbers.csv certainly contains the names'],
    ['{ file: crm.csv, mapp: {} }', '"mapp" is not part of register; did you mean map?'],
    ['{ map: {} }', 'register'],
  ])('%s is refused: %s', async (register, message) => {
    const files = { 'latin.csv': Buffer.from(lines(';'), 'latin1'), 'numbers.csv': 'a;b\n1;2\n3;4\n' }
    const { call } = made({ 'crm.csv': lines(';'), 'p.yml': pipeline(register), ...files })
    const { code, stderr } = await call('check', 'p.yml')
    expect(stderr).toContain(message)
    expect(code).toBeGreaterThan(0)
  })

  test('runs that begin at once import it once, and wait for each other', async () => {
    const { cwd, call } = made({ 'crm.csv': lines(';'), 'p.yml': pipeline('{ file: crm.csv, map: { id: Customer } }') })
    const ended = await Promise.all([1, 2, 3].map(() => call('check', 'p.yml')))
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0])
    expect(readdirSync(join(cwd, 'data/registers'))).toHaveLength(1)
  })

  test('rows that are not companies are counted, and a list outside the checkout is not read for an untrusted pipeline', async () => {
    const { cwd, call } = made({
      'crm.csv': `${lines(';')}C-1;Acme Works Ltd;LS2;GB;;\r\n`,
      'p.yml': pipeline('{ file: crm.csv, map: { id: Customer } }'),
    })
    expect((await call('check', 'p.yml')).stderr).toContain(
      '1 row of crm.csv is no company and cannot be matched; line 5: the id C-1 is on an earlier line',
    )
    writeFileSync(join(cwd, 'p.yml'), pipeline('{ file: ../crm.csv }'))
    const env = { FETTLE_DATA: join(cwd, 'data'), FETTLE_REGISTER: '', FETTLE_UNTRUSTED: '1' }
    expect((await fettle(['check', 'p.yml'], { cwd, env })).stderr).toContain(
      '../crm.csv was not read, because the pipeline is untrusted',
    )
  })
})

test('rows of a killed import begin behind those that were read', async () => {
  const cwd = folderOf({ 'crm.csv': `name;town\nA Ltd;Leeds\n;\nB Ltd;York\nC Ltd;Hull\n` })
  const reading = {
    ...{ path: 'crm.csv', encoding: 'auto', delimiter: 'auto', header: true, sheet: null },
    skip: { head: 'auto', tail: 'auto' },
  } as const
  const inspected = await inspectColumns(reading, cwd, new AbortController().signal)
  const source = tableSource(await inspectTable(inspected, new Map()), cwd)
  const read = async (after: number) => {
    const rows = []
    for await (const row of source.rows(after)) rows.push(row)
    return rows
  }
  const all = await read(0)
  expect(all.map(({ cells, end }) => [...cells, end.lines])).toEqual([
    ['name', 'town', 1],
    ['A Ltd', 'Leeds', 2],
    ['B Ltd', 'York', 4],
    ['C Ltd', 'Hull', 5],
  ])
  for (const after of [1, 2, 3]) expect(await read(after)).toEqual(all.slice(after + 1))
})
