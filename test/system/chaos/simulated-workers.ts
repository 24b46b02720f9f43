/** Executes runs in this process as if it were several: a kill takes all runs of one of them. Every other one dies at its files. */
import { type Host, openHost } from '../../support/crash/host.ts'
import { Disk } from '../../support/disk/operations.mjs'
import { loadExecute } from './execute.mjs'
import { type Command, deathAt, type Ended, type Hands, type Outcome, type Task, type WorkerOptions } from './workers.ts'

interface Slot {
  readonly host: Host
  isAsked: boolean
}

export class SimulatedWorkers implements Hands {
  readonly kills = { asked: 0, disk: 0 }
  readonly runsEach: number
  readonly #options: WorkerOptions
  readonly #slots: Promise<Slot>[]
  readonly #execute: Promise<(task: Task) => Promise<Ended>>
  #isClosing = false

  constructor(options: WorkerOptions) {
    this.#options = options
    this.runsEach = options.runsEach
    this.#execute = loadExecute(options.product)
    this.#slots = Array.from({ length: options.processes }, () => this.#open())
  }

  async give(slot: number, task: Task): Promise<Command> {
    const execute = await this.#execute
    const at = slot % this.#slots.length
    let taken = await (this.#slots[at] as Promise<Slot>)
    while (taken.host.isGone) {
      const here = this.#slots[at] as Promise<Slot>
      taken = await here
      // Several may have found it dead; the first replaces it.
      if (taken.host.isGone && this.#slots[at] === here) this.#slots[at] = this.#open()
    }
    const { host } = taken
    const killed = host.ended.then((): Outcome => 'killed')
    const outcome = Promise.race([host.run(() => execute(task)), killed])
    const kill = (): void => {
      if (host.isGone) return
      taken.isAsked = true
      host.kill('SIGKILL')
    }
    return { outcome, kill }
  }

  async close(): Promise<void> {
    this.#isClosing = true
    for (const slot of this.#slots) {
      const { host } = await slot
      host.kill('SIGKILL')
      await host.ended
    }
  }

  async #open(): Promise<Slot> {
    const { places, disk } = this.#options
    const fault = disk !== null && disk() < 0.5 ? deathAt(disk) : ''
    const host = await openHost({ cwd: places, makeDisk: hooks => new Disk({ fault, paths: [places], ...hooks }) })
    const slot = { host, isAsked: false }
    void host.ended.then(() => {
      if (!this.#isClosing) this.kills[slot.isAsked ? 'asked' : 'disk']++
    })
    return slot
  }
}
