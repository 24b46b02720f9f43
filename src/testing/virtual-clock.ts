/**
 * A clock that skips waiting: when no work is in progress, time jumps to the next sleeper. It supports clock steps, suspension,
 * scheduled actions and seeded random numbers. One clock can serve several runs.
 */
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'

/** Options of a virtual clock. */
export interface VirtualClockOptions {
  /** Wall time at the start, in milliseconds since 1970; 2026-01-01 UTC if absent. */
  readonly start?: number
  /** Seed of the random numbers. */
  readonly seed?: number
  /** Whether no other work is in progress, besides files, new connections and immediates, which the clock detects: `server.pending() === 0`. */
  readonly isIdle?: () => boolean
  /** false: ignores other work of this process and uses only `isIdle`; default true. */
  readonly watchesProcess?: boolean
  /** Consecutive checks, a real millisecond apart, that must find no work before time jumps; default 2. */
  readonly looks?: number
}

/** A sleeper to wake, or an action to call, at a time of the monotonic clock. */
interface Appointment {
  readonly due: number
  readonly act: () => unknown
  /** Time jumps to a sleeper; an action waits until a sleeper sleeps past it. */
  readonly isSleeper: boolean
}

/** Resources that mean work in progress: while there are any, time does not move. */
const AT_WORK = /^(?:FSReq|CloseReq|TCPConnectWrap|PipeConnectWrap|GetAddrInfo|Immediate$)/

const isAtWork = (): boolean => process.getActiveResourcesInfo().some(name => AT_WORK.test(name))

/**
 * A clock for `run` (its option `clock`), for a client and, by `forService`, for the embedded service. `monotonic` and `now` are
 * milliseconds; both move by jumps only.
 *
 * @example
 * const clock = new VirtualClock({ seed: 7, isIdle: () => server.pending() === 0 })
 * clock.at(60_000, () => server.retarget(elsewhere))
 * await run('pipeline.yml', { clock, env: { FETTLE_URL: server.url, ...credentials } }) // two hours of polling in a second
 */
export class VirtualClock {
  /** As in the options; may be set later. */
  isIdle: () => boolean
  readonly #looks: number
  readonly #watchesProcess: boolean
  readonly #sleeps: number[] = []
  #wall: number
  #monotonic = 0
  #seed: number
  #appointments: Appointment[] = []
  #isRunning = false

  constructor(options: VirtualClockOptions = {}) {
    this.#wall = options.start ?? Date.UTC(2026, 0, 1)
    this.#seed = options.seed ?? 1
    this.isIdle = options.isIdle ?? (() => true)
    this.#watchesProcess = options.watchesProcess ?? true
    this.#looks = options.looks ?? 2
  }

  /** Every requested sleep, in order, in milliseconds. */
  get sleeps(): readonly number[] {
    return this.#sleeps
  }

  now(): number {
    return this.#wall
  }

  monotonic(): number {
    return this.#monotonic
  }

  /** The next number of the seed, in [0, 1) (mulberry32). */
  random(): number {
    this.#seed = (this.#seed + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#seed ^ (this.#seed >>> 15), 1 | this.#seed)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** Resolves after `ms`, never for Infinity; rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.#sleeps.push(ms)
    return this.#sleep(ms, signal, reject => reject(signal?.reason))
  }

  /** Calls `act` when the monotonic clock reads `ms`; time waits for its result, but does not jump to it. */
  at(ms: number, act: () => unknown): void {
    this.#add(ms - this.#monotonic, act, false)
  }

  /** Steps only the wall clock: NTP, daylight saving, a manual change. */
  jump(ms: number): void {
    this.#wall += ms
  }

  /** Suspends the machine: the wall clock moves; the monotonic clock `stands` (Linux, macOS) or `moves` (Windows). */
  suspend(ms: number, monotonic: 'stands' | 'moves' = 'stands'): void {
    this.#wall += ms
    if (monotonic === 'moves') this.#monotonic += ms
  }

  /** This clock as the embedded service needs it: aborted sleeps resolve, and `sleeps` does not list them. */
  forService(): { now(): number; elapsed(): number; sleep(ms: number, signal: AbortSignal): Promise<void> } {
    return {
      now: () => this.now(),
      elapsed: () => this.monotonic(),
      sleep: (ms, signal) => this.#sleep(ms, signal, (_reject, resolve) => resolve()),
    }
  }

  #sleep(
    ms: number,
    signal: AbortSignal | undefined,
    onAbort: (reject: (reason: unknown) => void, resolve: () => void) => void,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return onAbort(reject, resolve)
      const wake = (): void => {
        signal?.removeEventListener('abort', stop)
        resolve()
      }
      const appointment = this.#add(Math.max(0, ms), wake, true)
      const stop = (): void => {
        this.#appointments = this.#appointments.filter(other => other !== appointment)
        onAbort(reject, resolve)
      }
      signal?.addEventListener('abort', stop, { once: true })
    })
  }

  #add(ms: number, act: () => unknown, wakes: boolean): Appointment {
    const isSleeper = wakes && ms !== Number.POSITIVE_INFINITY
    const appointment = { due: this.#monotonic + ms, act, isSleeper }
    const before = this.#appointments.findIndex(other => other.due > appointment.due)
    this.#appointments.splice(before === -1 ? this.#appointments.length : before, 0, appointment)
    if (isSleeper && !this.#isRunning) void this.#run()
    return appointment
  }

  /** Advances time while there is a sleeper. */
  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#appointments.some(appointment => appointment.isSleeper)) {
      await this.#rest()
      const [next] = this.#appointments
      if (next === undefined || !this.#appointments.some(appointment => appointment.isSleeper)) break
      const ahead = Math.max(0, next.due - this.#monotonic)
      this.#monotonic += ahead
      this.#wall += ahead
      const due = this.#appointments.filter(appointment => appointment.due <= this.#monotonic)
      this.#appointments = this.#appointments.filter(appointment => appointment.due > this.#monotonic)
      for (const { act } of due) await act()
    }
    this.#isRunning = false
  }

  /** Resolves when `looks` consecutive checks found no work. */
  async #rest(): Promise<void> {
    for (let quiet = 0; quiet < this.#looks; ) {
      await turn()
      await wait(1)
      quiet = this.isIdle() && !(this.#watchesProcess && isAtWork()) ? quiet + 1 : 0
    }
  }
}
