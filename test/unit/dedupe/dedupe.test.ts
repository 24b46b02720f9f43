import { appendFileSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dedupeList } from '../../../src/dedupe/dedupe.ts'
import type { Keep } from '../../../src/dedupe/list.ts'
import type { PairTable } from '../../../src/dedupe/pair-decisions.ts'
import { inspectColumns } from '../../../src/prepare/propose.ts'
import { inspectTable } from '../../../src/prepare/table-register.ts'
import { writeTable } from '../../../src/results/index.ts'

const signal = new AbortController().signal
const SKIP = { skip: { head: 0, tail: 0 }, sections: 'skip' } as const
const READING = { encoding: 'auto', delimiter: ',', header: true, sheet: null, ...SKIP } as const
let number = 0

type Files = Pick<Parameters<typeof dedupeList>[1], 'decisions' | 'review' | 'merge'>

/** The rows with their groups. */
async function dedupe(
  cwd: string,
  rows: readonly string[],
  keep: Keep = { by: 'filled' },
  files: Files & { readonly signal?: AbortSignal } = {},
) {
  writeFileSync(join(cwd, `${++number}.csv`), ['name,country,updated', ...rows, ''].join('\n'))
  const inspected = await inspectColumns({ ...READING, path: `${number}.csv` }, cwd, signal)
  const table = await inspectTable(inspected, new Map([['name', 0]]))
  const output = { path: join(cwd, `${number}.out.csv`), format: 'csv' as const }
  const deduped = await dedupeList(table, { keep, output, cwd, signal, ...files })
  const written = readFileSync(output.path, 'utf8').trim().split('\n').slice(1)
  return { deduped, rows: written.map(line => line.split(',')) }
}

const LINES = [
  'Brackwell Marine Ltd',
  'Brackwel Marine Limited',
  'Brackwell Marine Holdings Ltd',
  'Ostrander Foods',
  'Ostrander Food',
  '',
].flatMap(name => [`${name},GB,2026-01-01`, `${name},GB,2026-02-01`, `${name},FR,2026-01-05`])

test('the order of rows changes no group and no kept row, and each row is in one group', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'dedupe-'))
  const partition = (rows: readonly string[][]): string[] => {
    const groups = new Map<string, string[]>()
    for (const cells of rows)
      groups.set(cells[3]!, [...(groups.get(cells[3]!) ?? []), [...cells.slice(0, 3), cells[4], cells[5]].join()])
    return [...groups.values()].map(group => group.sort().join('|')).sort()
  }
  const expected = await dedupe(cwd, LINES)
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(LINES, { minLength: LINES.length }), async rows => {
      const found = await dedupe(cwd, rows)
      expect(partition(found.rows)).toEqual(partition(expected.rows))
      expect(found.rows.map(cells => cells.slice(0, 3).join())).toEqual(rows)
      expect(found.rows.filter(cells => cells[5] === 'yes')).toHaveLength(found.deduped.companies)
    }),
    { numRuns: 20 },
  )
})

test('the newest row is kept, and a cell that is not a day is refused with its row', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'dedupe-'))
  const { rows } = await dedupe(cwd, LINES.slice(0, 2), { by: 'newest', column: 2 })
  expect(rows.map(cells => cells[5])).toEqual(['no', 'yes'])
  const wrong = dedupe(cwd, ['Ostrander Foods,GB,2026-01-01', 'Ostrander Foods,GB,last week'], { by: 'newest', column: 2 })
  await expect(wrong).rejects.toMatchObject({ code: 'FETTLE_INPUT_COLUMNS', message: expect.stringContaining('row 2') })
})

test('rows without a name and a number are never one company', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'dedupe-'))
  const { deduped } = await dedupe(cwd, [
    ',GB,2026-01-01',
    ',GB,2026-01-01',
    'Ostrander Foods,GB,2026-01-01',
    'Ostrander Foods,GB,2026-01-01',
  ])
  expect(deduped).toMatchObject({ rows: 4, companies: 3, duplicates: 1 })
})

test('rows with a text in place of a name are not one company by it', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'dedupe-'))
  const texts = ['N/A', 'n/a', '#N/A', 'unknown', 'Unknown', 'TBC', 'TBC', '-', '-']
  const { deduped } = await dedupe(
    cwd,
    texts.map(text => `${text},GB,2026-01-01`),
  )
  expect(deduped).toMatchObject({ rows: 9, companies: 9, duplicates: 0 })
})

test('empty rows, headings and totals are not companies: they keep their place, and are not in a merged list', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'dedupe-'))
  const rows = ['Ostrander Foods,GB,2026-01-01', ',,', 'name,country,updated', 'Ostrander Foods,GB,2026-02-01', 'Arden Ltd,GB,']
  const keep = { by: 'newest', column: 2 } as const
  const { deduped, rows: written } = await dedupe(cwd, rows, keep)
  expect(deduped).toMatchObject({ rows: 3, skipped: 2, companies: 2, duplicates: 1 })
  expect(written.map(cells => cells.slice(3).join())).toEqual(['1,2,no,', ',,,', ',,,', '1,2,yes,', '2,1,yes,'])
  const merge = { rest: 'first-filled', columns: new Map() } as const
  const merged = await dedupe(cwd, rows, keep, { merge })
  expect(merged.rows.map(([name]) => name)).toEqual(['Ostrander Foods', 'Arden Ltd'])
})

test.each([
  [{ by: 'newest', column: 2 }, ['A Ltd,GB,2026-01-01', 'B Ltd,GB,45000'], 'column updated of'],
  [{ by: 'value', column: 1, value: 'DE' }, ['A Ltd,GB,1', 'B Ltd,GB,2'], 'has no cell "DE"'],
] as const)('a rule that shows nothing is refused: %j', async (keep, rows, message) => {
  const cwd = mkdtempSync(join(tmpdir(), 'dedupe-'))
  await expect(dedupe(cwd, rows, keep)).rejects.toThrow(message)
})

const DOUBTS = ['Brackwell Marine Ltd,GB,1', 'Brackwell Marine Holdings Ltd,GB,2', 'Ostrander Foods,GB,3', 'Ostrander Foods,FR,4']

const tableAt = (path: string) => (table: PairTable) => writeTable(path, 'csv', table.names, table.rows)

/** The table of pairs, each with a decision. */
async function review(cwd: string, decide: (line: string) => string) {
  const path = join(cwd, `${++number}.pairs.csv`)
  await dedupe(cwd, DOUBTS, { by: 'filled' }, { review: tableAt(path) })
  const [header, ...lines] = readFileSync(path, 'utf8').trim().split('\r\n')
  writeFileSync(path, [header, ...lines.map(line => decide(line) + line), ''].join('\n'))
  return { path, header, lines }
}

test('the pairs in doubt are a table that is filled in and given back', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'dedupe-'))
  const { path, lines } = await review(cwd, () => 'same')
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/^,Brackwell Marine (Holdings )?Ltd,Brackwell Marine (Holdings )?Ltd,GB,GB,[12],[12],r/)
  const next = join(cwd, 'next.csv')
  const { deduped } = await dedupe(cwd, DOUBTS.toReversed(), { by: 'filled' }, { decisions: path, review: tableAt(next) })
  expect(deduped).toMatchObject({ companies: 3, doubts: 0, decided: { applied: 1, notApplied: [] } })
  // The next table has the decisions so far.
  expect(readFileSync(next, 'utf8')).toContain('\r\nsame,Brackwell')
  const apart = await review(cwd, () => 'different')
  const found = await dedupe(cwd, DOUBTS, { by: 'filled' }, { decisions: apart.path })
  expect(found.deduped).toMatchObject({ companies: 4, doubts: 0, decided: { applied: 1, notApplied: [] } })
})

test('a pair is shown with other rows of its groups', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'dedupe-'))
  const names = ['Brackwell Marine Ltd', 'Brackwel Marine Limited', 'Brackwell Marine Holdings Ltd']
  const tables: PairTable[] = []
  const take = async (table: PairTable): Promise<void> => void tables.push(table)
  const found = await dedupe(
    cwd,
    [...names, names[0]!].map(name => `${name},GB,1`),
    { by: 'filled' },
    { review: take },
  )
  expect(found.deduped).toMatchObject({ companies: 2, doubts: 1 })
  const [{ fields, rows, others } = tables[0]!] = tables
  expect(fields).toEqual(['name', 'country'])
  // The two spellings are one group: one is in the pair, the other beside it.
  const [first, second] = [rows[0]!.slice(1, 3), rows[0]!.slice(5, 7)]
  const at = first.findIndex(name => name !== names[2])
  const other = first[at] === names[0] ? ['2', names[1]] : ['1, 4', names[0]]
  expect(others).toEqual([[[second[at], ...other, 'GB']]])
})

test('a decision whose rows have changed, or that numbers or countries contradict, is named and not applied', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'dedupe-'))
  const { path, header, lines } = await review(cwd, () => 'same')
  const changed = await dedupe(cwd, DOUBTS.with(1, 'Brackwell Shipping Holdings Ltd,GB,2'), { by: 'filled' }, { decisions: path })
  expect(changed.deduped.decided).toMatchObject({
    applied: 0,
    notApplied: [{ line: 2, why: expect.stringContaining('changed') }],
  })
  const keyOf = async (row: string): Promise<string> => {
    const pairs = join(cwd, `${++number}.csv`)
    await dedupe(cwd, [row, row.replace(' Foods', ' Holdings Foods')], { by: 'filled' }, { review: tableAt(pairs) })
    const [, line = ''] = readFileSync(pairs, 'utf8').split('\r\n')
    const cells = line.split(',')
    return cells[cells.indexOf('Ostrander Foods') === 1 ? cells.length - 2 : cells.length - 1]!
  }
  const keys = [await keyOf('Ostrander Foods,GB,1'), await keyOf('Ostrander Foods,FR,1')]
  writeFileSync(path, `decision,name,name 2,key,key 2\nsame,Ostrander Foods,Ostrander Foods,${keys.join()}\n`)
  const abroad = await dedupe(cwd, DOUBTS, { by: 'filled' }, { decisions: path })
  expect(abroad.deduped.decided.notApplied).toEqual([
    { line: 2, names: ['Ostrander Foods', 'Ostrander Foods'], why: 'their countries contradict: FR and GB' },
  ])
  writeFileSync(path, [header, `same${lines[0]}`, `different${lines[0]}`, 'maybe,,,,,,,x,y', ''].join('\n'))
  const wrong = dedupe(cwd, DOUBTS, { by: 'filled' }, { decisions: path })
  await expect(wrong).rejects.toMatchObject({
    code: 'FETTLE_DECISIONS',
    message: expect.stringContaining('"maybe" is not a decision'),
  })
  writeFileSync(path, [header, `same${lines[0]}`, `different${lines[0]}`, ''].join('\n'))
  await expect(dedupe(cwd, DOUBTS, { by: 'filled' }, { decisions: path })).rejects.toThrow(
    'line 3 keeps apart what line 2 makes one company',
  )
})

test('merged rows are the same in any order of rows, and name the rows that they are of', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'dedupe-'))
  const merge = { rest: 'first-filled', columns: new Map([[0, 'longest' as const]]) } as const
  const mergedOf = async (rows: readonly string[]) => {
    const found = await dedupe(cwd, rows, { by: 'filled' }, { merge })
    return { ...found, golden: found.rows.map(cells => cells.slice(0, 3).join()).sort() }
  }
  const { deduped, golden, rows } = await mergedOf(LINES)
  expect(golden).toHaveLength(deduped.companies)
  expect(rows[0]!.slice(0, 5)).toEqual(['Brackwel Marine Limited', 'GB', expect.any(String), '1', '4'])
  expect(deduped.conflicts).toContainEqual({ column: 'updated', groups: expect.any(Number) })
  expect((await mergedOf(LINES.toReversed())).golden).toEqual(golden)
})

test('a list that grows while its groups are written is refused, and nothing is written', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'fettle-dedupe-'))
  const rows = new Array(30_000).fill(`Northern Harbour Vendors,GB,${' '.repeat(200)}`)
  for (const merge of [null, { rest: 'first-filled', columns: new Map() }] as const) {
    const listOutputs = () => readdirSync(cwd).filter(name => name.includes('.out'))
    let grows = 0
    const growing = Object.assign(new AbortController().signal, {
      throwIfAborted() {
        if (listOutputs().length > 0 && grows++ === 0) appendFileSync(join(cwd, `${number}.csv`), `${rows.join('\n')}\n`)
      },
    })
    const found = dedupe(cwd, rows, { by: 'filled' }, { merge, signal: growing })
    await expect(found).rejects.toMatchObject({ code: 'FETTLE_INPUT_CHANGED' })
    expect(listOutputs()).toEqual([])
  }
})
