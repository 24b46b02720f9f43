/** The pace of accounts that are shared with other processes: every request waits for a turn of the queue's besides its own. */
import { createHash } from 'node:crypto'
import type { Shared } from '../client/index.ts'
import { DEFAULT_RUNTIME, type Runtime } from '../env/runtime.ts'
import { type Connected, openSharedRateLimiter } from '../queue/index.ts'

type Pace = Shared['pace']
type Turns = Awaited<ReturnType<typeof openSharedRateLimiter>>

/** The runtimes of runs whose requests take turns with requests of other processes, by account. */
export interface SharedRuntimes {
  /** The runtime of a run that asks as `identity`. */
  readonly of: (identity: string) => Runtime
  readonly close: () => Promise<void>
}

/**
 * A runtime whose requests leave only while `hold` finds the shard still ours: between what was recorded and a turn may lie a long
 * wait, and in it a worker may have been out of breath.
 */
export const withLease = (runtime: Runtime, hold: (signal: AbortSignal) => Promise<void>): Runtime => ({
  ...runtime,
  pace: (own, rate) => {
    const pace = runtime.pace?.(own, rate) ?? own
    return {
      ...pace,
      async enter(caller) {
        const leave = await pace.enter(caller)
        try {
          await hold(AbortSignal.any(listSignals(caller)))
          return leave
        } catch (error) {
          leave(false)
          throw error
        }
      },
    }
  },
})

const listSignals = ({ signal, stop }: Parameters<Pace['enter']>[0]): AbortSignal[] =>
  [signal, stop].filter(one => one !== undefined)

export function sharedRuntimes(connected: Connected): SharedRuntimes {
  const opened = new Map<string, Promise<Turns>>()
  const paced = (own: Pace, open: () => Promise<Turns>): Pace => ({
    limit: own.limit,
    async enter(caller) {
      await (await open()).take(AbortSignal.any(listSignals(caller)))
      return own.enter(caller)
    },
    pause(ms) {
      own.pause(ms)
      open()
        .then(turns => turns.pause(ms))
        .catch(() => {})
    },
  })
  return {
    of: identity => ({
      ...DEFAULT_RUNTIME,
      pace: (own, rate) => {
        if (rate == null) return own
        const account = createHash('sha256').update(identity).digest('hex').slice(0, 12)
        const key = `${account} ${rate.requests}/${rate.perMs}`
        return paced(own, () => {
          const turns = opened.get(key) ?? openSharedRateLimiter(connected, account, rate)
          opened.set(key, turns)
          return turns
        })
      },
    }),
    close: async () => {
      await Promise.allSettled([...opened.values()].map(async turns => (await turns).close()))
    },
  }
}
