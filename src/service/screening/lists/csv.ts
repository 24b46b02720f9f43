/**
 * Reads fettle's own CSV of a screening list: one entry per row, several values in a cell separated by `|`. The README documents
 * its columns.
 */
import { normaliseCountry } from '../../../normalise/country.ts'
import { type Entry, LISTING_CODES, type ListingCode, makeEntry, makeListing, type Typed } from '../entry.ts'
import { joined, type ListRow, type ListSource, readCountries, readDate, readDates, readRows, splitValues } from './rows.ts'

const TYPES: Readonly<Record<string, Entry['type']>> = {
  individual: 'individual',
  person: 'individual',
  business: 'business',
  company: 'business',
  organisation: 'business',
  organization: 'business',
  entity: 'business',
  vessel: 'business',
  '': 'either',
}

/** Codes of contract §6.8; the name of a family means its current code. */
const CODES: ReadonlyMap<string, ListingCode> = new Map<string, ListingCode>([
  ...LISTING_CODES.map((code): [string, ListingCode] => [code, code]),
  ['SAN', 'SAN-CURRENT'],
  ['PEP', 'PEP-CURRENT'],
  ['SOE', 'SOE-CURRENT'],
])

/** The listing code of a text, ignoring case; null for any other text. */
export const readCode = (text: string): ListingCode | null => CODES.get(text.trim().toUpperCase()) ?? null

const pipes = (cell: string): string[] => splitValues(cell, '|')

/** `passport: X123` is a value with its type; other values have the type `kind`. */
const typed = (cell: string, kind: string): Typed[] =>
  pipes(cell).map(text => {
    const [, type, value] = /^([A-Za-z][A-Za-z ]{0,40}): *(\S.*)$/.exec(text) ?? []
    return type === undefined || value === undefined ? { type: kind, value: text } : { type, value }
  })

function entryIn({ cell }: ListRow, type: Entry['type'], codes: readonly ListingCode[], number: number): Entry {
  const [first, middle, last] = [cell('firstName'), cell('middleName'), cell('lastName')]
  const countries = readCountries(pipes(cell('countries')))
  const shared = {
    reference: cell('reference'),
    body: cell('authority'),
    regime: cell('program'),
    measures: pipes(cell('measures')),
    what: cell('position') || cell('category'),
    country: countries[0] ?? '',
    from: readDate(cell('listedOn')),
    to: readDate(cell('listedUntil')),
  }
  const { sourceTitle, sourceUrl } = { sourceTitle: cell('source') || cell('authority'), sourceUrl: cell('sourceUrl') }
  const tier = Number(/^(?:pepTier|tier)?([123])$/i.exec(cell('pepTier'))?.[1] ?? 0)
  const gender = cell('gender').toLowerCase()
  return makeEntry({
    id: cell('id') || `row-${number}`,
    type,
    name: cell('name') || joined([first, middle, last]),
    person: type === 'individual' && last !== '' ? { first, middle, last } : null,
    aliases: [
      ...pipes(cell('aliases')).map(name => ({ type: 'alias', name })),
      ...pipes(cell('weakAliases')).map(name => ({ type: 'weak alias', name })),
      ...pipes(cell('formerNames')).map(name => ({ type: 'former name', name })),
    ],
    listings: codes.map(code => makeListing(code, shared)),
    countries,
    gender: gender === 'male' || gender === 'female' ? gender : '',
    datesOfBirth: readDates(pipes(cell('dateOfBirth'))),
    datesOfDeath: readDates(pipes(cell('dateOfDeath'))),
    pepTier: tier === 0 ? null : (tier as 1 | 2 | 3),
    addresses: pipes(cell('addresses')).map(text => {
      const parts = text.split(',').map(part => part.trim())
      const countryCode = parts.length > 1 ? normaliseCountry(parts.at(-1) ?? '') : ''
      const [line1 = '', ...others] = countryCode === '' ? parts : parts.slice(0, -1)
      const city = others.pop() ?? ''
      return { line1, line2: others.join(', '), city, postalCode: '', countryCode }
    }),
    identifiers: typed(cell('identifiers'), 'identifier'),
    contacts: [
      ...typed(cell('phones'), 'telephone'),
      ...typed(cell('emails'), 'email'),
      ...pipes(cell('websites')).map(value => ({ type: 'website', value })),
    ],
    links: typed(cell('links'), 'linked to'),
    images: pipes(cell('images')),
    notes: pipes(cell('notes')),
    description: cell('description'),
    businessTypes: pipes(cell('businessTypes')),
    sources: sourceTitle === '' && sourceUrl === '' ? [] : [{ title: sourceTitle, link: sourceUrl, dateAdded: shared.from }],
  })
}

/** Reads the entries. Rows without dataset codes get `codes`, or are skipped if that is empty. */
export async function* readCsv(source: ListSource, codes: readonly ListingCode[]): AsyncGenerator<Entry> {
  let number = 0
  for await (const row of readRows(source, ['name'])) {
    number++
    const skip = (why: string): void => source.skip({ line: row.line, why })
    const words = pipes(row.cell('datasets').replaceAll(/[;,]/g, '|'))
    const unknown = words.find(word => readCode(word) === null)
    const rowCodes = words.length === 0 ? [...codes] : words.flatMap(word => readCode(word) ?? [])
    const type = TYPES[row.cell('type').toLowerCase()]
    if (row.cell('name') === '' && row.cell('lastName') === '') skip('no name')
    else if (type === undefined) skip(`"${row.cell('type').slice(0, 40)}" is not a type: individual or business`)
    else if (unknown !== undefined) skip(`"${unknown.slice(0, 40)}" is not a dataset code`)
    else if (rowCodes.length === 0) skip('no dataset code')
    else yield entryIn(row, type, rowCodes, number)
  }
}
