/** A list from standard input: kept for the run under its hash, gone afterwards, read by one pipeline, never waited for on a terminal. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { sheetXml, textCell, workbookOf } from '../../unit/input/workbooks.ts'
import {
  atEnd,
  BINARY,
  ENVIRONMENT,
  fettle,
  folderOf,
  importRegister,
  lastLine,
  pipelineOf,
  project,
  ROWS,
  start,
} from './fettle.ts'

const NAME = `${createHash('sha256').update(ROWS).digest('hex')}.csv`
const kept = (cwd: string, runs = 'fettle-runs'): string[] => {
  const folder = join(cwd, runs, 'stdin')
  return existsSync(folder) ? readdirSync(folder) : []
}
const piped = (more?: string, files: Readonly<Record<string, string>> = {}): string =>
  folderOf({ 'p.yml': pipelineOf('p', more).replace('rows.csv', '"-"'), ...files })

beforeAll(importRegister)

describe.concurrent('standard input', () => {
  test('is a list like any other, and leaves nothing when the run is over', async () => {
    const cwd = piped()
    const file = project()
    const ended = await fettle(['run', 'p.yml', '-q', '--json'], { cwd, input: ROWS })
    const same = await fettle(['run', 'p.yml', '-q', '--json'], { cwd: file })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(lastLine(ended).totals).toEqual(lastLine(same).totals)
    expect(kept(cwd)).toEqual([])
  })

  test.each([
    ['the flag', ['--input', '-'], {}],
    ['the long form', [], { 'p.yml': pipelineOf('p').replace('rows.csv', '{path: "-"}') }],
  ])('may be asked for by %s', async (_, args, files) => {
    const cwd = project(undefined, { 'rows.csv': 'not,this\n', ...files })
    expect(await fettle(['run', 'p.yml', '-q', ...args], { cwd, input: ROWS })).toMatchObject({ code: 0, stderr: '' })
    expect(kept(cwd)).toEqual([])
  })

  test.each<[string, Buffer]>([
    ['gzip', gzipSync(ROWS)],
    [
      'an Excel file',
      workbookOf({
        List: sheetXml(
          ...ROWS.trimEnd()
            .split('\n')
            .map(line => line.split(',').map(textCell)),
        ),
      }),
    ],
  ])('may be %s', async (_, bytes) => {
    const cwd = piped()
    const { status, stderr } = spawnSync(process.execPath, [BINARY, 'run', 'p.yml', '-q'], {
      cwd,
      input: bytes,
      env: ENVIRONMENT,
    })
    expect([status, stderr.toString()]).toEqual([0, ''])
  })

  test('is read by check and by a dry run, which leave nothing and show the same plan', async () => {
    const cwd = piped()
    const temporary = folderOf()
    const env = { TMPDIR: temporary }
    const checked = await fettle(['check', 'p.yml', '--explain'], { cwd, env, input: ROWS })
    const dry = await fettle(['run', 'p.yml', '--dry-run'], { cwd, env, input: ROWS })
    const short = await fettle(['check', 'p.yml'], { cwd, env, input: ROWS })
    expect([checked.code, dry.code, short.code]).toEqual([0, 0, 0])
    expect(dry.stdout).toBe(checked.stdout)
    expect(checked.stdout).toMatch(/path +standard input, stored in the runs directory until this run ends\n/)
    expect(short.stdout).toContain('5 rows of standard input')
    expect(readdirSync(cwd)).toEqual(['p.yml'])
    expect(readdirSync(temporary)).toEqual([])
  })

  test('with something wrong in it is called what it is, and not kept', async () => {
    const cwd = piped()
    const { code, stderr } = await fettle(['run', 'p.yml'], { cwd, input: 'Company Name,Reg No,Country\n"Acme,1,GB\n' })
    expect(code).toBe(65)
    expect(stderr).toMatch(/^error FETTLE_INPUT_QUOTE standard input:2\n/m)
    expect(stderr).not.toContain('fettle-runs')
    expect(readdirSync(cwd)).toEqual(['p.yml'])
  })

  test('that is empty has no rows; a day without rows may be skipped', async () => {
    const cwd = piped()
    const { code, stderr } = await fettle(['run', 'p.yml'], { cwd })
    expect([code, stderr]).toEqual([
      65,
      expect.stringMatching(/FETTLE_INPUT_EMPTY standard input:1\n {2}standard input has no rows: it is empty/),
    ])
    const skips = folderOf({ 'p.yml': pipelineOf('p').replace('rows.csv', '{path: "-", empty: skip}') })
    expect((await fettle(['run', 'p.yml', '-q'], { cwd: skips })).code).toBe(0)
    expect(kept(skips)).toEqual([])
  })

  test('can be read by one pipeline only', async () => {
    const cwd = piped(undefined, { 'q.yml': pipelineOf('q').replace('rows.csv', '"-"') })
    const { code, stderr } = await fettle(['run', 'p.yml', 'q.yml'], { cwd, input: ROWS })
    expect(code).toBe(2)
    expect(stderr).toContain('p.yml and q.yml both read standard input, which can be read once')
    expect(readdirSync(cwd).sort()).toEqual(['p.yml', 'q.yml'])
  })

  test('that is a terminal is refused at once', () => {
    const cwd = piped()
    const { status, stdout } = spawnSync('script', ['-qec', `"${process.execPath}" "${BINARY}" run p.yml`, '/dev/null'], {
      cwd,
      env: { ...ENVIRONMENT, CI: '1' },
      encoding: 'utf8',
      timeout: 20_000,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    expect(stdout).toContain('p.yml reads standard input, and that is this terminal')
    expect(status).toBe(2)
    expect(readdirSync(cwd)).toEqual(['p.yml'])
  })

  test('that never ends is left on Ctrl-C', async () => {
    const cwd = piped()
    const under = start(['run', 'p.yml'], { cwd, input: null })
    // More than a pipe holds: when it is through, the other side is reading.
    await new Promise(resolve => under.child.stdin?.write('x'.repeat(1_000_000), resolve))
    expect(kept(cwd)).toHaveLength(1)
    under.child.kill('SIGINT')
    expect((await under.ended).code).toBe(130)
    expect(readdirSync(cwd)).toEqual(['p.yml'])
  })

  test('outputs may not lie where it is kept', async () => {
    const cwd = piped(`output: fettle-runs/stdin/${NAME}`)
    const { code, stderr } = await fettle(['run', 'p.yml'], { cwd, input: ROWS })
    expect([code, stderr]).toEqual([2, expect.stringContaining('would be written among the runs in fettle-runs')])
  })
})

describe('a run that cannot end yet', () => {
  let server: Server
  beforeAll(async () => {
    server = createServer((_, reply) => reply.writeHead(503).end()).listen(0, '127.0.0.1')
    await new Promise(resolve => server.once('listening', resolve))
    atEnd(() => server.close())
  })
  const account = () => ({
    FETTLE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    FETTLE_USERNAME: 'u',
    FETTLE_PASSWORD: 'p',
  })
  const away = (cwd: string, args: readonly string[] = ['run', 'p.yml', '--timeout', '1s'], input = ROWS) =>
    fettle([...args, '--json', '-q'], { cwd, input, env: account() })

  test('keeps its list; the same command with the same bytes goes on, and resume needs none', async () => {
    const cwd = piped('retry: { attempts: 1 }\noutput: out/p.csv')
    const first = await away(cwd)
    expect(first.code).toBe(75)
    expect(kept(cwd)).toEqual([NAME])
    expect(statSync(join(cwd, 'fettle-runs/stdin', NAME)).mode & 0o777).toBe(0o600)
    expect(statSync(join(cwd, 'fettle-runs/stdin')).mode & 0o777).toBe(0o700)
    const again = await away(cwd)
    expect(lastLine(again).runId).toBe(lastLine(first).runId)
    const resumed = await away(cwd, ['resume', '--timeout', '1s'], '')
    expect([resumed.code, lastLine(resumed).runId]).toEqual([75, lastLine(first).runId])
    expect(kept(cwd)).toEqual([NAME])
    // Another list is another run, and each keeps its own.
    const other = await away(cwd, undefined, ROWS.replace('Acme', 'Beta'))
    expect(lastLine(other).runId).not.toBe(lastLine(first).runId)
    expect(kept(cwd)).toHaveLength(2)
  })

  test('what a kill left is removed with the next list, what a run needs is not', async () => {
    const cwd = piped('retry: { attempts: 1 }\noutput: out/p.csv')
    await away(cwd)
    const left = join(cwd, 'fettle-runs/stdin', `${'a'.repeat(64)}.csv`)
    writeFileSync(left, 'x')
    for (const path of [left, join(cwd, 'fettle-runs/stdin', NAME)]) utimesSync(path, 1e9, 1e9)
    await away(cwd, ['run', 'p.yml', '--timeout', '1s', '--limit', '1'], `${ROWS}Acme,1,GB\n`)
    expect(existsSync(left)).toBe(false)
    expect(kept(cwd)).toContain(NAME)
  })
})
