/** What the terminal sees: live line, colours, closed pipes, large results, hostile text, and no stack traces. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import stringWidth from 'string-width'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  BINARY,
  ENVIRONMENT,
  type Ended,
  fettle,
  fettleBinary,
  folderOf,
  follow,
  importRegister,
  lastLine,
  pipelineOf,
  project,
  ROOT,
  STACK,
} from './fettle.ts'
import { CREDENTIALS, realService, scripted } from './servers.ts'

/** A service in this process: the program need not start one. */
let served: Settings
beforeAll(async () => {
  await importRegister()
  served = { ...CREDENTIALS, FETTLE_URL: (await realService({ rowPauseMs: 100 })).url }
})

type Settings = Readonly<Record<string, string>>

const open = (program: string, args: readonly string[], cwd: string, env: Settings, input: string | null) =>
  follow(
    spawn(program, args, { cwd, env: { ...ENVIRONMENT, FETTLE: `${process.execPath} ${BINARY}`, TERM: 'xterm', ...env } }),
    input,
  )

/** A shell command; `$FETTLE` is the command under test. */
const shell = (command: string, cwd: string, env: Settings = {}): Promise<Ended> =>
  open('bash', ['-c', command], cwd, env, '').ended

/** The same on a pseudo-terminal of 100 columns; stdout is all the terminal saw. */
const onTerminal = (command: string, cwd: string, env: Settings, input: string | null) =>
  open('script', ['-qefc', `stty cols 100; ${command}`, '/dev/null'], cwd, env, input)

const terminal = (command: string, cwd: string, env: Settings = {}): Promise<Ended> => onTerminal(command, cwd, env, '').ended

const ESCAPE = '\x1b'

describe.concurrent('pipes', () => {
  test('a reader that goes away does not fail the run, and the exit code stays', async () => {
    const cwd = project('checks: {matched: {fail: "< 90%"}}')
    const explained = await shell('$FETTLE explain | head -1; echo "code ${PIPESTATUS[0]}" >&2', cwd)
    expect(explained).toMatchObject({ code: 0, stderr: 'code 0\n' })
    expect(explained.stdout).toMatch(/^FETTLE_\w+ .*\n$/)
    const both = await shell('$FETTLE run p.yml --json 2>&1 | head -c 1; echo "code ${PIPESTATUS[0]}" >&2', cwd, served)
    expect(both.stderr).toBe('code 1\n')
    const failing = await shell('$FETTLE run nope.yml 2>&1 >/dev/null | true; echo "code ${PIPESTATUS[0]}"', cwd)
    expect(failing.stdout).toBe('code 2\n')
  })

  test('300 kB go through a slow pipe whole, and are the last bytes', async () => {
    const header = Array.from({ length: 1000 }, (_, n) => `column number ${n} ${'x'.repeat(300)}`).join(',')
    const cwd = folderOf({
      'rows.csv': `Company Name,Reg No,Country,${header}\nAcme,1,GB,${','.repeat(999)}\n`,
      'p.yml': pipelineOf('p', ''),
    })
    const slow = await shell('$FETTLE check p.yml --json | (sleep 1; cat)', cwd)
    expect(Buffer.byteLength(slow.stdout)).toBeGreaterThan(300_000)
    expect(lastLine(slow)).toMatchObject({ ok: true, plan: { name: 'p' } })
    expect(slow.stdout.endsWith('}\n')).toBe(true)
  })

  test('a result goes to a full device as code 73, not as a crash', async () => {
    const ended = await shell('$FETTLE explain 75 > /dev/full; echo "code $?"', folderOf())
    expect(ended.stdout).toBe('code 73\n')
    expect(ended.stderr).toContain('ENOSPC')
    expect(ended.stderr).not.toMatch(STACK)
  })
})

describe.concurrent('terminals', () => {
  test('a terminal sees a live line and colours; nothing of it is left behind', async () => {
    const { code, stdout } = await terminal('$FETTLE run p.yml', project())
    expect(code).toBe(0)
    expect(stdout.match(/\r\x1b\[2K/g)?.length).toBeGreaterThan(5)
    expect(stdout).toMatch(/\r\x1b\[2K.*match {2}/)
    expect(stdout).toMatch(/\x1b\[32m/)
    // The last drawing is wiped before the report is printed.
    expect(stdout.slice(stdout.lastIndexOf('\x1b[2K'))).toMatch(/^\x1b\[2K[^\r]*Success/)
    for (const line of stdout.split(/\r?\n|\r/)) expect(line.replace(/\x1b\[[\d;]*[a-zA-Z]/g, '').length).toBeLessThanOrEqual(100)
  })

  test('several jobs have a line each, several pipelines too, and nothing of them is left behind', async () => {
    const cwd = project('output: out/p.csv\njob: {split: 2, concurrency: 2}', { 'q.yml': pipelineOf('q', '') })
    const { code, stdout } = await terminal('$FETTLE run p.yml q.yml', cwd, served)
    expect(code).toBe(0)
    expect(stdout).toMatch(/p {2}[^\n]* \d of 3 jobs done, [12] active\r\n {2}job \d {2}\d rows? {2}/)
    expect(stdout).toMatch(/\nq {2,}\d[^\n]* {2}match/)
    // As many lines are taken back as were drawn.
    expect(stdout).toContain('\r\x1b[2K\x1b[1A\x1b[2K')
    expect(stdout.slice(stdout.lastIndexOf('\x1b[2K'))).toMatch(/^\x1b\[2K\r\n[^\r]*Done, with warnings/)
  })

  test('a narrow terminal is not overrun, for any name of a state', async () => {
    const service = await scripted('matching 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字\u001b[2J\u009b1m')
    const command = 'stty cols 40; $FETTLE run p.yml'
    const under = onTerminal(command, project(), { ...CREDENTIALS, FETTLE_URL: service.url }, null)
    await under.seen(/match {2}matching 漢字/)
    under.child.stdin?.write('\u0003')
    const { stdout } = await under.ended
    const live = [...stdout.matchAll(/\x1b\[2K(\d[^\r\n\x1b]*)/g)].map(([, line = '']) => line.replace('^C', ''))
    expect(live.some(line => line.endsWith('…'))).toBe(true)
    for (const line of live) expect(stringWidth(line)).toBeLessThan(40)
    expect(stdout).not.toMatch(/\x1b\[2J|\u009b/)
  })

  test('CI, a dumb terminal and a pipe get plain lines', async () => {
    const cwd = project()
    for (const env of [{ CI: 'true' }, { TERM: 'dumb' }] as Record<string, string>[]) {
      const { code, stdout } = await terminal('$FETTLE run p.yml', cwd, { ...served, ...env })
      expect(code).toBe(0)
      expect(stdout).toContain('status matching')
      expect(stdout).not.toContain(ESCAPE)
    }
  })

  test('NO_COLOR takes colours away, FORCE_COLOR brings them into a pipe', async () => {
    const cwd = project('')
    const plain = await terminal('$FETTLE run p.yml -v', cwd, { ...served, NO_COLOR: '1' })
    expect(plain.stdout).not.toMatch(/\x1b\[\d+m/)
    expect((await fettle(['status'], { cwd, env: { FORCE_COLOR: '1' } })).stdout).toMatch(/\x1b\[33m/)
    expect((await fettle(['status'], { cwd, env: { FORCE_COLOR: '1', NO_COLOR: '1' } })).stdout).not.toContain(ESCAPE)
    expect((await fettle(['status'], { cwd, env: { FORCE_COLOR: '0' } })).stdout).not.toContain(ESCAPE)
    expect((await terminal('$FETTLE status', cwd, { FORCE_COLOR: '0' })).stdout).not.toContain(ESCAPE)
  })

  test('results are plain when only they are piped away from a terminal', async () => {
    const cwd = project('')
    await terminal('$FETTLE run p.yml > result.txt', cwd, served)
    const { stdout } = await shell('cat result.txt', cwd)
    expect(stdout).toContain('Done, with warnings')
    expect(stdout).not.toContain(ESCAPE)
  })

  test('Ctrl-C stops in order, prints how to resume and leaves the terminal on a fresh line', async () => {
    const service = await scripted('matching')
    const under = onTerminal('$FETTLE run p.yml', project(), { ...CREDENTIALS, FETTLE_URL: service.url }, null)
    await under.seen(/match {2}matching/)
    under.child.stdin?.write('\u0003')
    const { code, stdout } = await under.ended
    expect(code).toBe(130)
    expect(stdout.slice(stdout.lastIndexOf('\x1b[2K'))).toMatch(/^\x1b\[2K[^\r]*Stopped[\s\S]*fettle resume 2\d{7}T/)
  })
})

describe.concurrent('hostile text', () => {
  const EVIL = '\u001b]8;;http://evil\u0007\u001b[31mAcme\u001b[0m\r\u009b2J\u202e'

  test('names from input, pipeline and arguments do not reach the terminal raw', async () => {
    const cwd = folderOf({
      'rows.csv': `Company Name,Reg No,Country,${EVIL.replace('\r', '')}\nAcme Forgings Ltd,01234567,GB,x\n`,
      'p.yml': pipelineOf('p', 'output: out/p.csv\nreport: {rows: all}'),
      'odd.yml': pipelineOf('odd').replace('Reg No', JSON.stringify(`${EVIL} No`)),
      'bad.csv': `id,name,${EVIL.replace('\r', '')}\n1,Acme,x,y\n`,
    })
    const raw = /\u001b|\u0007|\u009b|\u202e|\r/
    const calls: string[][] = [
      ['check', 'p.yml'],
      ['check', 'p.yml', '--explain'],
      ['check', 'odd.yml'],
      ['run', 'p.yml'],
      ['status'],
      ['run', EVIL],
      [EVIL],
      ['run', `--${EVIL}`],
      ['run', 'p.yml', '--limit', EVIL],
      ['report', EVIL],
      ['explain', EVIL],
      ['register', 'import', 'csv', 'bad.csv', '--name', EVIL],
      ['register', 'import', 'csv', 'bad.csv'],
      ['register', EVIL],
      ['report', '--format', EVIL],
    ]
    for (const args of calls) {
      const ended = await fettle(args, { cwd })
      expect(`${args.join(' ')}: ${ended.stderr}`.slice(args.join(' ').length)).not.toMatch(raw)
      expect(ended.stdout).not.toMatch(raw)
      expect(ended.stderr).not.toMatch(STACK)
    }
  })
})

test('--debug shows where an error came from, and only --debug', async () => {
  const cwd = folderOf()
  const plain = await fettle(['run', 'p.yml', '--timeout', 'x'], { cwd })
  const debug = await fettleBinary(['run', 'p.yml', '--timeout', 'x', '--debug'], { cwd })
  expect(plain.stderr).not.toMatch(STACK)
  expect(debug.stderr.startsWith(plain.stderr.trimEnd())).toBe(true)
  expect(debug.stderr).toMatch(/^\s+at .*src\/cli/m)
  expect(debug.code).toBe(2)
})

test('the command works through a link, as npm installs it', async () => {
  const cwd = folderOf()
  const { stdout } = await shell(`ln -s ${join(ROOT, 'dist/cli/main.js')} fettle && node fettle --version`, cwd)
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
})
