/** `fettle forget`: a row goes out of runs, answers, decisions and tables; what was spent stays, and `verify` agrees. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { takeLock } from '../../../src/files/process-lock.ts'
import { resealed } from '../../../src/journal/checksum.ts'
import { startCharging } from '../../support/charging-service.ts'
import { atEnd, ENVIRONMENT, fettle, folderOf, importRegister, lastLine } from './fettle.ts'

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

/** A service that charges, with the register of the embedded one. */
async function charging() {
  const service = await startCharging(ENVIRONMENT.FETTLE_DATA, [])
  atEnd(() => service.close())
  return service
}

/** Two nights, the first with a decision about the row, and the table in which it was made. */
async function nights() {
  const cwd = folderOf({ 'rows.csv': list(ROWS), 'p.yml': PIPELINE })
  const { env } = await charging()
  const run = async () => {
    const ended = await fettle(['run', 'p.yml', '-q', '--json', '--new', '--refresh-key', 'KEY-4711'], { cwd, env })
    expect(ended.code, ended.stderr).toBe(0)
    return lastLine(ended)
  }
  const first = await run()
  expect((await fettle(['review', '--export', 'csv', 'mine.csv'], { cwd })).code).toBe(0)
  const table = readFileSync(join(cwd, 'mine.csv'), 'utf8')
  expect(table).toContain('KEY-4711')
  const [head = '', ...lines] = table.split('\r\n')
  // After the number of the row, its key and its name.
  const decided = lines.map(line => (line.includes('KEY-4711') ? line.replace(/^((?:[^;,]*[;,]){3})/, '$1reject') : line))
  writeFileSync(join(cwd, 'mine.csv'), [head, ...decided].join('\r\n'))
  expect((await fettle(['review', '--apply', 'mine.csv'], { cwd })).code).toBe(0)
  const second = await run()
  return { cwd, env, first, second }
}

test('forget removes a row everywhere, names each file, keeps what was spent, and verify agrees', async () => {
  const { cwd, env, first, second } = await nights()
  const runs = join(cwd, 'fettle-runs')
  const before = holders(runs)
  expect(before).toEqual(expect.arrayContaining(['journal-rows.jsonl', 'report.html', 'states.jsonl.gz', 'decisions.csv']))
  expect(before).not.toContain('journal.jsonl')
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
  const { kept } = lastLine(done) as unknown as { kept: { what: string; name: string; runId: string }[] }
  const named = ['out/p.csv', 'out/unmatched.csv'].map(name => ({ what: 'output', name, runId }))
  expect(kept.filter(({ what }) => what === 'output')).toEqual(named)
  expect(kept.filter(({ what }) => what === 'job').map(job => job.runId)).toEqual([second.runId, first.runId])
  expect(holders(runs)).toEqual([])
  for (const file of ['decisions.csv', 'mine.csv']) expect(readFileSync(join(cwd, file), 'utf8')).not.toMatch(/4711|Bolton/)
  expect(readFileSync(join(cwd, 'mine.csv'), 'utf8')).toContain('KEY-2')
  expect((await fettle(['costs', '--by', 'run', '--csv'], { cwd })).stdout).toBe(costs)
  const verified = await fettle(['verify', String(second.runId), '--head', String(second.journal)], { cwd })
  expect(verified.code, verified.stderr).toBe(0)
  expect(verified.stderr).toMatch(/a row of it was forgotten on \d{4}-\d\d-\d\d/)
  expect((await fettle(['forget', '--key', 'KEY-4711'], { cwd })).stderr).toContain(
    'nothing is kept about this key: 2 runs searched',
  )

  writeFileSync(join(cwd, 'rows.csv'), list(ROWS.filter(row => row !== FORGOTTEN)))
  const next = await fettle(['run', 'p.yml', '-q', '--json'], { cwd, env })
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

/** Everything below a folder whose bytes, unpacked, have one of the texts. */
function placesOf(folder: string, texts: readonly string[]): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return files.flatMap(({ parentPath, name }) => {
    const bytes = readFileSync(join(parentPath, name))
    const content = name.endsWith('.gz') ? gunzipSync(bytes) : bytes
    return texts.some(text => content.includes(text)) ? [name] : []
  })
}

/** A company of the sample register that only one row has. */
const SECRET = ['Varnix', '11076475']
const listWith = (key: string): string => list([...ROWS.filter(row => row !== FORGOTTEN), `${key},Varnix Steel Ltd,11076475,GB`])

test('forget leaves no byte of a row, also where the same cells were asked under a different key, and by a pipeline without one', async () => {
  const cwd = folderOf({
    'rows.csv': listWith('OLD-KEY'),
    'p.yml': PIPELINE,
    'keyless.yml': PIPELINE.replace('name: p', 'name: keyless').replace(', key: Supplier No', '').replaceAll('out/', 'other/'),
  })
  const { env } = await charging()
  const run = async (file: string): Promise<void> => {
    const ended = await fettle(['run', file, '-q', '--new'], { cwd, env })
    expect(ended.code, ended.stderr).toBe(0)
  }
  await run('p.yml')
  writeFileSync(join(cwd, 'rows.csv'), listWith('PERSON-4711'))
  await run('p.yml')
  await run('keyless.yml')
  const runs = join(cwd, 'fettle-runs')
  expect(placesOf(runs, SECRET)).toEqual(expect.arrayContaining(['journal-rows.jsonl', 'report.html', 'states.jsonl.gz']))
  const done = await fettle(['forget', '--key', 'PERSON-4711'], { cwd })
  expect(done.code, done.stderr).toBe(0)
  // The answer was asked under the other key.
  expect(done.stdout).toMatch(/removed 1 from \S+\.answers/)
  expect(placesOf(runs, [...SECRET, 'PERSON-4711'])).toEqual([])
})

test('forget names what still has the row, and exits with 73', async () => {
  const { cwd } = await nights()
  const note = join(cwd, 'fettle-runs', 'note.txt')
  writeFileSync(note, 'about KEY-4711\n')
  const done = await fettle(['forget', '--key', 'KEY-4711'], { cwd })
  expect(done.code).toBe(73)
  expect(done.stderr).toContain('FETTLE_FORGET_LEFT')
  expect(done.stderr).toContain('note.txt')
  rmSync(note)
  expect((await fettle(['forget', '--key', 'KEY-4711'], { cwd })).code).toBe(0)
})

test('forget of a key that is a small number is not disturbed by the counts of reports and the lines of journals', async () => {
  const rows = list(ROWS).replace('KEY-2', '120').replace('KEY-3', '1')
  const cwd = folderOf({ 'rows.csv': rows, 'p.yml': PIPELINE })
  const { env } = await charging()
  expect((await fettle(['run', 'p.yml', '-q'], { cwd, env })).code).toBe(0)
  for (const key of ['1', '120', '77']) {
    const done = await fettle(['forget', '--key', key], { cwd })
    expect([key, done.code, done.stderr]).toEqual([key, 0, expect.any(String)])
  }
  writeFileSync(join(cwd, 'fettle-runs', 'note.csv'), 'key,name\n120,x\n')
  expect((await fettle(['forget', '--key', '120'], { cwd })).code).toBe(73)
})

test('forget refuses while a run of a different folder has asked by the same folder of answers', async () => {
  const { cwd } = await nights()
  const answers = join(cwd, 'fettle-runs/answers')
  const scope = join(answers, readdirSync(answers).find(name => /^[0-9a-f]{32}$/.test(name))!)
  const file = join(scope, '20260101T000000Z-other-abcdef.asked')
  writeFileSync(file, '')
  const before = holders(join(cwd, 'fettle-runs'))
  const refused = await fettle(['forget', '--key', 'KEY-4711'], { cwd })
  expect(refused.code).toBe(75)
  expect(refused.stderr).toContain('20260101T000000Z-other-abcdef')
  expect(holders(join(cwd, 'fettle-runs'))).toEqual(before)
  rmSync(file)
  // A process writes answers just now.
  const lock = takeLock(join(scope, 'lock'), Date.now)
  expect((await fettle(['forget', '--key', 'KEY-4711'], { cwd })).code).toBe(75)
  lock.release()
  expect((await fettle(['forget', '--key', 'KEY-4711'], { cwd })).code).toBe(0)
  expect(holders(join(cwd, 'fettle-runs'))).toEqual([])
})

test('forget passes over a run that is just beginning, and has no journal yet', async () => {
  const { cwd, first } = await nights()
  const beginning = join(cwd, 'fettle-runs', String(first.runId).replace(/^\d{8}/, '20990101'))
  mkdirSync(beginning)
  const forgotten = await fettle(['forget', '--key', 'KEY-4711'], { cwd })
  expect(forgotten.code, forgotten.stderr).toBe(0)
  expect(holders(join(cwd, 'fettle-runs'))).toEqual([])
  // A list in a queue has rows, and no journal.
  writeFileSync(join(beginning, 'queue.json'), '{}')
  const refused = await fettle(['forget', '--key', 'KEY-1'], { cwd })
  expect(refused.code).toBe(75)
  expect(refused.stderr).toContain('a list in a queue')
})
