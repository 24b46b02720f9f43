/**
 * Turns what the registers' change sets say into events, each exactly once: a set and the events made of it are one transaction.
 * It knows neither where sets come from nor which rule reports what.
 */
import type { Clock } from '../clock.ts'
import type { Limits } from '../limits.ts'
import type { HoldingStore } from '../portfolios/holdings.ts'
import type { Change, ChangeSource } from './change-source.ts'
import { eventsOf } from './events.ts'
import type { EventStore } from './events-store.ts'

/** What is needed to follow the registers. */
export interface MonitorParts {
  readonly source: ChangeSource
  readonly holdings: HoldingStore
  readonly events: EventStore
  readonly clock: Clock
  readonly limits: Limits
  /** Told of a failure; the next round tries again. */
  readonly onError: (error: unknown) => void
}

/** Looks after the registers. */
export interface Monitor {
  close(): Promise<void>
}

/** Makes the events of one change, and keeps the company's new state. What is known already, from whichever register, is no change. */
function apply({ holdings, events }: MonitorParts, { connectId, field, old, new: now }: Change, at: number): void {
  const known = holdings.known(connectId)
  if (known === null || known.facts[field] === now) return
  const difference = { field, old: known.facts[field] || old, new: now }
  for (const made of eventsOf(difference, known.country, events.activeRules(connectId))) events.add(connectId, made, at)
  holdings.learn(connectId, { ...known.facts, [field]: now })
}

/** Applies every change set there is. */
async function applyAll(parts: MonitorParts): Promise<void> {
  const { source, holdings, events } = parts
  for await (const set of source.after({ sequences: events.applied(), watched: holdings.watched })) {
    const changes: Change[] = []
    for await (const change of set.changes) if (holdings.known(change.connectId) !== null) changes.push(change)
    events.applyOnce(set.register, set.sequence, () => {
      for (const change of changes) apply(parts, change, Date.parse(set.snapshotDate))
    })
  }
}

/**
 * Applies what has changed while the service was not running, then looks again and again whether a register was imported anew.
 * Resolves when the first round is over: whoever logs in then finds its events.
 */
export async function startMonitor(parts: MonitorParts): Promise<Monitor> {
  const { clock, limits, onError } = parts
  const stop = new AbortController()
  const look = (): Promise<void> => applyAll(parts).catch(onError)
  await look()
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await clock.sleep(limits.monitorMs, stop.signal)
      if (!stop.signal.aborted) await look()
    }
  }
  const running = run()
  return {
    async close() {
      stop.abort()
      await running
    },
  }
}
