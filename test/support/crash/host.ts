/** A simulated process without a program: code that `run` starts belongs to it, until it ends. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Disk, DiskOptions } from '../disk/operations.mjs'
import { current, Gone, installGuard, living, nextPid, type Owned, unguarded } from './guard.ts'

/** Makes a disk; `hooks` send its process signals and end it. */
export type MakeDisk = (hooks: Pick<Required<DiskOptions>, 'signal' | 'end'>) => Disk

export interface HostOptions {
  readonly cwd: string
  readonly makeDisk: MakeDisk
  /** Divides every pause. */
  readonly waitDivisor?: number
  /** Handles a signal; false: it ends the process, as SIGKILL always does. */
  readonly onSignal?: (signal: string) => boolean
  readonly pid?: number
  readonly hostname?: string
}

/** How a process ended. */
export interface HostEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Host extends Owned {
  /** Resolves when the process has ended and nothing of it is left. */
  readonly ended: Promise<HostEnd>
  run<T>(action: () => T): T
  end(code: number | null, signal: NodeJS.Signals | null): void
}

/** Starts a process. */
export async function openHost(options: HostOptions): Promise<Host> {
  await installGuard()
  const { cwd, makeDisk, waitDivisor = 1, onSignal = () => false, pid = nextPid(), hostname } = options
  let report = (_: HostEnd): void => {}
  const ended = new Promise<HostEnd>(resolve => {
    report = resolve
  })
  const host: Omit<Host, 'disk'> = {
    pid,
    cwd,
    waitDivisor,
    hostname,
    intervals: new Map(),
    files: new Set(),
    handles: new Map(),
    sockets: new Set(),
    servers: new Set(),
    pending: 0,
    isGone: false,
    ended,
    run: action => current.run(host as Host, action),
    kill(name) {
      if (host.isGone || (name !== 'SIGKILL' && onSignal(name))) return
      host.end(null, name as NodeJS.Signals)
    },
    end(code, signal) {
      if (host.isGone) return
      host.isGone = true
      living.delete(pid)
      void current.exit(() => clear(host as Host, () => report({ code, signal })))
    },
  }
  const signal = (name: string): void => {
    if (name !== 'SIGKILL') {
      setImmediate(() => host.kill(name))
      return
    }
    host.kill(name)
    throw new Gone('the process is gone')
  }
  const whole = Object.assign(host, { disk: makeDisk({ signal, end: () => host.kill('SIGKILL') }) })
  living.set(pid, whole)
  return whole
}

/** Closes what a kernel would close, after the operations in progress. */
async function clear(own: Owned, done: () => void): Promise<void> {
  for (const socket of own.sockets) socket.destroy()
  for (const server of own.servers) {
    server.close()
    if ('closeAllConnections' in server) (server.closeAllConnections as () => void)()
  }
  // An operation made of several never ends when one of them met the end of its process.
  for (let turns = 0; own.pending > 0 && turns < 100; turns++) await wait(1)
  for (const file of own.files) unguarded.closeSync(file)
  // A stream that met the end of its process holds its handle open for good.
  for (const close of own.handles.values()) await Promise.race([close(), wait(100)])
  own.disk.lose()
  done()
}
