/**
 * What the tests of the command line share: a command in this process, or the built binary, in a fresh working directory, with a
 * home, data folder and register of the test file's own. Everything started or made here is gone when the file's tests are over.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { runProgram } from '../../../src/cli/program.ts'
import { atFileEnd } from '../../support/file-end.ts'
import { CANARY, canariesBelow, canariesIn } from '../security/canary.ts'

/** The repository. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
/** The binary, as package.json's `bin` names it. */
export const BINARY = join(ROOT, 'dist/cli/main.js')

const home = join(tmpdir(), `fettle-cli-${randomUUID()}`)
const children = new Set<ChildProcess>()
const endings: (() => unknown)[] = []
/** What the children printed. */
const said: string[] = []
/** Files that a test gives a secret by right. */
const PASSWORD_FILES = /(?:^|\/)secret(?:\.yml)?$/

/** Makes the home of a test file; it is removed when the file's tests are over. */
function openHome(): void {
  if (existsSync(home)) return
  mkdirSync(home, { recursive: true })
  atFileEnd(async () => {
    for (const child of children) child.kill('SIGKILL')
    for (const end of endings.splice(0).reverse()) await end()
    // S2: every suite of the command line runs with marked secrets, and none may stand in what it printed or wrote.
    const hits = [
      ...said.splice(0).flatMap((text, at) => canariesIn(text, `output ${at}`)),
      ...canariesBelow(home, PASSWORD_FILES).hits,
    ]
    rmSync(home, { recursive: true, force: true })
    ENVIRONMENT.FETTLE_REGISTER = 'sample'
    expect(hits).toEqual([])
  })
}

/** Calls `end` when the tests of this file are over, the last one first. */
export function atEnd(end: () => unknown): void {
  openHome()
  endings.push(end)
}

/**
 * The environment every command of this file gets: nothing of the tester's own but the path, and a secret that is not ours. It names
 * the sample register until the file imports its own.
 */
export const ENVIRONMENT: Record<string, string> & {
  readonly PATH: string
  readonly HOME: string
  readonly FETTLE_DATA: string
} = {
  PATH: process.env.PATH ?? '',
  HOME: join(home, 'home'),
  FETTLE_DATA: join(home, 'data'),
  CLOUD_KEY: CANARY.foreign,
  FETTLE_REGISTER: 'sample',
}

/** How a command is called. */
export interface Call {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** What it reads; null keeps its stdin open. */
  readonly input?: string | null
}

/** How a command ended; when a signal killed it, the code is the one a shell shows. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A command under way. */
export interface Under {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** Resolves with what stdout and stderr hold once they match; rejects when the command ends before. */
  seen(pattern: RegExp): Promise<string>
}

/** Starts the command. */
export function start(args: readonly string[], { cwd, env = {}, input }: Call): Under {
  return follow(spawn(process.execPath, [BINARY, ...args], { cwd, env: { ...ENVIRONMENT, ...env } }), input)
}

/** Follows a child to its end; `input` is what it reads. */
export function follow(child: ChildProcess, input: string | null = ''): Under {
  openHome()
  children.add(child)
  let stdout = ''
  let stderr = ''
  const watchers = new Set<() => void>()
  const heard = (take: (text: string) => void) => (text: string) => {
    take(text)
    for (const watch of watchers) watch()
  }
  child.stdout?.setEncoding('utf8').on(
    'data',
    heard(text => {
      stdout += text
    }),
  )
  child.stderr?.setEncoding('utf8').on(
    'data',
    heard(text => {
      stderr += text
    }),
  )
  child.stdin?.on('error', () => {})
  if (input !== null) child.stdin?.end(input)
  const ended = new Promise<Ended>(resolve => {
    child.on('close', (code, signal) => {
      children.delete(child)
      said.push(stdout, stderr)
      resolve({ code: code ?? 128 + constants.signals[signal ?? 'SIGKILL'], stdout, stderr })
    })
  })
  const seen = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (!pattern.test(stdout + stderr)) return
        watchers.delete(look)
        resolve(stdout + stderr)
      }
      watchers.add(look)
      look()
      void ended.then(() => reject(new Error(`ended without ${pattern}:\n${stdout}\n${stderr}`)))
    })
  return { child, ended, seen }
}

/** Runs the binary to its end: for what only a process has, as its start, its streams and its memory. */
export const fettleBinary = (args: readonly string[], call: Call): Promise<Ended> => start(args, call).ended

/** What Node and the libraries read from the environment of the process itself; a secret key without its id is nothing to them. */
const OF_PROCESS = /^(?:NODE_|TMPDIR$|TZ$|AWS_(?!SECRET_ACCESS_KEY$)|SSL_|FORCE_COLOR$)/

let turn: Promise<unknown> = Promise.resolve()

/** Runs the command to its end: in this process where it can be, one at a time, since a process has one working directory. */
export function fettle(args: readonly string[], call: Call): Promise<Ended> {
  if (call.input === null || Object.keys(call.env ?? {}).some(name => OF_PROCESS.test(name))) return fettleBinary(args, call)
  const ended = turn.then(() => inThisProcess(args, call))
  turn = ended.catch(() => {})
  return ended
}

async function inThisProcess(args: readonly string[], { cwd, env = {}, input }: Call): Promise<Ended> {
  openHome()
  let stdout = ''
  let stderr = ''
  const line = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`)
  const before = process.cwd()
  process.chdir(cwd)
  try {
    const code = await runProgram(args, {
      env: { ...ENVIRONMENT, ...env },
      cwd: process.cwd(),
      out: text => {
        stdout += line(text)
      },
      text: text => {
        stdout += line(text)
      },
      err: text => {
        stderr += line(text)
      },
      draw: text => {
        stderr += text
      },
      stdin: () => Readable.from(input == null || input === '' ? [] : [Buffer.from(input)]),
      isTerminal: false,
      columns: () => 80,
      rows: () => 24,
      colour: { out: false, err: false },
      signal: new AbortController().signal,
    })
    return { code, stdout, stderr }
  } finally {
    process.chdir(before)
    said.push(stdout, stderr)
  }
}

/** Text the command may print whatever happened, except with --debug. */
export const STACK = /^\s+at .+:\d+:\d+\)?$|node:internal|UnhandledPromise|ExperimentalWarning/m

/** A working directory with the files named. */
export function folderOf(files: Readonly<Record<string, string>> = {}): string {
  openHome()
  const folder = mkdtempSync(join(home, 'work-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

const REGISTER = `id,name,country,orgNumber
1,ACME FORGINGS LIMITED,GB,01234567
2,BOLTON CASTINGS LIMITED,GB,02345678
3,CORK STEEL DESIGNATED ACTIVITY COMPANY,IE,345678
4,DUNDEE PATTERNS LIMITED,GB,04567890
`

/** Five rows: three matched, one of them twice, one unknown to the register. */
export const ROWS = `Company Name,Reg No,Country
Acme Forgings Ltd,01234567,GB
Bolton Castings Ltd,02345678,GB
Cork Steel DAC,345678,IE
ACME FORGINGS,01234567,GB
Nobody Knows Us GmbH,99999999,DE
`

/** A pipeline over `rows.csv`; `more` are further lines of it. */
export const pipelineOf = (name: string, more = `output: out/${name}.csv`): string =>
  `name: ${name}
input: rows.csv
mappings: {name: Company Name, orgNumber: Reg No, country: Country}
poll: {every: 500ms, max: 500ms}
${more}
`

/** A working directory with rows.csv and one pipeline, p.yml, named `p`. */
export const project = (more?: string, files: Readonly<Record<string, string>> = {}): string =>
  folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p', more), ...files })

/** Imports the small register into the data folder of this file, and has every run use it instead of the sample. */
export async function importRegister(): Promise<void> {
  const cwd = folderOf({ 'small.csv': REGISTER })
  delete ENVIRONMENT.FETTLE_REGISTER
  const { code, stderr } = await fettle(['register', 'import', 'csv', 'small.csv'], { cwd })
  if (code !== 0) throw new Error(stderr)
}

/** The one line of JSON that a `--json` command ends with. */
export const lastLine = ({ stdout }: Ended): Record<string, unknown> => JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
