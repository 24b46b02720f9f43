import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dedupeList, type Keep } from '../../../src/prepare/dedupe-list.ts'
import { inspectColumns } from '../../../src/prepare/propose.ts'
import { inspectTable } from '../../../src/prepare/table-register.ts'

const signal = new AbortController().signal
const READING = { encoding: 'auto', delimiter: ',', header: true, sheet: null, skip: { head: 0, tail: 0 } } as const
let number = 0

/** The rows with their groups. */
async function dedupe(cwd: string, rows: readonly string[], keep: Keep = { by: 'filled' }) {
  writeFileSync(join(cwd, `${++number}.csv`), ['name,country,updated', ...rows, ''].join('\n'))
  const inspected = await inspectColumns({ ...READING, path: `${number}.csv` }, cwd, signal)
  const table = await inspectTable(inspected, new Map([['name', 0]]))
  const output = { path: join(cwd, `${number}.out.csv`), format: 'csv' as const }
  const deduped = await dedupeList(table, { keep, output, cwd, signal })
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

test.each([
  [{ by: 'newest', column: 2 }, ['A Ltd,GB,2026-01-01', 'B Ltd,GB,45000'], 'column updated of'],
  [{ by: 'value', column: 1, value: 'DE' }, ['A Ltd,GB,1', 'B Ltd,GB,2'], 'has no cell "DE"'],
] as const)('a rule that shows nothing is refused: %j', async (keep, rows, message) => {
  const cwd = mkdtempSync(join(tmpdir(), 'dedupe-'))
  await expect(dedupe(cwd, rows, keep)).rejects.toThrow(message)
})
