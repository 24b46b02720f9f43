/** `--reporter` and the platforms: who is told what, where it lies, and that no reporter can break a run. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { eventSchema } from '../../../src/report/formats/event.ts'
import { faultsOf } from '../../unit/report/openlineage-schema.ts'
import { readOpenMetrics } from '../../unit/report/openmetrics-reader.ts'
import { fettle, folderOf, importRegister, lastLine, pipelineOf, project, ROWS } from './fettle.ts'

beforeAll(importRegister)

const read = (cwd: string, name: string): string => readFileSync(join(cwd, name), 'utf8')
const github = (cwd: string) => ({
  CI: 'true',
  GITHUB_ACTIONS: 'true',
  GITHUB_WORKSPACE: cwd,
  GITHUB_OUTPUT: join(cwd, 'outputs.txt'),
  GITHUB_STEP_SUMMARY: join(cwd, 'summary.md'),
})
const commands = (stderr: string): string[] => stderr.split('\n').filter(line => line.startsWith('::'))

describe.concurrent('GitHub Actions', () => {
  test('summary, outputs and annotations, by the platform alone', async () => {
    const cwd = project('output: out/p.csv\nchecks: {matched: {fail: "< 90%"}}')
    const ended = await fettle(['run', 'p.yml', '--json'], { cwd, env: github(cwd) })
    expect(ended.code).toBe(1)
    expect(commands(ended.stderr)).toEqual(['::error file=p.yml,title=p%3A check matched::4 of 5 (80.0%25), required ≥ 90%25'])
    expect(read(cwd, 'summary.md')).toMatch(/^### ✗ p: Checks failed\n/)
    expect(read(cwd, 'outputs.txt')).toContain('status<<FETTLE\nfail\nFETTLE\nexit_code<<FETTLE\n1\nFETTLE\n')
    expect(read(cwd, 'outputs.txt')).toContain('match_rate<<FETTLE\n0.8\nFETTLE\n')
    // The result line is still the last there is.
    expect(lastLine(ended)).toMatchObject({ exitCode: 1 })
    expect(ended.stdout.trimEnd().split('\n')).toHaveLength(1)
  })

  test('what other commands of the step wrote stays; a summary that is full is left alone', async () => {
    const cwd = project('')
    writeFileSync(join(cwd, 'summary.md'), '# Before\n')
    writeFileSync(join(cwd, 'outputs.txt'), 'mine=1\n')
    expect((await fettle(['run', 'p.yml', '-q'], { cwd, env: github(cwd) })).stderr).toBe('')
    expect(read(cwd, 'summary.md')).toMatch(/^# Before\n\n### ✓ p: Success\n/)
    expect(read(cwd, 'outputs.txt')).toMatch(/^mine=1\nstatus<<FETTLE\n/)
    appendFileSync(join(cwd, 'summary.md'), 'x'.repeat(899_000))
    const size = read(cwd, 'summary.md').length
    const again = await fettle(['run', 'p.yml', '--new', '-q'], { cwd, env: github(cwd) })
    expect(again).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^warning: the reporter github failed, the run did not: .* is full/),
    })
    expect(read(cwd, 'summary.md')).toHaveLength(size)
  })

  test('a pipeline that cannot begin is annotated in its lines', async () => {
    const cwd = project('chekcs: {}\nbudget: {rows: 0}')
    const ended = await fettle(['run', 'p.yml'], { cwd, env: github(cwd) })
    expect(ended.code).toBe(2)
    expect(commands(ended.stderr)).toEqual([
      expect.stringMatching(/^::error file=p\.yml,line=5,col=1,title=p\.yml%3A FETTLE_PIPELINE_KEY::.*chekcs/),
      expect.stringMatching(/^::error file=p\.yml,line=6,col=\d+,title=p\.yml%3A FETTLE_PIPELINE_VALUE::/),
    ])
    expect(read(cwd, 'outputs.txt')).toContain('exit_code<<FETTLE\n2\n')
    expect(read(cwd, 'summary.md')).toMatch(/^### ✗ p\.yml: Not started/)
  })

  test('an input of 50,000 broken rows: ten annotations, a small summary', async () => {
    const rows = Array.from({ length: 50_000 }, (_, n) => `Row "${n},${n},GB`).join('\n')
    const cwd = folderOf({ 'rows.csv': `Company Name,Reg No,Country\n${rows}\n`, 'p.yml': pipelineOf('p') })
    const ended = await fettle(['run', 'p.yml'], { cwd, env: github(cwd) })
    expect(ended.code).toBe(65)
    const found = commands(ended.stderr)
    expect(found.length).toBeGreaterThan(0)
    expect(found.length).toBeLessThanOrEqual(10)
    expect(found[0]).toMatch(/^::error file=rows\.csv,line=\d+,col=\d+,title=p\.yml%3A FETTLE_INPUT_QUOTE::/)
    expect(Buffer.byteLength(read(cwd, 'summary.md'))).toBeLessThan(900_000)
  })

  test('files that cannot be written are a warning; the rest is done', async () => {
    const cwd = project('')
    mkdirSync(join(cwd, 'outputs.txt'))
    const ended = await fettle(['run', 'p.yml'], { cwd, env: { ...github(cwd) } })
    expect(ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('warning: the reporter github failed, the run did not:'),
    })
    expect(read(cwd, 'summary.md')).toContain('### ✓ p: Success')
  })

  test('none switches it off, dry runs never begin it, absent files are left out', async () => {
    const cwd = project('checks: {matched: {fail: "< 90%"}}')
    expect(commands((await fettle(['run', 'p.yml', '--reporter', 'none'], { cwd, env: github(cwd) })).stderr)).toEqual([])
    await fettle(['run', 'p.yml', '--dry-run'], { cwd, env: github(cwd) })
    expect(existsSync(join(cwd, 'summary.md'))).toBe(false)
    const bare = await fettle(['run', 'p.yml', '--new'], { cwd, env: { GITHUB_ACTIONS: 'true' } })
    expect(bare).toMatchObject({ code: 1 })
    expect(commands(bare.stderr)).toHaveLength(1)
  })
})

describe.concurrent('GitLab and others', () => {
  test('GitLab finds metrics and JUnit in one place, for all pipelines of the call', async () => {
    const cwd = project('', { 'q.yml': pipelineOf('q', ''), 'bad.yml': 'name: bad\n' })
    const ended = await fettle(['run', 'p.yml', 'q.yml', 'bad.yml', '-q'], { cwd, env: { GITLAB_CI: 'true' } })
    expect(ended.code).toBe(2)
    expect(ended.stderr).toMatch(/^\[bad\.yml\] error FETTLE_PIPELINE_/m)
    const metrics = readOpenMetrics(read(cwd, 'fettle-runs/metrics.txt'))
    expect(metrics.get('fettle_input_rows')?.samples).toEqual([
      { labels: { pipeline: 'p' }, value: 5 },
      { labels: { pipeline: 'q' }, value: 5 },
    ])
    expect(metrics.get('fettle_run_success')?.samples.map(({ value }) => value)).toEqual([1, 1, 0])
    const junit = read(cwd, 'fettle-runs/junit.xml')
    expect([...junit.matchAll(/<testsuite name="([^"]+)"/g)].map(([, name]) => name)).toEqual(['p', 'q', 'bad.yml'])
    expect((await fettle(['runs', '--json'], { cwd })).stdout.trimEnd().split('\n')).toHaveLength(2)
  })

  test.each(['JENKINS_URL', 'TF_BUILD', 'BUILDKITE', 'CIRCLECI'])('%s: JUnit', async name => {
    const cwd = project('')
    expect((await fettle(['run', 'p.yml', '-q'], { cwd, env: { [name]: 'true' } })).code).toBe(0)
    expect(read(cwd, 'fettle-runs/junit.xml')).toContain('<testsuite name="p"')
  })

  test('elsewhere nothing but the run directory is written', async () => {
    const cwd = project('')
    await fettle(['run', 'p.yml', '-q'], { cwd, env: { CI: 'true' } })
    for (const file of ['junit.xml', 'metrics.txt', 'events.jsonl'])
      expect(existsSync(join(cwd, 'fettle-runs', file))).toBe(false)
  })
})

describe.concurrent('documents and events', () => {
  test('each where it is asked for', async () => {
    const cwd = project()
    const asked = [
      'junit=reports/j.xml',
      'openmetrics=m.prom',
      'markdown=m.md',
      'json-events=e.jsonl',
      'gitlab=lab',
      'github=s.md',
    ]
    const ended = await fettle(['run', 'p.yml', ...asked.flatMap(one => ['--reporter', one])], { cwd })
    expect(ended.code).toBe(0)
    expect(read(cwd, 'reports/j.xml')).toContain('<testsuite name="p"')
    expect(readOpenMetrics(read(cwd, 'm.prom')).size).toBe(12)
    // The summary is the document without cells of the list.
    expect(read(cwd, 'm.md')).toContain('Nobody Knows Us GmbH')
    expect(read(cwd, 's.md')).not.toContain('Nobody Knows Us GmbH')
    expect(read(cwd, 'm.md').startsWith(read(cwd, 's.md').trimEnd())).toBe(true)
    expect(read(cwd, 'lab/metrics.txt')).toBe(read(cwd, 'm.prom'))
    expect(read(cwd, 'lab/junit.xml')).toBe(read(cwd, 'reports/j.xml'))
    // A second run replaces its own.
    expect((await fettle(['run', 'p.yml', '--new', '-q', '--reporter', 'markdown=m.md'], { cwd })).code).toBe(0)
  })

  test('several pipelines: a page about all of them, which leads to the page of each', async () => {
    const cwd = project('', { 'q.yml': pipelineOf('q', ''), 'bad.yml': 'name: bad\n' })
    const ended = await fettle(['run', 'p.yml', 'q.yml', 'bad.yml', '--reporter', 'html=pages/all.html'], { cwd })
    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain('overview: pages/all.html')
    const links = [...read(cwd, 'pages/all.html').matchAll(/<a href="([^"#]+)"/g)].map(([, link = '']) =>
      join(cwd, 'pages', link),
    )
    expect(links).toHaveLength(2)
    for (const link of links) expect(existsSync(link), link).toBe(true)
    await fettle(['run', 'p.yml', 'q.yml', '-q'], { cwd })
    expect(read(cwd, 'fettle-runs/index.html')).toMatch(/<h1>2 pipelines/)
    const alone = project('', { 'q.yml': pipelineOf('q', '') })
    await fettle(['run', 'p.yml'], { cwd: alone })
    await fettle(['run', 'p.yml', 'q.yml', '-q', '--new', '--reporter', 'none'], { cwd: alone })
    expect(existsSync(join(alone, 'fettle-runs/index.html'))).toBe(false)
  })

  test('events: every fact as it happens, without row content, the result last', async () => {
    const cwd = project('output: {path: out/p.csv, review: out/r.csv}\nreport: {rows: all}')
    const ended = await fettle(['run', 'p.yml', '--reporter', 'json-events=-', '--json'], { cwd })
    const lines = ended.stdout.trimEnd().split('\n')
    const events = lines.slice(0, -1).map(line => eventSchema.parse(JSON.parse(line)))
    const types = events.map(({ type }) => type)
    expect(types[0]).toBe('run.started')
    expect(types.slice(-2)).toEqual(['run.finished', 'result'])
    for (const type of ['stage.started', 'job.created', 'progress.upload', 'status.observed', 'output.written'])
      expect(types).toContain(type)
    const line = lastLine(ended)
    expect(events.at(-1)?.data).toEqual(line)
    expect(new Set(events.map(event => event.runId))).toEqual(new Set([line.runId]))
    for (const name of ROWS.split('\n').slice(1, 6)) expect(ended.stdout).not.toContain(name.split(',')[0])
    // Results for people make way.
    expect(ended.stderr).toContain('matched')
  })

  test('a pipeline that came to no run has its event too', async () => {
    const cwd = project('chekcs: {}')
    const { stdout } = await fettle(['run', 'p.yml', '--reporter', 'json-events=-'], { cwd })
    expect(JSON.parse(stdout)).toMatchObject({
      type: 'run.refused',
      pipeline: 'p.yml',
      runId: null,
      data: { exitCode: 2, issues: [{ code: 'FETTLE_PIPELINE_KEY' }] },
    })
  })

  test('resume calls reporters as well, for a finished run too', async () => {
    const cwd = project('')
    await fettle(['run', 'p.yml', '-q'], { cwd })
    expect((await fettle(['resume', '--reporter', 'junit=j.xml', '-q'], { cwd })).code).toBe(0)
    expect(read(cwd, 'j.xml')).toContain('<testsuite name="p"')
    expect((await fettle(['resume', 'nobody'], { cwd, env: { GITLAB_CI: 'true' } })).code).toBe(2)
    expect(read(cwd, 'fettle-runs/junit.xml')).toContain('FETTLE_RUN_UNKNOWN')
  })

  test('a warning that --strict makes a failure has the code of the call', async () => {
    const cwd = project('checks: {matched: {warn: "< 90%"}}')
    const { code } = await fettle(['run', 'p.yml', '--strict', '-q'], { cwd, env: github(cwd) })
    expect(code).toBe(1)
    expect(read(cwd, 'outputs.txt')).toContain('exit_code<<FETTLE\n1\n')
  })
})

describe.concurrent('lineage', () => {
  const events = (text: string): Record<string, unknown>[] =>
    text
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))

  test('a file that two commands add to', async () => {
    const cwd = project()
    const to = ['-q', '--reporter', 'openlineage=l.jsonl']
    expect((await fettle(['run', 'p.yml', '--detach', ...to], { cwd })).code).toBe(0)
    expect((await fettle(['collect', ...to], { cwd })).code).toBe(0)
    const told = events(read(cwd, 'l.jsonl'))
    expect(told.map(({ eventType }) => eventType)).toEqual(['START', 'RUNNING', 'COMPLETE'])
    expect(told.flatMap(faultsOf)).toEqual([])
    for (const name of ROWS.split('\n').slice(1, 6)) expect(read(cwd, 'l.jsonl')).not.toContain(name.split(',')[0])
  })

  test('stdout; a service that is gone is one warning, also when quiet', async () => {
    const cwd = project('')
    const env = { OPENLINEAGE_URL: 'http://127.0.0.1:1', OPENLINEAGE_API_KEY: 'of-the-tests' }
    const { code, stdout, stderr } = await fettle(['run', 'p.yml', '-q', '--reporter', 'openlineage=-'], { cwd, env })
    expect(code).toBe(0)
    expect(events(stdout).map(({ eventType }) => eventType)).toEqual(['START', 'COMPLETE'])
    expect(stderr).toMatch(
      /^warning: the reporter OpenLineage failed, the run did not: http:\/\/127\.0\.0\.1:1 did not accept the event START: .+\n$/,
    )
    expect(stdout + stderr).not.toContain('of-the-tests')
  })
})

describe.concurrent('no reporter breaks a run', () => {
  test.each([
    ['a place that is no folder', 'junit=rows.csv/j.xml'],
    ['a folder in its place', 'markdown=out'],
    ['a link in its place', 'markdown=link.md'],
    ['a full device', 'json-events=/dev/full'],
    ['a pipe that nobody reads', 'json-events=pipe'],
    ['events into a folder', 'json-events=out'],
    ['lineage on a full device', 'openlineage=/dev/full'],
    ['lineage into a pipe that nobody reads', 'openlineage=pipe'],
    ['a missing device', 'github=/proc/nope/s.md'],
    ['a document where no folder can be made', 'junit=/proc/nope/j.xml'],
    ['events where no folder can be made', 'json-events=/proc/nope/e'],
    ['lineage where no folder can be made', 'openlineage=/proc/nope/l'],
  ])('%s', async (_, reporter) => {
    const cwd = project('')
    mkdirSync(join(cwd, 'out'))
    writeFileSync(join(cwd, 'target.md'), 'mine\n')
    symlinkSync('target.md', join(cwd, 'link.md'))
    execFileSync('mkfifo', [join(cwd, 'pipe')])
    const ended = await fettle(['run', 'p.yml', '--json', '--reporter', reporter], { cwd })
    expect(ended.code).toBe(0)
    expect(lastLine(ended)).toMatchObject({ status: 'success' })
    expect(ended.stderr.match(/warning: the reporter \S+ failed, the run did not: .+/g)).toHaveLength(1)
    expect(read(cwd, 'target.md')).toBe('mine\n')
  })
})

describe.concurrent('a wrong --reporter is refused before anything is sent', () => {
  test.each([
    ['juint', 'Did you mean junit?'],
    ['pdf', 'There are junit, github'],
    ['junit=', 'a path is missing'],
    ['markdown=rows.csv', 'exists and does not end in .md'],
    ['openlineage=rows.csv', 'exists and does not end in .jsonl'],
    ['junit=fettle-runs/x.xml', 'is inside the runs folder'],
    ['gitlab=rows.csv', 'it needs a folder'],
    ['github=-', 'cannot write to stdout'],
    ['openmetrics=out/p.csv', 'both have the output out/p.csv'],
    ['openmetrics=list.txt', 'which is the input of p.yml'],
  ])('%s', async (reporter, why) => {
    const cwd = project(undefined, { 'list.txt': ROWS })
    const args = reporter.includes('list.txt') ? ['--input', 'list.txt'] : []
    const ended = await fettle(['run', 'p.yml', ...args, '--reporter', reporter], { cwd })
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(why) })
    expect(existsSync(join(cwd, 'fettle-runs'))).toBe(false)
    expect(read(cwd, 'list.txt')).toBe(ROWS)
  })

  test('nor does a resume write over its input', async () => {
    const cwd = project('', { 'list.txt': ROWS })
    await fettle(['run', 'p.yml', '--input', 'list.txt', '-q'], { cwd })
    const ended = await fettle(['resume', '--reporter', 'openmetrics=list.txt'], { cwd })
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('which is the input of p.yml') })
    expect(read(cwd, 'list.txt')).toBe(ROWS)
  })

  test('two of them on one file, or on stdout', async () => {
    const cwd = project()
    for (const [one, other] of [
      ['junit=a.xml', 'markdown=./a.xml'],
      ['junit=-', 'markdown=-'],
    ] as const) {
      const ended = await fettle(['run', 'p.yml', '--reporter', one, '--reporter', other], { cwd })
      expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('writes there') })
    }
  })
})

describe.concurrent('Dagster', () => {
  const encoded = (value: unknown): string => deflateSync(JSON.stringify(value)).toString('base64')
  const step = { asset_keys: ['crm/p'], extras: { checks: ['matched'] }, run_id: 'r', job_name: null, retry_number: 0 }
  const environment = (messages: object, context: object = { data: step }) => ({
    DAGSTER_PIPES_CONTEXT: encoded(context),
    DAGSTER_PIPES_MESSAGES: encoded(messages),
  })
  const parse = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
  const methods = (text: string) => parse(text).map(({ method }) => method)

  test('receives the run in the named file, without any row', async () => {
    const cwd = project('output: out/p.csv\nchecks: {matched: {fail: "< 90%"}}', { 'context.json': JSON.stringify(step) })
    const env = environment({ path: join(cwd, 'messages') }, { path: join(cwd, 'context.json') })
    writeFileSync(join(cwd, 'messages'), '')
    const ended = await fettle(['run', 'p.yml', '--json', '-q'], { cwd, env })
    expect(ended.code).toBe(1)
    const messages = parse(read(cwd, 'messages'))
    expect(messages[0]).toEqual({ __dagster_pipes_version: '0.1', method: 'opened', params: { extras: {} } })
    expect(messages.slice(-4)).toMatchObject([
      {
        params: {
          asset_key: 'crm/p',
          metadata: { rows: { raw_value: 5 }, output: { raw_value: join(cwd, 'out/p.rejected.csv') } },
        },
      },
      { method: 'report_asset_check', params: { check_name: 'matched', passed: false, severity: 'ERROR' } },
      { method: 'report_custom_message', params: { payload: lastLine(ended) } },
      { method: 'closed', params: {} },
    ])
    expect(messages.filter(({ method }) => method === 'log').map(({ params }) => params.message)).toContain('p: matching started')
    for (const name of ROWS.split('\n').slice(1, 6)) expect(read(cwd, 'messages')).not.toContain(name.split(',')[0])
    await fettle(['run', 'p.yml', '--new', '-q', '--reporter', 'none'], { cwd, env })
    expect(parse(read(cwd, 'messages'))).toHaveLength(messages.length)
  })

  test('receives a stream, live or all at the end; the result line stays the last', async () => {
    const cwd = project()
    const ended = await fettle(['run', 'p.yml', '--json'], { cwd, env: environment({ stdio: 'stdout' }) })
    expect(methods(ended.stdout)[0]).toBe('opened')
    expect(methods(ended.stdout).slice(-2)).toEqual(['closed', undefined])
    expect(lastLine(ended)).toMatchObject({ schema: 'fettle/result/v1', exitCode: 0 })
    const held = await fettle(['run', 'p.yml', '--new', '-q'], { cwd, env: environment({ buffered_stdio: 'stderr' }) })
    expect(methods(held.stderr)).toEqual(expect.arrayContaining(['opened', 'log', 'report_asset_materialization', 'closed']))
  })

  test('receives the reason why nothing could start', async () => {
    const cwd = project('chekcs: {}')
    const env = environment({ path: join(cwd, 'messages') })
    expect((await fettle(['run', 'p.yml', '-q'], { cwd, env })).code).toBe(2)
    expect(methods(read(cwd, 'messages'))).toEqual(['opened', 'log', 'closed'])
    expect(parse(read(cwd, 'messages'))[2].params.exception.name).toBe('FETTLE_PIPELINE_KEY')
  })

  test.each<[string, Record<string, string>]>([
    ['neither a file nor a stream', environment({ bucket: 'b', key_prefix: 'k' })],
    ['neither a path nor data', environment({ path: 'm' }, { bucket: 'b' })],
    ['DAGSTER_PIPES_CONTEXT does not hold', { ...environment({ path: 'm' }), DAGSTER_PIPES_CONTEXT: 'x' }],
  ])('that cannot be reached is one warning: %s', async (why, env) => {
    const ended = await fettle(['run', 'p.yml', '-q'], { cwd: project(''), env })
    expect(ended.code).toBe(0)
    expect(ended.stderr).toContain('warning: the reporter dagster failed, the run did not')
    expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(ended.stderr).toContain(why)
  })

  test('is requested only where it exists, and only at the address it listens on', async () => {
    const cwd = project('')
    const alone = await fettle(['run', 'p.yml', '--reporter', 'dagster'], { cwd })
    expect(alone.code).toBe(2)
    expect(alone.stderr).toContain('Dagster did not start this process')
    const env = environment({ path: join(cwd, 'm') })
    expect((await fettle(['run', 'p.yml', '--reporter', 'dagster=x.json'], { cwd, env })).code).toBe(2)
  })
})
