/**
 * Runs the built program in this process as if it were a separate process: `kill` drops it where it stands, closes its files and
 * sockets, and the next one has nothing but the disk.
 */
import { pathToFileURL } from 'node:url'
import { current, nextPid } from './guard.ts'
import { type Host, type MakeDisk, openHost } from './host.ts'
import { load } from './native.mjs'

/** How a program ended: by an exit code or by a signal. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stderr: string
  readonly stdout: string
}

/** What is started, and where. */
export interface Program {
  /** The folder with a module for each source file (scripts/build.mjs). */
  readonly dist: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly makeDisk: MakeDisk
}

/** A simulated process, with what tests use of a child process. */
export interface Simulated {
  readonly pid: number
  kill(signal?: NodeJS.Signals): boolean
}

interface Product {
  readonly runProgram: typeof import('../../../src/cli/program.ts').runProgram
  readonly runtime: typeof import('../../../src/env/runtime.ts')
  readonly version: typeof import('../../../src/files/open-input.ts')
  readonly FettleError: typeof import('../../../src/errors.ts').FettleError
}

const products = new Map<string, Promise<Product>>()

/** Loads a build once; what it keeps in memory for all its runs is separate for each simulated process. */
function productAt(dist: string): Promise<Product> {
  const found = products.get(dist) ?? loadProduct(dist)
  products.set(dist, found)
  return found
}

async function loadProduct(dist: string): Promise<Product> {
  const at = (name: string) => pathToFileURL(`${dist}/${name}`).href
  const [{ runProgram }, runtime, version, { FettleError }] = await Promise.all([
    load<Product>(at('cli/program.js')),
    load<Product['runtime']>(at('env/runtime.js')),
    load<Product['version']>(at('files/open-input.js')),
    load<Product>(at('errors.js')),
  ])
  const states = new WeakMap<object, unknown>()
  const get = (): unknown => {
    const own = current.getStore()
    if (own === undefined) return undefined
    if (!states.has(own)) states.set(own, runtime.createClientState())
    return states.get(own)
  }
  Object.defineProperty(runtime.DEFAULT_RUNTIME, 'clients', { get })
  return { runProgram, runtime, version, FettleError }
}

/** Hashes that an earlier process read are forgotten. */
function forgetHashes({ version }: Product): void {
  for (let n = 0; n <= 1_000; n++) version.rememberHash({ id: `forgotten ${n}`, bytes: 0, mtimeMs: 0, ctimeMs: 0 }, '')
}

const SIGNALS = { SIGINT: 'FETTLE_SIGINT', SIGTERM: 'FETTLE_SIGTERM' } as const

/** Starts a program; resolves `ended` when it has returned or was killed, and nothing of it is left. */
export function startProgram(program: Program): { child: Simulated; ended: Promise<Ended> } {
  const pid = nextPid()
  const { cwd, env, args, makeDisk } = program
  let host: Host | null = null
  let early: NodeJS.Signals | null = null
  const begin = async (): Promise<Ended> => {
    const product = await productAt(program.dist)
    forgetHashes(product)
    const stop = new AbortController()
    const written = { stdout: '', stderr: '' }
    const onSignal = (name: string): boolean => {
      const code = SIGNALS[name as keyof typeof SIGNALS]
      if (code === undefined || stop.signal.aborted) return false
      stop.abort(new product.FettleError(code))
      return true
    }
    const own = await openHost({ pid, cwd, makeDisk, waitDivisor: Number(env.WAIT_DIVISOR ?? 1), onSignal })
    host = own
    if (early !== null) own.kill(early)
    const write = (name: 'stdout' | 'stderr', end: '' | '\n') => (text: string) => {
      if (!own.isGone) written[name] += end === '' || text.endsWith('\n') ? text : `${text}\n`
    }
    const io = {
      env,
      cwd,
      stdin: () => process.stdin,
      out: write('stdout', '\n'),
      text: write('stdout', '\n'),
      err: write('stderr', '\n'),
      draw: write('stderr', ''),
      isTerminal: false,
      columns: () => 80,
      rows: () => 24,
      colour: { out: false, err: false },
      signal: stop.signal,
    }
    const returned = own.run(() => product.runProgram(args, io)).then(code => own.end(code, null))
    // A program that was killed never returns.
    const ended = await Promise.race([own.ended, returned.then(() => own.ended)])
    return { ...ended, ...written }
  }
  const kill = (signal: NodeJS.Signals = 'SIGTERM'): boolean => {
    if (host === null) early = signal
    else host.kill(signal)
    return host === null || !host.isGone
  }
  return { child: { pid, kill }, ended: begin() }
}
