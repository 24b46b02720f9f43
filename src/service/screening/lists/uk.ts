/**
 * Reads the UK Sanctions List in CSV, as the Foreign, Commonwealth & Development Office publishes it: a line with the date of the
 * report, a header, and for each designation one row per name and address. The rows of a designation are joined into one entry;
 * the list is small enough to be held in memory.
 */
import { type Alias, type Entry, type EntryAddress, makeEntry, makeListing, type Typed } from '../entry.ts'
import { joined, type ListRow, type ListSource, readCountries, readDate, readDates, readRows, splitValues } from './rows.ts'
import COLUMNS from './uk-columns.json' with { type: 'json' }

const COUNTRY_COLUMNS = ['Nationality(/ies)', 'Address Country', 'Country of birth', 'Current believed flag of ship']

type Rows = [ListRow, ...ListRow[]]

const isPrimary = (row: ListRow): boolean => /^primary name/i.test(row.cell('Name type'))

/** `Name 6` is the surname of a person or the full name of an entity. */
const readName = ({ cell }: ListRow): string => joined([...[1, 2, 3, 4, 5].map(number => cell(`Name ${number}`)), cell('Name 6')])

const aliasType = ({ cell }: ListRow): string => {
  if (/previous|former/i.test(cell('Name type'))) return 'former name'
  return /low|weak/i.test(cell('Alias strength')) ? 'weak alias' : 'alias'
}

/** The distinct values of a column in all rows. Values in one cell are separated by `|` or `;`, or numbered `(1) … (2) …`. */
const valuesIn = (rows: Rows, column: string): string[] => [
  ...new Set(rows.flatMap(({ cell }) => splitValues(cell(column), /[|;]|\(\d{1,9}\)/))),
]

function readAddress({ cell }: ListRow): EntryAddress {
  const lines = [1, 2, 3, 4, 5, 6].map(number => cell(`Address Line ${number}`)).filter(line => line !== '')
  const [line1 = '', ...others] = lines
  const [countryCode = ''] = readCountries([cell('Address Country')])
  const city = others.pop() ?? ''
  return { line1, line2: others.join(', '), city, postalCode: cell('Address Postal Code'), countryCode }
}

function listAddresses(rows: Rows): EntryAddress[] {
  const distinct = new Map<string, EntryAddress>()
  for (const row of rows) {
    const address = readAddress(row)
    const key = JSON.stringify(address)
    if (Object.values(address).some(part => part !== '')) distinct.set(key, address)
  }
  return [...distinct.values()]
}

function listAliases(rows: Rows, name: string): Alias[] {
  const found = new Map<string, Alias>()
  const add = (type: string, alias: string): void => {
    if (alias !== '' && alias !== name && !found.has(alias)) found.set(alias, { type, name: alias })
  }
  for (const row of rows) add(aliasType(row), readName(row))
  for (const row of rows) add('original script', row.cell('Name non-latin script'))
  return [...found.values()]
}

const typedIn = (rows: Rows, columns: Readonly<Record<string, string>>): Typed[] =>
  Object.entries(columns).flatMap(([column, type]) => valuesIn(rows, column).map(value => ({ type, value })))

function joinRows(id: string, rows: Rows): Entry {
  const first = rows.find(isPrimary) ?? rows[0]
  const { cell } = first
  const isPerson = /^individual$/i.test(cell('Designation Type'))
  const name = readName(first)
  const gender = /^(male|female)$/i.exec(valuesIn(rows, 'Gender')[0] ?? '')?.[1]?.toLowerCase() ?? ''
  const from = readDate(cell('Date Designated'))
  const middle = joined([2, 3, 4, 5].map(number => cell(`Name ${number}`)))
  const notes = ['Other Information', 'UK Statement of Reasons', 'Position', 'Title'].flatMap(column =>
    valuesIn(rows, column).length === 0
      ? []
      : [`${column}: ${[...new Set(rows.map(row => row.cell(column)))].filter(Boolean).join('; ')}`],
  )
  return makeEntry({
    id,
    type: isPerson ? 'individual' : 'business',
    name,
    person: isPerson ? { first: cell('Name 1'), middle, last: cell('Name 6') } : null,
    aliases: listAliases(rows, name),
    listings: [
      makeListing('SAN-CURRENT', {
        reference: id,
        body: 'UK Sanctions List',
        origin: cell('Designation source'),
        regime: cell('Regime Name'),
        measures: splitValues(cell('Sanctions Imposed'), /[|;]/),
        from,
      }),
    ],
    countries: readCountries(COUNTRY_COLUMNS.flatMap(column => valuesIn(rows, column))),
    gender: gender as Entry['gender'],
    datesOfBirth: readDates(valuesIn(rows, 'D.O.B')),
    addresses: listAddresses(rows),
    identifiers: typedIn(rows, COLUMNS.identifiers),
    contacts: typedIn(rows, COLUMNS.contacts),
    links: typedIn(rows, COLUMNS.links),
    notes,
    businessTypes: isPerson ? [] : [cell('Type of entity') || cell('Type of ship') || cell('Designation Type')].filter(Boolean),
    sources: [
      { title: 'UK Sanctions List', link: 'https://www.gov.uk/government/publications/the-uk-sanctions-list', dateAdded: from },
    ],
  })
}

/** Yields the entries in order of their first row. */
export async function* readUk(source: ListSource): AsyncGenerator<Entry> {
  const found = new Map<string, Rows>()
  for await (const row of readRows(source, ['Unique ID', 'Name 6', 'Name type', 'Designation Type', 'Regime Name'])) {
    const id = row.cell('Unique ID')
    const rows = found.get(id)
    if (id === '' || readName(row) === '') source.skip({ line: row.line, why: id === '' ? 'no Unique ID' : 'no name' })
    else if (rows === undefined) found.set(id, [row])
    else rows.push(row)
  }
  for (const [id, rows] of found) yield joinRows(id, rows)
}
