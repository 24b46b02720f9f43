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
import { type Database, isDiskTrouble } from '../storage/database.ts'
import { freshNumber } from '../storage/ids.ts'
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
  add: (one: Omit<PendingImport, 'id'>): PendingImport =>
    database.transaction(() => {
      const { portfolio, kind, file, accepted } = one
      const id = freshNumber(number => database.get('SELECT 1 FROM imports WHERE id = ?', [number]) !== null)
      const sql = 'INSERT INTO imports (id, portfolio, kind, file, accepted) VALUES (?, ?, ?, ?, ?)'
      database.run(sql, [id, portfolio, kind, file, accepted])
      return { ...one, id }
    }),
  /** The oldest pending import, or null. */
  next: (): PendingImport | null =>
    database.get<PendingImport>('SELECT id, portfolio, kind, file, accepted FROM imports ORDER BY seq LIMIT 1'),
  done: (id: number): void => database.run('DELETE FROM imports WHERE id = ?', [id]),
  count: (): number => database.get<{ n: number }>('SELECT count(*) AS n FROM imports')?.n ?? 0,
  needs: (file: string): boolean => database.get('SELECT 1 FROM imports WHERE file = ?', [file]) !== null,
})

/** The imports of one data directory. Every change is durable when the call returns. */
export type ImportStore = ReturnType<typeof openImports>

interface ImportRow {
  readonly safeNumber: string
  readonly localNumber: string
  readonly country: string
  readonly notes: Notes
}

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

type Positions = Readonly<Record<keyof typeof COLUMNS, number>>

/** Position of each column; -1 for a missing one. Throws a CsvFault when no column identifies a company. */
function positionsOf(header: readonly string[]): Positions {
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
      positions = positionsOf(record)
      continue
    }
    const at = positions
    const cell = (column: keyof Positions): string => record[at[column]]?.trim() ?? ''
    const orNull = (column: keyof Positions): string | null => cell(column) || null
    yield {
      ...{ safeNumber: cell('safeNumber'), localNumber: cell('localNumber'), country: cell('country') },
      notes: { reference: orNull('reference'), freeText: orNull('freeText'), personalLimit: orNull('personalLimit') },
    }
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

/** Effects of an import; its other rows name companies that the portfolio already had. */
interface ImportCounts {
  readonly rows: number
  readonly added: number
  /** Rows without a company in the register. */
  readonly unknown: number
  readonly removed: number
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
