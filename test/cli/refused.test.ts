/** Everything that is refused before anything is sent: exit code, place, words, and a server that nobody talked to. */
import { chmodSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { fettle, folderOf, lastLine, pipelineOf, project, ROWS, STACK } from './fettle.ts'
import { type Counting, counting } from './servers.ts'

let server: Counting
let env: Record<string, string>

beforeAll(async () => {
  server = await counting(() => ({ status: 500, body: {} }))
  env = { FETTLE_URL: server.url, FETTLE_USERNAME: 'tester', FETTLE_PASSWORD: 'canary-password' }
})

interface Refused {
  readonly args: readonly string[]
  readonly code: number
  readonly says: readonly string[]
  readonly env?: Record<string, string>
  readonly files?: Record<string, string>
}

async function refuses({ args, code, says, files = {}, ...rest }: Refused): Promise<void> {
  const cwd = project(undefined, files)
  const ended = await fettle(args, { cwd, env: { ...env, ...rest.env } })
  for (const words of says) expect(ended.stderr).toContain(words)
  expect(ended.stderr).not.toMatch(STACK)
  expect(ended.stdout + ended.stderr).not.toContain('canary')
  expect(ended.stdout).toBe('')
  expect(ended.code).toBe(code)
  expect(server.connections).toBe(0)
}

/** Refused with exit code 2; each line is the arguments and what the answer must hold. */
const USAGE: readonly (readonly [string, readonly string[]])[] = [
  ['', ['Commands:', 'no command was given']],
  ['rnu p.yml', ['unknown command "rnu"', 'Did you mean run?']],
  ['run', ['fettle run <pipeline..>']],
  ['run p.yml --dryrun', ['run has no flag --dryrun', 'Did you mean --dry-run?']],
  ['run p.yml --limit', ['limit']],
  ['run p.yml --limit --quiet', ['limit']],
  ['run p.yml --timeout abc', ['--timeout abc', '1s to 7d']],
  ['run p.yml --timeout 0s', ['--timeout 0s', '1s to 7d']],
  ['run p.yml --limit 0', ['--limit 0', 'a whole number from 1']],
  ['run p.yml --limit 1e9', ['--limit 1e9', 'a whole number from 1']],
  ['run p.yml --output a.csv --output b.csv', ['a.csv and b.csv', 'given twice']],
  ['run p.yml -q -v', ['quiet', 'verbose']],
  ['run p.yml --var x', ['--var x', 'name=value']],
  ['run p.yml --var a=1 --var a=2', ['a was given twice']],
  ['run p.yml --password canary', ['--password is not a flag', 'FETTLE_PASSWORD_FILE']],
  ['run p.yml --token=canary', ['--token is not a flag']],
  ['run p.yml --service=', ['--service']],
  ['run p.yml --service http://example.com/v1', ['--service', 'http']],
  ['run p.yml --service https://u:canary@example.com/v1', ['--service']],
  ['run p.yml --service nonsense', ['--service']],
  ['run nope.yml', ['there is no file nope.yml']],
  ['run q.yml', ['there is no file q.yml', 'did you mean p.yml?']],
  ['run .', ['. is a folder']],
  ['run rows.csv', ['neither .yml, .yaml nor .json']],
  ['resume --new', ['resume has no flag --new']],
  ['resume', ['no run in fettle-runs']],
  ['resume nope', ['no run "nope"']],
  ['status ../x', ['"../x" is not a run id']],
  ['report', ['no run in fettle-runs']],
  ['report --format pdf', ['pdf', 'openmetrics']],
  ['schema nope', ['nope', 'pipeline']],
  ['explain FETTLE_INPUT_QUOTES', ['Did you mean FETTLE_INPUT_QUOTE?']],
  ['explain 3', ['no such code: 3']],
  ['serve --port 99999', ['--port 99999', '0 to 65535']],
  ['serve --port http', ['--port http']],
]

describe.concurrent('a command line that cannot be meant', () => {
  test.each(USAGE)('fettle %s', async (line, says) => {
    await refuses({ args: line === '' ? [] : line.split(' '), code: 2, says: [...says, 'FETTLE_'] })
  })

  test('the result file and the line of --json tell of it too', async () => {
    const cwd = project()
    for (const args of [['--dryrun'], ['--timeout', 'abc'], ['--service', '']]) {
      const ended = await fettle(['run', 'p.yml', '--json', '--result-file', 'r.json', ...args], { cwd, env })
      expect(ended.code).toBe(2)
      expect(lastLine(ended)).toMatchObject({ schema: 'fettle/result/v1', status: 'error', exitCode: 2, totals: null })
      expect(ended.stdout.split('\n')).toHaveLength(2)
      expect(readFileSync(join(cwd, 'r.json'), 'utf8')).toBe(ended.stdout)
    }
  })

  test('a leading dash is a file name after --', async () => {
    const cwd = folderOf({ 'rows.csv': ROWS, "-o'dd nämé.yml": pipelineOf('odd') })
    const ended = await fettle(['check', '--', "-o'dd nämé.yml"], { cwd })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toContain("-o'dd nämé.yml")
  })
})

describe.concurrent('settings', () => {
  const cases: Record<string, Omit<Refused, 'args' | 'code'>> = {
    'an empty FETTLE_URL is not the embedded service': { env: { FETTLE_URL: '' }, says: ['FETTLE_URL is set but empty'] },
    'no user name': { env: { FETTLE_USERNAME: '' }, says: ['FETTLE_CREDENTIALS', 'FETTLE_USERNAME not set'] },
    'password twice': { env: { FETTLE_PASSWORD_FILE: 'secret' }, files: { secret: 'canary' }, says: ['are both set', 'Set one'] },
    'no password file': { env: { FETTLE_PASSWORD: '', FETTLE_PASSWORD_FILE: 'nowhere' }, says: ['FETTLE_PASSWORD_FILE nowhere'] },
    'an empty password file': {
      env: { FETTLE_PASSWORD: '', FETTLE_PASSWORD_FILE: 'secret' },
      files: { secret: '\n' },
      says: ['is empty'],
    },
    'a literal password': {
      files: { 'p.yml': `${pipelineOf('p')}service: {url: "https://example.com/v1", password: canary}\n` },
      says: ['FETTLE_PIPELINE_SECRET p.yml:6:'],
    },
  }
  test.each(Object.entries(cases))('%s', async (_, one) => refuses({ args: ['run', 'p.yml'], code: 2, ...one }))

  test('a password file that others can read is used, with a warning that gives its mode', async () => {
    const cwd = project(undefined, { secret: 'pw\n' })
    chmodSync(join(cwd, 'secret'), 0o644)
    const ended = await fettle(['check', 'p.yml'], { cwd, env: { ...env, FETTLE_PASSWORD: '', FETTLE_PASSWORD_FILE: 'secret' } })
    expect(ended.code).toBe(0)
    expect(ended.stderr).toMatch(/secret .*can be read by others: mode 0644/)
  })

  test('a TRACEPARENT that is none is left out, with a warning', async () => {
    const ended = await fettle(['check', 'p.yml'], { cwd: project(), env: { TRACEPARENT: '00-nonsense-01' } })
    expect(ended.code).toBe(0)
    expect(ended.stderr.match(/TRACEPARENT/g)).toHaveLength(1)
  })
})

describe.concurrent('pipeline and input', () => {
  test('all findings of a pipeline come at once, each with file, line and column', async () => {
    const text =
      'name: Bad Name\ninput: rows.csv\nmapings: {name: Company Name}\npoll: {every: 1ms}\nchecks:\n  matched: {fail: 90}\n'
    const args = ['run', 'p.yml', '--json']
    const cwd = project(undefined, { 'p.yml': text })
    const ended = await fettle(args, { cwd, env })
    expect(ended.code).toBe(2)
    expect(ended.stderr.match(/^error FETTLE_PIPELINE_\w+ p\.yml:\d+:\d+$/gm)).toEqual([
      'error FETTLE_PIPELINE_MISSING p.yml:1:1',
      'error FETTLE_PIPELINE_VALUE p.yml:1:7',
      'error FETTLE_PIPELINE_KEY p.yml:3:1',
      'error FETTLE_PIPELINE_VALUE p.yml:4:15',
      'error FETTLE_PIPELINE_VALUE p.yml:6:19',
    ])
    expect(ended.stderr).toContain('mappings')
    expect(lastLine(ended)).toMatchObject({ exitCode: 2, pipeline: 'p.yml' })
    expect(server.connections).toBe(0)
  })

  const damaged: Record<string, readonly [string, string]> = {
    'a quote that never ends': [`${ROWS}"Open,1,GB\n`, 'rows.csv:7'],
    'a row with a cell too many': [ROWS.replace('345678,IE', '345678,IE,x'), 'rows.csv:4'],
    'bytes that are not UTF-8': [`${ROWS}\u0000,1,GB\n`, 'rows.csv'],
    'no rows': ['Company Name,Reg No,Country\n', 'FETTLE_INPUT_EMPTY'],
    'another header': [ROWS.replace('Reg No', 'Number'), 'Reg No'],
  }
  test.each(Object.entries(damaged))('%s: 65, the place, nothing sent', async (_, [rows, place]) =>
    refuses({ args: ['run', 'p.yml'], code: 65, files: { 'rows.csv': rows }, says: ['FETTLE_INPUT_', place] }),
  )

  test('a missing input', async () => refuses({ args: ['run', 'p.yml', '--input', 'no.csv'], code: 65, says: ['no.csv'] }))
})

describe.concurrent('a disk that will not take it', () => {
  const blocked: Record<string, readonly string[]> = {
    output: [],
    'runs directory': ['--runs-dir', 'file/runs', '--output', 'fine.csv'],
    'result file': ['--result-file', 'file/r.json', '--output', 'fine.csv'],
  }
  test.each(Object.entries(blocked))('%s: 73 before the login', async (_, args) => {
    await refuses({
      args: ['run', 'p.yml', ...args],
      code: 73,
      files: { file: '', 'p.yml': pipelineOf('p', 'output: file/p.csv') },
      says: ['FETTLE_OUTPUT_WRITE', 'file'],
    })
  })

  test('an output outside the working directory by a link', async () => {
    const cwd = project()
    const away = folderOf()
    symlinkSync(away, join(cwd, 'out'))
    const ended = await fettle(['run', 'p.yml', '-q'], { cwd, env })
    expect(ended.code).toBe(73)
    expect(ended.stderr).toContain('outside the working directory')
    expect(server.connections).toBe(0)
  })
})

describe.concurrent('looking sends nothing', () => {
  test('check, check --explain and --dry-run print the same plan, and no more', async () => {
    const cwd = project()
    const checked = await fettle(['check', 'p.yml'], { cwd, env })
    expect(checked).toMatchObject({ code: 0, stderr: '' })
    expect(checked.stdout).toMatch(/^ok p\.yml: 5 rows of rows\.csv/)
    const explained = await fettle(['check', 'p.yml', '--explain'], { cwd, env })
    expect(explained.stdout).toContain(server.url)
    expect(await fettle(['run', 'p.yml', '--dry-run'], { cwd, env })).toEqual(explained)
    const json = await fettle(['check', 'p.yml', '--json'], { cwd, env })
    expect(lastLine(json)).toMatchObject({ schema: 'fettle/check/v1', ok: true, exitCode: 0, plan: { name: 'p', rows: 5 } })
    expect(json.stdout).not.toContain('canary')
    expect(server.connections).toBe(0)
    expect(readdirSync(cwd).sort()).toEqual(['p.yml', 'rows.csv'])
  })

  test('a plan with problems has the code of run', async () => {
    const cwd = project(undefined, { 'rows.csv': ROWS.replace('Reg No', 'Number') })
    writeFileSync(join(cwd, 'bad.yml'), 'name: bad\n')
    for (const args of [['run', '--dry-run'], ['check']])
      expect((await fettle([...args, 'p.yml', 'bad.yml'], { cwd, env })).code).toBe(2)
    expect((await fettle(['run', '--dry-run', 'p.yml'], { cwd, env })).code).toBe(65)
  })
})
