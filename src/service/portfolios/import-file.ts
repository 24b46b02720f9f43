/** The file of an import into a portfolio: its columns, and its rows as they are meant (contract §8). It resolves no company. */
import { readRecords } from '../csv/csv.ts'
import { CsvFault } from '../csv/csv-text.ts'
import type { Limits } from '../limits.ts'
import type { Notes } from './holdings.ts'

/** A row of the file. */
export interface ImportRow {
  /** Safe Number, or a connectId. */
  readonly safeNumber: string
  readonly localNumber: string
  readonly country: string
  readonly notes: Notes
}

/** The documented columns; compared without case, spaces and points. */
const COLUMNS = {
  safeNumber: 'Safe Number',
  localNumber: 'Local Org No.',
  country: 'Country Code',
  reference: 'Reference',
  freeText: 'Free Text',
  personalLimit: 'Personal Limit',
} as const

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]/g, '')

type Places = Readonly<Record<keyof typeof COLUMNS, number>>

/** Where each column stands; -1 where it is missing. Throws a CsvFault when nothing names a company. */
function placesOf(header: readonly string[]): Places {
  const names = header.map(plain)
  const places = Object.fromEntries(
    Object.entries(COLUMNS).map(([column, name]) => [column, names.indexOf(plain(name))]),
  ) as Places
  if (places.safeNumber < 0 && (places.localNumber < 0 || places.country < 0)) {
    throw new CsvFault(`the header must have the columns ${Object.values(COLUMNS).join(', ')}`)
  }
  return places
}

/** The rows of a file. Throws a CsvFault for a file that is not CSV throughout, or whose header names no company. */
export async function* readImport(path: string, limits: Limits): AsyncGenerator<ImportRow> {
  let places: Places | null = null
  for await (const record of readRecords(path, limits)) {
    if (places === null) {
      places = placesOf(record)
      continue
    }
    const at = places
    const cell = (column: keyof Places): string => record[at[column]]?.trim() ?? ''
    const orNull = (column: keyof Places): string | null => cell(column) || null
    yield {
      ...{ safeNumber: cell('safeNumber'), localNumber: cell('localNumber'), country: cell('country') },
      notes: { reference: orNull('reference'), freeText: orNull('freeText'), personalLimit: orNull('personalLimit') },
    }
  }
  if (places === null) throw new CsvFault('the file is empty')
}

/**
 * Reads the whole file for nothing but its faults: an import is refused as a whole or carried out as a whole. Throws a CsvFault
 * for a file without rows, too: a sync with it would empty the portfolio, which clear is for.
 */
export async function checkImport(path: string, limits: Limits): Promise<void> {
  let rows = 0
  for await (const _ of readImport(path, limits)) rows += 1
  if (rows === 0) throw new CsvFault('the file has no row below its header')
}
