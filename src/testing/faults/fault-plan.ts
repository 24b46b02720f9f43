/**
 * Decides which planned fault applies to which request, and counts how often each was applied.
 */
import { z } from 'zod'
import type { Recognised } from '../record.ts'
import { effect, type Fault, type FaultEffect, type FaultEffectInput, type FaultInput, fault } from './fault-table.ts'

/** A request as a policy receives it: `nth` of its operation since arming, from 1; `operation` is null outside the interface. */
export interface PolicyRequest {
  readonly operation: Recognised | null
  readonly nth: number
  readonly method: string
  readonly path: string
}

/** Returns the effect for each request, or null for none. For random faults from a seed. */
export type Policy = (request: PolicyRequest) => FaultEffectInput | null

/** The planned faults, and how often each was applied. */
export interface Armed {
  /** Each planned fault with the number of times it was applied; for a policy, each effect it returned. */
  report(): readonly Consumed[]
  /** Faults applied less often than planned; `always` requires one time. */
  unconsumed(): readonly Fault[]
  /** Stops all faults; the counts stay. */
  disarm(): void
}

/** A planned fault and the number of times it was applied. */
export interface Consumed {
  readonly fault: Fault
  readonly consumed: number
}

/** A fault for one request. `hit` is called when it takes effect; `turn` is the number of earlier times. */
export interface Shot {
  readonly effect: FaultEffect
  readonly turn: number
  hit(): void
}

export interface Arming extends Armed {
  /** The points and the fault that apply to one request. */
  take(request: Omit<PolicyRequest, 'nth'>): { readonly points: readonly Shot[]; readonly fault: Shot | null }
}

type Entry = { readonly fault: Fault; consumed: number }

/** Plans faults. Throws a ZodError for faults that do not fit the schema. */
export function arm(faults: readonly FaultInput[] | Policy): Arming {
  const isPolicy = typeof faults === 'function'
  const planned = isPolicy ? [] : z.array(fault).parse(faults)
  const entries: Entry[] = planned.map(fault => ({ fault, consumed: 0 }))
  const counts = new Map<string, number>()
  let isArmed = true

  const count = (operation: string): number => {
    const nth = (counts.get(operation) ?? 0) + 1
    counts.set(operation, nth)
    return nth
  }
  const makeShot = (entry: Entry): Shot => ({
    effect: entry.fault.effect,
    turn: entry.consumed,
    hit: () => {
      entry.consumed += 1
    },
  })
  const decided = (policy: Policy, request: PolicyRequest): Entry[] => {
    const chosen = policy(request)
    if (chosen === null) return []
    const { operation, nth } = request
    const entry = { fault: { operation: operation ?? ('*' as const), nth, times: 1, effect: effect.parse(chosen) }, consumed: 0 }
    entries.push(entry)
    return [entry]
  }

  return {
    take(request) {
      if (!isArmed) return { points: [], fault: null }
      const nth = count(request.operation ?? '')
      const nthOfAll = count('*')
      const meeting = isPolicy
        ? decided(faults, { ...request, nth })
        : entries.filter(entry => {
            const { operation } = entry.fault
            return (operation === '*' || operation === request.operation) && meets(entry, operation === '*' ? nthOfAll : nth)
          })
      const isPoint = (entry: Entry): boolean => entry.fault.effect.kind === 'point'
      const first = meeting.find(entry => !isPoint(entry))
      return { points: meeting.filter(isPoint).map(makeShot), fault: first === undefined ? null : makeShot(first) }
    },
    report: () => entries.map(entry => ({ ...entry })),
    unconsumed: () => entries.filter(entry => entry.consumed < countNeeded(entry.fault, 1)).map(entry => entry.fault),
    disarm() {
      isArmed = false
    },
  }
}

/** How often a fault must be applied; `always` counts as the given number. */
function countNeeded({ times, effect: { kind, ...more } }: Fault, always: number): number {
  const rounds = times === 'always' ? always : times
  return kind === 'jobStatus' && 'sequence' in more ? more.sequence.length * rounds : rounds
}

function meets({ fault: planned, consumed }: Entry, nth: number): boolean {
  const { times, effect: what } = planned
  if (nth < planned.nth) return false
  // A sequence is applied to its end, regardless of replies without a status.
  if (what.kind === 'jobStatus') return what.forever || consumed < countNeeded(planned, Number.POSITIVE_INFINITY)
  return times === 'always' || nth < planned.nth + times
}
