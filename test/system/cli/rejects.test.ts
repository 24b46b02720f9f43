/** `input.rejects`: rows that cannot be read, left out of a run, written to a file, counted, found again. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { reportSchema } from '../../../src/report/schema.ts'
import { type Ended, fettle, folderOf, importRegister, lastLine, ROWS, start } from './fettle.ts'

beforeAll(importRegister, 120_000)

const [HEAD, ...GOOD] = ROWS.trimEnd().split('\n')
const ROWS_WITH_BROKEN = Buffer.concat([
  Buffer.from(`${[HEAD, ...GOOD.slice(0, 2), '=HYPERLINK("http://example.org"),KEY-77'].join('\n')}\nCaf`),
  Buffer.from([0xe9]),
  Buffer.from(` Ltd,1,GB\n${GOOD.slice(2).join('\n')}\nThe "Best" Ltd,2,GB\n`),
])
const LISTED = `\ufefffile,line,reason,row\r
rows.csv,4,broken quotes,"'=HYPERLINK(""http://example.org""),KEY-77"\r
rows.csv,5,broken encoding: not utf-8,"Caf\\xE9 Ltd,1,GB"\r
rows.csv,9,broken quotes,"The ""Best"" Ltd,2,GB"\r
`
const pipeline = (max: string, more = ''): string => `name: p
input: { path: rows.csv, key: Reg No, rejects: { file: out/rejects.csv, max: ${max} } }
mappings: { name: Company Name, orgNumber: Reg No, country: Country }
poll: { every: 500ms, max: 500ms }
output: { path: out/p.csv, unmatched: out/un.csv }
${more}`

function place(max = '40%', more = ''): string {
  const cwd = folderOf({ 'p.yml': pipeline(max, more) })
  writeFileSync(join(cwd, 'rows.csv'), ROWS_WITH_BROKEN)
  return cwd
}

const OUTPUTS = ['out/p.csv', 'out/un.csv', 'out/rejects.csv']
const outputs = (cwd: string): string[] => OUTPUTS.map(path => readFileSync(join(cwd, path), 'utf8'))
const QUIET = ['--json', '-q']

function ok(ended: Ended): Ended {
  expect(ended.code, ended.stderr).toBe(0)
  return ended
}

describe.concurrent('rows that cannot be read', { timeout: 300_000 }, () => {
  test('are in their file, in the reports by reason, and in the sums; forget names the file', async () => {
    const cwd = place()
    const clean = folderOf({ 'p.yml': pipeline('0'), 'rows.csv': ROWS })
    const text = ok(await fettle(['run', 'p.yml'], { cwd })).stdout
    ok(await fettle(['run', 'p.yml', ...QUIET], { cwd: clean }))
    const [output, unmatched, rejects] = outputs(cwd)
    expect([output, unmatched]).toEqual(outputs(clean).slice(0, 2))
    expect(rejects).toBe(LISTED)
    expect(readFileSync(join(clean, 'out/rejects.csv'), 'utf8')).toBe('\ufefffile,line,reason,row\r\n')
    expect(text.replace(/\s+/g, ' ')).toContain('3 of 8 rows of rows.csv cannot be read (broken quotes: 2, broken encoding: 1)')
    expect(text).toMatch(/failed\s+3 .*\n/)

    const path = String(lastLine(ok(await fettle(['run', 'p.yml', '--new', ...QUIET], { cwd }))).report)
    const report = reportSchema.parse(JSON.parse(readFileSync(join(cwd, path), 'utf8')))
    expect(report).toMatchObject({ status: 'warn', totals: { rows: 8, failed: 3 }, ledger: { adds: true, sum: 8 } })
    expect(report.results[0]!.input).toMatchObject({ rows: 5, rejected: { rows: 3, reasons: { quotes: 2, encoding: 1 } } })
    expect(report.results[0]!.outputs.map(({ kind, rows }) => [kind, rows])).toContainEqual(['rejects', 3])
    expect(readFileSync(join(cwd, path.replace(/json$/, 'html')), 'utf8')).toContain('broken encoding: 1')
    expect(ok(await fettle(['verify', 'p'], { cwd })).stdout).toContain('intact')

    const forgotten = await fettle(['forget', '--key', 'KEY-77', '--dry-run'], { cwd })
    expect(forgotten.stderr).toContain('not changed: out/rejects.csv')
    expect((await fettle(['forget', '--key', 'KEY-78', '--dry-run'], { cwd })).stderr).not.toContain('rejects.csv')
  })

  test('are the same from shards and after a kill', async () => {
    const cwd = place()
    ok(await fettle(['run', 'p.yml', ...QUIET], { cwd }))
    const wanted = outputs(cwd)

    const shards = place()
    for (const shard of ['1/2', '2/2']) ok(await fettle(['run', 'p.yml', '--shard', shard, ...QUIET], { cwd: shards }))
    const merged = ok(await fettle(['merge', 'p', ...QUIET], { cwd: shards }))
    expect(lastLine(merged)).toMatchObject({ totals: { rows: 8, failed: 3 } })
    expect(outputs(shards)).toEqual(wanted)

    const killed = place()
    const { child, seen, ended } = start(['run', 'p.yml'], { cwd: killed })
    await seen(/matching started/)
    child.kill('SIGKILL')
    await ended
    expect(existsSync(join(killed, 'out/rejects.csv'))).toBe(false)
    ok(await fettle(['resume', 'p', ...QUIET], { cwd: killed }))
    expect(outputs(killed)).toEqual(wanted)
  })

  test('are refused above the limit before anything is sent, and the outputs stay', async () => {
    const cwd = place()
    ok(await fettle(['run', 'p.yml', ...QUIET], { cwd }))
    const before = outputs(cwd)
    writeFileSync(join(cwd, 'p.yml'), pipeline('2'))
    const refused = await fettle(['run', 'p.yml'], { cwd })
    expect(refused.code).toBe(65)
    expect(refused.stderr.replace(/\s+/g, ' ')).toContain(
      '3 of 8 rows of rows.csv cannot be read (broken quotes: 2, broken encoding: 1), and input.rejects.max allows 2: line 4 (broken quotes), line 5 (broken encoding: not utf-8), line 9 (broken quotes)',
    )
    expect(outputs(cwd)).toEqual(before)
  })

  test('count for the check `failed`; a trial has its own files', async () => {
    const cwd = place('3', 'checks: { failed: { fail: "> 2" } }')
    const failed = await fettle(['run', 'p.yml', ...QUIET], { cwd })
    expect(failed.code).toBe(1)
    rmSync(join(cwd, 'out'), { recursive: true })
    writeFileSync(join(cwd, 'p.yml'), pipeline('3'))
    const trial = ok(await fettle(['run', 'p.yml', '--limit', '2', '--output', 'out/try.csv', ...QUIET], { cwd }))
    expect(lastLine(trial)).toMatchObject({ totals: { rows: 2, failed: 0 } })
    expect(readFileSync(join(cwd, 'out/try-rejects.csv'), 'utf8')).toBe(LISTED)
    expect(existsSync(join(cwd, 'out/rejects.csv'))).toBe(false)
  })

  test.each([
    ['max: 5', 'file'],
    ['file: out/r.csv', 'max'],
    ['file: out/r.csv, max: 0.5', 'a count of rows, or a share such as 0.5%'],
    ['file: out/r.csv, max: "101%"', 'a count of rows, or a share such as 0.5%'],
    ['file: out/r.csv, max: -1', 'a whole number from 0'],
    ['file: out/r.xlsx, max: 5', 'is not a file that ends in .csv'],
    ['file: s3://bucket/r.csv, max: 5', 'is not a file that ends in .csv'],
    ['file: ../r.csv, max: 5', 'outside the project'],
    ['file: out/p.csv, max: 5', 'is output.path already'],
    ['file: rows.csv, max: 5', 'is input already'],
  ])('the key { %s } is refused', async (key, why) => {
    const cwd = place()
    writeFileSync(join(cwd, 'p.yml'), pipeline('1').replace(/rejects: \{.*?\}/, `rejects: { ${key} }`))
    const { code, stderr } = await fettle(['check', 'p.yml'], { cwd })
    expect(code).toBe(2)
    expect(stderr.replace(/\s+/g, ' ')).toContain(why)
  })

  test('need an output', async () => {
    const cwd = place()
    writeFileSync(join(cwd, 'p.yml'), pipeline('1').replace(/output: .*/, ''))
    expect(await fettle(['check', 'p.yml'], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Name an output'),
    })
  })
})
