/** Runs that use the answers of earlier runs: what goes up, what is written, and what is kept. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifyRun } from '../../../src/app/operations/verify.ts'
import { type PipelineInput, run } from '../../../src/index.ts'
import { packageFile } from '../../../src/package-file.ts'
import { type Place, place } from './place.ts'

let here: Place
beforeEach(() => {
  here = place()
})
afterEach(() => here.leave())

const [HEADER, ...LINES] = readFileSync(packageFile('samples/suppliers.csv'), 'utf8').split('\n')
/** Rows on one line. */
const SUPPLIERS = LINES.filter(line => /^V\d/.test(line) && line.split('"').length % 2 === 1 && !line.includes('\n'))
const TAGS = ['general.connectId', 'general.companyName', 'general.rowNumber', 'general.duplicate', 'general.duplicateId']
const COLUMNS = ['*', ...TAGS, 'match.outcome', 'match.score', 'match.why', 'match.candidates']
const AGES = { matched: '30d', unmatched: '7d', review: '7d' }

const list = (rows: readonly string[]): string => [HEADER, ...rows, ''].join('\n')
const read = (name: string): string => readFileSync(join(here.folder, name), 'utf8')

/** The same list with and without earlier answers; the outputs must be the same. */
async function night(rows: readonly string[], more: Partial<PipelineInput> = {}) {
  here.write('in.csv', list(rows))
  const pipelineOf = (name: string, own: Partial<PipelineInput>): PipelineInput =>
    here.pipeline({
      name,
      service: 'embedded',
      register: 'sample',
      input: { path: 'in.csv', key: 'Supplier No' },
      mappings: { name: 'Company Name', orgNumber: 'Reg No', country: 'Country' },
      enrich: { product: 'basic', tags: TAGS },
      output: { path: `${name}.csv`, columns: COLUMNS, review: `${name}-review.csv`, unmatched: `${name}-unmatched.csv` },
      ...more,
      ...own,
    })
  const full = await run(pipelineOf('full', {}), { ...here.options({}), fresh: true })
  const report = await run(pipelineOf('nightly', { reuse: AGES }), here.options({}))
  for (const kind of ['', '-review', '-unmatched']) expect(read(`nightly${kind}.csv`)).toBe(read(`full${kind}.csv`))
  expect(report.totals).toEqual(full.totals)
  return report
}

test('the second night of the same list sends nothing and writes what a full night writes', async () => {
  const rows = SUPPLIERS.slice(0, 40)
  const first = await night(rows)
  expect(first).toMatchObject({ exitCode: 0, ledger: { adds: true } })
  expect(first.results[0]?.reuse).toMatchObject({ asked: 40, known: 0, fresh: first.results[0]?.plan.sent })
  const second = await night(rows)
  expect(second).toMatchObject({ exitCode: 0, ledger: { adds: true }, results: [{ plan: { sent: 0 }, jobs: [] }] })
  expect(second.results[0]?.reuse).toMatchObject({ asked: 40, known: 40, sent: 0 })
  for (const { metadata } of [first, second])
    expect((await verifyRun(metadata.runId, { runsDir: join(here.folder, 'runs'), cwd: here.folder })).faults).toEqual([])
})
