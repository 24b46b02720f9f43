/** A virtual clock: it advances when a caller sleeps on it, and can schedule actions. */
import type { Clock } from '../../../src/model/requests.ts'

export class VirtualClock implements Clock {
  #ms = 0
  #wall = Date.UTC(2025, 0, 1)
  #events: { at: number; run: () => void }[] = []
  readonly sleeps: number[] = []
  /** What `random` gives. */
  chance = 0.5

  now(): number {
    return this.#wall + this.#ms
  }

  /** The wall clock alone moves: a machine that slept, or a hand on the clock. */
  suspend(ms: number): void {
    this.#wall += ms
  }

  monotonic(): number {
    return this.#ms
  }

  random(): number {
    return this.chance
  }

  /** Runs something when the clock passes `at` milliseconds. */
  at(at: number, run: () => void): void {
    this.#events = [...this.#events, { at, run }].sort((a, b) => a.at - b.at)
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    const until = this.#ms + ms
    while (this.#events[0] !== undefined && this.#events[0].at <= until) {
      const [event, ...rest] = this.#events
      this.#events = rest
      this.#ms = Math.max(this.#ms, event.at)
      event.run()
      signal?.throwIfAborted()
    }
    this.#ms = until
    this.sleeps.push(ms)
  }
}
