/**
 * The generic register CSV, row by row: header to fields, cells to a Company, bad rows set aside with their line. Knows the columns;
 * writes nothing.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { FettleError } from '../../errors.ts'
import { type Company, normaliseCountry } from '../matching/index.ts'
import type { SkippedRow } from './files.ts'

/** What the file as a whole was, known once it is read to its end. */
export interface SourceFacts {
  sha256: string
  bytes: number
}

// biome-ignore format: a header reads better in rows
const COLUMNS = [
  'id', 'name', 'country', 'orgNumber', 'vatNumber', 'tradingNames', 'previousNames', 'address1', 'address2', 'town', 'postcode', 'phone',
  'email', 'website', 'status',
] as const

type Column = (typeof COLUMNS)[number]

/** The file's text, strictly UTF-8, while its bytes are counted and digested. */
async function* readText(file: string, facts: SourceFacts): AsyncGenerator<string> {
  const digest = createHash('sha256')
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of createReadStream(file)) {
    digest.update(chunk)
    facts.bytes += chunk.length
    yield decoder.decode(chunk, { stream: true })
  }
  yield decoder.decode()
  facts.sha256 = digest.digest('hex')
}

/** Position of each known column; other columns are ignored. Throws when `name` is missing or a known column stands twice. */
function readHeader(file: string, header: readonly string[]): ReadonlyMap<Column, number> {
  const known = new Map<string, Column>(COLUMNS.map(column => [column.toLowerCase(), column]))
  const found = new Map<Column, number>()
  for (const [at, cell] of header.entries()) {
    const column = known.get(cell.trim().toLowerCase())
    if (column === undefined) continue
    if (found.has(column)) throw new FettleError('FETTLE_INPUT_HEADER', `The header of ${file} has the column ${column} twice`)
    found.set(column, at)
  }
  if (!found.has('name')) {
    throw new FettleError('FETTLE_INPUT_HEADER', `The header of ${file} has no column name`, {
      hint: `The columns are ${COLUMNS.join(',')}.`,
    })
  }
  return found
}

const several = (cell: string): string[] => [...new Set(cell.split('|').map(name => name.trim()))].filter(name => name !== '')

/** An error of reading or parsing as one of ours. */
function readError(file: string, error: unknown): unknown {
  if (FettleError.is(error)) return error
  const cause = error instanceof Error ? error : new Error(String(error))
  const message = `Reading the register ${file} failed: ${cause.message}`
  if (cause instanceof CsvError) {
    return new FettleError('FETTLE_INPUT_QUOTE', message, { cause, hint: 'Mend the line named.' })
  }
  if ('code' in cause && cause.code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
    return new FettleError('FETTLE_INPUT_ENCODING', `${file} is not UTF-8`, { cause, hint: 'Save it as CSV UTF-8.' })
  }
  return new FettleError('FETTLE_INPUT_READ', message, { cause })
}

/**
 * Reads companies from a register CSV in file order: UTF-8, comma, RFC 4180 quotes, a header row in any case and order (design §5). Rows
 * with more or fewer cells than the header, without a name, or with an id that an earlier row has go to `skip`. A row without an
 * id gets one from its number or its place. `facts` is complete when the generator ends.
 * @throws FettleError FETTLE_INPUT_READ, FETTLE_INPUT_ENCODING, FETTLE_INPUT_QUOTE, FETTLE_INPUT_HEADER, FETTLE_INPUT_EMPTY
 */
export async function* readCompanies(file: string, facts: SourceFacts, skip: (row: SkippedRow) => void): AsyncGenerator<Company> {
  const parser = parse({ bom: true, info: true, relax_column_count: true, skip_empty_lines: true })
  const feeding = pipeline(Readable.from(readText(file, facts)), parser)
  // The parser's own iteration reports the failure; this only keeps it from being reported twice.
  feeding.catch(() => {})
  let width = 0
  let columns: ReadonlyMap<Column, number> | null = null
  const ids = new Set<string>()
  const connectIds = new Set<string>()
  let row = 0
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      if (columns === null) {
        columns = readHeader(file, record)
        width = record.length
        continue
      }
      row++
      if (record.length !== width) {
        skip({ line: info.lines, why: `${record.length} cells where the header has ${width}` })
        continue
      }
      const at = columns
      const cell = (column: Column): string => record[at.get(column) ?? -1]?.trim() ?? ''
      const country = normaliseCountry(cell('country'))
      const orgNumber = cell('orgNumber')
      const id = cell('id') || (orgNumber === '' ? `row-${row}` : `${country || 'XX'}-${orgNumber}`)
      if (cell('name') === '' || ids.has(id)) {
        skip({ line: info.lines, why: cell('name') === '' ? 'no name' : `the id ${id} stands on an earlier line` })
        continue
      }
      ids.add(id)
      const prefix = `${country || 'XX'}-X-`
      // Where registers of one country are many (courts, chambers) a number comes twice: the later company goes by its id.
      const connectId = connectIds.has(prefix + (orgNumber || id)) ? prefix + id : prefix + (orgNumber || id)
      connectIds.add(connectId)
      yield {
        id,
        connectId,
        name: cell('name'),
        country,
        orgNumber,
        vatNumber: cell('vatNumber'),
        tradingNames: several(cell('tradingNames')),
        previousNames: several(cell('previousNames')),
        address1: cell('address1'),
        address2: cell('address2'),
        town: cell('town'),
        postcode: cell('postcode'),
        phone: cell('phone'),
        email: cell('email'),
        website: cell('website'),
        status: cell('status'),
      }
    }
    await feeding
  } catch (error) {
    throw readError(file, error)
  }
  if (columns === null)
    throw new FettleError('FETTLE_INPUT_EMPTY', `${file} is empty`, {
      hint: `A register CSV begins with the header ${COLUMNS.join(',')}.`,
    })
}
