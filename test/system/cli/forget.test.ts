/** `fettle forget`: a row goes out of runs, answers, decisions and tables; what was spent stays, and `verify` agrees. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { resealed } from '../../../src/journal/checksum.ts'
import { fettle, folderOf, importRegister, lastLine } from './fettle.ts'

beforeAll(importRegister)

const HEAD = 'Supplier No,Company Name,Reg No,Country'
const FORGOTTEN = 'KEY-4711,Bolton Castings Ltd,01234567,GB'
const ROWS = [
  'KEY-1,Acme Forgings Ltd,01234567,GB',
  FORGOTTEN,
  'KEY-2,Dundee Patterns Ltd,02345678,GB',
  'KEY-3,Nobody Knows Us GmbH,99999999,DE',
]
const list = (rows: readonly string[]): string => [HEAD, ...rows, ''].join('\n')
const PIPELINE = `name: p
input: { path: rows.csv, key: Supplier No }
mappings: { name: Company Name, orgNumber: Reg No, country: Country }
enrich: { product: basic, tags: [general.connectId, general.companyName] }
output: {path: out/p.csv, columns: ["*", general.connectId, match.outcome], review: out/review.csv, unmatched: out/unmatched.csv}
review: {decisions: decisions.csv}
reuse: {matched: 30d, unmatched: 30d, review: 30d}
`

/** Files below a folder in which the row is still to be found, answers by the digest of their key left aside. */
function holders(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return files.flatMap(({ parentPath, name }) => {
    const bytes = readFileSync(join(parentPath, name))
    const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
    return /KEY-4711|Bolton/.test(text) ? [name] : []
  })
}

/** Two nights, the first with a decision about the row, and the table in which it was made. */
async function nights() {
  const cwd = folderOf({ 'rows.csv': list(ROWS), 'p.yml': PIPELINE })
  const run = async () => {
    const ended = await fettle(['run', 'p.yml', '-q', '--json', '--new', '--refresh-key', 'KEY-4711'], { cwd })
    expect(ended.code, ended.stderr).toBe(0)
    return lastLine(ended)
  }
  const first = await run()
  expect((await fettle(['review', '--export', 'csv', 'mine.csv'], { cwd })).code).toBe(0)
  const table = readFileSync(join(cwd, 'mine.csv'), 'utf8')
  expect(table).toContain('KEY-4711')
  const [head = '', ...lines] = table.split('\r\n')
  const decided = lines.map(line => (line.includes('KEY-4711') ? line.replace(/^([^;,]+)([;,])/, '$1$2reject') : line))
  writeFileSync(join(cwd, 'mine.csv'), [head, ...decided].join('\r\n'))
  expect((await fettle(['review', '--apply', 'mine.csv'], { cwd })).code).toBe(0)
  const second = await run()
  return { cwd, first, second }
}

test('forget removes a row everywhere, names each file, keeps what was spent, and verify agrees', async () => {
  const { cwd, second } = await nights()
  const runs = join(cwd, 'fettle-runs')
  expect(holders(runs)).toEqual(expect.arrayContaining(['journal.jsonl', 'report.html', 'states.jsonl.gz', 'decisions.csv']))
  const costs = (await fettle(['costs', '--by', 'run', '--csv'], { cwd })).stdout
  const dry = await fettle(['forget', '--key', 'KEY-4711', 'mine.csv', '--dry-run', '--json'], { cwd })
  expect(dry.code, dry.stderr).toBe(0)
  const { found } = lastLine(dry) as unknown as { found: { file: string; entries: number | 'whole' }[] }
  const of = (end: string) => found.filter(({ file }) => file.endsWith(end)).map(({ entries }) => entries)
  expect(of('states.jsonl.gz')).toEqual([1, 1])
  expect(of('mine.csv')).toEqual([expect.any(Number)])
  expect(found.some(({ file }) => file === 'decisions.csv')).toBe(true)
  expect(found.some(({ file }) => file.endsWith('.answers'))).toBe(true)
  expect(holders(runs).length).toBeGreaterThan(4)

  const done = await fettle(['forget', '--key', 'KEY-4711', 'mine.csv', '--json'], { cwd })
  expect(done.code, done.stderr).toBe(0)
  expect(lastLine(done)).toMatchObject({ schema: 'fettle/forget/v1', dryRun: false, found })
  const { runId } = second
  // Jobs of the embedded service end with the run.
  expect(lastLine(done).kept).toEqual(['out/p.csv', 'out/unmatched.csv'].map(name => ({ what: 'output', name, runId })))
  expect(holders(runs)).toEqual([])
  for (const file of ['decisions.csv', 'mine.csv']) expect(readFileSync(join(cwd, file), 'utf8')).not.toMatch(/4711|Bolton/)
  expect(readFileSync(join(cwd, 'mine.csv'), 'utf8')).toContain('KEY-2')
  expect((await fettle(['costs', '--by', 'run', '--csv'], { cwd })).stdout).toBe(costs)
  const verified = await fettle(['verify', String(second.runId), '--head', String(second.journal)], { cwd })
  expect(verified.code, verified.stderr).toBe(0)
  expect(verified.stderr).toMatch(/a row of it was forgotten on \d{4}-\d\d-\d\d/)
  expect(verified.stderr).toContain(`${second.journal} is the head of the journal before the row was forgotten`)
  expect((await fettle(['forget', '--key', 'KEY-4711'], { cwd })).stderr).toContain(
    'nothing is kept about this key: 2 runs searched',
  )

  writeFileSync(join(cwd, 'rows.csv'), list(ROWS.filter(row => row !== FORGOTTEN)))
  const next = await fettle(['run', 'p.yml', '-q', '--json'], { cwd })
  expect(next.code, next.stderr).toBe(0)
  expect(holders(runs)).toEqual([])
  expect((await fettle(['verify'], { cwd })).code).toBe(0)
})

test('forget of one pipeline leaves the rows of others, and refuses while a run is not finished', async () => {
  const { cwd, second } = await nights()
  const before = holders(cwd)
  expect((await fettle(['forget', '--key', 'KEY-4711', '--pipeline', 'other'], { cwd })).stderr).toContain('nothing is kept')
  expect(holders(cwd)).toEqual(before)
  const journal = join(cwd, 'fettle-runs', String(second.runId), 'journal.jsonl')
  const lines = readFileSync(journal, 'utf8').trimEnd().split('\n')
  writeFileSync(journal, `${resealed(lines.slice(0, -1)).join('\n')}\n`)
  const refused = await fettle(['forget', '--key', 'KEY-4711'], { cwd })
  expect(refused.code).toBe(75)
  expect(refused.stderr).toContain('FETTLE_FORGET')
  expect(holders(cwd)).toEqual(before)
  expect((await fettle(['forget'], { cwd })).code).toBe(2)
  const elsewhere = await fettle(['forget', '--key', 'KEY-4711', '--runs-dir', 'none'], { cwd })
  expect([elsewhere.code, elsewhere.stderr]).toEqual([2, expect.stringContaining('there is no folder none')])
  expect(existsSync(join(cwd, 'none'))).toBe(false)
  expect((await fettle(['forget', '--key', 'KEY-4711', 'none.csv', '--pipeline', 'p'], { cwd })).code).not.toBe(0)
  expect(existsSync(join(cwd, 'fettle-runs/forget.json'))).toBe(false)
})
