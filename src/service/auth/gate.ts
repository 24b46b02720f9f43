/**
 * Limits expensive work: a few pieces run in parallel, the rest waits in lanes that take turns. The lanes are bounded, each and
 * together, so that a flood in one lane delays no other lane; work that finds no room is rejected at once.
 */

type GateOptions = { atOnce: number; waiting: number; laneWaiting: number; refusal: () => Error }

/** Runs the work in its turn. Throws the refusal when the lane is full, or when a shorter lane needs the room. */
type Gate = <T>(lane: string, work: () => Promise<T>) => Promise<T>

export function makeGate({ atOnce, waiting, laneWaiting, refusal }: GateOptions): Gate {
  /** By lane; the first lane has the next turn. */
  const lanes = new Map<string, { enter: () => void; refuse: () => void }[]>()
  let free = atOnce
  let count = 0

  const join = (lane: string, enter: () => void, refuse: () => void): void => {
    const own = lanes.get(lane) ?? []
    if (own.length >= laneWaiting) throw refusal()
    if (count >= waiting) {
      const longest = [...lanes.values()].reduce((most, next) => (next.length > most.length ? next : most))
      // The longest lane gives up its newest piece only to a lane that stays shorter.
      if (longest.length < own.length + 2) throw refusal()
      longest.pop()?.refuse()
      count -= 1
    }
    own.push({ enter, refuse })
    lanes.set(lane, own)
    count += 1
  }

  const leave = (): void => {
    for (const [lane, all] of lanes) {
      const next = all.shift()
      lanes.delete(lane)
      if (all.length > 0) lanes.set(lane, all)
      if (next === undefined) continue
      count -= 1
      next.enter()
      return
    }
    free += 1
  }

  return async (lane, work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((enter, reject) => join(lane, enter, () => reject(refusal())))
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
