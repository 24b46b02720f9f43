/** Decisions about hits of AML searches: made in a table or at a terminal, applied on every run, gone with a changed entry, forgotten with the row. */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { BINARY, ENVIRONMENT, fettle, folderOf, follow, lastLine } from './fettle.ts'

const ROWS =
  'No,Name,Country\nKEY-1,Acme Forgings Ltd,GB\n2,Bolton Castings Ltd,GB\n3,Dundee Patterns Ltd,GB\n4,Nobody Knows Us,DE\n'
const PIPELINE = `name: p
input: { path: rows.csv, key: No }
mappings: { name: Name, country: Country }
output: { path: out.csv, columns: [No, decision, screen.state, screen.hits, screen.back, screen.why] }
screen: { datasets: [SAN, ENF], decisions: hits.csv }
decide: table.yml
poll: { every: 500ms, max: 500ms }
`
const TABLE = `fields: { screen.SAN: { type: number } }
rules:
  - { name: hit, when: { screen.SAN: { ">": 0 } }, decision: decline }
otherwise: accept
`
const REGISTER = `id,name,country,orgNumber
1,ACME FORGINGS LIMITED,GB,01234567
2,BOLTON CASTINGS LIMITED,GB,02345678
4,DUNDEE PATTERNS LIMITED,GB,04567890
`
const HEAD = 'id,name,type,datasets,countries,program,notes'
const LIST = [
  'A1,Acme Forgings Limited,business,SAN,GB,Russia,',
  'A2,Bolton Castings Limited,business,SAN|ENF,GB,Iran,first',
  'A3,Dundee Patterns Limited,business,ENF,GB,,',
]

const cells = (cwd: string, name = 'out.csv'): string[][] => parse(readFileSync(join(cwd, name), 'utf8'), { bom: true })
const states = (cwd: string): string[] =>
  cells(cwd)
    .slice(1)
    .map(([no, decision, state, hits]) => `${no} ${decision} ${state} ${hits}`)
const report = (cwd: string) =>
  JSON.parse(
    readFileSync(join(cwd, `fettle-runs/${readFileSync(join(cwd, 'fettle-runs/latest'), 'utf8').trim()}/report.json`), 'utf8'),
  )
const judged = (cwd: string) => report(cwd).results[0].screening.judged

async function setUp(list = LIST) {
  const cwd = folderOf({ 'rows.csv': ROWS, 'p.yml': PIPELINE, 'table.yml': TABLE, 'small.csv': REGISTER })
  const env = { FETTLE_DATA: join(cwd, 'data'), FETTLE_REGISTER: 'small' }
  const call = (...args: string[]) => fettle(args, { cwd, env })
  const night = async (lines: readonly string[]) => {
    writeFileSync(join(cwd, 'list.csv'), `${[HEAD, ...lines].join('\n')}\n`)
    expect((await call('screening', 'import', 'csv', 'list.csv')).code).toBe(0)
    return call('run', 'p.yml', '-q', '--json')
  }
  expect((await call('register', 'import', 'csv', 'small.csv')).code).toBe(0)
  expect((await night(list)).code).toBe(0)
  return { cwd, env, call, night }
}

/** Writes words into the exported table, by the id of the entry. */
function write(cwd: string, words: Readonly<Record<string, string>>): void {
  const [head = [], ...rows] = cells(cwd, 'mine.csv')
  const entry = head.indexOf('entry')
  const lines = [head, ...rows.map(row => [words[row[entry]!] ?? '', ...row.slice(1)])]
  const text = lines.map(row => row.map(cell => `"${cell.replaceAll('"', '""')}"`).join(',')).join('\n')
  writeFileSync(join(cwd, 'mine.csv'), `${text}\n`)
}

test('what a person decided about hits holds for new ids, and not for changed entries', async () => {
  const { cwd, call, night } = await setUp()
  expect(states(cwd)).toEqual(['KEY-1 decline open 1', '2 decline open 1', '3 accept open 1', '4 refer no company '])
  expect(judged(cwd)).toMatchObject({ open: 3, back: 0, cleared: 0, confirmed: 0 })
  expect((await call('review', '--export', 'hits', 'mine.csv')).code).toBe(0)
  write(cwd, { A1: 'clear', A2: 'confirm', A3: 'CLEAR' })
  const applied = await call('review', '--apply', 'mine.csv', '--by', 'ann')
  expect(applied).toMatchObject({ code: 0, stderr: expect.stringContaining('3 hits decided, stored in hits.csv') })
  expect(states(cwd)).toEqual(['KEY-1 accept cleared 0', '2 decline confirmed 1', '3 accept cleared 0', '4 refer no company '])
  expect(judged(cwd)).toMatchObject({ open: 0, back: 0, cleared: 2, confirmed: 1 })

  // All ids are new, and nothing else is.
  expect((await night(LIST.map(line => line.replace(/^A/, 'B')))).code).toBe(0)
  expect(states(cwd)).toEqual(['KEY-1 accept cleared 0', '2 decline confirmed 1', '3 accept cleared 0', '4 refer no company '])

  const changed = await night([LIST[0]!.replace('Russia', 'Belarus'), LIST[1]!, LIST[2]!.replace('ENF', 'SAN|ENF')])
  expect(changed.code).toBe(0)
  expect(states(cwd)).toEqual([
    'KEY-1 decline came back 1',
    '2 decline confirmed 1',
    '3 decline came back 1',
    '4 refer no company ',
  ])
  expect(cells(cwd)[1]![5]).toMatch(
    /^Acme Forgings Limited, list A1: cleared by ann, \d{4}-\d\d-\d\d; SAN.CURRENT: .*Russia.*-> .*Belarus/,
  )
  expect(lastLine(changed)).toMatchObject({ status: 'success' })
  const text = readFileSync(join(cwd, 'fettle-runs', report(cwd).metadata.runId, 'report.html'), 'utf8')
  expect(text).toContain('0 open, 2 came back, 1 confirmed, 0 cleared')
  // The page has them for its desk, those that came back first, and nothing of them where rows are kept out of reports.
  const onPage = (html: string) => JSON.parse(/id="hits-data">(.*?)<\/script>/s.exec(html)?.[1] ?? '{"hits":[]}').hits
  expect(onPage(text).map(({ state }: { state: string }) => state)).toEqual(['back', 'back', 'confirmed'])
  expect((await call('review', '--export', 'html', 'page.html')).code).toBe(0)
  expect(onPage(readFileSync(join(cwd, 'page.html'), 'utf8'))).toEqual(onPage(text))
  expect(await call('review')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('2 hits to decide about, but this is not'),
  })
}, 120_000)

test('at a terminal, one key a hit; with the row its hits and decisions are forgotten', async () => {
  const { cwd, env, call } = await setUp()
  const under = follow(
    spawn('script', ['-qefc', `stty cols 110; ${process.execPath} ${BINARY} review`, '/dev/null'], {
      cwd,
      env: { ...ENVIRONMENT, ...env, TERM: 'xterm', USER: 'bob' },
    }),
    null,
  )
  expect(await under.seen(/1 of 3 hits/)).toContain('ACME FORGINGS LIMITED')
  under.child.stdin?.write('n')
  await under.seen(/2 of 3 hits/)
  expect(cells(cwd, 'hits.csv')[1]).toEqual(expect.arrayContaining(['clear', 'ACME FORGINGS LIMITED', 'A1', 'bob']))
  under.child.stdin?.write('ykuyq')
  expect(await under.ended).toMatchObject({ code: 0 })
  expect(cells(cwd, 'hits.csv').map(([decision]) => decision)).toEqual(['decision', 'clear', 'confirm'])
  expect(states(cwd).slice(0, 3)).toEqual(['KEY-1 accept cleared 0', '2 decline confirmed 1', '3 accept open 1'])

  const forgotten = await call('forget', '--key', 'KEY-1')
  expect(forgotten, forgotten.stderr).toMatchObject({ code: 0 })
  expect(readFileSync(join(cwd, 'hits.csv'), 'utf8')).not.toMatch(/acme/i)
  const contents = readFileSync(join(cwd, 'fettle-runs', report(cwd).metadata.runId, 'journal-rows.jsonl'), 'utf8')
  expect(contents).not.toMatch(/acme/i)
  expect(contents).toMatch(/bolton/i)
}, 120_000)

test('a decision about a director is about no other person, and gone with the row', async () => {
  const cwd = folderOf({
    'rows.csv': ROWS.replace('\n2,', '\nKEY-2,'),
    'small.csv': REGISTER,
    'officers.csv':
      'companyId,name,dateOfBirth\n1,Maria Holt Karlsson,1980-05-17\n2,Maria Holt Karlsson,1980-05-17\n2,Otto Quist Lind,\n',
    'list.csv':
      'id,name,type,datasets,dateOfBirth\nA1,Maria Holt Karlsson,individual,SAN,1980\nA2,Maria Holt Karlsson,business,SAN,\n',
    'p.yml': `${PIPELINE.replace('decide: table.yml\n', '')
      .replace('decision, ', '')
      .replace('{ datasets', '{ people: directors, datasets')}enrich: standard\n`,
  })
  const env = { FETTLE_DATA: join(cwd, 'data'), FETTLE_REGISTER: 'small' }
  const call = (...args: string[]) => fettle(args, { cwd, env })
  const shown = () =>
    cells(cwd)
      .slice(1)
      .map(([no, state, hits]) => `${no} ${state} ${hits}`)
  expect((await call('register', 'import', 'csv', 'small.csv')).code).toBe(0)
  expect((await call('screening', 'import', 'csv', 'list.csv')).code).toBe(0)
  const refused = await call('run', 'p.yml')
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('the registers have no officers')])
  expect((await call('register', 'import', 'csv', 'small.csv', '--officers', 'officers.csv')).code).toBe(0)
  expect(await call('run', 'p.yml', '-q', '--json')).toMatchObject({ code: 0 })
  expect(shown()).toEqual(['KEY-1 open 1', 'KEY-2 open 1', '3 no director 0', '4 no company '])
  expect((await call('review', '--export', 'hits', 'mine.csv')).code).toBe(0)
  const table = cells(cwd, 'mine.csv')
  expect(table.slice(1).map(row => row[table[0]!.indexOf('person')])).toEqual(['Maria Holt Karlsson', 'Maria Holt Karlsson'])
  writeFileSync(join(cwd, 'mine.csv'), readFileSync(join(cwd, 'mine.csv'), 'utf8').replace('\n,GB', '\nclear,GB'))
  expect((await call('review', '--apply', 'mine.csv', '--by', 'ann')).code).toBe(0)
  expect(shown().slice(0, 2)).toEqual(['KEY-1 cleared 0', 'KEY-2 open 1'])
  const html = readFileSync(join(cwd, 'fettle-runs', report(cwd).metadata.runId, 'report.html'), 'utf8')
  expect(html).toContain('Maria Holt Karlsson, director of BOLTON CASTINGS LIMITED')

  expect((await call('forget', '--key', 'KEY-1')).code).toBe(0)
  expect((await call('forget', '--key', 'KEY-2')).code).toBe(0)
  const contents = readFileSync(join(cwd, 'fettle-runs', report(cwd).metadata.runId, 'journal-rows.jsonl'), 'utf8')
  expect(contents).not.toMatch(/karlsson|quist/i)
  expect(readFileSync(join(cwd, 'hits.csv'), 'utf8')).not.toMatch(/karlsson/i)
}, 120_000)

test.each([
  ['decisions: hits.csv', 'decisions: [hits.csv]', 2, 'screen.decisions'],
  ['decisions: hits.csv', 'decisions: hits.txt', 2, 'does not end in .csv'],
  ['decisions: hits.csv', 'decisions: out.csv', 2, 'is output.path already'],
  ['decisions: hits.csv', 'decisions: ../hits.csv', 2, 'screen.decisions'],
  [', decisions: hits.csv', ', decisions: bad.csv', 65, 'bad.csv:2:1'],
  ['screen: { datasets: [SAN, ENF], decisions: hits.csv }\ndecide: table.yml\n', '', 65, 'screen.state'],
])('%s as %s is refused', async (from, to, code, says) => {
  const bad = 'decision,company,companyName,facts,digest\nmaybe,GB-1,Acme,{},ab\nclear,,Acme,no,ab\n'
  const cwd = folderOf({ 'rows.csv': ROWS, 'p.yml': PIPELINE.replace(from, to), 'table.yml': TABLE, 'bad.csv': bad })
  const ended = await fettle(['run', 'p.yml'], { cwd })
  expect(ended.stderr).toContain(says)
  expect(ended.code).toBe(code)
  if (to.includes('bad.csv')) expect(ended.stderr).toContain('facts cannot be read')
  expect(existsSync(join(cwd, 'out.csv'))).toBe(false)
})
