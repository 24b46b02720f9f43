/**
 * Runs the built program in this process as if it were a separate process: `kill` drops it where it stands, closes its files and
 * sockets, and the next one has nothing but the disk.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Disk, DiskOptions } from '../disk/operations.mjs'
import { closeSync, current, Gone, installGuard, living, nextPid, type Owned } from './guard.ts'
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
  /** Makes its disk; `hooks` send it signals and end it. */
  readonly makeDisk: (hooks: Pick<Required<DiskOptions>, 'signal' | 'end'>) => Disk
}

/** A simulated process, with what tests use of a child process. */
export interface Simulated {
  readonly pid: number
  kill(signal?: NodeJS.Signals): boolean
}

interface Product {
  readonly runProgram: typeof import('../../../src/cli/program.ts').runProgram
  readonly runtime: typeof import('../../../src/app/env/runtime.ts')
  readonly version: typeof import('../../../src/files/file-version.ts')
  readonly FettleError: typeof import('../../../src/errors.ts').FettleError
}

interface Process extends Owned {
  readonly stop: AbortController
  readonly written: { stdout: string; stderr: string }
  clients: unknown
  end(code: number | null, signal: NodeJS.Signals | null): void
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
    load<Product['runtime']>(at('app/env/runtime.js')),
    load<Product['version']>(at('files/file-version.js')),
    load<Product>(at('errors.js')),
  ])
  const get = (): unknown => {
    const own = current.getStore() as Process | undefined
    if (own === undefined) return undefined
    own.clients ??= runtime.createClientState()
    return own.clients
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
  let settle = { resolve: (_: Ended): void => {}, reject: (_: unknown): void => {} }
  const ended = new Promise<Ended>((resolve, reject) => {
    settle = { resolve, reject }
  })
  let own: Process | null = null
  let early: NodeJS.Signals | null = null
  const begin = async (): Promise<void> => {
    await installGuard()
    const product = await productAt(program.dist)
    forgetHashes(product)
    own = processOf(program, pid, product, settle.resolve)
    living.set(pid, own)
    if (early !== null) own.kill(early)
    const { runProgram } = product
    const { stop, written } = own
    const write = (name: 'stdout' | 'stderr', end: '' | '\n') => (text: string) => {
      if (!own?.isGone) written[name] += end === '' || text.endsWith('\n') ? text : `${text}\n`
    }
    const io = {
      env: program.env,
      cwd: program.cwd,
      stdin: () => process.stdin,
      out: write('stdout', '\n'),
      err: write('stderr', '\n'),
      draw: write('stderr', ''),
      isTerminal: false,
      columns: () => 80,
      rows: () => 24,
      colour: { out: false, err: false },
      signal: stop.signal,
    }
    const code = await current.run(own, () => runProgram(program.args, io))
    own.end(code, null)
  }
  begin().catch(settle.reject)
  const kill = (signal: NodeJS.Signals = 'SIGTERM'): boolean => {
    if (own === null) early = signal
    else own.kill(signal)
    return own === null || !own.isGone
  }
  return { child: { pid, kill }, ended }
}

function processOf(program: Program, pid: number, product: Product, report: (ended: Ended) => void): Process {
  const { cwd } = program
  const own: Omit<Process, 'disk'> = {
    pid,
    cwd,
    waitDivisor: Number(program.env.WAIT_DIVISOR ?? 1),
    files: new Set(),
    handles: new Map(),
    sockets: new Set(),
    servers: new Set(),
    pending: 0,
    isGone: false,
    stop: new AbortController(),
    written: { stdout: '', stderr: '' },
    clients: undefined,
    kill(name) {
      if (this.isGone) return
      const code = SIGNALS[name as keyof typeof SIGNALS]
      if (code === undefined || this.stop.signal.aborted) this.end(null, name as NodeJS.Signals)
      else this.stop.abort(new product.FettleError(code))
    },
    end(code, signal) {
      if (this.isGone) return
      this.isGone = true
      living.delete(pid)
      void current.exit(() => clear(this as Process, () => report({ code, signal, ...this.written })))
    },
  }
  const signal = (name: string): void => {
    if (name !== 'SIGKILL') {
      setImmediate(() => own.kill(name))
      return
    }
    own.kill(name)
    throw new Gone('the process is gone')
  }
  return Object.assign(own, { disk: program.makeDisk({ signal, end: () => own.kill('SIGKILL') }) })
}

/** Closes what a kernel would close, after the operations in progress. */
async function clear(own: Process, done: () => void): Promise<void> {
  for (const socket of own.sockets) socket.destroy()
  for (const server of own.servers) {
    server.close()
    if ('closeAllConnections' in server) (server.closeAllConnections as () => void)()
  }
  while (own.pending > 0) await turn()
  for (const file of own.files) closeSync(file)
  for (const close of own.handles.values()) await close()
  own.disk.lose()
  done()
}
