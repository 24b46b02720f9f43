/**
 * Opens portfolios and monitoring of a data directory. The monitor converts the registers' change sets to events, each exactly once: a set
 * and its events are one transaction.
 */
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { Limits } from '../limits.ts'
import { HoldingStore } from '../portfolios/holdings.ts'
import { openImports, startImporter } from '../portfolios/importer.ts'
import { PortfolioStore } from '../portfolios/store.ts'
import type { CurrentRegisters } from '../registers/current.ts'
import { makeFolder } from '../storage/atomic-file.ts'
import type { Database } from '../storage/database.ts'
import { tidy } from '../storage/unnamed-files.ts'
import type { Change, ChangeSource } from './changes.ts'
import { listEvents } from './events.ts'
import { type EventStore, openEvents } from './events-store.ts'

interface MonitoringParts {
  readonly database: Database
  readonly current: CurrentRegisters
  readonly changes: ChangeSource
  readonly dataDir: string
  readonly clock: Clock
  readonly limits: Limits
  readonly writeLog: (line: object) => void
  /** Called for a failure; the next round retries. */
  readonly onError: (error: unknown) => void
}

async function applyChanges(source: ChangeSource, holdings: HoldingStore, events: EventStore): Promise<void> {
  /** Stores the events of one change and the company's new state. A change to the known value, from any register, is ignored. */
  const apply = ({ connectId, field, old, new: now }: Change, at: number): void => {
    const known = holdings.known(connectId)
    if (known === null || known.facts[field] === now) return
    const difference = { field, old: known.facts[field] || old, new: now }
    for (const event of listEvents(difference, known.country, events.activeRules(connectId))) events.add(connectId, event, at)
    holdings.learn(connectId, { ...known.facts, [field]: now })
  }
  for await (const set of source.after({ sequences: events.applied(), watched: () => holdings.watched() })) {
    const changes: Change[] = []
    for await (const change of set.changes) if (holdings.known(change.connectId) !== null) changes.push(change)
    events.applyOnce(set.register, set.sequence, () => {
      for (const change of changes) apply(change, Date.parse(set.snapshotDate))
    })
  }
}

/**
 * Opens the stores, opens new imports of the registers and applies their pending changes, so that the first request finds the events of changes
 * made while the service was down; then resumes pending imports, and checks periodically for new imports. `moved` files had no import.
 */
export async function openMonitoring(parts: MonitoringParts) {
  const { database, current, changes, dataDir, clock, limits, writeLog, onError } = parts
  const now = (): number => clock.now()
  const folder = join(dataDir, 'imports')
  const portfolios = new PortfolioStore(database)
  const holdings = new HoldingStore(database, now)
  const events = openEvents(database, now)
  const imports = openImports(database)
  await makeFolder(folder)
  const moved = await tidy({ directory: dataDir, folder: 'imports', now: now(), isNeeded: imports.needs })

  const checkRegisters = async (): Promise<void> => {
    await current.refresh()
    await applyChanges(changes, holdings, events)
  }
  await checkRegisters().catch(onError)
  const stop = new AbortController()
  const monitor = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await clock.sleep(limits.monitorMs, stop.signal)
      if (!stop.signal.aborted) await checkRegisters().catch(onError)
    }
  }
  const monitoring = monitor()
  const importer = startImporter({
    ...{ imports, holdings, database, engine: current.engine, search: current.search, folder, clock, limits, onError },
    onDone: ({ id, kind, portfolio }, counts) => writeLog({ import: id, kind, portfolio, ...counts }),
  })
  const close = async (): Promise<void> => {
    await importer.close()
    stop.abort()
    await monitoring
  }
  return { portfolios, holdings, events, imports, importer, folder, moved, transaction: database.transaction, close }
}
