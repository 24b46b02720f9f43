/**
 * Separates simulated processes in this one: each has its own process id, working directory, files, sockets and timers. Once a
 * simulated process is gone, none of its calls has an effect: synchronous ones throw, all others never return.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import fs from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { Server, Socket } from 'node:net'
import os from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import timers from 'node:timers/promises'
import { type Disk, watchDisks } from '../disk/operations.mjs'

/** What belongs to a simulated process, as a kernel would keep it. */
export interface Owned {
  readonly pid: number
  readonly cwd: string
  readonly disk: Disk
  /** Divides every pause. */
  readonly waitDivisor: number
  /** The name of its machine; that of this one if absent. */
  readonly hostname?: string | undefined
  /** What it does at intervals. */
  readonly intervals: Map<unknown, () => unknown>
  readonly files: Set<number>
  /** How each open handle is really closed. */
  readonly handles: Map<FileHandle, () => Promise<void>>
  readonly sockets: Set<Socket>
  readonly servers: Set<Server>
  /** Operations on files in progress. */
  pending: number
  isGone: boolean
  kill(signal: string): void
}

/** The simulated process in which code runs; undefined in the test itself. */
export const current = new AsyncLocalStorage<Owned>()

/** Thrown by synchronous calls of a process that is gone. */
export class Gone extends Error {
  readonly code = 'EGONE'
}

const isGone = (error: unknown): boolean => {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof Gone) return true
  return false
}

/** The living simulated processes. No real one has such a number: Linux gives at most 2^22. */
export const living = new Map<number, Owned>()
const FIRST_PID = 50_000_000
let lastPid = FIRST_PID
export const nextPid = (): number => ++lastPid

type Call = (...args: unknown[]) => unknown
type Calls = Record<string, Call>

/** Without guards, whatever was loaded later: for the end of a process, and for what a test does with files while one runs. */
export const unguarded: typeof fs = { ...fs }

const never = new Promise<never>(() => {})
const TWO_PATHS = new Set(['rename', 'link', 'copyFile', 'cp'])
/** Modules are loaded once for all processes: one that is gone must not spoil them. */
const isShared = (target: unknown): boolean =>
  typeof target === 'string' && /\/node_modules\/|\/(?:dist|build)\/|^\/proc\//.test(target)

/** Relative paths are those of the simulated process. */
function placed(name: string, args: unknown[], { cwd }: Owned): unknown[] {
  const whole = (at: number): void => {
    const path = args[at]
    if (typeof path === 'string' && !isAbsolute(path)) args[at] = resolve(cwd, path)
  }
  whole(0)
  if (TWO_PATHS.has(name)) whole(1)
  return args
}

function guardSync(calls: Calls, name: string): void {
  const inner = calls[name]!
  const base = name.slice(0, -'Sync'.length)
  calls[name] = (...args) => {
    const own = current.getStore()
    if (own === undefined || isShared(args[0])) return inner(...args)
    if (own.isGone) throw new Gone('the process is gone')
    const result = inner(...placed(base, args, own))
    if (name === 'openSync') own.files.add(result as number)
    if (name === 'closeSync') own.files.delete(args[0] as number)
    if (own.isGone) throw new Gone('the process is gone')
    return result
  }
}

function guardCallback(calls: Calls, name: string): void {
  const inner = calls[name]!
  calls[name] = (...args) => {
    const own = current.getStore()
    const done = args.at(-1)
    if (own === undefined || typeof done !== 'function' || isShared(args[0])) return inner(...args)
    if (own.isGone) return undefined
    own.pending++
    const settle = (...results: unknown[]): void => {
      own.pending--
      if (name === 'open' && results[0] == null) own.files.add(results[1] as number)
      if (name === 'close') own.files.delete(args[0] as number)
      if (!own.isGone) (done as Call)(...results)
    }
    try {
      return inner(...placed(name, args, own).slice(0, -1), settle)
    } catch (error) {
      own.pending--
      throw error
    }
  }
}

/** `close` is a property of each handle. */
function keep(handle: FileHandle, own: Owned): void {
  const { close } = handle
  own.handles.set(handle, close)
  handle.close = async () => {
    if (own.isGone) return never
    own.handles.delete(handle)
    await close()
    return own.isGone ? never : undefined
  }
}

function guardPromise(calls: Calls, name: string, isHandle = false): void {
  const inner = calls[name]!
  calls[name] = async function (this: unknown, ...args: unknown[]) {
    const own = current.getStore()
    if (own === undefined || (!isHandle && isShared(args[0]))) return inner.apply(this, args)
    if (own.isGone) return never
    own.pending++
    try {
      const result = await inner.apply(this, isHandle ? args : placed(name, args, own))
      if (name === 'open') keep(result as FileHandle, own)
      if (!own.isGone) return result
    } catch (error) {
      if (!own.isGone) throw error
    } finally {
      own.pending--
    }
    return never
  }
}

const IN_HANDLE = 'appendFile chmod chown datasync read readFile readv stat sync truncate utimes write writeFile writev'
const NO_CALLS = /^(?:[A-Z_]|create|watch|unwatch|openAsBlob|promises|constants)/

async function guardFiles(): Promise<void> {
  const calls = fs as unknown as Calls
  for (const name of Object.keys(fs).filter(one => !NO_CALLS.test(one) && typeof calls[one] === 'function'))
    if (name.endsWith('Sync')) guardSync(calls, name)
    else guardCallback(calls, name)
  const promises = fs.promises as unknown as Calls
  for (const name of Object.keys(promises)) if (typeof promises[name] === 'function') guardPromise(promises, name)
  const probe = await fs.promises.open('/dev/null')
  const handles = Object.getPrototypeOf(probe) as Calls
  await probe.close()
  for (const name of IN_HANDLE.split(' ')) guardPromise(handles, name, true)
}

function guardNetwork(): void {
  const { connect } = Socket.prototype
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
    const own = current.getStore()
    if (own?.isGone) return this.destroy()
    own?.sockets.add(this)
    this.once('close', () => own?.sockets.delete(this))
    return (connect as unknown as Call).apply(this, args)
  } as unknown as typeof connect
  const { listen } = Server.prototype
  Server.prototype.listen = function (this: Server, ...args: unknown[]) {
    current.getStore()?.servers.add(this)
    return (listen as unknown as Call).apply(this, args)
  } as unknown as typeof listen
}

function guardTimers(): void {
  for (const name of ['setTimeout', 'setInterval', 'setImmediate'] as const) {
    const inner = globalThis[name] as unknown as Call
    const guarded = (action: Call, ...rest: unknown[]): unknown => {
      const own = current.getStore()
      if (own === undefined) return inner(action, ...rest)
      const handle = inner((...args: unknown[]) => (own.isGone ? undefined : action(...args)), ...rest)
      if (name === 'setInterval') own.intervals.set(handle, action)
      return handle
    }
    Object.assign(globalThis, { [name]: Object.defineProperties(guarded, Object.getOwnPropertyDescriptors(inner)) })
  }
  const clear = globalThis.clearInterval
  globalThis.clearInterval = handle => {
    current.getStore()?.intervals.delete(handle)
    clear(handle)
  }
  const wait = timers.setTimeout
  timers.setTimeout = (async (ms = 1, ...rest: []) => {
    const own = current.getStore()
    if (own === undefined) return wait(ms, ...rest)
    if (own.isGone) return never
    const result = await wait(ms / own.waitDivisor, ...rest)
    return own.isGone ? never : result
  }) as typeof wait
}

/** Does what the living processes do at intervals, as if time had passed. */
export function passInterval(): void {
  for (const own of living.values()) for (const action of [...own.intervals.values()]) current.run(own, action)
}

function guardProcess(): void {
  const { pid, cwd, kill } = process
  const { hostname } = os
  os.hostname = () => current.getStore()?.hostname ?? hostname()
  Object.defineProperty(process, 'pid', { get: () => current.getStore()?.pid ?? pid, configurable: true })
  process.cwd = () => current.getStore()?.cwd ?? cwd()
  process.kill = (to, signal = 'SIGTERM') => {
    if (to < FIRST_PID) return kill(to, signal)
    const target = living.get(to)
    if (target === undefined) throw Object.assign(new Error(`kill ESRCH`), { code: 'ESRCH', syscall: 'kill' })
    if (signal !== 0) target.kill(String(signal))
    return true
  }
  // A process that is gone cannot fail any more.
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    for (const listener of process.listeners(event as 'uncaughtException')) {
      process.off(event, listener)
      process.on(event, (...args: unknown[]) => (isGone(args[0]) ? undefined : (listener as unknown as Call)(...args)))
    }
}

/**
 * undici has one timer for the timeouts of all connections, kept for good by whoever needs it first. It belongs to none of the
 * processes: the end of its owner would take the timeouts of all others with it.
 */
function startSharedTimer(): void {
  const { setFastTimeout } = createRequire(import.meta.url)('undici/lib/util/timers.js')
  setFastTimeout(() => {}, 0)
}

let installed: Promise<void> | null = null

/** Guards the modules of Node once for this process. */
export function installGuard(): Promise<void> {
  installed ??= (async () => {
    await watchDisks(() => current.getStore()?.disk ?? null)
    await guardFiles()
    guardNetwork()
    current.exit(startSharedTimer)
    guardTimers()
    guardProcess()
    syncBuiltinESMExports()
  })()
  return installed
}
