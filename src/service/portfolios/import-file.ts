/** Reads the file of an import into a portfolio: its columns and rows (contract §8). */
import { readRecords } from '../csv/csv.ts'
import { CsvFault } from '../csv/csv-text.ts'
import type { Limits } from '../limits.ts'
import type { Notes } from './holdings.ts'

export interface ImportRow {
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
export async function* readImport(path: string, limits: Limits): AsyncGenerator<ImportRow> {
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
