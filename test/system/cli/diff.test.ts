/** `fettle diff` and the changes in reports: two nights, two outputs, and the checks on them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { fettle, folderOf, importRegister, lastLine, pipelineOf } from './fettle.ts'

beforeAll(importRegister)

const HEAD = 'Id,Company Name,Reg No,Country\n'
const FIRST = `${HEAD}1,Acme Forgings Ltd,01234567,GB
2,Bolton Castings Ltd,02345678,GB
3,Acme Forgings Ltd,,GB
4,Nobody Knows Us GmbH,99999999,DE
`
const SECOND = `${HEAD}2,Nobody Knows Us GmbH,,DE
3,Bolton Castings Ltd,,GB
4,Acme Forgings Ltd,01234567,GB
5,Bolton Castings Ltd,02345678,GB
`
const KEYED = 'output: {path: out/p.csv, columns: ["*", general.connectId, general.companyName, match.outcome]}'
const nightly = (more = ''): string =>
  pipelineOf('p', `${KEYED}\n${more}`).replace(/input: .*/, 'input: {path: rows.csv, key: Id}')

test('the report of the second night lists what changed and why, and so does diff in every format', async () => {
  const cwd = folderOf({ 'rows.csv': FIRST, 'p.yml': nightly() })
  expect((await fettle(['run', 'p.yml', '-q'], { cwd })).code).toBe(0)
  expect((await fettle(['diff'], { cwd })).stderr).toContain(
    'no good run of the same pipeline, account, target and limit came before',
  )
  writeFileSync(join(cwd, 'first.csv'), readFileSync(join(cwd, 'out/p.csv')))
  writeFileSync(join(cwd, 'rows.csv'), SECOND)
  const second = await fettle(['run', 'p.yml', '-q', '--json'], { cwd })
  expect(second.code, second.stderr).toBe(0)
  const { report, runId } = lastLine(second)
  const { changes } = JSON.parse(readFileSync(join(cwd, String(report)), 'utf8')).results[0]
  expect(changes.counts).toEqual({
    new: 1,
    gone: 1,
    matched: 1,
    lost: 1,
    moved: 1,
    changed: 0,
    outcome: 0,
    ruled: 0,
    decided: 0,
    undone: 0,
  })
  expect(changes.rows).toMatchObject([
    { kind: 'lost', cause: 'list', key: '2', before: { company: { name: 'BOLTON CASTINGS LIMITED' } } },
    { kind: 'moved', cause: 'list', key: '3', after: { company: { name: 'BOLTON CASTINGS LIMITED' } } },
    { kind: 'matched', cause: 'list', key: '4' },
    { kind: 'new', cause: 'list', key: '5', before: null },
    { kind: 'gone', cause: 'list', key: '1', row: null, after: null },
  ])
  for (const name of ['report.html', 'report.md'])
    expect(readFileSync(join(cwd, 'fettle-runs', String(runId), name), 'utf8')).toContain('another company')
  const text = await fettle(['diff', 'p'], { cwd })
  expect(text.stdout).toContain('1 new, 1 gone, 1 now matched, 1 lost the match, 1 another company')
  expect(lastLine(await fettle(['diff', '--json'], { cwd }))).toMatchObject({ schema: 'fettle/diff/v1', counts: changes.counts })
  const files = ['diff', 'first.csv', 'out/p.csv', '--key', 'Id']
  expect(lastLine(await fettle([...files, '--json'], { cwd }))).toMatchObject({ against: 'first.csv', counts: changes.counts })
  const csv = await fettle([...files, '--format', 'csv'], { cwd })
  expect(csv.stdout.trimEnd().split('\n')).toHaveLength(6)
  expect((await fettle(['diff', '--format', 'html', '-o', 'd.html'], { cwd })).code).toBe(0)
  expect(readFileSync(join(cwd, 'd.html'), 'utf8')).toContain('BOLTON CASTINGS LIMITED')
  const ofRuns = await fettle(['diff', 'p', '--key', 'Id'], { cwd })
  expect([ofRuns.code, ofRuns.stderr]).toEqual([2, expect.stringContaining('are runs, which know the columns')])
  expect((await fettle(['diff', 'p', '--json', '--format', 'csv'], { cwd })).code).toBe(2)
  const wrong = await fettle(['diff', 'first.csv', 'out/p.csv', '--key', 'Nr'], { cwd })
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('first.csv has no column Nr') })
})

test('a failed check on lost rows keeps the outputs, and the next night is compared with the last good one', async () => {
  const checks = 'checks: {lost: {fail: "> 0"}, moved: {warn: "> 50%"}, changed: {fail: "> 10"}}'
  const cwd = folderOf({ 'rows.csv': FIRST, 'p.yml': nightly(checks) })
  const first = await fettle(['run', 'p.yml', '-q', '--json'], { cwd })
  expect(first.code, first.stderr).toBe(0)
  const kept = readFileSync(join(cwd, 'out/p.csv'), 'utf8')
  writeFileSync(join(cwd, 'rows.csv'), SECOND)
  for (const _ of [1, 2]) {
    const failed = await fettle(['run', 'p.yml', '-q', '--json'], { cwd })
    expect(failed.code).toBe(1)
    expect(readFileSync(join(cwd, 'out/p.csv'), 'utf8')).toBe(kept)
    const report = JSON.parse(readFileSync(join(cwd, String(lastLine(failed).report)), 'utf8'))
    expect(report.results[0].changes.against).toBe(lastLine(first).runId)
    expect(report.results[0].checks).toMatchObject([
      { assertion: 'changed', success: true },
      { assertion: 'lost', success: false, actual: '1 of 4 (25.0%)' },
      { assertion: 'moved', success: true },
    ])
  }
})

test('rows stay out of the kept states with report.rows: none, and the counts are there', async () => {
  const cwd = folderOf({ 'rows.csv': FIRST, 'p.yml': nightly('report: {rows: none}') })
  await fettle(['run', 'p.yml', '-q'], { cwd })
  writeFileSync(join(cwd, 'rows.csv'), SECOND)
  const { report } = lastLine(await fettle(['run', 'p.yml', '-q', '--json'], { cwd }))
  const { changes } = JSON.parse(readFileSync(join(cwd, String(report)), 'utf8')).results[0]
  expect(changes).toMatchObject({ counts: { new: 1, gone: 1, lost: 1, moved: 1 }, rows: [] })
  const { rows } = lastLine(await fettle(['diff', '--json'], { cwd })) as { rows: { key: unknown; name: string }[] }
  expect(rows.map(({ key, name }) => [key, name])).toEqual(rows.map(() => [null, '']))
})
