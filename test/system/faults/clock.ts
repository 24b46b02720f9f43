/**
 * The clock of one run among several in a process: waiting is skipped, and time jumps only while no request of this run is in
 * progress. Random numbers are always one half.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../../src/model/requests.ts'

interface Sleeper {
  readonly due: number
  readonly isLimit: boolean
  readonly wake: () => void
}

export class CellClock implements Clock {
  #monotonic = 0
  #wall = Date.UTC(2026, 0, 1)
  #sleepers: Sleeper[] = []
  #isRunning = false
  readonly #isQuiet: () => boolean
  readonly #limitMs: number | null

  /** `isQuiet`: none of the run's requests is on its way. `limitMs`: a sleep of just that length lets no time pass by itself. */
  constructor(isQuiet: () => boolean, limitMs: number | null) {
    this.#isQuiet = isQuiet
    this.#limitMs = limitMs
  }

  now = (): number => this.#wall
  monotonic = (): number => this.#monotonic
  random = (): number => 0.5

  /** Steps the wall clock alone. */
  jump(ms: number): void {
    this.#wall += ms
  }

  sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const leave = (): void => {
        this.#sleepers = this.#sleepers.filter(one => one !== sleeper)
        reject(signal?.reason)
      }
      const sleeper = {
        due: this.#monotonic + Math.max(0, ms),
        isLimit: ms === this.#limitMs,
        wake: () => {
          signal?.removeEventListener('abort', leave)
          resolve()
        },
      }
      signal?.addEventListener('abort', leave, { once: true })
      this.#sleepers.push(sleeper)
      if (!this.#isRunning) void this.#run()
    })

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#sleepers.some(one => !one.isLimit)) {
      for (let quiet = 0; quiet < 2; quiet = this.#isQuiet() ? quiet + 1 : 0) await wait(1)
      if (!this.#sleepers.some(one => !one.isLimit)) break
      const due = Math.min(...this.#sleepers.map(one => one.due))
      const ahead = Math.max(0, due - this.#monotonic)
      this.#monotonic += ahead
      this.#wall += ahead
      const awake = this.#sleepers.filter(one => one.due <= this.#monotonic)
      this.#sleepers = this.#sleepers.filter(one => one.due > this.#monotonic)
      for (const { wake } of awake) wake()
    }
    this.#isRunning = false
  }
}
