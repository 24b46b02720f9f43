/**
 * Opens portfolios and monitoring of a data directory. The monitor converts the registers' change sets to events, each exactly once: a set
 * and its events are one transaction.
 */
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { Limits } from '../limits.ts'
import { type HoldingStore, openHoldings } from '../portfolios/holdings.ts'
import { openImports, startImporter } from '../portfolios/importer.ts'
import { openPortfolios } from '../portfolios/store.ts'
import type { CurrentRegisters } from '../registers/current.ts'
import { makeFolder } from '../storage/atomic-file.ts'
import type { Database } from '../storage/database.ts'
import { tidy } from '../storage/unnamed-files.ts'
import type { Change, ChangeSource } from './changes.ts'
import { eventsOf } from './events.ts'
import { type EventStore, openEvents } from './events-store.ts'

interface MonitorParts {
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
async function startMonitor(parts: MonitorParts): Promise<{ close(): Promise<void> }> {
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

interface MonitoringParts {
  readonly database: Database
  readonly current: CurrentRegisters
  readonly changes: ChangeSource
  readonly dataDir: string
  readonly clock: Clock
  readonly limits: Limits
  readonly writeLog: (line: object) => void
  readonly onError: (error: unknown) => void
}

/** Opens the stores, applies the pending changes of the registers and resumes pending imports. `moved` files had no import. */
export async function openMonitoring(parts: MonitoringParts) {
  const { database, current, clock, limits, writeLog, onError } = parts
  const now = (): number => clock.now()
  const folder = join(parts.dataDir, 'imports')
  const portfolios = openPortfolios(database)
  const holdings = openHoldings(database, now)
  const events = openEvents(database, now)
  const imports = openImports(database)
  await makeFolder(folder)
  const moved = await tidy(parts.dataDir, 'imports', file => imports.needs(file), clock.now())
  const monitor = await startMonitor({
    source: parts.changes,
    refresh: current.refresh,
    holdings,
    events,
    clock,
    limits,
    onError,
  })
  const onDone = ({ id, kind, portfolio }: { id: number; kind: string; portfolio: number }, counts: object): void =>
    writeLog({ import: id, kind, portfolio, ...counts })
  const importer = startImporter({
    ...{ imports, holdings, database, engine: current.engine, search: current.search },
    folder,
    clock,
    limits,
    onDone,
    onError,
  })
  const close = async (): Promise<void> => {
    await importer.close()
    await monitor.close()
  }
  return { portfolios, holdings, events, imports, importer, folder, moved, transaction: database.transaction, close }
}
