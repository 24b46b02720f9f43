/**
 * The generic register CSV: cells to a Company, bad rows set aside with their line. Knows the columns; reading is table.ts. Writes
 * nothing.
 */
import { type Company, normaliseCountry } from '../matching/index.ts'
import type { SkippedRow } from './files.ts'
import { readTable, type SourceFacts } from './table.ts'

// biome-ignore format: a header reads better in rows
const COLUMNS = [
  'id', 'name', 'country', 'orgNumber', 'vatNumber', 'tradingNames', 'previousNames', 'address1', 'address2', 'town', 'postcode', 'phone',
  'email', 'website', 'status',
] as const

const several = (cell: string): string[] => [...new Set(cell.split('|').map(name => name.trim()))].filter(name => name !== '')

/**
 * Reads companies from a register CSV in file order (design §5). Rows with more or fewer cells than the header, without a name, or
 * with an id that an earlier row has go to `skip`. A row without an id gets one from its number or its place. `facts` is complete
 * when the generator ends.
 * @throws FettleError FETTLE_INPUT_READ, FETTLE_INPUT_ENCODING, FETTLE_INPUT_QUOTE, FETTLE_INPUT_HEADER, FETTLE_INPUT_EMPTY
 */
export async function* readCompanies(file: string, facts: SourceFacts, skip: (row: SkippedRow) => void): AsyncGenerator<Company> {
  const ids = new Set<string>()
  const connectIds = new Set<string>()
  for await (const { row, line, cell } of readTable(file, { columns: COLUMNS, needed: ['name'] }, facts, skip)) {
    const country = normaliseCountry(cell('country'))
    const orgNumber = cell('orgNumber')
    const id = cell('id') || (orgNumber === '' ? `row-${row}` : `${country || 'XX'}-${orgNumber}`)
    if (cell('name') === '' || ids.has(id)) {
      skip({ line, why: cell('name') === '' ? 'no name' : `the id ${id} stands on an earlier line` })
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
}
