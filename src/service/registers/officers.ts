/**
 * Reads officers of companies from the CSV of an import, and stores them: one JSON line each, and an index of line numbers by company, person
 * and surname. Only the index is held in memory, 32 bytes per officer.
 */
import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { replaceFile } from '../../files/durable.ts'
import { normaliseCountry } from '../../normalise/country.ts'
import { normaliseText } from '../../normalise/text.ts'
import type { Company } from '../matching/index.ts'
import { namePart, writeWhole } from '../storage/atomic-file.ts'
import { noteSkipped, type SkippedRow, type Taken } from '../storage/published-folders.ts'
import { type OfficersInfo, readError, readLines } from './files.ts'
import { type Columns, readColumns } from './import/kinds.ts'
import { emptySource, readRows, sourceFacts, wrongWidth } from './import/source.ts'
import { makeEntry, makeKey, placesBetween } from './sorted-index.ts'

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
const writeOfficer = (officer: Officer): string =>
  JSON.stringify(officer, (_, value: unknown) => (value === '' ? undefined : value))

const readOfficer = (line: string): Officer => ({ ...EMPTY_OFFICER, ...(JSON.parse(line) as object) }) as Officer

/** The part of a peopleId behind the country prefix; lookups use it alone. */
const readToken = (peopleId: string): string => peopleId.slice(peopleId.indexOf('-') + 1)

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 20)

export const tokenOfNumber = (personId: string): string => (/^[A-Za-z0-9]{1,40}$/.test(personId) ? personId : digest(personId))

/**
 * A person with a number is the same person in all companies. Without a number, name and date of birth identify a person within one
 * company only, so that two people with one name are never merged.
 */
const token = (personId: string, parts: readonly string[]): string =>
  personId === '' ? digest(parts.join('\n')) : tokenOfNumber(personId)

function makeOfficer(cell: (column: Column) => string, connectId: string): Officer {
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
async function* readOfficers(
  file: string,
  connectIds: ReadonlyMap<string, string>,
  skip: (row: SkippedRow<number>) => void,
): AsyncGenerator<Officer> {
  let header: { readonly width: number; readonly of: Columns } | null = null
  for await (const { cells, end } of readRows(file, { bytes: 0, lines: 0 })) {
    if (header === null) {
      header = { width: cells.length, of: readColumns(file, cells, FORM) }
      continue
    }
    const { width, of } = header
    const cell = (column: Column): string => of.cell(cells, column)
    const connectId = connectIds.get(cell('companyId'))
    const isNamed = cell('name') !== '' || cell('lastName') !== ''
    if (connectId !== undefined && isNamed && cells.length === width) yield makeOfficer(cell, connectId)
    else if (cells.length !== width) skip({ line: end.lines, why: wrongWidth(cells.length, width) })
    else skip({ line: end.lines, why: isNamed ? `the register has no company with the id ${cell('companyId')}` : 'no name' })
  }
  if (header === null) throw emptySource(file, FORM)
}

export interface Officers {
  readonly size: number
  ofCompany(connectId: string): Officer[]
  ofPerson(peopleId: string): Officer[]
  /** Positions of people whose last name ends in the same word, at most `most`. */
  bySurname(lastName: string, most: number): Officer[]
  /** The first `most` positions of the register. */
  first(most: number): Officer[]
  close(): void
}

/** The key of the last word of a name. */
const surnameKey = (name: string): number => makeKey(normaliseText(name).split(' ').at(-1) ?? '')

async function writeOfficers(folder: string, file: string, index: string, officers: AsyncIterable<Officer>): Promise<number> {
  const offsets = [0]
  const lists: [number[], number[], number[]] = [[], [], []]
  await writeWhole(join(folder, file), async write => {
    let offset = 0
    for await (const officer of officers) {
      const text = `${writeOfficer(officer)}\n`
      const lineNumber = offsets.length - 1
      const keys = [
        makeKey(officer.connectId),
        makeKey(readToken(officer.peopleId)),
        surnameKey(officer.lastName || officer.name),
      ]
      for (const [at, key] of keys.entries()) lists[at]?.push(makeEntry(key, lineNumber))
      offset += Buffer.byteLength(text)
      offsets.push(offset)
      await write(text)
    }
  })
  const path = join(folder, index)
  await replaceFile(path, namePart(path), async handle => {
    for (const list of [offsets, ...lists.map(entries => Float64Array.from(entries).sort())]) {
      await handle.appendFile(Buffer.from(Float64Array.from(list).buffer))
    }
  })
  return offsets.length - 1
}

const OPENING = 'Opening the officers in'

/** Opens the officers of a register; the caller closes them. Throws FETTLE_INPUT_READ for incomplete files. */
export async function openOfficers(folder: string, info: OfficersInfo): Promise<Officers> {
  const { officers: size } = info
  const bytes = await readFile(join(folder, info.index)).catch((cause: unknown) => {
    throw readError(folder, cause, OPENING)
  })
  const numbers = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
  if (numbers.length !== 4 * size + 1) throw readError(folder, `its index does not have ${size} officers`, OPENING)
  const offsets = numbers.subarray(0, size + 1)
  const [companies, people, surnames] = [1, 2, 3].map(n => numbers.subarray(n * size + 1, (n + 1) * size + 1)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ]
  let file: number
  try {
    file = openSync(join(folder, info.file), 'r')
  } catch (cause) {
    throw readError(folder, cause, OPENING)
  }
  const read = (lineNumber: number): Officer => {
    const start = offsets[lineNumber] ?? 0
    const text = Buffer.alloc((offsets[lineNumber + 1] ?? 0) - start)
    readSync(file, text, 0, text.length, start)
    return readOfficer(text.toString())
  }
  const officersAt = (sorted: Float64Array, key: number, most: number): Officer[] =>
    placesBetween(sorted, key, key, most).map(read)
  return {
    size,
    ofCompany: connectId => officersAt(companies, makeKey(connectId), size).filter(officer => officer.connectId === connectId),
    ofPerson: peopleId =>
      officersAt(people, makeKey(readToken(peopleId)), size).filter(
        officer => readToken(officer.peopleId) === readToken(peopleId),
      ),
    bySurname: (lastName, most) => officersAt(surnames, surnameKey(lastName), most),
    first: most => Array.from({ length: Math.min(most, size) }, (_, lineNumber) => read(lineNumber)),
    close: () => closeSync(file),
  }
}

/** The officers of a company who have not resigned, each once. */
export const currentDirectors =
  (officers: Officers) =>
  (connectId: string): readonly Officer[] => [
    ...new Map(
      officers
        .ofCompany(connectId)
        .filter(({ resigned }) => resigned === '')
        .map(officer => [officer.peopleId, officer]),
    ).values(),
  ]

/** The sorted names of the current officers of a company, separated by semicolons. */
export const currentOfficers =
  (officers: Officers) =>
  (connectId: string): string =>
    officers
      .ofCompany(connectId)
      .filter(({ resigned }) => resigned === '')
      .map(({ name }) => name)
      .sort()
      .join('; ')

/** Joins the officers of several registers. The first register with officers of a company, or positions of a person, wins. */
export const joinOfficers = (all: readonly Officers[]): Officers => ({
  size: all.reduce((sum, { size }) => sum + size, 0),
  ofCompany: connectId => all.map(officers => officers.ofCompany(connectId)).find(found => found.length > 0) ?? [],
  ofPerson: peopleId => all.map(officers => officers.ofPerson(peopleId)).find(found => found.length > 0) ?? [],
  bySurname: (lastName, most) => all.flatMap(officers => officers.bySurname(lastName, most)).slice(0, most),
  first: most => all.flatMap(officers => officers.first(most)).slice(0, most),
  close() {
    for (const officers of all) officers.close()
  },
})

export const NO_OFFICERS = joinOfficers([])

interface OfficersImport {
  readonly source: string
  readonly folder: string
  /** Makes the file names unique. */
  readonly key: string
  /** The file of companies. */
  readonly companies: string
  /** Throws for too few officers. */
  readonly accept: (counts: Pick<Taken, 'now' | 'skipped' | 'skippedRows'>) => void
}

/**
 * Writes the officers of the companies in a file of companies.
 * @throws FettleError FETTLE_INPUT_… for the source
 */
export async function importOfficers({ source, folder, key, companies, accept }: OfficersImport): Promise<OfficersInfo> {
  const { sha256, bytes } = await sourceFacts(source)
  const connectIds = new Map<string, string>()
  for await (const { text } of readLines(companies)) {
    const { id, connectId } = JSON.parse(text) as Company
    connectIds.set(id, connectId)
  }
  const counts = { skipped: 0, skippedRows: [] as SkippedRow<number>[] }
  const [file, index] = [`officers-${key}.jsonl`, `officers-${key}.index`]
  try {
    const rows = readOfficers(source, connectIds, row => noteSkipped(counts, row))
    const officers = await writeOfficers(folder, file, index, rows)
    accept({ now: officers, ...counts })
    return { source: basename(source), officers, ...counts, sha256, bytes, file, index }
  } catch (error) {
    for (const name of [file, index]) await rm(join(folder, name), { force: true })
    throw error
  }
}
