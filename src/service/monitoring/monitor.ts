/** Converts the registers' change sets to events, each exactly once: a set and its events are one transaction. */
import type { Clock } from '../clock.ts'
import type { Limits } from '../limits.ts'
import type { HoldingStore } from '../portfolios/holdings.ts'
import type { Change, ChangeSource } from './change-source.ts'
import { eventsOf } from './events.ts'
import type { EventStore } from './events-store.ts'

export interface MonitorParts {
  readonly source: ChangeSource
  /** Opens registers that were imported again; called before their changes are read. */
  readonly refresh: () => Promise<void>
  readonly holdings: HoldingStore
  readonly events: EventStore
  readonly clock: Clock
  readonly limits: Limits
  /** Called for a failure; the next round retries. */
  readonly onError: (error: unknown) => void
}

/** Stores the events of one change and the company's new state. A change to the known value, from any register, is ignored. */
function apply({ holdings, events }: MonitorParts, { connectId, field, old, new: now }: Change, at: number): void {
  const known = holdings.known(connectId)
  if (known === null || known.facts[field] === now) return
  const difference = { field, old: known.facts[field] || old, new: now }
  for (const event of eventsOf(difference, known.country, events.activeRules(connectId))) events.add(connectId, event, at)
  holdings.learn(connectId, { ...known.facts, [field]: now })
}

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
 * Opens new imports and applies all pending changes, then checks periodically for new imports. Resolves after the first round, so that the first request
 * finds the events of changes made while the service was down.
 */
export async function startMonitor(parts: MonitorParts): Promise<{ close(): Promise<void> }> {
  const { clock, limits, onError } = parts
  const stop = new AbortController()
  const checkRegisters = (): Promise<void> =>
    parts
      .refresh()
      .then(() => applyAll(parts))
      .catch(onError)
  await checkRegisters()
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await clock.sleep(limits.monitorMs, stop.signal)
      if (!stop.signal.aborted) await checkRegisters()
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
