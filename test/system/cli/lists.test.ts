/** Lists as people keep them, by the command line: several sheets and files. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import readXlsx from 'read-excel-file/node'
import { beforeAll, describe, expect, test } from 'vitest'
import { sheetXml, textCell, workbookOf } from '../../unit/input/workbooks.ts'
import { fettle, folderOf, importRegister, pipelineOf } from './fettle.ts'

const sheetOf = (...rows: readonly (readonly string[])[]): string => sheetXml(...rows.map(cells => cells.map(textCell)))
const HEADER = ['Company Name', 'Reg No', 'Country']
const ACME = ['Acme Forgings Ltd', '01234567', 'GB']
const BOLTON = ['Bolton Castings Ltd', '02345678', 'GB']
const COVER = sheetOf(['How to read this workbook'])

const folderWith = (sheets: Record<string, string>, files: Record<string, string> = {}): string => {
  const cwd = folderOf(files)
  writeFileSync(join(cwd, 'list.xlsx'), workbookOf(sheets))
  return cwd
}

beforeAll(importRegister)

describe.concurrent('several sheets', () => {
  test('are one list with --all-sheets, in a pipeline of init, too, and the choice is printed', async () => {
    const cwd = folderWith({ Notes: COVER, North: sheetOf(HEADER, ACME), South: sheetOf(HEADER, BOLTON) })
    const { code, stderr } = await fettle(['clean', 'list.xlsx', '--all-sheets', '--columns', '*,match.outcome'], { cwd })
    expect(stderr).toContain('2 sheets read as one list, "North", "South"; passed over, since their columns are others: "Notes"')
    expect(code).toBe(0)
    expect((await readXlsx(join(cwd, 'list-clean.xlsx')))[0]?.data).toEqual([
      [...HEADER, 'Sheet', 'match.outcome'],
      [...ACME, 'North', 'matched'],
      [...BOLTON, 'South', 'matched'],
    ])
    expect((await fettle(['init', 'list.xlsx', '--all-sheets', '--yes', '-q'], { cwd })).code).toBe(0)
    expect(readFileSync(join(cwd, 'list.yml'), 'utf8')).toContain('sheet: "*"')
    expect((await fettle(['run', 'list.yml', '-q'], { cwd })).code).toBe(0)
    expect((await readXlsx(join(cwd, 'out/list.xlsx')))[0]?.data).toHaveLength(3)
  })

  test('a sheet of notes is passed over, also one whose words hint at companies', async () => {
    const notes = sheetOf(['This workbook lists our suppliers.'], ['Ask Finance.'])
    const cwd = folderWith({ 'Read me': notes, Suppliers: sheetOf(HEADER, ACME) })
    const { code, stderr } = await fettle(['clean', 'list.xlsx', '--dry-run'], { cwd })
    expect(stderr).toContain('sheet "Suppliers" is read, since "Read me" has no companies')
    expect(code).toBe(0)
  })

  test('are not forgotten: a run of one names the flags of the others, and the key in a pipeline', async () => {
    const cwd = folderWith({ North: sheetOf(HEADER, ACME), South: sheetOf(HEADER, BOLTON) })
    const { stderr } = await fettle(['clean', 'list.xlsx', '--dry-run'], { cwd })
    expect(stderr).toContain(
      'hint: Name a different one with --sheet "South", or read all that have the same columns with --all-sheets.',
    )
    const { stdout } = await fettle(['init', 'list.xlsx', '--output', '-', '--yes'], { cwd })
    writeFileSync(join(cwd, 'p.yml'), stdout)
    expect((await fettle(['check', 'p.yml'], { cwd })).stderr).toContain('input.sheet: "*"')
  })

  test.each([
    ['--all-sheets', '--sheet', 'North'],
    ['--all-sheets', '--sheet', '2'],
  ])('%s with %s %s is refused', async (...flags) => {
    const cwd = folderWith({ North: sheetOf(HEADER, ACME) })
    expect((await fettle(['clean', 'list.xlsx', ...flags], { cwd })).code).toBe(2)
  })

  test('with other columns are refused before anything is sent', async () => {
    const cwd = folderWith({ North: sheetOf(HEADER, ACME), South: sheetOf([...HEADER, 'Note'], [...BOLTON, 'x']) })
    const { code, stderr } = await fettle(['clean', 'list.xlsx', '--all-sheets'], { cwd })
    expect([code, stderr]).toEqual([65, expect.stringContaining('are not one list: it lacks "Note"')])
  })
})

describe.concurrent('several files', () => {
  const csv = (...rows: readonly string[][]): string => rows.map(cells => `${cells.join(',')}\n`).join('')

  test('are one list with one output, also of two kinds, and named after both', async () => {
    const cwd = folderWith({ North: sheetOf(HEADER, ACME) }, { 'in/b.csv': csv(HEADER, BOLTON) })
    const { code, stderr } = await fettle(['clean', 'list.xlsx', 'in/b.csv', '--columns', '*,match.outcome', '-o', 'both.csv'], {
      cwd,
    })
    expect(stderr).toContain('{list.xlsx,in/b.csv}: 2 rows')
    expect(code).toBe(0)
    expect(readFileSync(join(cwd, 'both.csv'), 'utf8').replace('\ufeff', '').split(/\r?\n/)).toEqual([
      'Company Name,Reg No,Country,match.outcome',
      'Bolton Castings Ltd,02345678,GB,matched',
      'Acme Forgings Ltd,01234567,GB,matched',
      '',
    ])
    const { stdout } = await fettle(['init', 'list.xlsx', 'in/b.csv', '--output', '-', '--yes'], { cwd })
    expect(stdout).toContain('name: list-b\n')
    expect(stdout).toContain('path: "{list.xlsx,in/b.csv}"')
  })

  test.each([
    [['a.csv', 'b.csv'], 65, 'b.csv and a.csv are not one list: it alone has "Note"'],
    [['a.csv', 'gone.csv'], 65, 'cannot read the input gone.csv: there is no such file'],
    [['a.csv', 'c.csv'], 65, 'c.csv and a.csv are not one list: its delimiter is ";", there ","'],
  ])('%j are refused with the reason', async (files, code, why) => {
    const cwd = folderOf({
      'a.csv': csv(HEADER, ACME),
      'b.csv': csv([...HEADER, 'Note'], [...BOLTON, 'x']),
      'c.csv': csv(HEADER, BOLTON).replaceAll(',', ';'),
    })
    const found = await fettle(['clean', ...files], { cwd })
    expect([found.code, found.stderr]).toEqual([code, expect.stringContaining(why)])
  })

  test('are compared for duplicates as one list', async () => {
    const cwd = folderOf({ 'a.csv': csv(HEADER, ACME), 'b.csv': csv(HEADER, ['ACME FORGINGS LIMITED', '01234567', 'GB']) })
    const { stdout, stderr } = await fettle(['dedupe', 'a.csv', 'b.csv'], { cwd })
    expect(stdout + stderr).toContain('{a.csv,b.csv}: 2 rows, 1 company')
    expect(readFileSync(join(cwd, 'a-b-dedupe.csv'), 'utf8')).toContain('ACME FORGINGS')
  })
})

describe.concurrent('pairs in doubt of dedupe', () => {
  const listOf = (...names: readonly string[]): string =>
    [HEADER, ...names.map(name => [name, '', 'GB'])].map(cells => `${cells.join(',')}\n`).join('')
  const PAIR = ['Brackwell Marine Ltd', 'Brackwell Marine Holdings Ltd']

  test('are a page that offers the table of decisions', async () => {
    const cwd = folderOf({ 'crm.csv': listOf(...PAIR) })
    const { code, stdout, stderr } = await fettle(['dedupe', 'crm.csv', '--review', 'out pairs.html', '-q'], { cwd })
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('open out pairs.html, decide and download out pairs.csv, then pass --decisions out pairs.csv')
    const page = readFileSync(join(cwd, 'out pairs.html'), 'utf8')
    const json = /id="pairs-data">([\s\S]*?)<\/script>/.exec(page)?.[1] ?? ''
    expect(JSON.parse(json)).toMatchObject({ list: 'crm.csv', file: 'out pairs.csv', fields: ['name', 'country'], others: [[]] })
  })

  test('are refused for a wrong file: of the page, of decisions, of the list', async () => {
    const cwd = folderOf({
      'crm.csv': listOf(...PAIR),
      'pairs.html': '<!doctype html>\n<html></html>\n',
      'd.csv': 'fingerprint,decision\nr,accept\n',
    })
    const refuse = async (...args: readonly string[]) => {
      const { code, stderr } = await fettle(['dedupe', ...args, '-q'], { cwd })
      return `${code} ${stderr}`
    }
    expect(await refuse('crm.csv', '--review', 'pairs.html')).toMatch(/^2 .*pairs.html exists; refusing to overwrite it/s)
    expect(await refuse('crm.csv', '--review', 'pairs.pdf')).toMatch(/^2 .*pairs.pdf is neither .csv, .xlsx nor .html/s)
    expect(await refuse('crm.csv', '--decisions', 'd.csv')).toMatch(/^65 .*FETTLE_DECISIONS.*key and key 2 are missing/s)
    expect(await refuse('crm.csv', '--decisions', 'pairs.html')).toMatch(/^65 .*FETTLE_DECISIONS.*a web page/s)
    expect(await refuse('crm.csv', '--decisions', 'none.csv')).toMatch(/^65 .*FETTLE_DECISIONS.*none.csv/s)
    expect(await refuse('none.csv', '--review', 'p.html')).toMatch(/^65 .*FETTLE_INPUT_READ.*none.csv/s)
  })
})

describe.concurrent('quotes inside cells', () => {
  const QUOTED = 'Company Name,Reg No,Country\nAcme "Best" Forgings Ltd,01234567,GB\n'

  test('need no flag in clean, which prints it, and init writes the key', async () => {
    const cwd = folderOf({ 'q.csv': QUOTED })
    const { code, stderr } = await fettle(['clean', 'q.csv', '--columns', '*,match.outcome'], { cwd })
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('quotes inside cells are read as text; every row has 3 cells that way'),
    ])
    expect(readFileSync(join(cwd, 'q-clean.csv'), 'utf8')).toContain('"Acme ""Best"" Forgings Ltd",01234567,GB,matched')
    expect((await fettle(['init', 'q.csv', '--yes', '-q'], { cwd })).code).toBe(0)
    expect(readFileSync(join(cwd, 'q.yml'), 'utf8')).toContain('quotes: relaxed')
    expect((await fettle(['run', 'q.yml', '-q'], { cwd })).code).toBe(0)
  })

  test('that are not proved name the flag in clean and the key in a pipeline', async () => {
    const cwd = folderOf({
      'q.csv': QUOTED.replace('Acme "Best" Forgings', '"Acme" Forgings'),
      'p.yml': pipelineOf('p').replace('rows.csv', 'q.csv'),
    })
    const { code, stderr } = await fettle(['clean', 'q.csv'], { cwd })
    expect([code, stderr]).toEqual([
      65,
      expect.stringContaining('hint: If quotes inside cells are meant, pass --quotes relaxed.'),
    ])
    expect((await fettle(['check', 'p.yml'], { cwd })).stderr).toContain('set input.quotes: relaxed.')
    expect((await fettle(['clean', 'q.csv', '--quotes', 'relaxed', '-q'], { cwd })).code).toBe(0)
    expect((await fettle(['clean', 'q.csv', '--quotes', 'loose'], { cwd })).code).toBe(2)
  })
})

test.concurrent('a cell of several lines is shown in one by init, and the file names where all keys are', async () => {
  const cwd = folderOf({ 'a.csv': 'Company Name,Address,Country\nAcme Forgings Ltd,"Unit D\nFleming Way",GB\n' })
  const { code, stdout, stderr } = await fettle(['init', 'a.csv', '--yes'], { cwd })
  expect([code, stdout, stderr]).toEqual([
    0,
    expect.stringContaining('"Unit D Fleming Way"'),
    expect.stringContaining('90%  Unit D Fleming Way'),
  ])
  expect(stdout + stderr).not.toContain('\\u000a')
  expect(readFileSync(join(cwd, 'a.yml'), 'utf8')).toContain('docs/pipeline.md of the package lists every key.')
})

describe.concurrent('a caller of clean', () => {
  test('gets commas for a list with tabs, since a spreadsheet reads no tabs in a file .csv', async () => {
    const cwd = folderOf({ 'list.txt': [HEADER, ACME].map(row => row.join('\t')).join('\n') })
    expect((await fettle(['clean', 'list.txt', '-q'], { cwd })).code).toBe(0)
    expect(readFileSync(join(cwd, 'list-clean.csv'), 'utf8')).toContain('Company Name,Reg No,Country,')
  })

  test.each([
    [['--enrich', 'contact.phone'], '--enrich: "contact.phone" is not an enrichment tag; did you mean contact.contactPhone?'],
    [
      ['--columns', 'Reg No,general.status'],
      '--columns: "general.status" is a tag of basicPlus, but enrich does not ask for it\n  hint: Pass --enrich basicPlus.',
    ],
  ])('is told flags: %j', async (flags, text) => {
    const cwd = folderOf({ 'list.csv': [HEADER, ACME].map(row => row.join(',')).join('\n') })
    const { code, stderr } = await fettle(['clean', 'list.csv', ...flags], { cwd })
    expect(stderr).toContain(text)
    expect(code).toBe(2)
  })
})
