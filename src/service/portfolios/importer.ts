/**
 * Carries out the imports that were accepted, one after another, in small transactions between which requests get their turn. One
 * that was cut short is carried out again from its beginning: every row may be put twice (contract §8 row 45). It knows no request.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Limits } from '../limits.ts'
import type { Company } from '../matching/types.ts'
import type { Engine } from '../registers/engine.ts'
import { findByNumber } from '../registers/find-by-number.ts'
import type { Search } from '../registers/search.ts'
import type { Database } from '../storage/database.ts'
import { isDiskTrouble } from '../storage/disk.ts'
import type { HoldingStore, Notes } from './holdings.ts'
import { type ImportRow, readImport } from './import-file.ts'
import type { ImportStore, PendingImport } from './imports-store.ts'

/** What an import did to its portfolio; the rest of its rows named companies that were there already. */
export interface ImportCounts {
  readonly rows: number
  readonly added: number
  /** Rows that name no company of the register. */
  readonly unknown: number
  readonly removed: number
}

/** What is needed to carry out imports. */
export interface ImporterParts {
  readonly imports: ImportStore
  readonly holdings: HoldingStore
  readonly database: Database
  readonly engine: Engine
  readonly search: Search
  /** The folder of the files. */
  readonly folder: string
  readonly clock: Clock
  readonly limits: Limits
  /** Told of every import that is done. */
  readonly onDone: (one: PendingImport, counts: ImportCounts) => void
  readonly onError: (error: unknown) => void
}

/** The hands for imports. */
export interface Importer {
  /** Takes up what is to be done; at work already, it goes on by itself. */
  wake(): void
  close(): Promise<void>
}

/** Rows of a transaction: a few milliseconds' work. */
const BATCH = 100

/** Makes the importer and takes up what was left. */
export function startImporter(parts: ImporterParts): Importer {
  const { imports, holdings, database, engine, search, folder, clock, limits, onDone, onError } = parts
  const stop = new AbortController()

  const find = async ({ safeNumber, localNumber, country }: ImportRow): Promise<Company | null> =>
    safeNumber === '' ? findByNumber(engine, localNumber, country) : search.find(safeNumber)

  const put = ({ id, kind, portfolio }: PendingImport, company: Company, notes: Notes): 'added' | 'there' => {
    const isThere = holdings.find(portfolio, company.connectId) !== null
    if (kind === 'sync') holdings.put(portfolio, company, notes, id)
    else if (!isThere) holdings.add(portfolio, company, notes)
    return isThere ? 'there' : 'added'
  }

  /** False when it was stopped before its end. */
  const carryOut = async (one: PendingImport): Promise<boolean> => {
    const counts = { added: 0, there: 0, unknown: 0 }
    let rows = 0
    let batch: [Company, Notes][] = []
    const flush = (): void => {
      // A portfolio deleted meanwhile has taken its imports along.
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

  const work = async (): Promise<void> => {
    for (let one = imports.next(); one !== null && !stop.signal.aborted; one = imports.next()) {
      try {
        if (!(await carryOut(one))) return
      } catch (error) {
        onError(error)
        // What passes is waited for; a file that cannot be carried out now never can be.
        if (isDiskTrouble(error)) {
          await clock.sleep(limits.diskMs, stop.signal)
          continue
        }
        imports.done(one.id)
      }
      await rm(join(folder, one.file), { force: true }).catch(onError)
    }
  }
  let working: Promise<void> | null = null
  const wake = (): void => {
    working ??= work()
      .catch(onError)
      .finally(() => {
        working = null
      })
  }
  wake()
  return {
    wake,
    async close() {
      stop.abort()
      await working
    },
  }
}
