/** Reads the rows of an enriched file and the outcome of each row. */

import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Options } from 'csv-parse'
import { listSome } from '../counted.ts'
import { FettleError } from '../errors.ts'
import { contentChunks } from '../files/file-chunks.ts'
import { headOf } from '../input/table/file-content.ts'
import { parseRows, parserOptions, parseTable } from '../input/table/records.ts'
import { nearest } from '../nearest.ts'
import type { Plan } from '../pipeline/model/types.ts'
import { type EnrichedColumns, isSameColumn, locateColumns, NO_COLUMNS } from './enriched-columns.ts'
import { cannotReadBack, receivedPath } from './file-names.ts'
import { enrichedDelimiter } from './receive.ts'

const REPORTED = ['matched', 'manualMatched', 'review', 'unmatched', 'duplicate', 'failed'] as const
/** Those that a service reports, and rows that were not sent. */
export type RowOutcome = (typeof REPORTED)[number] | 'skipped'
const OUTCOMES: ReadonlySet<string> = new Set(REPORTED)

/** The columns that name the company found, named in contract §5.7. */
export const COMPANY_TAGS = ['general.connectId', 'general.safeNumber'] as const

/** What a service writes in place of a company that it did not find. */
const NO_COMPANY: ReadonlySet<string> = new Set([
  ...'null,nil,none,nan,undefined,n/a,#n/a,na,n.a.,not found,notfound,no match,not matched,unmatched,unknown'.split(','),
  ...'empty,false,0,no company,no company found,company not found,no match found,no result,none found'.split(','),
  ...'not available,nicht gefunden,keine,kein treffer'.split(','),
])

/** Ids have a digit and no blank, and are not cut behind a dash. Any other text is a message, such as "pending" or "#REF!". */
const COMPANY_ID = /^(?=\S*\d)\S*[^\s-]$/

const isNoCompany = (cell: string): boolean => {
  const word = cell
    .trim()
    .toLowerCase()
    .replaceAll('_', ' ')
    .replaceAll(/[[\]{}()<>"']/g, '')
  return NO_COMPANY.has(word) || /^[\s0.?_\u2010-\u2015-]*$/.test(word)
}

/** Columns that describe the row itself, with or without a company. */
const OF_ROW = /^match\.|banding|pattern|duplicate|row ?number/i

/** Words that stand for no value in any column; "0" or "none" may be a value. */
export const NO_VALUE = /^(?:null|<null>|\(null\)|nan|undefined|#?n\/a|[-\u2010-\u2015?]+)$/i

/**
 * The rows with empty cells in place of words for "no company", and ids without spaces around them. A row without a company has no values:
 * words for them are removed from its other cells. One beside a company stays, since it may be its name.
 */
function companyCleaner({ find, header, added }: EnrichedColumns): (row: readonly string[]) => readonly string[] {
  const ids = COMPANY_TAGS.map(find).filter(at => at !== -1)
  const values = find('match.outcome') !== -1 ? [] : added.filter(at => !OF_ROW.test(header[at]!) && !ids.includes(at))
  const isWord = (cell = ''): boolean => cell !== '' && isNoCompany(cell)
  return row => {
    const hasCompany = ids.some(at => (row[at] ?? '') !== '' && !isWord(row[at]))
    const emptied = (hasCompany || ids.length === 0 ? ids : [...ids, ...values]).filter(at => isWord(row[at]))
    const isPadded = ids.some(at => row[at] !== row[at]?.trim())
    if (emptied.length === 0 && !isPadded) return row
    return row.map((cell, at) => (emptied.includes(at) ? '' : ids.includes(at) ? cell.trim() : cell))
  }
}

/** The id of the company found, '' without one. */
export function companyIn(row: readonly string[], columns: Pick<EnrichedColumns, 'find'>): string {
  for (const name of COMPANY_TAGS) {
    const id = (row[columns.find(name)] ?? '').trim()
    if (id !== '') return id
  }
  return ''
}

/** The columns with the name of the company found. */
export const NAME_TAGS = ['general.companyName', 'general.legalName'] as const

export interface EnrichedFile {
  readonly columns: EnrichedColumns
  readonly rows: AsyncIterator<readonly string[]>
  /** The columns do not show which rows have a company. Throw it once a row has repeated the cells of the list, which may have such names. */
  readonly problem: FettleError | null
  /** A row that was read again, as `rows` gives it. */
  clean(row: readonly string[]): readonly string[]
  readonly delimiter: string
  /** The offset of the end of the last row read; 0 unless rows may be read again. */
  place(): number
  close(): Promise<void>
}

export function noFile(rows: number): EnrichedFile {
  async function* empty(): AsyncGenerator<readonly string[]> {
    for (let row = 0; row < rows; row++) yield []
  }
  return {
    columns: NO_COLUMNS,
    rows: empty(),
    problem: null,
    clean: row => row,
    delimiter: ',',
    place: () => 0,
    close: async () => {},
  }
}

/**
 * Opens the received file of a part; null when it does not exist. Throws FETTLE_LEDGER when it has no header, FETTLE_OUTPUT_WRITE
 * when it cannot be read back.
 */
export async function openEnriched(plan: Plan, workDir: string, part: number): Promise<EnrichedFile | null> {
  const path = receivedPath(workDir, part)
  if (!existsSync(path)) return null
  const pieces = (): AsyncIterable<Buffer> => contentChunks(path, cause => cannotReadBack(path, cause))
  const { head, isWhole } = await headOf(pieces())
  const delimiter = enrichedDelimiter(head, isWhole)
  const options = { ...parserOptions(delimiter, 'relaxed'), bom: true }
  let place = 0
  const rows =
    plan.collapse || plan.known !== undefined
      ? placedRows(pieces(), options, end => (place = end))
      : // Received files pack about five to one.
        parseTable(pieces(), options, isWhole ? head.length : (await stat(path)).size * 5)[Symbol.asyncIterator]()
  const first = await rows.next()
  if (first.done) throw new FettleError('FETTLE_LEDGER', `${path} is empty`)
  const columns = locateColumns(first.value, plan)
  const clean = companyCleaner(columns)
  const nextClean = async () => {
    const next = await rows.next()
    return next.done ? next : { done: false as const, value: clean(next.value) }
  }
  return {
    columns,
    rows: { next: nextClean },
    problem: findColumnProblem(plan, columns),
    clean,
    delimiter,
    place: () => place,
    close: async () => {
      await rows.return?.()
    },
  }
}

/** The columns of the file for a message, the nearest to a tag first. */
export function describeHeader({ received, added }: Pick<EnrichedColumns, 'received' | 'added'>, tag: string = COMPANY_TAGS[0]) {
  const near = nearest(
    tag.split('.').at(-1)!,
    added.map(at => received[at]!).filter(name => name.trim().length > 1),
  )
  const shown = listSome(
    received.map(name => JSON.stringify(name)),
    40,
  )
  return `its columns are ${shown}${near === null ? '' : `; the nearest is ${JSON.stringify(near)}`}`
}

/** `match.outcome` needs no id; a chosen id must not be left out because the list has a column of its name. */
function findColumnProblem({ output }: Plan, columns: EnrichedColumns): FettleError | null {
  const { find, own, received } = columns
  if (['match.outcome', ...COMPANY_TAGS].every(name => find(name) === -1))
    return new FettleError(
      'FETTLE_FILE_COLUMNS',
      `the enriched file has no column ${COMPANY_TAGS.join(' or ')}, so nothing shows which rows have a company: ${describeHeader(columns)}`,
    )
  const isOwn = (tag: string): boolean => own.flat().some(at => isSameColumn(received[at]!, tag))
  const left = COMPANY_TAGS.find(tag => output?.columns.includes(tag) && find(tag) === -1 && isOwn(tag))
  if (left === undefined) return null
  return new FettleError(
    'FETTLE_FILE_COLUMNS',
    `the enriched file has the column ${JSON.stringify(left)} of the list, and none of this name that the service added: ${describeHeader(columns)}`,
    { hint: 'Rename this column of the list, or leave it out of what is sent (send: mapped), before the next run.' },
  )
}

/** Yields rows and passes the end of each to `onRow`; a third slower than rows alone. */
async function* placedRows(pieces: AsyncIterable<Buffer>, options: Options, onRow: (end: number) => void) {
  const records = parseRows(pieces, { ...options, info: true }) as AsyncIterable<unknown>
  for await (const { record, info } of records as AsyncIterable<{ record: string[]; info: { bytes: number } }>) {
    onRow(info.bytes)
    yield record
  }
}

/** Reads the outcome of a row from the best columns of the file. */
export function outcomeReader(columns: EnrichedColumns): (row: readonly string[], number: number) => RowOutcome {
  const outcomeColumn = columns.find('match.outcome')
  if (outcomeColumn !== -1) {
    return (row, number) => {
      const outcome = row[outcomeColumn]!
      if (OUTCOMES.has(outcome)) return outcome as RowOutcome
      throw new FettleError(
        'FETTLE_LEDGER',
        `row ${number} of the enriched file has the unknown outcome ${JSON.stringify(outcome)}`,
      )
    }
  }
  const duplicate = columns.find('general.duplicate')
  const ids = COMPANY_TAGS.map(name => columns.find(name)).filter(at => at !== -1)
  return (row, number) => {
    const found = ids.filter(at => row[at] !== '')
    for (const at of found) if (!COMPANY_ID.test(row[at]!)) throw notAnId(columns.header[at]!, number, row[at]!)
    const isDuplicate = /^(y|yes|true|1)$/i.test(row[duplicate] ?? '')
    // Nothing shows that a duplicate without the first id of the file has the company of its output.
    if (found.length === 0 || (isDuplicate && row[ids[0]!] === '')) return 'unmatched'
    return isDuplicate ? 'duplicate' : 'matched'
  }
}

const notAnId = (column: string, number: number, cell: string): FettleError =>
  new FettleError(
    'FETTLE_FILE_COLUMNS',
    `row ${number} of the enriched file has ${JSON.stringify(cell.slice(0, LONGEST_SHOWN))} in ${column}, which is neither the id of a company nor a known word for none`,
    { hint: 'Ask the support of the service what the cell means; the file is kept in the run directory.' },
  )

const LONGEST_SHOWN = 60

/** Whether the file marks rows that have the company of an earlier one. */
export const marksDuplicates = (columns: EnrichedColumns): boolean =>
  columns.find('match.outcome') !== -1 || columns.find('general.duplicate') !== -1
