/**
 * Which fault meets which request, and the account of it: what was planned, and how often each was really carried out. It
 * carries nothing out itself.
 */
import { z } from 'zod'
import type { Recognised } from '../match-operation.ts'
import { effect, type Fault, type FaultEffect, type FaultEffectInput, type FaultInput, fault } from './fault-table.ts'

/** A request as a policy is told of it: `nth` of its operation since arming, from 1; null for no operation of the interface. */
export interface PolicyRequest {
  readonly operation: Recognised | null
  readonly nth: number
  readonly method: string
  readonly path: string
}

/** Decides for each request what happens to it; null for nothing. For faults by chance, from a seed. */
export type Policy = (request: PolicyRequest) => FaultEffectInput | null

/** Faults in force, and their account. */
export interface Armed {
  /** Each planned fault with how often it was really carried out; of a policy, each effect it decided on. */
  report(): readonly Consumed[]
  /** Those that did not happen as often as planned; `always` asks for once. */
  unconsumed(): readonly Fault[]
  /** Nothing happens any more; the account stays. */
  disarm(): void
}

/** A planned fault and how often it was really carried out. */
export interface Consumed {
  readonly fault: Fault
  readonly consumed: number
}

/** A fault on its way to a request. `hit` is called once it has really taken hold; `turn` counts from 0 how often it did. */
export interface Shot {
  readonly effect: FaultEffect
  readonly turn: number
  hit(): void
}

/** What meets one request: any number of points, and at most one fault. */
export interface Shots {
  readonly points: readonly Shot[]
  readonly fault: Shot | null
}

/** Armed, and asked by the server for each request. */
export interface Arming extends Armed {
  take(request: Omit<PolicyRequest, 'nth'>): Shots
}

interface Entry {
  readonly fault: Fault
  consumed: number
}

/** Nothing is planned. Throws a ZodError for faults that are not written as faults.ts wants them. */
export function arm(faults: readonly FaultInput[] | Policy): Arming {
  const isPolicy = typeof faults === 'function'
  const entries: Entry[] = isPolicy
    ? []
    : z
        .array(fault)
        .parse(faults)
        .map(one => ({ fault: one, consumed: 0 }))
  const counts = new Map<string, number>()
  let isArmed = true

  const count = (operation: string): number => {
    const nth = (counts.get(operation) ?? 0) + 1
    counts.set(operation, nth)
    return nth
  }
  const shotOf = (entry: Entry): Shot => ({
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
      return { points: meeting.filter(isPoint).map(shotOf), fault: first === undefined ? null : shotOf(first) }
    },
    report: () => entries.map(entry => ({ ...entry })),
    unconsumed: () => entries.filter(entry => entry.consumed < neededOf(entry.fault, 1)).map(entry => entry.fault),
    disarm() {
      isArmed = false
    },
  }
}

/** How often a fault is to be carried out; `always` stands for what is told. */
function neededOf({ times, effect: { kind, ...more } }: Fault, always: number): number {
  const rounds = times === 'always' ? always : times
  return kind === 'jobStatus' && 'sequence' in more ? more.sequence.length * rounds : rounds
}

function meets({ fault: planned, consumed }: Entry, nth: number): boolean {
  const { times, effect: what } = planned
  if (nth < planned.nth) return false
  // A sequence is told to its end, however many replies have no status to replace.
  if (what.kind === 'jobStatus') return what.forever || consumed < neededOf(planned, Number.POSITIVE_INFINITY)
  return times === 'always' || nth < planned.nth + times
}
