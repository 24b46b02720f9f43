/**
 * The main job on the made-up samples through the built command, compared with the expected outcomes of the generator:
 * precision and recall of `matched`, duplicates and rejections. The floors are slightly below the measured values.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fettle-quality-'))
  for (const name of ['samples', 'pipelines']) cpSync(join(root, name), join(folder, name), { recursive: true })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Row = Record<string, string>
const rowsOf = (file: string, delimiter = ','): Row[] =>
  parse(readFileSync(join(folder, file)), { columns: true, bom: true, delimiter })

/** The register's id behind a connectId. */
function ids(): Map<string, string> {
  const byNumber = new Map<string, string>()
  for (const { id = '', country = '', orgNumber = '' } of rowsOf('samples/register.csv'))
    byNumber.set(`${country}-X-${(orgNumber === '' ? id : orgNumber).replace(/\W+/g, '_')}`, id)
  return byNumber
}

/** Runs a sample pipeline and compares each output row with what is expected of it. */
function measure(pipeline: string, output: string, expected: string, delimiter: string) {
  const env = { PATH: process.env.PATH, HOME: folder, FETTLE_DATA: join(folder, 'data') }
  const ended = spawnSync(process.execPath, [join(root, 'dist/cli/main.js'), 'run', pipeline, '--json'], {
    cwd: folder,
    env,
    encoding: 'utf8',
  })
  expect(ended.status, ended.stderr).toBe(0)
  const { totals } = JSON.parse(ended.stdout)
  const rows = rowsOf(output, delimiter)
  const truth = rowsOf(expected)
  const known = ids()
  expect(rows.length).toBe(truth.length)
  const given = rows.map(row =>
    ['matched', 'duplicate'].includes(row['match.outcome'] ?? '') ? (known.get(row['general.connectId'] ?? '') ?? '?') : '',
  )
  const right = given.filter((id, row) => id !== '' && id === truth[row]?.expected).length
  const answered = given.filter(id => id !== '').length
  const findable = truth.filter(row => row.expected !== '').length
  const absentMatched = given.filter((id, row) => id !== '' && truth[row]?.expected === '').length
  return { totals, rows: rows.length, precision: right / answered, recall: right / findable, absentMatched }
}

test.each([
  {
    pipeline: 'pipelines/suppliers.yml',
    output: 'out/suppliers.csv',
    expected: 'samples/expected/suppliers.csv',
    delimiter: ',',
    precision: 0.99,
    recall: 0.94,
  },
  {
    pipeline: 'pipelines/suppliers-de.yml',
    output: 'out/suppliers-de.csv',
    expected: 'samples/expected/suppliers-de.csv',
    delimiter: ';',
    precision: 0.99,
    recall: 0.94,
  },
  {
    pipeline: 'pipelines/minimal.yml',
    output: 'out/clean.csv',
    expected: 'samples/expected/clean.csv',
    delimiter: ',',
    precision: 1,
    recall: 0.94,
  },
])('$pipeline', ({ pipeline, output, expected, delimiter, precision, recall }) => {
  const measured = measure(pipeline, output, expected, delimiter)
  const { rows, matchRate: _rate, ...outcomes } = measured.totals
  console.log(
    `${pipeline}: precision ${measured.precision.toFixed(3)}, recall ${measured.recall.toFixed(3)}, ${measured.absentMatched} absent companies matched`,
  )
  expect(Object.values<number>(outcomes).reduce((sum, count) => sum + count, 0)).toBe(rows)
  expect(rows).toBe(measured.rows)
  expect(measured.precision).toBeGreaterThanOrEqual(precision)
  expect(measured.recall).toBeGreaterThanOrEqual(recall)
})
