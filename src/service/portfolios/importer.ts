/**
 * Runs the accepted imports one after another, in small transactions, so that requests are served between them. An interrupted
 * import starts again: every row may be applied twice (contract §8 row 45).
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { normaliseCountry } from '../../normalise/country.ts'
import { normaliseOrgNumber } from '../../normalise/identifiers.ts'
import type { Clock } from '../clock.ts'
import type { Limits } from '../limits.ts'
import { defaultConnectId } from '../matching/index.ts'
import type { Company } from '../matching/types.ts'
import type { Engine } from '../registers/engine.ts'
import type { Search } from '../registers/search.ts'
import type { Database } from '../storage/database.ts'
import { isDiskTrouble } from '../storage/disk.ts'
import type { HoldingStore, Notes } from './holdings.ts'
import { type ImportRow, readImport } from './import-file.ts'
import type { ImportStore, PendingImport } from './imports-store.ts'

/** Effects of an import; its other rows name companies that the portfolio already had. */
export interface ImportCounts {
  readonly rows: number
  readonly added: number
  /** Rows without a company in the register. */
  readonly unknown: number
  readonly removed: number
}

export interface ImporterParts {
  readonly imports: ImportStore
  readonly holdings: HoldingStore
  readonly database: Database
  readonly engine: Engine
  readonly search: Search
  readonly folder: string
  readonly clock: Clock
  readonly limits: Limits
  readonly onDone: (one: PendingImport, counts: ImportCounts) => void
  readonly onError: (error: unknown) => void
}

/** Rows per transaction: a few milliseconds. */
const BATCH = 100

function findByNumber(engine: Engine, number: string, country: string): Company | null {
  const code = normaliseCountry(country)
  const wanted = normaliseOrgNumber(number, code)
  if (code === '' || wanted === '') return null
  const byNumber = (orgNumber: string): Company | null => engine.find(defaultConnectId({ country: code, orgNumber, id: '' }))
  const plain = byNumber(number) ?? byNumber(wanted)
  if (plain !== null) return plain
  const { candidates } = engine.match({ orgNumber: number, countryCode: code })
  const found = candidates
    .map(({ company }) => engine.at(company))
    .filter(one => one.country === code && normaliseOrgNumber(one.orgNumber, code) === wanted)
  return found.length === 1 ? (found[0] ?? null) : null
}

export function startImporter(parts: ImporterParts) {
  const { imports, holdings, database, engine, search, folder, clock, limits, onDone, onError } = parts
  const stop = new AbortController()

  const find = async ({ safeNumber, localNumber, country }: ImportRow): Promise<Company | null> =>
    safeNumber === '' ? findByNumber(engine, localNumber, country) : search.find(safeNumber)

  const put = ({ id, kind, portfolio }: PendingImport, company: Company, notes: Notes): 'added' | 'present' => {
    const isPresent = holdings.find(portfolio, company.connectId) !== null
    if (kind === 'sync') holdings.put(portfolio, company, notes, id)
    else if (!isPresent) holdings.add(portfolio, company, notes)
    return isPresent ? 'present' : 'added'
  }

  /** Returns false when stopped early. */
  const runImport = async (one: PendingImport): Promise<boolean> => {
    const counts = { added: 0, present: 0, unknown: 0 }
    let rows = 0
    let batch: [Company, Notes][] = []
    const flush = (): void => {
      // The import is gone if its portfolio was deleted meanwhile.
      const done = imports.needs(one.file)
        ? database.transaction(() => batch.map(([company, notes]) => put(one, company, notes)))
        : []
      for (const what of done) counts[what] += 1
      batch = []
    }
    for await (const row of readImport(join(folder, one.file), limits)) {
      const company = await find(row)
      if (company === null) counts.unknown += 1
      else batch.push([company, row.notes])
      if (++rows % BATCH > 0) continue
      flush()
      await setImmediate()
      if (stop.signal.aborted) return false
    }
    flush()
    if (!imports.needs(one.file)) return true
    const removed = database.transaction(() => {
      imports.done(one.id)
      return one.kind === 'sync' ? holdings.removeUnmarked(one.portfolio, one.id, one.accepted) : 0
    })
    onDone(one, { rows, added: counts.added, unknown: counts.unknown, removed })
    return true
  }

  const runPending = async (): Promise<void> => {
    for (let one = imports.next(); one !== null && !stop.signal.aborted; one = imports.next()) {
      try {
        if (!(await runImport(one))) return
      } catch (error) {
        onError(error)
        // Disk trouble may pass; any other error would occur again.
        if (isDiskTrouble(error)) {
          await clock.sleep(limits.diskMs, stop.signal)
          continue
        }
        imports.done(one.id)
      }
      await rm(join(folder, one.file), { force: true }).catch(onError)
    }
  }
  let running: Promise<void> | null = null
  const wake = (): void => {
    running ??= runPending()
      .catch(onError)
      .finally(() => {
        running = null
      })
  }
  wake()
  return {
    /** Starts the pending imports unless the importer is already running. */
    wake,
    async close(): Promise<void> {
      stop.abort()
      await running
    },
  }
}

export type Importer = ReturnType<typeof startImporter>
