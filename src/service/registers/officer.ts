/** Reads officers of companies from the CSV of an import and from the lines of a register's officers file. */
import { createHash } from 'node:crypto'
import { normaliseCountry } from '../../normalise/country.ts'
import { normaliseText } from '../../normalise/text.ts'
import type { SkippedRow } from './files.ts'
import type { Columns } from './import/kind.ts'
import { columnsOf } from './import/kinds.ts'
import { emptySource, readRows, wrongWidth } from './import/rows.ts'

// biome-ignore format: a header reads better in rows
const COLUMNS = [
  'companyId', 'personId', 'name', 'title', 'firstName', 'middleName', 'lastName', 'type', 'position', 'appointed', 'resigned',
  'dateOfBirth', 'placeOfBirth', 'nationality', 'gender', 'country', 'countryOfResidence', 'address1', 'address2', 'town', 'postcode',
] as const

type Column = (typeof COLUMNS)[number]

const FORM = { needs: ['companyId'], header: COLUMNS.join(',') }

/** One position of one person, or of a company that is an officer, in one company. Every field is text; '' means a missing value. */
export type Officer = Readonly<Record<Exclude<Column, 'companyId'>, string>> & {
  /** connectId of the company. */
  readonly connectId: string
  /** `CC-<letters and digits>`, the same for all positions of one person. */
  readonly peopleId: string
}

const EMPTY_OFFICER = Object.fromEntries(COLUMNS.filter(column => column !== 'companyId').map(column => [column, '']))

/** Serialises an officer without its empty fields. */
export const writeOfficer = (officer: Officer): string =>
  JSON.stringify(officer, (_, value: unknown) => (value === '' ? undefined : value))

export const readOfficer = (line: string): Officer => ({ ...EMPTY_OFFICER, ...(JSON.parse(line) as object) }) as Officer

/** The part of a peopleId behind the country prefix; lookups use it alone. */
export const tokenOf = (peopleId: string): string => peopleId.slice(peopleId.indexOf('-') + 1)

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 20)

export const tokenOfNumber = (personId: string): string => (/^[A-Za-z0-9]{1,40}$/.test(personId) ? personId : digest(personId))

/**
 * A person with a number is the same person in all companies. Without a number, name and date of birth identify a person within one
 * company only, so that two people with one name are never merged.
 */
const token = (personId: string, parts: readonly string[]): string =>
  personId === '' ? digest(parts.join('\n')) : tokenOfNumber(personId)

function officerOf(cell: (column: Column) => string, connectId: string): Officer {
  const cells = Object.fromEntries(COLUMNS.map(column => [column, cell(column)])) as Record<Column, string>
  const { companyId: _, ...fields } = cells
  const name = fields.name || [fields.firstName, fields.middleName, fields.lastName].filter(part => part !== '').join(' ')
  const country = normaliseCountry(fields.country)
  const personToken = token(fields.personId, [connectId, normaliseText(name) || name, fields.dateOfBirth])
  const prefix = country || connectId.slice(0, 2)
  return { ...fields, name, country, connectId, peopleId: `${prefix}-${personToken}` }
}

/**
 * Reads officers in file order. `connectIds` maps the ids of the register's companies to their connectIds. Rows of unknown companies
 * and rows without a name are passed to `skip`.
 */
export async function* readOfficers(
  file: string,
  connectIds: ReadonlyMap<string, string>,
  skip: (row: SkippedRow) => void,
): AsyncGenerator<Officer> {
  let header: { readonly width: number; readonly of: Columns } | null = null
  for await (const { cells, end } of readRows(file, { bytes: 0, lines: 0 })) {
    if (header === null) {
      header = { width: cells.length, of: columnsOf(file, cells, FORM) }
      continue
    }
    const { width, of } = header
    const cell = (column: Column): string => of.cell(cells, column)
    const connectId = connectIds.get(cell('companyId'))
    const isNamed = cell('name') !== '' || cell('lastName') !== ''
    if (connectId !== undefined && isNamed && cells.length === width) yield officerOf(cell, connectId)
    else if (cells.length !== width) skip({ line: end.lines, why: wrongWidth(cells.length, width) })
    else skip({ line: end.lines, why: isNamed ? `the register has no company with the id ${cell('companyId')}` : 'no name' })
  }
  if (header === null) throw emptySource(file, FORM)
}
