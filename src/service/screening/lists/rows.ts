/**
 * Reads a published list as rows with named cells: UTF-8, comma, RFC 4180 quotes. The file is streamed and digested meanwhile. Cells are
 * parsed as several values, dates and countries.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { FettleError } from '../../../errors.ts'
import { normaliseCountry } from '../../../normalise/country.ts'
import { importReadError, parseRows, requireUtf8 } from '../../csv/csv.ts'
import type { SkippedRow } from '../../storage/published-folders.ts'

export const splitValues = (cell: string, separator: string | RegExp): string[] =>
  [...new Set(cell.split(separator).map(value => value.trim()))].filter(value => value !== '')

/**
 * The alpha-2 codes of countries given by name or code. None where a text is not one of them: a search in the country that it means would
 * exclude the entry, and an entry without countries is never excluded.
 */
export function readCountries(texts: readonly string[]): string[] {
  const codes = texts.filter(text => text !== '').map(normaliseCountry)
  return codes.includes('') ? [] : [...new Set(codes)]
}

const isDay = (text: string): boolean => new Date(Date.parse(`${text}T00:00:00Z`) || 0).toISOString().startsWith(text)

/**
 * A date as `YYYY-MM-DD`, or `YYYY` if only the year is known; '' for any other text. Accepts ISO dates (a month is reduced to its year,
 * a time is cut off) and the British `31/01/1970`, whose day and month may be unknown (`dd/mm/1970`, `00/00/1970`).
 */
export function readDate(text: string): string {
  const trimmed = text.trim()
  const [, isoYear, rest = ''] = /^(\d{4})(-\d{2}(?:-\d{2})?)?(?:[T ].*)?$/.exec(trimmed) ?? []
  const [, day = '', month = '', britishYear] = /^(\d{1,2}|dd)[/.](\d{1,2}|mm)[/.](\d{4})$/i.exec(trimmed) ?? []
  const year = isoYear ?? britishYear
  if (year === undefined) return ''
  const full = isoYear === undefined ? `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}` : year + rest
  return full.length === 10 && isDay(full) ? full : year
}

/** Dates, as for countries: none where a text is not one. */
export function readDates(texts: readonly string[]): string[] {
  const dates = texts.filter(text => text !== '').map(readDate)
  return dates.includes('') ? [] : [...new Set(dates)]
}

/** All of the dates; none where a text has none, since the others would rule out the person at that time. */
export const joinDates = (dates: readonly (readonly string[])[]): string[] =>
  dates.some(({ length }) => length === 0) ? [] : [...new Set(dates.flat())]

const MOST_YEARS = 20

/** Each year from one to another; none where they are not years, or many. */
export const listYears = (from: number, to: number): string[] =>
  to >= from && to - from < MOST_YEARS ? Array.from({ length: to - from + 1 }, (_, at) => String(from + at)) : []

/** Joins the parts that are not empty. */
export const joined = (parts: readonly string[], separator = ' '): string =>
  parts
    .map(part => part.trim())
    .filter(part => part !== '')
    .join(separator)

/** One row; a cell of a missing column is ''. */
export type ListRow = { readonly line: number; readonly cell: (column: string) => string }

/** A file to read, the object that receives its facts, and the callback for skipped rows. */
export interface ListSource {
  readonly file: string
  readonly facts: { sha256: string; bytes: number }
  readonly skip: (row: SkippedRow) => void
}

/** Maximum number of lines before the header: the British list starts with its date. */
const PREAMBLE = 3

export async function* readDigested(file: string, facts: ListSource['facts']): AsyncGenerator<Buffer> {
  const digest = createHash('sha256')
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    digest.update(chunk)
    facts.bytes += chunk.length
    yield chunk
  }
  facts.sha256 = digest.digest('hex')
}

const plainHeader = (header: string): string => header.trim().toLowerCase().replace(/\s+/g, ' ')

/** Positions by header; null when the row lacks a column of `needed` and is not the header. */
function readHeader(record: readonly string[], needed: readonly string[]): ReadonlyMap<string, number> | null {
  const found = new Map<string, number>()
  for (const [at, header] of record.entries()) if (!found.has(plainHeader(header))) found.set(plainHeader(header), at)
  return needed.every(column => found.has(plainHeader(column))) ? found : null
}

/**
 * The rows below the header, which must have all columns of `needed` (in any case and order). Rows of another width are skipped.
 * @throws FettleError FETTLE_INPUT_READ, FETTLE_INPUT_ENCODING, FETTLE_INPUT_QUOTE, FETTLE_INPUT_HEADER, FETTLE_INPUT_EMPTY
 */
export async function* readRows({ file, facts, skip }: ListSource, needed: readonly string[]): AsyncGenerator<ListRow> {
  type Parsed = { record: string[]; info: { lines: number } }
  const source = requireUtf8(readDigested(file, facts))
  let columns: ReadonlyMap<string, number> | null = null
  let width = 0
  let before = 0
  try {
    for await (const { record, info } of parseRows<Parsed>(source, { info: true, relax_column_count: true })) {
      if (columns === null) {
        columns = readHeader(record, needed)
        width = record.length
        before++
        if (columns === null && before > PREAMBLE) break
        continue
      }
      if (record.length !== width) {
        skip({ line: info.lines, why: `${record.length} cells where the header has ${width}` })
        continue
      }
      const at = columns
      yield { line: info.lines, cell: column => record[at.get(plainHeader(column)) ?? -1]?.trim() ?? '' }
    }
  } catch (error) {
    throw importReadError('list', file, error)
  }
  if (columns !== null) return
  if (before === 0) throw new FettleError('FETTLE_INPUT_EMPTY', `${file} is empty`, { hint: 'A list begins with a header.' })
  throw new FettleError('FETTLE_INPUT_HEADER', `The header of ${file} does not belong to such a list`, {
    hint: `It needs the columns ${needed.join(', ')}.`,
  })
}
