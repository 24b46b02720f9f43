/**
 * Stores the pending imports into portfolios, reads their files, and runs them one after another, in small transactions, so that requests are
 * served between them. An interrupted import starts again: every row may be applied twice (contract §8 row 45).
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { normaliseCountry } from '../../normalise/country.ts'
import { normaliseOrgNumber } from '../../normalise/identifiers.ts'
import type { Clock } from '../clock.ts'
import { CsvFault, readRecords } from '../csv/csv.ts'
import type { Limits } from '../limits.ts'
import { defaultConnectId } from '../matching/index.ts'
import type { Company } from '../matching/types.ts'
import type { Engine } from '../registers/engine.ts'
import type { Search } from '../registers/search.ts'
import { type Database, freshNumber, isDiskTrouble } from '../storage/database.ts'
import type { HoldingStore, Notes } from './holdings.ts'

/** An accepted file, stored as `file` in the imports folder. */
export interface PendingImport {
  readonly id: number
  readonly portfolio: number
  /** `import` adds companies, `sync` also removes those that the file does not name. */
  readonly kind: 'import' | 'sync'
  readonly file: string
  /** Milliseconds since 1970. */
  readonly accepted: number
}

export const openImports = (database: Database) => ({
  add: ({ portfolio, kind, file, accepted }: Omit<PendingImport, 'id'>): PendingImport =>
    database.transaction(() => {
      const id = freshNumber(number => database.get('SELECT 1 FROM imports WHERE id = ?', [number]) !== null)
      const sql = 'INSERT INTO imports (id, portfolio, kind, file, accepted) VALUES (?, ?, ?, ?, ?)'
      database.run(sql, [id, portfolio, kind, file, accepted])
      return { id, portfolio, kind, file, accepted }
    }),
  next: (): PendingImport | null =>
    database.get<PendingImport>('SELECT id, portfolio, kind, file, accepted FROM imports ORDER BY seq LIMIT 1'),
  done: (id: number): void => database.run('DELETE FROM imports WHERE id = ?', [id]),
  count: (): number => database.count('SELECT count(*) AS n FROM imports'),
  needs: (file: string): boolean => database.get('SELECT 1 FROM imports WHERE file = ?', [file]) !== null,
})

export type ImportStore = ReturnType<typeof openImports>

/** The documented columns; compared by their letters, ignoring case. */
const COLUMNS = {
  safeNumber: 'Safe Number',
  localNumber: 'Local Org No.',
  country: 'Country Code',
  reference: 'Reference',
  freeText: 'Free Text',
  personalLimit: 'Personal Limit',
} as const

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]/g, '')

type ImportRow = { safeNumber: string; localNumber: string; country: string; notes: Notes }

type Positions = Readonly<Record<keyof typeof COLUMNS, number>>

/** Position of each column; -1 for a missing one. Throws a CsvFault when no column identifies a company. */
function readPositions(header: readonly string[]): Positions {
  const names = header.map(plain)
  const positions = Object.fromEntries(
    Object.entries(COLUMNS).map(([column, name]) => [column, names.indexOf(plain(name))]),
  ) as Positions
  if (positions.safeNumber < 0 && (positions.localNumber < 0 || positions.country < 0)) {
    throw new CsvFault(`the header must have the columns ${Object.values(COLUMNS).join(', ')}`)
  }
  return positions
}

/** The rows of a file. Throws a CsvFault for invalid CSV and for a header that does not identify companies. */
async function* readImport(path: string, limits: Limits): AsyncGenerator<ImportRow> {
  let positions: Positions | null = null
  for await (const record of readRecords(path, limits)) {
    if (positions === null) {
      positions = readPositions(record)
      continue
    }
    const at = positions
    const cell = (column: keyof Positions): string => record[at[column]]?.trim() ?? ''
    const orNull = (column: keyof Positions): string | null => cell(column) || null
    const notes = { reference: orNull('reference'), freeText: orNull('freeText'), personalLimit: orNull('personalLimit') }
    yield { safeNumber: cell('safeNumber'), localNumber: cell('localNumber'), country: cell('country'), notes }
  }
  if (positions === null) throw new CsvFault('the file is empty')
}

/**
 * Validates the whole file before the import starts. Also throws a CsvFault for a file without rows, because a sync with it would
 * empty the portfolio.
 */
export async function checkImport(path: string, limits: Limits): Promise<void> {
  let rows = 0
  for await (const _ of readImport(path, limits)) rows += 1
  if (rows === 0) throw new CsvFault('the file has no row below its header')
}

interface ImporterParts {
  readonly imports: ImportStore
  readonly holdings: HoldingStore
  readonly database: Database
  readonly engine: Engine
  readonly search: Search
  readonly folder: string
  readonly clock: Clock
  readonly limits: Limits
  /** `unknown` rows have no company in the register; those that are neither unknown nor added name companies that the portfolio had. */
  readonly onDone: (done: PendingImport, counts: { rows: number; added: number; unknown: number; removed: number }) => void
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
    .filter(company => company.country === code && normaliseOrgNumber(company.orgNumber, code) === wanted)
  return found.length === 1 ? (found[0] ?? null) : null
}

export function startImporter(parts: ImporterParts) {
  const { imports, holdings, database, engine, search, folder, clock, limits, onDone, onError } = parts
  const stop = new AbortController()

  /** Returns whether the portfolio did not have the company. */
  const put = ({ id, kind, portfolio }: PendingImport, company: Company, notes: Notes): boolean => {
    const isNew = holdings.find(portfolio, company.connectId) === null
    if (kind === 'sync') holdings.put(portfolio, company, notes, id)
    else if (isNew) holdings.add(portfolio, company, notes)
    return isNew
  }

  /** Returns false when stopped early. */
  const runImport = async (pending: PendingImport): Promise<boolean> => {
    let [rows, added, unknown] = [0, 0, 0]
    let batch: [Company, Notes][] = []
    const flush = (): void => {
      // The import is gone if its portfolio was deleted meanwhile.
      if (imports.needs(pending.file)) {
        added += database.transaction(() => batch.filter(([company, notes]) => put(pending, company, notes)).length)
      }
      batch = []
    }
    for await (const row of readImport(join(folder, pending.file), limits)) {
      const { safeNumber, localNumber, country } = row
      const company = safeNumber === '' ? findByNumber(engine, localNumber, country) : await search.find(safeNumber)
      if (company === null) unknown += 1
      else batch.push([company, row.notes])
      if (++rows % BATCH > 0) continue
      flush()
      await setImmediate()
      if (stop.signal.aborted) return false
    }
    flush()
    if (!imports.needs(pending.file)) return true
    const removed = database.transaction(() => {
      imports.done(pending.id)
      return pending.kind === 'sync' ? holdings.removeUnmarked(pending.portfolio, pending.id, pending.accepted) : 0
    })
    onDone(pending, { rows, added, unknown, removed })
    return true
  }

  const runPending = async (): Promise<void> => {
    for (let next = imports.next(); next !== null && !stop.signal.aborted; next = imports.next()) {
      try {
        if (!(await runImport(next))) return
      } catch (error) {
        onError(error)
        // Disk trouble may pass; any other error would occur again.
        if (isDiskTrouble(error)) {
          await clock.sleep(limits.diskMs, stop.signal)
          continue
        }
        imports.done(next.id)
      }
      await rm(join(folder, next.file), { force: true }).catch(onError)
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
