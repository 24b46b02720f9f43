/** Opens portfolios and monitoring of one data directory: stores, importer, monitor. */
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { Limits } from '../limits.ts'
import { openHoldings } from '../portfolios/holdings.ts'
import { startImporter } from '../portfolios/importer.ts'
import { openImports } from '../portfolios/imports-store.ts'
import { openPortfolios } from '../portfolios/store.ts'
import type { CurrentRegisters } from '../registers/current.ts'
import { makeFolder } from '../storage/atomic-file.ts'
import type { Database } from '../storage/database.ts'
import { tidy } from '../storage/unnamed-files.ts'
import type { ChangeSource } from './change-source.ts'
import { openEvents } from './events-store.ts'
import { startMonitor } from './monitor.ts'

export interface MonitoringParts {
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
