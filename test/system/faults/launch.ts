/** Starts the built program for a cell: in a process, or in this one as if it were one. */
import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startProgram, type Ended as Whole } from '../../support/crash/process.ts'
import { Disk, type DiskOptions, type Fate } from '../../support/disk/operations.mjs'
import type { Lever } from './data.ts'
import type { Ended } from './run-here.ts'

/** What is started. */
interface Start {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly lever: Lever | undefined
}

/** A program that runs. */
export interface Launched {
  readonly ended: Promise<Ended>
  kill(signal: NodeJS.Signals): void
  closeStdout(): void
}

/** A way to start programs. */
export type Launch = (start: Start) => Launched

const root = fileURLToPath(new URL('../../..', import.meta.url))
const preload = fileURLToPath(new URL('preload.mjs', import.meta.url))

/** Where the disk fails first: a text of the journal, or the end of a file's name. */
const FIRST_WRITE: Readonly<Record<string, string>> = {
  login: 'latest',
  create: '"type":"job.requested"',
  upload: '"type":"upload.requested"',
  map: '"type":"mapping.accepted"',
  submit: '"type":"match.requested"',
  match: '"type":"status.observed"',
  enrich: '"type":"enrich.requested"',
  download: 'enriched-0.csv.gz.partial',
  report: 'report.html',
}
const SIGNALS: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143 }

/** The environment that makes the preload do what a lever says. */
function preloaded(lever: Lever | undefined): NodeJS.ProcessEnv {
  if (lever?.kind === 'disk') return { AT: FIRST_WRITE[lever.at], DO: lever.errno }
  const at = lever !== undefined && 'at' in lever && lever.at === 'report' ? { AT: '"type":"run.finished"' } : null
  if (at !== null && lever?.kind === 'kill') return { ...at, DO: 'SIGKILL' }
  if (at !== null && lever?.kind === 'signal') return { ...at, DO: `${lever.signal}${lever.twice ? '2' : ''}` }
  return {}
}

/** Starts a child process. */
export const launchChild: Launch = ({ args, cwd, env, lever }) => {
  const child = spawn(process.execPath, ['--import', preload, join(root, 'dist/cli/main.js'), ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, WAIT_DIVISOR: '100', ...env, ...preloaded(lever) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return { ended: endOf(child), kill: signal => void child.kill(signal), closeStdout: () => child.stdout.destroy() }
}

/** Starts a program in this process. */
export const launchHere: Launch = ({ args, cwd, env, lever }) => {
  const { AT, DO = '' } = preloaded(lever)
  const { child, ended } = startProgram({
    dist: join(root, 'build'),
    args,
    cwd,
    env: { HOME: cwd, WAIT_DIVISOR: '100', ...env },
    makeDisk: hooks => new LeverDisk(AT ?? null, DO, { paths: [cwd], ...hooks }),
  })
  // A closed pipe discards what is written: what the program does with EPIPE is played with a process.
  return { ended: ended.then(told), kill: signal => void child.kill(signal), closeStdout: () => {} }
}

/** Acts as preload.mjs does: when a text is first written, or a file with that name is first opened for writing. */
class LeverDisk extends Disk {
  readonly #at: string | null
  readonly #do: string
  readonly #signal: (name: string) => void
  #isDue = false

  constructor(at: string | null, act: string, options: DiskOptions) {
    super(options)
    this.#at = at
    this.#do = act
    this.#signal = options.signal
  }

  override meet(operation: string, path: string | null, args: readonly unknown[] = []): Fate {
    const isMet = this.#at !== null && this.watches(path) && (operation === 'open' || operation === 'write')
    if (isMet) this.#act(operation === 'open' ? String(path) : textOf(args[1]), operation)
    return super.meet(operation, path, args)
  }

  #act(text: string, operation: string): void {
    const [, signal, twice] = /^(SIG[A-Z]+)(2?)$/.exec(this.#do) ?? []
    if (!this.#isDue) {
      if (!text.includes(this.#at ?? '')) return
      this.#isDue = true
      // The program reacts to the second only after the first.
      if (twice === '2') setImmediate(() => setImmediate(() => this.#signal(signal!)))
      if (signal !== undefined) this.#signal(signal)
    }
    if (signal !== undefined) return
    const errno = -constants.errno[this.#do as keyof typeof constants.errno]
    throw Object.assign(new Error(`${this.#do}: planned fault`), { code: this.#do, errno, syscall: operation })
  }
}

const textOf = (data: unknown): string =>
  typeof data === 'string'
    ? data
    : ArrayBuffer.isView(data)
      ? Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8')
      : ''

/** The outcome of a child process. */
async function endOf(child: ChildProcess): Promise<Ended> {
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', text => {
      said[name] += text
    })
  const [code, signal] = await new Promise<[number | null, string | null]>(resolve =>
    child.on('close', (...ended) => resolve(ended)),
  )
  return told({ code, signal, ...said })
}

/** What the end of a program means. */
function told({ code, signal, ...said }: Omit<Whole, 'signal'> & { readonly signal: string | null }): Ended {
  const exit = code ?? SIGNALS[signal ?? ''] ?? signal ?? 'gone'
  const line = lineOf(said.stdout)
  // A command that could not begin names its error in its line; a run that stopped names it in its report.
  const named = line?.error?.code ?? /\b(FETTLE_[A-Z_]+):/.exec(said.stderr)?.[1] ?? null
  const isWhole = line !== null && line.exitCode === exit
  return { exit, code: exit === 0 ? null : named, message: said.stderr, result: null, hasLine: isWhole }
}

/** The result line, null when there is none or it is not whole. */
function lineOf(stdout: string): { exitCode?: unknown; error?: { code: string } | null } | null {
  try {
    return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
  } catch {
    return null
  }
}
