/**
 * The way to work that costs much: few pieces side by side, and the rest waits in lanes that take turns. What waits is bounded, in
 * a lane and in all, so that a flood in one lane delays no other one, and what finds no place is refused at once.
 */

/** Bounds of a gate. */
export interface GateOptions {
  readonly atOnce: number
  /** Most pieces that wait, in all lanes together. */
  readonly waiting: number
  /** Most pieces that wait in one lane. */
  readonly laneWaiting: number
  /** What is thrown for a piece that finds no place. */
  readonly refusal: () => Error
}

/** Does the work when its turn comes. Throws the refusal when it cannot wait, or must leave its place to a lane that has fewer. */
export type Gate = <T>(lane: string, work: () => Promise<T>) => Promise<T>

interface Waiting {
  readonly enter: () => void
  readonly refuse: () => void
}

/** A gate. */
export function makeGate({ atOnce, waiting, laneWaiting, refusal }: GateOptions): Gate {
  /** By lane; the first lane is the next to have its turn. */
  const lanes = new Map<string, Waiting[]>()
  let free = atOnce
  let count = 0

  const join = (lane: string, one: Waiting): void => {
    const own = lanes.get(lane) ?? []
    if (own.length >= laneWaiting) throw refusal()
    if (count >= waiting) {
      const longest = [...lanes.values()].reduce((most, next) => (next.length > most.length ? next : most))
      // One that came later leaves its place only to a lane that stays shorter.
      if (longest.length < own.length + 2) throw refusal()
      longest.pop()?.refuse()
      count -= 1
    }
    own.push(one)
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
    else await new Promise<void>((enter, reject) => join(lane, { enter, refuse: () => reject(refusal()) }))
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
