/** The commands beside run: what they print, and their exit codes. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { COMMANDS } from '../../../src/cli/commands/index.ts'
import { ERRORS, EXIT } from '../../../src/errors.ts'
import { takeLock } from '../../../src/files/process-lock.ts'
import { pipelineJsonSchema } from '../../../src/pipeline/index.ts'
import { reportJsonSchema, reportSchema } from '../../../src/report/index.ts'
import { fettle, folderOf, importRegister, lastLine, pipelineOf, project, ROOT, STACK } from './fettle.ts'

beforeAll(importRegister)

describe.concurrent('runs that are over', () => {
  let cwd: string
  let ids: string[]
  beforeAll(async () => {
    cwd = project('', { 'fails.yml': pipelineOf('fails', 'checks: {matched: {fail: "< 90%"}}') })
    ids = []
    for (const file of ['p.yml', 'fails.yml', 'p.yml'])
      ids.push(String(lastLine(await fettle(['run', file, '--json'], { cwd })).runId))
  })

  test('runs lists them, newest first', async () => {
    const { code, stdout } = await fettle(['runs'], { cwd })
    expect(code).toBe(0)
    const [head, ...rows] = stdout
      .trimEnd()
      .split('\n')
      .map(line => line.split(/\s{2,}/))
    expect(head).toEqual(['RUN', 'STATUS', 'EXIT', 'ROWS', 'MATCHED', 'STARTED'])
    // An id begins with the second of the start, and these runs take less than one.
    const newestFirst = (one: readonly unknown[], other: readonly unknown[]): number =>
      String(one[0]) < String(other[0]) ? 1 : -1
    expect(rows.map(row => row.slice(0, 5))).toEqual(
      [
        [ids[2], 'success', '0', '5', '80.0%'],
        [ids[1], 'fail', '1', '5', '80.0%'],
        [ids[0], 'success', '0', '5', '80.0%'],
      ].sort(newestFirst),
    )
    const lines = (await fettle(['runs', '--json'], { cwd })).stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(lines.map(({ runId, exitCode }) => [runId, exitCode])).toEqual(
      [
        [ids[2], 0],
        [ids[1], 1],
        [ids[0], 0],
      ].sort(newestFirst),
    )
  })

  test('status gives the code of the run: the latest, a name, a beginning', async () => {
    expect(await fettle(['status', '--json'], { cwd })).toMatchObject({ code: 0, stderr: '' })
    expect(lastLine(await fettle(['status', '--json'], { cwd })).runId).toBe(ids[2])
    expect(await fettle(['status', 'fails'], { cwd })).toMatchObject({ code: 1, stdout: expect.stringContaining('80%') })
    const begun = await fettle(['status', (ids[1] as string).slice(0, -3), '--json'], { cwd })
    expect(lastLine(begun).runId).toBe(ids[1])
    const several = await fettle(['status', '2', '--json'], { cwd })
    expect(several.code).toBe(2)
    for (const id of ids) expect(several.stderr).toContain(id)
    expect(lastLine(several)).toMatchObject({ status: 'error', exitCode: 2, error: { code: 'FETTLE_RUN_UNKNOWN' } })
  })

  test('resume of a finished run prints its result again', async () => {
    const told = await fettle(['resume', 'fails', '--json'], { cwd })
    expect(told.code).toBe(1)
    expect(lastLine(told)).toMatchObject({ runId: ids[1], status: 'fail', exitCode: 1 })
    expect(told.stderr).toContain('is already finished')
  })

  test('report renders every format again, as it was written', async () => {
    const folder = join(cwd, 'fettle-runs', ids[2] as string)
    const files = { html: 'report.html', markdown: 'report.md', junit: 'junit.xml', openmetrics: 'metrics.txt' }
    const undated = (text: string) => text.replace(/\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z| UTC)|\d{10}(?:\.\d+)?/g, 'T')
    for (const [format, file] of Object.entries(files)) {
      const { code, stdout } = await fettle(['report', ids[2] as string, '--format', format], { cwd })
      expect(code).toBe(0)
      expect(undated(stdout.trimEnd())).toBe(undated(readFileSync(join(folder, file), 'utf8').trimEnd()))
    }
    const json = reportSchema.parse(JSON.parse((await fettle(['report', '--format', 'json'], { cwd })).stdout))
    const kept = reportSchema.parse(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')))
    const { files: sealed, checksum } = kept
    expect({ ...json, metadata: null, files: sealed, checksum }).toEqual({ ...kept, metadata: null })
    const documents = ['junit.xml', 'metrics.txt', 'pipeline.resolved.yml', 'report.html', 'report.md']
    expect(sealed.map(({ path }) => path)).toEqual(documents)
    const text = await fettle(['report', 'fails'], { cwd })
    expect(text.stdout).toMatch(/4 of 5 rows matched/)
    const to = await fettle(['report', '--format', 'html', '--output', 'made/r.html'], { cwd })
    expect(to).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(readFileSync(join(cwd, 'made/r.html'), 'utf8')).toMatch(/^<!doctype html>/i)
    expect((await fettle(['report', '--output', 'p.yml/x'], { cwd })).code).toBe(73)
    // What is no report is somebody's own, and the runs are nobody's to write into.
    for (const place of ['p.yml', 'rows.csv', `fettle-runs/${ids[2]}/journal.jsonl`, 'fettle-runs/new.html']) {
      const refused = await fettle(['report', '--format', 'html', '--output', place], { cwd })
      expect([place, refused.code]).toEqual([place, 2])
    }
  })

  test('a damaged journal is named, with its line, and hides no other run', async () => {
    const broken = project('', {})
    const { runId } = lastLine(await fettle(['run', 'p.yml', '--json'], { cwd: broken }))
    const journal = join(broken, 'fettle-runs', String(runId), 'journal.jsonl')
    const lines = readFileSync(journal, 'utf8').split('\n')
    writeFileSync(journal, lines.with(2, '{"cut').join('\n'))
    const status = await fettle(['status'], { cwd: broken })
    expect(status.code).toBe(EXIT.output)
    expect(status.stderr).toMatch(/FETTLE_JOURNAL_DAMAGED .*journal\.jsonl:3/)
    expect(status.stderr).not.toMatch(STACK)
    const listed = await fettle(['runs'], { cwd: broken })
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('FETTLE_JOURNAL_DAMAGED') })
    expect((await fettle(['resume'], { cwd: broken })).code).toBe(EXIT.output)
    // It may hold an unfinished, paid job: only a person starts anew beside it.
    expect((await fettle(['run', 'p.yml', '-q'], { cwd: broken })).code).toBe(EXIT.output)
    expect((await fettle(['run', 'p.yml', '-q', '--new'], { cwd: broken })).code).toBe(0)
  })
})

describe.concurrent('explain and schema', () => {
  test('every code is explained with its exit code, one by one, by exit code and all together', async () => {
    const cwd = folderOf()
    const { code, stdout } = await fettle(['explain'], { cwd })
    expect(code).toBe(0)
    for (const [name, { kind, hint, isNotice }] of Object.entries(ERRORS)) {
      expect(stdout).toContain(`${name}  (${isNotice ? 'a note or a warning, no exit code' : `${kind}, exit ${EXIT[kind]}`})`)
      expect(stdout).toContain(hint)
    }
    const one = await fettle(['explain', 'fettle_input_quote'], { cwd })
    expect(one.stdout.split('\n')[0]).toBe('FETTLE_INPUT_QUOTE  (input, exit 65)')
    const again = await fettle(['explain', '75'], { cwd })
    expect(again.stdout.match(/^FETTLE_\w+/gm)).toEqual(
      Object.entries(ERRORS)
        .filter(([, { kind }]) => kind === 'retryable')
        .map(([name]) => name),
    )
    expect((await fettle(['explain', '0'], { cwd })).code).toBe(0)
  })

  test('schemas match the code', async () => {
    const cwd = folderOf()
    expect(JSON.parse((await fettle(['schema'], { cwd })).stdout)).toEqual(JSON.parse(JSON.stringify(pipelineJsonSchema())))
    expect(JSON.parse((await fettle(['schema', 'report'], { cwd })).stdout)).toEqual(
      JSON.parse(JSON.stringify(reportJsonSchema())),
    )
  })

  test('--version and --help are results, and end with 0', async () => {
    const cwd = folderOf()
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    expect(await fettle(['--version'], { cwd })).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
    const { stdout } = await fettle(['--version', '--json'], { cwd })
    const undici = JSON.parse(readFileSync('node_modules/undici/package.json', 'utf8')).version
    expect(JSON.parse(stdout)).toMatchObject({ name: 'fettle', version, bundled: { undici } })
    for (const args of [['--help'], ['run', '--help'], ['register', '-h']])
      expect(await fettle(args, { cwd })).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('--debug') })
  })
})

describe.concurrent('registers', () => {
  const CSV = 'id,name,country\n1,Acme Ltd,GB\n2,,GB\n3,Bolt Ltd,GB,extra\n4,Cork SA,FR\n'

  test('import, list, info, remove; rows not taken are named', async () => {
    const cwd = folderOf({ 'My Companies.csv': CSV })
    const env = { FETTLE_DATA: join(cwd, 'data') }
    expect(await fettle(['register', 'list'], { cwd, env })).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('fettle register import csv FILE'),
    })
    const imported = await fettle(['register', 'import', 'csv', 'My Companies.csv'], { cwd, env })
    expect(imported.code).toBe(0)
    expect(imported.stderr).toMatch(/^skipped line 3: no name$/m)
    expect(imported.stderr).toMatch(/^skipped line 4: 4 cells/m)
    expect(imported.stdout).toMatch(/^my-companies: 2 companies \(GB 1, FR 1\)/)
    expect(imported.stdout).toContain('skipped   2 rows')
    writeFileSync(join(cwd, 'My Companies.csv'), 'id,name,country\n1,Acme Tools Ltd,GB\n4,Cork SARL,FR\n')
    expect((await fettle(['register', 'import', 'csv', 'My Companies.csv'], { cwd, env })).stdout).toContain(
      [
        'events    2 changed name; a service raises events of companies in its portfolios',
        '            Acme Tools Ltd (GB-X-1)  name: Acme Ltd -> Acme Tools Ltd',
        '            Cork SARL (FR-X-4)  name: Cork SA -> Cork SARL',
        '',
      ].join('\n'),
    )
    writeFileSync(join(cwd, 'My Companies.csv'), CSV)
    const second = await fettle(['register', 'import', 'csv', 'My Companies.csv', '--name', 'other', '--json'], { cwd, env })
    expect(lastLine(second)).toMatchObject({ name: 'other', companies: 2, skipped: 2 })
    const list = await fettle(['register', 'list', '--json'], { cwd, env })
    expect(lastLine(list)).toMatchObject([{ name: 'my-companies' }, { name: 'other' }])
    expect((await fettle(['register', 'info', 'other'], { cwd, env })).stdout).toMatch(/^other: 2 companies/)
    const named = await fettle(['register', 'list'], { cwd, env: { ...env, FETTLE_REGISTER: 'other' } })
    expect(named.stdout.match(/^ {2}use .*$/gm)).toEqual([
      '  use       takes part only if it is named: --register my-companies (FETTLE_REGISTER names other)',
      '  use       takes part if no register is named (FETTLE_REGISTER names other)',
    ])
    expect((await fettle(['register', 'remove', 'other'], { cwd, env })).code).toBe(0)
    expect(existsSync(join(cwd, 'data/registers/other'))).toBe(false)
    expect((await fettle(['register', 'info', 'other'], { cwd, env })).code).toBe(2)
  })

  test('-q: an import prints the rows it skips, and the register alone with --json', async () => {
    const cwd = folderOf({ 'c.csv': 'id,name\n1,Acme Ltd\n', 'bad.csv': 'id,name\n1,Works Ltd\n2,\n' })
    const env = { FETTLE_DATA: join(cwd, 'data') }
    const quietly = (...args: string[]) => fettle(['register', ...args, '-q'], { cwd, env })
    expect(await quietly('import', 'csv', 'c.csv')).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect((await quietly('import', 'csv', 'bad.csv')).stderr).toMatch(/^skipped line 3: /)
    expect((await quietly('list')).stdout).toMatch(/^bad: 1 company/)
    expect(lastLine(await quietly('import', 'csv', 'c.csv', '--force', '--json'))).toMatchObject({ name: 'c' })
    expect(await quietly('remove', 'c')).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  test('an import prints its first events, and all of them with --json', async () => {
    const list = (status: string): string =>
      ['id,name,country,status', ...Array.from({ length: 12 }, (_, at) => `${at},Works ${at} Ltd,GB,${status}`)].join('\n')
    const cwd = folderOf({ 'uk.csv': list('active') })
    const env = { FETTLE_DATA: join(cwd, 'data') }
    const importIt = (...args: string[]) => fettle(['register', 'import', 'csv', 'uk.csv', ...args], { cwd, env })
    expect((await importIt()).stdout).not.toContain('events')
    writeFileSync(join(cwd, 'uk.csv'), list('dissolved'))
    const { stdout } = await importIt()
    expect(stdout).toContain('  events    12 dissolved; a service raises events of companies in its portfolios\n')
    expect(stdout.match(/^ {12}Works \d+ Ltd \(GB-X-\d+\) {2}status: active -> dissolved$/gm)).toHaveLength(10)
    expect(stdout).toContain('            and 2 more events; --json lists them\n')
    writeFileSync(join(cwd, 'uk.csv'), `${list('dissolved').split('\n').slice(0, 12).join('\n')}\n`)
    const { events } = lastLine(await importIt('--json')) as unknown as { events: { listed: unknown[] } }
    expect(events).toMatchObject({ count: 1, kinds: { dissolved: 1 } })
    const company = { id: 'GB-X-11', name: 'Works 11 Ltd', country: 'GB' }
    expect(events.listed).toMatchObject([{ company, field: 'status', old: 'dissolved', new: 'not in the register' }])
    writeFileSync(join(cwd, 'uk.csv'), `${list('dissolved').split('\n').slice(0, 12).join('\n')}\n12,New Ltd,GB,active\n`)
    expect((await importIt()).stdout).toContain('  events    none\n')
    expect((await fettle(['register', 'info', 'uk'], { cwd, env })).stdout).not.toContain('events')
  })

  test.each([
    ['another kind', ['import', 'xlsx', 'c.csv'], 2, 'imports csv, gleif, companies-house'],
    ['no file', ['import', 'csv'], 2, '<file> is missing (import: the file'],
    ['a file that is not there', ['import', 'csv', 'nowhere.csv'], 65, 'nowhere.csv'],
    ['a file that is no CSV', ['import', 'csv', 'zip.csv'], 65, 'zip.csv'],
    ['an unclosed quote', ['import', 'csv', 'open.csv'], 65, 'line 2'],
    ['no column "name"', ['import', 'csv', 'nameless.csv'], 65, 'name'],
    ['a name that is none', ['import', 'csv', 'c.csv', '--name', '../x'], 2, '"../x"'],
    ['info of nothing', ['info'], 2, 'kind-or-name'],
    ['remove of another folder', ['remove', '../..'], 2, '"../.."'],
    ['remove of what is not there', ['remove', 'nope'], 2, 'nope'],
    ['no such action', ['frob'], 2, 'frob'],
  ] as const)('%s', async (_, args, code, says) => {
    const cwd = folderOf({
      'c.csv': CSV,
      'zip.csv': 'PK\u0003\u0004\u0000\u0000',
      'open.csv': 'id,name\n1,"x\n',
      'nameless.csv': 'a,b\n1,2\n',
    })
    const env = { FETTLE_DATA: join(cwd, 'data') }
    const ended = await fettle(['register', ...args], { cwd, env })
    expect(ended.stderr).toContain(says)
    expect(ended.stderr).not.toMatch(STACK)
    expect(ended.code).toBe(code)
    expect(ended.stdout).toBe('')
  })
})

test('a missing argument is named, and --select asks for the folder of the pipelines', async () => {
  const cwd = folderOf()
  const { code, stderr } = await fettle(['run', '--select', 'tag:nightly'], { cwd })
  expect([code, stderr]).toEqual([
    EXIT.usage,
    [
      'error FETTLE_USAGE',
      '  <pipeline> is missing (Pipeline files, or folders of them): fettle run <pipeline..>',
      '  hint: --select chooses among pipelines. Pass their folder, too: fettle run . --select tag:nightly',
      '',
    ].join('\n'),
  ])
  expect((await fettle(['register'], { cwd })).stderr).toContain('<action> is missing (What to do): fettle register <action>')
  expect((await fettle(['forget'], { cwd })).stderr).toContain('\n  --key is missing\n')
  expect((await fettle(['report', '--format', 'pdf'], { cwd })).stderr).toMatch(
    /\n {2}format: expected one of "text", "json", .*, found "pdf"\n/,
  )
  expect((await fettle(['run'], { cwd })).stderr).toContain('hint: Read the help of the command: fettle run --help')
})

test('without a command the help is printed, with the way to start; no example names a file that only the repository has', async () => {
  const { code, stdout, stderr } = await fettle([], { cwd: ROOT })
  expect([code, stdout]).toEqual([EXIT.usage, ''])
  expect(stderr).toMatch(/fettle clean companies\.csv[\s\S]*fettle init companies\.csv[\s\S]*Commands:/)
  expect(stderr).not.toMatch(/^error/m)
  expect(COMMANDS.flatMap(({ examples }) => examples.map(([line]) => line)).join('\n')).not.toMatch(/(?:pipelines|samples)\//)
})

test('a run that did not start is in runs, on the page and in --within, without a cell of its list', async () => {
  const text = 'name: watched\nregister: sample\ninput: in.csv\nmappings: { name: name, country: country }\noutput: out.csv\n'
  const cwd = folderOf({ 'in.csv': 'name,country\nHarrow Optics Ltd,GB\n', 'p.yml': text })
  const { runId } = lastLine(await fettle(['run', 'p.yml', '--json', '-q'], { cwd }))
  // The list is missing, its header is renamed, the pipeline has an error.
  rmSync(join(cwd, 'in.csv'))
  expect((await fettle(['run', 'p.yml'], { cwd })).code).toBe(65)
  writeFileSync(join(cwd, 'in.csv'), 'Secret Header,country\nHarrow Optics Ltd,GB\n')
  expect((await fettle(['run', 'p.yml'], { cwd })).code).toBe(65)
  writeFileSync(join(cwd, 'p.yml'), text.replace('output:', 'outputs:'))
  expect((await fettle(['run', 'p.yml'], { cwd })).code).toBe(2)
  expect((await fettle(['run', 'p.yml', '--dry-run'], { cwd })).code).toBe(2)
  // The list is at an address that does not answer; then another process runs the pipeline.
  writeFileSync(join(cwd, 'p.yml'), text.replace('in.csv', 'http://127.0.0.1:1/in.csv').concat('retry: {attempts: 1}\n'))
  expect((await fettle(['run', 'p.yml'], { cwd })).code).toBe(75)
  writeFileSync(join(cwd, 'p.yml'), text)
  writeFileSync(join(cwd, 'in.csv'), 'name,country\nHarrow Optics Ltd,GB\n')
  const lock = takeLock(join(cwd, 'fettle-runs/locks/watched'), () => Date.now())
  expect((await fettle(['run', 'p.yml', '--new'], { cwd })).code).toBe(75)
  lock.release()
  const { stdout } = await fettle(['runs'], { cwd })
  const rows = stdout.trimEnd().split('\n').slice(1)
  expect(rows.map(row => row.split(/\s{2,}/).slice(0, 3))).toEqual([
    ['watched (not started)', 'FETTLE_NETWORK', '75'],
    ['watched (not started)', 'FETTLE_PIPELINE_KEY', '2'],
    ['watched (not started)', 'FETTLE_INPUT_HEADER', '65'],
    ['watched (not started)', 'FETTLE_INPUT_READ', '65'],
    [String(runId), 'warn', '0'],
  ])
  const lines = (await fettle(['runs', '--json'], { cwd })).stdout.trimEnd().split('\n')
  expect(JSON.parse(lines[3]!)).toMatchObject({
    ...{ status: 'error', exitCode: 65, runId: null, pipeline: 'watched', error: { code: 'FETTLE_INPUT_READ' } },
  })
  const within = await fettle(['runs', '--pipeline', 'watched', '--within', '1ms'], { cwd })
  expect(within).toMatchObject({ code: 1, stderr: expect.stringContaining('did not start: FETTLE_NETWORK') })
  await fettle(['runs', '--html', 'runs.html'], { cwd })
  const page = readFileSync(join(cwd, 'runs.html'), 'utf8')
  expect(page).toContain('5 runs of 1 pipeline')
  expect(page + readFileSync(join(cwd, 'fettle-runs/attempts.jsonl'), 'utf8')).not.toContain('Secret Header')
  await fettle(['runs', 'prune', '--older-than', '1s'], { cwd })
})

describe('runs --within, for monitors', () => {
  test('exits with 0 while a good run is young enough, else with 1, and names the pipeline', async () => {
    const cwd = folderOf({
      'in.csv': 'name,country\nHarrow Optics Ltd,GB\n',
      'p.yml': 'name: watched\nregister: sample\ninput: in.csv\nmappings: { name: name, country: country }\noutput: out.csv\n',
    })
    const ask = (...args: string[]) => fettle(['runs', '--pipeline', 'watched', ...args], { cwd })
    expect(await ask('--within', '26h')).toMatchObject({ code: 1, stderr: 'watched: no good run within 26h\n' })
    await fettle(['run', 'p.yml', '-q'], { cwd })
    const young = await ask('--within', '26h')
    expect([young.code, young.stdout]).toEqual([0, expect.stringMatching(/^watched: \S+-watched-\w+ is good within 26h\n$/)])
    const ofTarget = await ask('--within', '26h', '--target', 'prod')
    expect([ofTarget.code, ofTarget.stderr]).toEqual([1, 'watched, target prod: no good run within 26h\n'])
    expect((await fettle(['runs', 'prune', '--target', 'prod'], { cwd })).code).toBe(2)
    expect((await ask('--within', '1ms')).code).toBe(1)
    const alone = await fettle(['runs', '--within', '26h'], { cwd })
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('  --within needs --pipeline\n')])
    const noDay = await fettle(['events', 'Watched', '--since', '2026-02-30'], { cwd })
    expect([noDay.code, noDay.stderr]).toEqual([2, expect.stringContaining('--since 2026-02-30: expected a date')])
    expect((await ask('--within', 'soon')).stderr).toContain('expected a time such as 26h or 2d')
    expect((await fettle(['runs', '--pipeline', 'other'], { cwd })).stderr).toBe('no run of other in fettle-runs\n')
  })
})
