/** Bad inputs that need a child process: an old Node, a closed pipe, another user, a terminal without input. */
import { spawn } from 'node:child_process'
import { chmodSync, cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { BINARY, ENVIRONMENT, type Ended, folderOf, follow, ROOT, STACK, type Under } from '../cli/fettle.ts'
import { BASE, ROWS } from './row.ts'

const engines: string = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).engines.node

/** The command line run by a Node that says it is of this version. */
function withNode(version: string, args: readonly string[]): Promise<Ended> {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  const child = spawn(process.execPath, ['--import', `data:text/javascript,${pretend}`, BINARY, ...args], { env: ENVIRONMENT })
  return follow(child).ended
}

test.each(['12.22.12', '18.20.8', '20.18.3', '21.7.3', '22.11.0', '23.11.1'])(
  'A17: Node %s is one line: found and needed',
  async version => {
    const ended = await withNode(version, ['run', 'p.yml'])
    expect(ended).toEqual({
      code: 2,
      stdout: '',
      stderr: `error FETTLE_USAGE Node ${version} is too old or untested: fettle needs ${engines}\n`,
    })
  },
)

test.each(['20.19.0', '22.12.0', '24.0.0', '26.1.0'])('A17: Node %s is let in', async version => {
  expect(await withNode(version, ['--version'])).toMatchObject({ code: 0, stderr: '' })
})

test('A17: the entry file imports nothing and uses only syntax of old Node versions', () => {
  const text = readFileSync(BINARY, 'utf8')
  const old = ts.transpileModule(text, { compilerOptions: { target: ts.ScriptTarget.ES2020, module: ts.ModuleKind.ES2020 } })
  const plain = ts.transpileModule(text, { compilerOptions: { target: ts.ScriptTarget.ES2015, module: ts.ModuleKind.ES2020 } })
  expect(plain.outputText).toBe(old.outputText)
  expect(text).not.toMatch(/^import |^export .* from|^await /m)
})

test.each([
  [['explain'], 0],
  [['schema'], 0],
  [['check', 'p.yml', '--json'], 0],
  [['check', 'bad.yml', '--json'], 2],
] as const)('A18: fettle %j into a pipe that nobody reads', async (args, code) => {
  const cwd = folderOf({ 'p.yml': BASE, 'rows.csv': ROWS, 'bad.yml': 'name: A B\n' })
  const child = spawn(process.execPath, [BINARY, ...args], { cwd, env: ENVIRONMENT })
  child.stdout.destroy()
  const ended = await follow(child).ended
  expect(ended.code).toBe(code)
  expect(ended.stderr).not.toMatch(STACK)
  expect(ended.stderr).not.toContain('EPIPE')
})

test('A18: both pipes are closed', async () => {
  const child = spawn(process.execPath, [BINARY, 'rnu'], { env: ENVIRONMENT })
  child.stdout.destroy()
  child.stderr.destroy()
  expect((await follow(child).ended).code).toBe(2)
})

test('A14: no command waits for an answer or reads stdin', async () => {
  const cwd = folderOf({ 'p.yml': BASE, 'rows.csv': ROWS })
  const env = { ...ENVIRONMENT, FETTLE_URL: 'https://host.invalid/v1', CI: 'true' }
  const child = spawn(process.execPath, [BINARY, 'run', 'p.yml'], { cwd, env })
  // Kept open, as a terminal would be.
  const { code, stderr } = await follow(child, null).ended
  expect(code).toBe(2)
  expect(stderr).toContain('FETTLE_CREDENTIALS')
  child.stdin.end()
})

const isRoot = process.getuid?.() === 0
const NOBODY = 65_534

/** What nobody may do is shown as nobody; without the right to become somebody else, as ourselves. */
function startAsNobody(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): Under {
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
  const child = spawn(process.execPath, [join(cwd, 'fettle/dist/cli/main.js'), ...args], {
    cwd,
    env: { ...ENVIRONMENT, HOME: cwd, FETTLE_DATA: join(cwd, 'data'), ...env },
    ...user,
  })
  return follow(child)
}

const asNobody = (...call: Parameters<typeof startAsNobody>): Promise<Ended> => startAsNobody(...call).ended

/** A folder that anybody may enter and nobody but its owner may change, with the program beside the files. */
function closedFolder(files: Readonly<Record<string, string>>): string {
  const cwd = folderOf(files)
  for (const part of ['dist', 'samples']) cpSync(join(ROOT, part), join(cwd, 'fettle', part), { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(cwd, 'fettle/package.json'))
  symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'fettle/node_modules'))
  for (const name of Object.keys(files)) if (name.startsWith('closed')) chmodSync(join(cwd, name), 0o000)
  chmodSync(cwd, 0o555)
  chmodSync(join(cwd, '..'), 0o755)
  return cwd
}

test('P1, C1, A12: unreadable and unwritable files are named before anything is sent', async context => {
  const cwd = closedFolder({
    'closed.yml': BASE,
    'closed.csv': ROWS,
    'p.yml': BASE,
    'rows.csv': ROWS,
  })
  const probe = await asNobody(['--version'], cwd)
  if (probe.code !== 0) {
    context.skip('another user cannot reach the program')
    return
  }
  const env = { FETTLE_URL: 'https://host.invalid/v1', FETTLE_USERNAME: 'u', FETTLE_PASSWORD: 'canary' }
  const cases = [
    [['run', 'closed.yml'], 2, 'error FETTLE_PIPELINE_READ closed.yml\n  cannot read closed.yml: EACCES'],
    [
      ['check', 'p.yml', '--input', 'closed.csv'],
      65,
      'error FETTLE_INPUT_READ closed.csv\n  cannot read the input closed.csv: permission denied',
    ],
    [['run', 'p.yml'], 73, 'FETTLE_OUTPUT_WRITE'],
    [['run', 'p.yml', '--result-file', 'r.json'], 73, 'FETTLE_OUTPUT_WRITE'],
    [['run', 'p.yml', '--runs-dir', 'runs'], 73, 'cannot make the folder'],
  ] as const
  for (const [args, code, says] of cases) {
    const ended = await asNobody(args, cwd, env)
    expect(ended.stderr).toContain(says)
    expect(ended.code).toBe(code)
    expect(ended.stdout + ended.stderr).not.toContain('canary')
    expect(ended.stderr).toContain('hint: ')
  }
  expect(existsSync(join(cwd, 'fettle-runs'))).toBe(false)
})

test('A16: a privileged port gives a one-line error', async context => {
  const cwd = closedFolder({})
  const server = startAsNobody(['serve', '--port', '1', '--data', join(cwd, 'data')], cwd)
  const said = await server.seen(/^(error|listening)/m)
  if (said.startsWith('listening')) {
    server.child.kill('SIGKILL')
    context.skip('every port is free to everybody here')
    return
  }
  const { stdout, stderr } = await server.ended
  expect(stdout).toBe('')
  expect(stderr).toMatch(/^error FETTLE_\w+\n {2}.+\n {2}hint: .+\n$/)
})
