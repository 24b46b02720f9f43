/** `fettle run` from file to report, against the embedded service. */

import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { reportSchema } from '../../../src/report/schema.ts'
import {
  BINARY,
  ENVIRONMENT,
  fettle,
  folderOf,
  follow,
  importRegister,
  lastLine,
  pipelineOf,
  project,
  ROWS,
  STACK,
} from './fettle.ts'

beforeAll(importRegister)

const modesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true })
      .map(String)
      .sort()
      .map(name => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
  )

const report = (cwd: string, runId: unknown) =>
  reportSchema.parse(JSON.parse(readFileSync(join(cwd, 'fettle-runs', String(runId), 'report.json'), 'utf8')))

describe.concurrent('a run that comes to its end', () => {
  test('leaves output and reports, adds up, and keeps results and talk apart', async () => {
    const cwd = project()
    const ended = await fettle(['run', 'p.yml', '--json', '--result-file', 'result.json'], { cwd })
    expect(ended.stderr).not.toMatch(STACK)
    expect(ended.code).toBe(0)

    expect(ended.stdout.split('\n')).toHaveLength(2)
    const line = lastLine(ended)
    expect(Buffer.byteLength(ended.stdout)).toBeLessThan(4096)
    expect(line).toMatchObject({ schema: 'fettle/result/v1', status: 'success', exitCode: 0, pipeline: 'p', output: 'out/p.csv' })
    expect(readFileSync(join(cwd, 'result.json'), 'utf8')).toBe(ended.stdout)
    expect(ended.stderr).toMatch(/job [0-9a-f-]{36}/)
    expect(ended.stderr).toContain('wrote out/p.csv')

    const { totals, results, exitCode, status } = report(cwd, line.runId)
    expect({ exitCode, status }).toEqual({ exitCode: 0, status: 'success' })
    expect(totals).toEqual(line.totals)
    const { rows, matchRate, ...counts } = totals
    expect(counts).toEqual({ matched: 3, manualMatched: 0, review: 0, unmatched: 1, duplicates: 1, failed: 0, skipped: 0 })
    expect(Object.values(counts).reduce<number>((sum, count) => sum + (count ?? Number.NaN), 0)).toBe(rows)
    expect(matchRate).toBe(0.8)
    expect(results[0]?.outputs).toEqual([expect.objectContaining({ kind: 'output', path: 'out/p.csv', rows: 5 })])
    expect(line.report).toBe(`fettle-runs/${line.runId}/report.json`)

    const written = readFileSync(join(cwd, 'out/p.csv'), 'utf8')
    expect(written.split('\n')[0]).toMatch(/^Company Name,Reg No,Country,/)
    for (const row of ROWS.trimEnd().split('\n').slice(1)) expect(written).toContain(`\n${row},`)

    expect(readFileSync(join(cwd, 'fettle-runs/latest'), 'utf8')).toBe(`${line.runId}\n`)
    expect(statSync(join(cwd, 'fettle-runs')).mode & 0o777).toBe(0o700)
    expect(modesIn(join(cwd, 'fettle-runs', String(line.runId)))).toEqual({
      'enriched-0.csv.gz': '600',
      'review.jsonl.gz': '600',
      'journal-rows.jsonl': '600',
      'journal.jsonl': '600',
      'metrics.txt': '600',
      'junit.xml': '600',
      'pipeline.resolved.yml': '600',
      'report.html': '600',
      'report.json': '600',
      'report.md': '600',
      'states.jsonl.gz': '600',
    })
  })

  test('prints the report on stdout without --json, and nothing at all with -q', async () => {
    const cwd = project()
    const loud = await fettle(['run', 'p.yml'], { cwd })
    expect(loud.code).toBe(0)
    expect(loud.stdout).toMatch(/4 of 5 rows matched \(80%\)/)
    expect(loud.stdout).toContain('out/p.csv')
    expect(loud.stderr).toContain('status matching')
    expect(loud.stdout + loud.stderr).not.toContain('\x1b')
    expect(await fettle(['run', 'p.yml', '-q'], { cwd })).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('the modes of runs do not follow the umask, the modes of outputs do', async () => {
    const cwd = project()
    const child = spawn('sh', ['-c', 'umask 027; exec "$@"', 'sh', process.execPath, BINARY, 'run', 'p.yml', '-q'], {
      cwd,
      env: ENVIRONMENT,
    })
    expect(await follow(child).ended).toMatchObject({ code: 0 })
    expect([...new Set(Object.values(modesIn(join(cwd, 'fettle-runs'))))].sort()).toEqual(['600', '700'])
    expect(modesIn(cwd)).toMatchObject({ out: '750' })
    expect(modesIn(join(cwd, 'out'))).toEqual({ '.gitignore': '640', 'p.csv': '640' })
  })

  test('a failed check gives 1, and the output beside the earlier one', async () => {
    const cwd = project('output: out/p.csv\nchecks: {matched: {fail: "< 90%"}, unmatched: {warn: "> 5"}}')
    const ended = await fettle(['run', 'p.yml', '--json', '--result-file', 'r.json'], { cwd })
    expect(ended.code).toBe(1)
    expect(lastLine(ended)).toMatchObject({ status: 'fail', exitCode: 1, output: 'out/p.rejected.csv' })
    expect(readFileSync(join(cwd, 'r.json'), 'utf8')).toBe(ended.stdout)
    expect(readdirSync(join(cwd, 'out'))).toEqual(['.gitignore', 'p.rejected.csv'])
    expect(readFileSync(join(cwd, 'out/p.rejected.csv'), 'utf8').trimEnd().split('\n')).toHaveLength(6)
    expect(report(cwd, lastLine(ended).runId).results[0]?.checks).toContainEqual(
      expect.objectContaining({ success: false, severity: 'fail' }),
    )
    // A finished run is told again, not carried out again.
    const again = await fettle(['resume', '--json'], { cwd })
    expect(again.code).toBe(1)
    expect(again.stdout).toBe(ended.stdout)
    expect((await fettle(['status', '--json'], { cwd })).code).toBe(1)
  })

  test('a warning gives 0, and 1 with --strict, in the line as in the exit code', async () => {
    const cwd = project('output: out/p.csv\nchecks: {matched: {warn: "< 90%"}}')
    const warned = await fettle(['run', 'p.yml', '--json'], { cwd })
    expect(warned.code).toBe(0)
    expect(lastLine(warned)).toMatchObject({ status: 'warn', exitCode: 0 })
    const strict = await fettle(['run', 'p.yml', '--json', '--strict', '--result-file', 'r.json'], { cwd })
    expect(strict.code).toBe(1)
    expect(lastLine(strict)).toMatchObject({ status: 'warn', exitCode: 1 })
    expect(readFileSync(join(cwd, 'r.json'), 'utf8')).toBe(strict.stdout)
    expect((await fettle(['resume', '--strict', '-q'], { cwd })).code).toBe(1)
    // One of the plan: a country that the register does not hold.
    const rows = 'Company Name,Reg No,Country\nAcme Forgings Ltd,01234567,GB\nFirma GmbH,,DE\nBau GmbH,,DE\n'
    const planned = project(undefined, { 'rows.csv': rows })
    const call = ['run', 'p.yml', '--register', 'small', '-q']
    expect(await fettle(call, { cwd: planned })).toMatchObject({ code: 0, stdout: expect.stringContaining('DE 2') })
    const told = await fettle(['run', 'p.yml', '--register', 'small'], { cwd: planned })
    expect(told.stdout).toMatch(/^! Done, with warnings {2}/)
    expect(await fettle([...call, '--strict'], { cwd: planned })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('DE 2'),
    })
  })

  test('without an output the counts alone come back', async () => {
    const cwd = project('')
    const ended = await fettle(['run', 'p.yml', '--json'], { cwd })
    expect(ended.code).toBe(0)
    expect(lastLine(ended)).toMatchObject({ output: null, totals: { rows: 5, review: null } })
    expect(readdirSync(cwd)).not.toContain('out')
  })

  test('--input, --output, --var and --limit change what is done', async () => {
    const cwd = project('output: ${vars.place}/p.csv\nvars: {place: nowhere}', { 'other.csv': ROWS.replace(/^Acme.*\n/m, '') })
    const ended = await fettle(['run', 'p.yml', '--json', '--input', 'other.csv', '--var', 'place=here', '--limit', '3'], { cwd })
    expect(ended.code).toBe(0)
    expect(lastLine(ended)).toMatchObject({ output: 'here/p.csv', totals: { rows: 3, matched: 3, unmatched: 0 } })
    const other = await fettle(['run', 'p.yml', '--json', '--output', 'there.csv'], { cwd })
    expect(lastLine(other)).toMatchObject({ exitCode: 0, output: 'there.csv', totals: { rows: 5 } })
    expect(readFileSync(join(cwd, 'there.csv'), 'utf8').trimEnd().split('\n')).toHaveLength(6)
  })

  test('an input without rows may be a normal day', async () => {
    const cwd = folderOf({
      'rows.csv': 'Company Name,Reg No,Country\n',
      'p.yml': pipelineOf('p').replace('input: rows.csv', 'input: {path: rows.csv, empty: skip}'),
      'q.yml': pipelineOf('q'),
    })
    const ended = await fettle(['run', 'p.yml', '--json'], { cwd })
    expect(ended.code).toBe(0)
    expect(lastLine(ended)).toMatchObject({ status: 'skipped', exitCode: 0, totals: { rows: 0 } })
    expect(report(cwd, lastLine(ended).runId).results[0]).toMatchObject({ jobs: [{ id: null, status: null }], outputs: [] })
    const failed = await fettle(['run', 'q.yml'], { cwd })
    expect(failed.code).toBe(65)
    expect(failed.stderr).toContain('FETTLE_INPUT_EMPTY')
  })

  test('more rows than credits: the matching stands, 1, and nothing is enriched', async () => {
    const cwd = project('output: out/p.csv\nbudget: {credits: 2}')
    const ended = await fettle(['run', 'p.yml', '--json'], { cwd })
    expect(ended.code).toBe(1)
    expect(lastLine(ended)).toMatchObject({ status: 'fail', output: null })
    expect(ended.stderr).toContain('FETTLE_BUDGET_CREDITS')
  })
})

describe.concurrent('several pipelines', () => {
  test('go side by side; the code is the worst; each has a line', async () => {
    const cwd = project(undefined, {
      'fails.yml': pipelineOf('fails', 'checks: {matched: {fail: "< 90%"}}'),
      'broken.yml': pipelineOf('broken').replace('Reg No', 'Nowhere'),
    })
    const ended = await fettle(['run', 'p.yml', 'fails.yml', 'broken.yml', '--json', '--result-file', 'r.json'], { cwd })
    expect(ended.code).toBe(65)
    const lines = ended.stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(lines.map(({ status, exitCode }) => [status, exitCode])).toEqual([
      ['success', 0],
      ['fail', 1],
      ['error', 65],
    ])
    expect(JSON.parse(readFileSync(join(cwd, 'r.json'), 'utf8'))).toEqual(lines)
    expect(ended.stderr).toMatch(/\[fails\] job /)
  })

  test.each([
    ['one output', { 'q.yml': pipelineOf('q', 'output: out/p.csv') }, 'out/p.csv'],
    ['one output by another spelling', { 'q.yml': pipelineOf('q', 'output: ./out/../out/p.csv') }, 'out/p.csv'],
    ['one name', { 'q.yml': pipelineOf('p', 'output: out/q.csv') }, 'the name p'],
  ])('%s is refused before anything is sent', async (_, files, named) => {
    const cwd = project(undefined, files)
    const ended = await fettle(['run', 'p.yml', 'q.yml', '--json', '--result-file', 'r.json'], { cwd })
    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain(named)
    expect(lastLine(ended)).toMatchObject({ status: 'error', exitCode: 2 })
    expect(readFileSync(join(cwd, 'r.json'), 'utf8')).toBe(ended.stdout)
    expect(readdirSync(cwd)).not.toContain('fettle-runs')
  })

  test('without a register run, clean, check, plan and serve refuse and write nothing', async () => {
    const cwd = project()
    for (const [data, message] of [
      ['none', 'does not exist'],
      ['.', 'has no imported register'],
    ] as const)
      for (const args of [
        ['run', 'p.yml'],
        ['clean', 'rows.csv'],
        ['check', 'p.yml'],
        ['plan', 'p.yml'],
        ['serve', '--port', '0'],
      ]) {
        const env = { FETTLE_DATA: join(cwd, data), FETTLE_REGISTER: '' }
        const ended = await fettle(args, { cwd, env })
        expect([args[0], ended.code, ended.stdout]).toEqual([args[0], 2, ''])
        expect(ended.stderr).toContain('error FETTLE_REGISTER_NONE')
        expect(ended.stderr).toContain(message)
        expect(ended.stderr).toContain('fettle register import csv FILE')
      }
    expect(readdirSync(cwd).sort()).toEqual(['p.yml', 'rows.csv'])
  })

  test('rows of countries that the register does not hold: a warning before the run, and no success after it', async () => {
    const rows = `Company Name,Reg No,Country\n${Array.from({ length: 4 }, (_, at) => `Firma ${at} GmbH,,DE\n`).join('')}`
    const cwd = project(undefined, { 'rows.csv': rows })
    const ended = await fettle(['run', 'p.yml', '--register', 'small', '--strict'], { cwd })
    expect(ended.code).toBe(1)
    expect(ended.stdout).toMatch(/^! Done, with warnings/)
    const text = ended.stdout.replace(/\n +/g, ' ')
    expect(text).toContain('none of 4 rows was matched against small: no register of this run holds the countries of 4')
    expect(text.match(/the registers hold GB, IE/g)).toHaveLength(1)
  })

  test('-q prints a run with warnings, and nothing of one without', async () => {
    const rows = 'Company Name,Reg No,Country\nFirma 1 GmbH,,DE\n'
    const cwd = project(undefined, { 'rows.csv': rows })
    const warned = await fettle(['run', 'p.yml', '-q'], { cwd })
    expect([warned.code, warned.stderr]).toEqual([0, ''])
    expect(warned.stdout).toMatch(/^! Done, with warnings[\s\S]*none of 1 row was matched/)
    // A second line of cron, after a run that was not interrupted.
    expect(await fettle(['resume', 'p', '-q'], { cwd })).toMatchObject({ code: 0, stdout: '' })
    expect(await fettle(['run', 'p.yml', '-q'], { cwd: project() })).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  test.each([
    [['--register', 'smal'], 'did you mean "small"?'],
    [['--register', 'small', '--sample'], 'sample'],
    [['--register', 'small', '--service', 'https://service.example/v1'], 'which has its own'],
  ])('%j is rejected', async (args, message) => {
    const ended = await fettle(['check', 'p.yml', ...args], { cwd: project() })
    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain(message)
  })

  test('two processes that both name the sample import it once', async () => {
    const cwd = project('', { 'q.yml': pipelineOf('q', '') })
    const env = { FETTLE_DATA: join(cwd, 'data'), FETTLE_REGISTER: 'sample' }
    const both = await Promise.all([
      fettle(['run', 'p.yml', '--json'], { cwd, env }),
      fettle(['run', 'q.yml', '--json'], { cwd, env }),
    ])
    expect(both.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual([0, 0])
    const infos = JSON.parse((await fettle(['register', 'list', '--json'], { cwd, env })).stdout)
    expect(infos).toMatchObject([{ name: 'sample', companies: 6000 }])
  })
})
