import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Ended, fettle, folderOf, importRegister, lastLine, pipelineOf, ROWS } from './fettle.ts'
import { LOGIN, realService } from './servers.ts'

beforeAll(importRegister)

const PROJECT = `target: dev
targets:
  dev: { service: embedded, limit: 2 }
  prod: { service: { url: "\${TEAM_URL}", username: "\${TEAM_USER}", password: "\${TEAM_PASSWORD}" }, real: true }
defaults:
  checks: { failed: { fail: "> 0" } }
  reporters: [junit=out/junit.xml]
`

const team = (files: Record<string, string> = {}): string =>
  folderOf({
    'rows.csv': ROWS,
    'fettle.yml': PROJECT,
    'pipelines/one.yml': pipelineOf('one', 'tags: [nightly]\noutput: out/${run.target}/one.csv'),
    'pipelines/sub/two.yml': pipelineOf('two', 'tags: [weekly]\noutput: out/${run.target}/two.csv'),
    'pipelines/one.test.yml': 'tests: []\n',
    ...files,
  })

const names = ({ stdout }: Ended): string[] => [...stdout.matchAll(/^(\w+) {2}\(/gm)].map(([, name = '']) => name)
const plan = (cwd: string, ...args: string[]): Promise<Ended> => fettle(['plan', 'pipelines', ...args], { cwd })

test('the default target and the defaults of the project file reach a run, and the plan shows where they come from', async () => {
  const cwd = team()
  const planned = await plan(cwd)
  expect(names(planned)).toEqual(['one', 'two'])
  expect(planned.stdout).toContain('  target    dev: the embedded service, the first 2 rows\n')
  expect(planned.stdout).toContain('  project   fettle.yml: service, checks\n')
  expect(planned.stderr).toContain('the target is dev, the default of fettle.yml, the first 2 rows')

  const ended = await fettle(['run', 'pipelines', '--json', '-q'], { cwd })
  expect(ended.code).toBe(0)
  expect(lastLine(ended)).toMatchObject({ pipeline: 'two', totals: { rows: 2 } })
  expect(readFileSync(join(cwd, 'out/dev/one.csv'), 'utf8').trimEnd().split('\n')).toHaveLength(3)
  expect(readFileSync(join(cwd, 'out/junit.xml'), 'utf8')).toContain('failed')
  const [id = ''] = /\d{8}T\d{6}Z-one-\w+/.exec((await fettle(['runs'], { cwd })).stdout) ?? []
  const report = JSON.parse(readFileSync(join(cwd, 'fettle-runs', id, 'report.json'), 'utf8'))
  expect(report).toMatchObject({
    args: { target: 'dev' },
    results: [{ checks: [{ assertion: 'failed', success: true }] }],
  })
})

test('a target that is real has to be named, and its credentials come from the environment', async () => {
  const cwd = team()
  const { url } = await realService()
  const env = {
    TEAM_URL: url,
    TEAM_USER: LOGIN.username,
    TEAM_PASSWORD: LOGIN.password,
    FETTLE_SERVICE_ORIGINS: new URL(url).origin,
  }
  const missing = await fettle(['run', 'pipelines/one.yml', '--target', 'prod'], { cwd })
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('FETTLE_PIPELINE_VARIABLE fettle.yml:4:27')])
  const ended = await fettle(['run', 'pipelines/one.yml', '--target', 'prod', '--json', '-q'], { cwd, env })
  expect(lastLine(ended)).toMatchObject({ exitCode: 0, service: url, totals: { rows: 5 } })
  expect(existsSync(join(cwd, 'out/prod/one.csv'))).toBe(true)

  writeFileSync(join(cwd, 'fettle.yml'), PROJECT.replace('target: dev', 'target: prod'))
  const real = await fettle(['run', 'pipelines/one.yml'], { cwd, env })
  expect([real.code, real.stderr]).toEqual([
    2,
    expect.stringMatching(/^error FETTLE_PROJECT fettle\.yml:1:9\n {2}target: prod is real/),
  ])
  writeFileSync(join(cwd, 'fettle.yml'), PROJECT.replace('target: dev\n', ''))
  expect((await fettle(['run', 'pipelines/one.yml'], { cwd, env })).stderr).toContain('no target is named')
})

test('an interrupted run of a target is resumed with that target', async () => {
  const cwd = team()
  const { url } = await realService()
  const env = {
    TEAM_URL: url,
    TEAM_USER: LOGIN.username,
    TEAM_PASSWORD: LOGIN.password,
    FETTLE_SERVICE_ORIGINS: new URL(url).origin,
  }
  const left = await fettle(['run', 'pipelines/one.yml', '--target', 'prod', '--detach', '--json', '-q'], { cwd, env })
  expect(left.code).toBe(0)
  const ended = await fettle(['collect', String(lastLine(left).runId), '--json', '-q'], { cwd, env })
  expect(lastLine(ended)).toMatchObject({ exitCode: 0, service: url, totals: { rows: 5 } })
})

test('shards of a target are merged with that target', async () => {
  const cwd = team()
  const { url } = await realService()
  const env = {
    TEAM_URL: url,
    TEAM_USER: LOGIN.username,
    TEAM_PASSWORD: LOGIN.password,
    FETTLE_SERVICE_ORIGINS: new URL(url).origin,
  }
  const args = ['pipelines/one.yml', '--target', 'prod', '--json', '-q']
  for (const shard of ['1/2', '2/2']) expect((await fettle(['run', ...args, '--shard', shard], { cwd, env })).code).toBe(0)
  const merged = await fettle(['merge', 'one', '--json', '-q'], { cwd, env })
  expect(lastLine(merged)).toMatchObject({ exitCode: 0, service: url, totals: { rows: 5 } })
  expect(existsSync(join(cwd, 'out/prod/one.csv'))).toBe(true)
  expect(existsSync(join(cwd, 'out/dev'))).toBe(false)
})

test('a run of a target that was stopped is resumed with that target, also where the project file has another default by now', async () => {
  const cwd = team()
  const { url } = await realService()
  const env = {
    TEAM_URL: url,
    TEAM_USER: LOGIN.username,
    TEAM_PASSWORD: LOGIN.password,
    FETTLE_SERVICE_ORIGINS: new URL(url).origin,
  }
  const left = await fettle(['run', 'pipelines/one.yml', '--target', 'prod', '--detach', '--json', '-q'], { cwd, env })
  writeFileSync(join(cwd, 'fettle.yml'), PROJECT.replace('target: dev', 'target: trial').replace('dev: {', 'trial: {'))
  const ended = await fettle(['resume', String(lastLine(left).runId), '--json', '-q'], { cwd, env })
  expect(lastLine(ended)).toMatchObject({ exitCode: 0, service: url, totals: { rows: 5 } })
  expect(existsSync(join(cwd, 'out/prod/one.csv'))).toBe(true)
})

test('a limit of a target, reporters and folders of outputs come from the environment', async () => {
  const cwd = team({
    'fettle.yml': PROJECT.replace('limit: 2', 'limit: "${TRIAL_ROWS}"')
      .replace('junit=out', '"junit=${REPORTS:-out}')
      .replace('junit.xml]', 'junit.xml"]'),
  })
  const unset = await fettle(['check', 'pipelines/one.yml'], { cwd })
  expect([unset.code, unset.stderr]).toEqual([2, expect.stringContaining('targets.dev.limit: ${TRIAL_ROWS} is not set')])
  const env = { TRIAL_ROWS: '3', REPORTS: 'reports' }
  const ended = await fettle(['run', 'pipelines/one.yml', '--json', '-q'], { cwd, env })
  expect(lastLine(ended)).toMatchObject({ exitCode: 0, totals: { rows: 3 } })
  expect(existsSync(join(cwd, 'reports/junit.xml'))).toBe(true)
})

test('a run of the first rows reports so in its verdict, result line, reports and metrics', async () => {
  const cwd = team()
  const reporters = ['markdown', 'html', 'junit', 'openmetrics'].map(name => ['--reporter', `${name}=out/report.${name}`])
  const ended = await fettle(['run', 'pipelines/one.yml', '--json', ...reporters.flat()], { cwd })
  expect(lastLine(ended)).toMatchObject({ exitCode: 0, partial: { rows: 2, of: 5, target: 'dev' } })
  expect(ended.stderr).toMatch(/Only 2 of 5 rows, target\s+dev\./)
  const read = (name: string): string => readFileSync(join(cwd, `out/report.${name}`), 'utf8')
  for (const name of ['markdown', 'html', 'junit']) expect(read(name)).toContain('Only 2 of 5 rows, target dev.')
  expect(read('openmetrics')).toMatch(/fettle_input_rows\{[^}]*\} 2\n[\s\S]*fettle_list_rows\{[^}]*\} 5\n/)
  const all = await fettle(['run', 'pipelines/one.yml', '--json', '-q', '--limit', '9'], { cwd })
  expect(lastLine(all)).toMatchObject({ exitCode: 0, partial: null })
})

test('what is wrong with targets is refused: an unknown one, two services, no project, two projects', async () => {
  const cwd = team({
    'other/fettle.yml': '',
    'other/p.yml': pipelineOf('p'),
    'both.yml': `${pipelineOf('both')}service: embedded\n`,
  })
  const stderr = async (...args: string[]): Promise<string> => {
    const ended = await fettle(['check', ...args], { cwd })
    expect(ended.code).toBe(2)
    return ended.stderr
  }
  expect(await stderr('pipelines/one.yml', '--target', 'prd')).toMatch(
    /^error FETTLE_TARGET fettle\.yml:3:3\n {2}there is no target prd; did you mean prod\?\n {2}hint: Targets: dev, prod\.\n$/,
  )
  expect(await stderr('both.yml')).toContain('FETTLE_TARGET both.yml:6:1\n  service: the target dev of fettle.yml has one, too')
  expect(await stderr('other/p.yml', '--target', 'dev')).toContain('there is no target dev')
  expect(await stderr('other/p.yml', 'both.yml')).toContain('the pipelines are of two projects: other/fettle.yml and fettle.yml')
  const alone = folderOf({ 'p.yml': pipelineOf('p') })
  expect((await fettle(['check', 'p.yml', '--target', 'dev'], { cwd: alone })).stderr).toContain('there is no fettle.yml')
})

test('the search ends at the root of the repository, and without one at the working directory', async () => {
  const cwd = team({
    'repository/p.yml': pipelineOf('p'),
    'repository/rows.csv': ROWS,
    'plain/p.yml': pipelineOf('p'),
    'plain/rows.csv': ROWS,
  })
  mkdirSync(join(cwd, 'repository/.git'))
  const keys = async (folder: string, file: string): Promise<unknown> =>
    (JSON.parse((await fettle(['plan', file, '--json'], { cwd: folder })).stdout) as { project: unknown }).project
  expect(await keys(cwd, 'repository/p.yml')).toBeNull()
  expect(await keys(cwd, 'plain/p.yml')).toMatchObject({ file: 'fettle.yml', target: 'dev' })
  expect(await keys(join(cwd, 'plain'), 'p.yml')).toBeNull()
  writeFileSync(join(cwd, 'plain/fettle.yaml'), '')
  expect((await fettle(['plan', 'plain/p.yml'], { cwd })).stderr).toContain('plain/fettle.yaml is not read')
})

test('outputs may be in the folders of outputRoots, which start from the project file', async () => {
  const cwd = folderOf({
    'team/fettle.yml': 'outputRoots: [../shared]\n',
    'team/p.yml': pipelineOf('p', 'output: ../shared/p.csv'),
    'team/rows.csv': ROWS,
  })
  const missing = await fettle(['run', 'p.yml', '-q'], { cwd: join(cwd, 'team') })
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('the output root of fettle.yml, which does not')])
  expect(existsSync(join(cwd, 'team/fettle-runs'))).toBe(false)
  mkdirSync(join(cwd, 'shared'))
  expect((await fettle(['run', 'p.yml', '-q'], { cwd: join(cwd, 'team') })).code).toBe(0)
  expect(existsSync(join(cwd, 'shared/p.csv'))).toBe(true)
})

describe('--select', () => {
  test('chooses by tag and by name, and refuses what no pipeline has', async () => {
    const cwd = team()
    expect(names(await plan(cwd, '--select', 'tag:weekly'))).toEqual(['two'])
    expect(names(await plan(cwd, '--select', 'o*'))).toEqual(['one'])
    expect(names(await plan(cwd, '--select', 'tag:weekly', '--select', 'one'))).toEqual(['one', 'two'])
    const wrong = await plan(cwd, '--select', 'tag:nightli')
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('no pipeline has this tag; did you mean nightly?')])
    expect((await plan(cwd, '--select', 'three*')).code).toBe(2)
  })

  test('a file that cannot be read is selected, so that its problems are seen', async () => {
    const cwd = team({ 'pipelines/broken.yml': 'name: [\n' })
    const ended = await plan(cwd, '--select', 'tag:weekly')
    expect([ended.code, names(ended)]).toEqual([2, ['two']])
    expect(ended.stderr).toContain('broken.yml')
  })

  test('changed: the pipelines whose file or list differs from the last good run of the target', async () => {
    const cwd = team()
    const changed = async (...args: string[]): Promise<string[]> => names(await plan(cwd, '--select', 'changed', ...args))
    expect(await changed()).toEqual(['one', 'two'])
    expect((await fettle(['run', 'pipelines', '-q'], { cwd })).code).toBe(0)
    expect(await changed()).toEqual([])
    expect(await changed('--limit', '3')).toEqual(['one', 'two'])
    const quiet = await fettle(['run', 'pipelines', '--select', 'changed'], { cwd })
    expect(quiet).toMatchObject({ code: 0, stdout: '', stderr: 'no pipeline is selected, of 2\n' })
    writeFileSync(
      join(cwd, 'pipelines/one.yml'),
      pipelineOf('one', 'checks: { matched: { warn: "< 1%" } }\noutput: out/${run.target}/one.csv'),
    )
    expect(await changed()).toEqual(['one'])
    writeFileSync(join(cwd, 'rows.csv'), ROWS.replace('Acme', 'Akme'))
    expect(await changed()).toEqual(['one', 'two'])
  })

  test('failed: the pipelines whose last run of the target failed', async () => {
    const cwd = team({
      'pipelines/one.yml': pipelineOf(
        'one',
        'checks: { matched: { fail: "> ${MOST:-100}%" } }\noutput: out/${run.target}/one.csv',
      ),
    })
    expect((await fettle(['run', 'pipelines', '-q'], { cwd, env: { MOST: '1' } })).code).toBe(1)
    expect(names(await plan(cwd, '--select', 'failed'))).toEqual(['one'])
    expect((await fettle(['run', 'pipelines', '-q', '--select', 'failed'], { cwd })).code).toBe(0)
    expect(names(await plan(cwd, '--select', 'failed'))).toEqual([])
  })

  test('chooses tests by their pipeline', async () => {
    const tests = (name: string) =>
      `pipeline: ${name}.yml\nregister: [{ id: 1, name: Acme Forgings Limited, country: GB }]\ntests:\n  - { name: of ${name}, rows: [{ Company Name: Acme Forgings Ltd, Country: GB }], expect: { 1: matched } }\n`
    const cwd = team({ 'pipelines/one.test.yml': tests('one'), 'pipelines/sub/two.test.yml': tests('two') })
    const ended = await fettle(['test', '--select', 'tag:weekly'], { cwd })
    expect(ended).toMatchObject({ code: 0, stdout: 'ok   pipelines/sub/two.test.yml > of two\n1 passed\n' })
  })
})

test('runs --html writes the nights of every pipeline with links that exist, and replaces only a page', async () => {
  const cwd = team({ 'notes.txt': 'mine' })
  expect((await fettle(['runs', '--html', 'out/runs.html'], { cwd })).stderr).toContain('0 runs')
  expect((await fettle(['run', 'pipelines', '-q'], { cwd })).code).toBe(0)
  expect((await fettle(['runs', '--html', 'out/runs.html'], { cwd })).code).toBe(0)
  const text = readFileSync(join(cwd, 'out/runs.html'), 'utf8')
  const links = [...text.matchAll(/href="(\.\.[^"]+)"/g)].map(([, link = '']) => link)
  expect(links).toHaveLength(2)
  for (const link of links) expect(existsSync(join(cwd, 'out', link))).toBe(true)
  expect(text).toContain('one, target dev, the first 2 rows')
  expect((await fettle(['runs', '--html', 'notes.txt'], { cwd })).code).toBe(2)
  expect((await fettle(['runs', '--html', 'fettle-runs/x.html'], { cwd })).code).toBe(2)
})
