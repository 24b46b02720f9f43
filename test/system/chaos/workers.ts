/**
 * The processes that execute runs: several runs in each, so that a SIGKILL ends all of them. Every other process also dies at
 * a random file operation: before it, after it, or in the middle of a write.
 */
import type { ChildProcess } from 'node:child_process'
import { type Draw, pick } from './chance.ts'
import { kill, startChild } from './child.ts'

/** What a worker is told of a run. */
export interface Task {
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  readonly seed: number
  readonly isPatient: boolean
  readonly again: 'run' | 'resume'
}

/** How a command ended. */
export interface Ended {
  readonly exitCode: number
  readonly error: string | null
  readonly runId?: string
  readonly finished?: boolean
  readonly issues?: readonly string[]
  readonly jobId?: string | null
  readonly totals?: Readonly<Record<string, number | null>>
}

/** `killed`: its process is gone, and nobody knows how far it came. */
export type Outcome = Ended | 'killed'

/** A command in the hands of a process. */
export interface Command {
  readonly outcome: Promise<Outcome>
  /** Kills the process, with all that is in its hands. */
  kill(): void
}

interface Worker {
  readonly child: ChildProcess
  readonly inHand: Map<number, (outcome: Outcome) => void>
  /** Whether somebody asked for its death. */
  isAsked: boolean
}

/** How many, and what befalls them. */
export interface WorkerOptions {
  readonly product: string
  readonly places: string
  readonly processes: number
  readonly runsEach: number
  /** For deaths at the disk; null for none. */
  readonly disk: Draw | null
}

/** Those who execute commands. */
export interface Hands {
  /** Runs side by side in one process. */
  readonly runsEach: number
  /** Processes killed by `kill`, and those that died at the disk. */
  readonly kills: { readonly asked: number; readonly disk: number }
  /** Has the process of this slot carry out a command. */
  give(slot: number, task: Task): Promise<Command>
  close(): Promise<void>
}

/** What befalls the files of a process: a death at one of their operations. */
export const deathAt = (disk: Draw): string => `${pick(disk, ['SIGKILL', 'killed', 'cut'])}@${20 + Math.floor(disk() * 2_000)}`

/** Processes that take commands. */
export class Workers implements Hands {
  readonly #options: WorkerOptions
  readonly #slots: Promise<Worker>[]
  #spare: Promise<Worker> | null = null
  #id = 0
  #isClosing = false
  readonly kills = { asked: 0, disk: 0 }

  get runsEach(): number {
    return this.#options.runsEach
  }

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#slots = Array.from({ length: options.processes }, () => this.#make())
    for (const slot of this.#slots) slot.catch(() => {})
    this.#prepare()
  }

  async give(slot: number, task: Task): Promise<Command> {
    const at = slot % this.#slots.length
    let worker: Worker
    for (;;) {
      const here = this.#slots[at] as Promise<Worker>
      worker = await here
      if (isAlive(worker)) break
      // Several may have found it dead; the first replaces it.
      if (this.#slots[at] === here) this.#replace(at)
    }
    const id = ++this.#id
    const outcome = new Promise<Outcome>(resolve => worker.inHand.set(id, resolve))
    // A process that is dying takes no message: its exit tells. Told at once, the next try would come before that, without end.
    worker.child.send({ id, ...task }, () => {})
    const stop = (): void => {
      if (!isAlive(worker)) return
      worker.isAsked = true
      worker.child.kill('SIGKILL')
    }
    return { outcome, kill: stop }
  }

  async close(): Promise<void> {
    this.#isClosing = true
    for (const slot of [...this.#slots, this.#spare]) {
      const worker = await slot?.catch(() => null)
      if (worker != null) await kill(worker.child)
    }
  }

  #prepare(): void {
    this.#spare = this.#make()
    this.#spare.catch(() => {})
  }

  #replace(at: number): void {
    this.#slots[at] = this.#spare ?? this.#make()
    this.#prepare()
  }

  async #make(): Promise<Worker> {
    const { product, places, disk } = this.#options
    const atDisk = disk !== null && disk() < 0.5
    const preload = new URL('../../support/faulty-disk.mjs', import.meta.url).href
    const fault = disk === null ? '' : deathAt(disk)
    const child = await startChild({
      script: 'worker.mjs',
      args: [product],
      ...(atDisk ? { execArgv: ['--import', preload], env: { FAULT: fault, FAULT_PATHS: places } } : {}),
    })
    const worker: Worker = { child, inHand: new Map(), isAsked: false }
    child.on('message', message => {
      const { id, ended } = message as { id: number; ended: Ended }
      this.#settle(worker, id, ended)
    })
    child.on('error', () => {})
    child.once('exit', () => {
      if (!this.#isClosing) this.kills[worker.isAsked ? 'asked' : 'disk']++
      for (const id of worker.inHand.keys()) this.#settle(worker, id, 'killed')
    })
    return worker
  }

  #settle(worker: Worker, id: number, outcome: Outcome): void {
    worker.inHand.get(id)?.(outcome)
    worker.inHand.delete(id)
  }
}

const isAlive = ({ child }: Worker): boolean =>
  child.connected && child.exitCode === null && child.signalCode === null && !child.killed
