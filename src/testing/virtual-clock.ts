/**
 * A clock on which nobody really waits: when all work has come to rest, time jumps to whoever wakes first. It has steps,
 * suspension and appointments, and seeded chance. It knows no run; one clock may serve many at once.
 */
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'

/** How a virtual clock begins. */
export interface VirtualClockOptions {
  /** Wall time at the start, in milliseconds since 1970; 2026-01-01 UTC if absent. */
  readonly start?: number
  /** Of the chance; the same seed gives the same numbers. */
  readonly seed?: number
  /** Whether nobody is at work besides what the clock sees by itself (files, new connections, immediates): `server.pending() === 0`. */
  readonly isIdle?: () => boolean
  /** false: others are at work in this process too, so that `isIdle` alone tells; true if absent. */
  readonly watchesProcess?: boolean
  /** How many looks in a row, a real millisecond apart, must find everything at rest before time jumps; 2 if absent. */
  readonly looks?: number
}

/** Somebody to be woken, or something to be done, at a time of the monotonic clock. */
interface Appointment {
  readonly due: number
  readonly act: () => unknown
  /** Time jumps for a sleeper; what is only to happen then waits until somebody sleeps past it. */
  readonly isSleeper: boolean
}

/** Work of this process that no sleeper waits for: while there is any, time stands still. */
const AT_WORK = /^(?:FSReq|CloseReq|TCPConnectWrap|PipeConnectWrap|GetAddrInfo|Immediate$)/

const isAtWork = (): boolean => process.getActiveResourcesInfo().some(name => AT_WORK.test(name))

/**
 * A clock for `world.clock` of a run, for a client and, by `forService`, for the embedded service. `monotonic` and `now` are
 * milliseconds; both stand still but for jumps.
 *
 * @example
 * const clock = new VirtualClock({ seed: 7, isIdle: () => server.pending() === 0 })
 * clock.at(60_000, () => server.retarget(elsewhere))
 * await startRun(source, { ...settings, world: { clock } }) // two hours of polling in a second
 */
export class VirtualClock {
  /** As in the options; it may be set later, when what it asks about exists. */
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

  /** Every sleep asked for, in order, in milliseconds. */
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

  /** Resolves once time has come `ms` further, never for Infinity; rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.#sleeps.push(ms)
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const act = (): void => {
        signal?.removeEventListener('abort', stop)
        resolve()
      }
      const appointment = this.#add(Math.max(0, ms), act, true)
      const stop = (): void => {
        this.#appointments = this.#appointments.filter(one => one !== appointment)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', stop, { once: true })
    })
  }

  /** Does something when the monotonic clock reads `ms`; time waits for it to be done, but does not jump for its sake. */
  at(ms: number, act: () => unknown): void {
    this.#add(ms - this.#monotonic, act, false)
  }

  /** Steps the wall clock alone: NTP, daylight saving, a hand on the clock. */
  jump(ms: number): void {
    this.#wall += ms
  }

  /** The machine sleeps: the wall clock moves on; the monotonic one `stands` (Linux, macOS) or `moves` (Windows) with it. */
  suspend(ms: number, monotonic: 'stands' | 'moves' = 'stands'): void {
    this.#wall += ms
    if (monotonic === 'moves') this.#monotonic += ms
  }

  /** The same clock in the form the embedded service takes; its sleeps end early instead of failing, and are not listed. */
  forService(): { now(): number; elapsed(): number; sleep(ms: number, signal: AbortSignal): Promise<void> } {
    return {
      now: () => this.now(),
      elapsed: () => this.monotonic(),
      sleep: (ms, signal) =>
        new Promise(resolve => {
          if (signal.aborted) return resolve()
          const appointment = this.#add(ms, resolve, true)
          signal.addEventListener('abort', () => {
            this.#appointments = this.#appointments.filter(one => one !== appointment)
            resolve()
          })
        }),
    }
  }

  #add(ms: number, act: () => unknown, wakes: boolean): Appointment {
    const isSleeper = wakes && ms !== Number.POSITIVE_INFINITY
    const appointment = { due: this.#monotonic + ms, act, isSleeper }
    const before = this.#appointments.findIndex(one => one.due > appointment.due)
    this.#appointments.splice(before === -1 ? this.#appointments.length : before, 0, appointment)
    if (isSleeper && !this.#isRunning) void this.#run()
    return appointment
  }

  /** Lets time go on for as long as somebody sleeps. */
  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#appointments.some(one => one.isSleeper)) {
      await this.#rest()
      const [next] = this.#appointments
      if (next === undefined || !this.#appointments.some(one => one.isSleeper)) break
      const ahead = Math.max(0, next.due - this.#monotonic)
      this.#monotonic += ahead
      this.#wall += ahead
      const due = this.#appointments.filter(one => one.due <= this.#monotonic)
      this.#appointments = this.#appointments.filter(one => one.due > this.#monotonic)
      for (const { act } of due) await act()
    }
    this.#isRunning = false
  }

  /** Resolves when everything has been at rest for a while of real time. */
  async #rest(): Promise<void> {
    for (let quiet = 0; quiet < this.#looks; ) {
      await turn()
      await wait(1)
      quiet = this.isIdle() && !(this.#watchesProcess && isAtWork()) ? quiet + 1 : 0
    }
  }
}
