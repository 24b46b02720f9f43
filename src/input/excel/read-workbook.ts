/**
 * Reads one sheet of an Excel workbook as CSV with commas, the same for the same file. Limits the unpacked size and the memory; time
 * is linear in both.
 */
import { getHeapStatistics } from 'node:v8'
import { type ErrorCode, FettleError } from '../../errors.ts'
import { readDirectory, unpack } from '../../files/zip.ts'
import { csvText } from '../../formats/text-formats.ts'
import { readCells } from './cell-values.ts'
import { type Book, type Parts, partOf, readBook } from './workbook.ts'

export const MAX_XML = 512 * 1024 ** 2

export interface Sheet {
  readonly name: string
  readonly others: readonly string[]
  /** Columns (from 0) with cells that are numbers. */
  readonly numbers: readonly number[]
  readonly text: readonly Buffer[]
}

type Fail = (code: ErrorCode, why: string, hint?: string) => FettleError

export type WantedSheet = string | number | null

export const isWorkbook = (archive: Buffer): boolean =>
  readDirectory(archive)?.some(({ name }) => name === 'xl/workbook.xml') === true

/**
 * Reads a sheet of the workbook at `path`, whose bytes are given. Throws FETTLE_INPUT_KIND when the workbook is damaged,
 * FETTLE_INPUT_LIMIT when it is too large, FETTLE_INPUT_SHEET when the sheet is not there.
 */
export function readSheet(archive: Buffer, path: string, wanted: WantedSheet): Sheet {
  const fail: Fail = (code, why, hint) =>
    new FettleError(code, `${path} ${why}`, { at: { file: path, line: null, column: null }, ...(hint ? { hint } : {}) })
  try {
    return sheetOf(unpackXml(archive, fail), wanted, fail)
  } catch (error) {
    if (FettleError.is(error)) throw error
    throw fail('FETTLE_INPUT_KIND', `is an Excel file that cannot be read: ${(error as Error).message}`, SAVE_AGAIN)
  }
}

const SAVE_AGAIN = 'Open it in Excel and save it again, without a password; or save it as CSV UTF-8.'

function sheetOf(parts: Parts, wanted: WantedSheet, fail: Fail): Sheet {
  // Checked before reading: these parts fill the heap.
  refuseTooLarge(BYTES_OF_XML * sharedBytes(parts), fail)
  const book = readBook(parts)
  const { sheets } = book
  const filled = new Map<string, boolean>()
  const isFilled = ({ part }: Book['sheets'][number]): boolean => {
    if (part === null) return false
    // Several sheets may name one part: it is read once.
    const known = filled.get(part) ?? hasCells(partOf(parts, part), book)
    filled.set(part, known)
    return known
  }
  const chosen = sheets[indexOf(sheets, wanted, isFilled)]
  if (chosen === undefined) {
    const names = sheetNames(sheets.map(({ name }) => name))
    throw fail('FETTLE_INPUT_SHEET', `has no sheet ${JSON.stringify(wanted)}`, `It has ${names}; see input.sheet.`)
  }
  const others = sheets.filter(one => one !== chosen && isFilled(one)).map(({ name }) => name)
  const { text, numbers } = chosen.part === null ? { text: [], numbers: [] } : textOf(partOf(parts, chosen.part), book, fail)
  return { name: chosen.name, others, numbers, text }
}

const NAMED = 20

export function sheetNames(names: readonly string[]): string {
  const list = names.slice(0, NAMED).map(name => JSON.stringify(name))
  return `${list.join(', ')}${names.length > NAMED ? ` and ${names.length - NAMED} more` : ''}`
}

function indexOf(sheets: Book['sheets'], wanted: WantedSheet, isFilled: (sheet: Book['sheets'][number]) => boolean): number {
  if (typeof wanted === 'number') return wanted - 1
  if (typeof wanted === 'string') return sheets.findIndex(({ name }) => name === wanted)
  if (sheets.length === 0) throw new Error('it has no sheet')
  return Math.max(0, sheets.findIndex(isFilled))
}

function hasCells(xml: Buffer, book: Book): boolean {
  let has = false
  readCells(xml, book, () => {
    has = true
    return false
  })
  return has
}

const BATCH_CELLS = 50_000
const BATCH_CHARS = 1_048_576

/** Rows as CSV, padded to the widest. The size is counted first, so that a few distant cells do not fill the memory. */
function textOf(xml: Buffer, book: Book, fail: Fail): Pick<Sheet, 'text' | 'numbers'> {
  let [rows, columns, chars] = [0, 0, 0]
  const numbers = new Set<number>()
  readCells(xml, book, (row, column, { length }, isNumber) => {
    if (isNumber) numbers.add(column - 1)
    rows = row
    columns = Math.max(columns, column)
    chars += length
    return true
  })
  refuseTooLarge(chars + rows * columns, fail)
  const text: Buffer[] = []
  const style = { delimiter: ',', lineEnd: '\n', columns }
  let batch: string[][] = []
  let held = 0
  const flush = (): void => {
    if (batch.length > 0) text.push(Buffer.from(csvText(batch, style)))
    batch = []
    held = 0
  }
  let cells: string[] = []
  let at = 1
  const end = (): void => {
    while (cells.length < columns) cells.push('')
    batch.push(cells)
    cells = []
    at++
    if (batch.length * columns >= BATCH_CELLS || held >= BATCH_CHARS) flush()
  }
  readCells(xml, book, (row, column, cell) => {
    while (at < row) end()
    while (cells.length < column - 1) cells.push('')
    cells.push(cell)
    held += cell.length
    return true
  })
  if (rows > 0) end()
  flush()
  return { text, numbers: [...numbers].toSorted((a, b) => a - b) }
}

/** Folders of a workbook without cells, which may be large. */
const UNREAD =
  /^xl\/(charts|comments|customProperty|drawings|externalLinks|media|persons|pivot\w*|printerSettings|queryTables|tables|theme|threadedComments)\b/

function unpackXml(archive: Buffer, fail: Fail): Map<string, Buffer> {
  const members = (readDirectory(archive) ?? []).filter(({ name }) => /^xl\/.+\.(xml|rels)$/.test(name) && !UNREAD.test(name))
  const total = members.reduce((sum, { bytes }) => sum + bytes, 0)
  if (total > MAX_XML)
    throw fail(
      'FETTLE_INPUT_LIMIT',
      `would unpack to ${total} bytes; workbooks of up to ${MAX_XML} are read`,
      'Save the sheet as CSV UTF-8, which has no such limit.',
    )
  const files = new Map<string, Buffer>()
  for (const member of members) {
    // Readers disagree about which of the two is valid.
    if (files.has(member.name)) throw new Error(`${member.name} is in it twice`)
    files.set(member.name, unpack(archive, member, MAX_XML))
  }
  return files
}

/** Bytes of memory that a byte of XML takes once it is a shared text or a style; measured, with a margin. */
const BYTES_OF_XML = 4

const sharedBytes = (parts: Parts): number =>
  [...parts].reduce((sum, [name, { length }]) => sum + (/^xl\/worksheets\/[^/]+$/.test(name) ? 0 : length), 0)

/** Rejects a workbook that needs too much memory: a process that runs out of it could report nothing. */
function refuseTooLarge(need: number, fail: Fail): void {
  const { heap_size_limit: limit, used_heap_size: used } = getHeapStatistics()
  // The same amount again is outside the heap: the file, its XML, and copies of it.
  const free = Math.min(limit - used, process.availableMemory() / 2)
  if (need <= free) return
  const [needed, there] = [need, free].map(bytes => Math.ceil(bytes / 1024 ** 2))
  throw fail(
    'FETTLE_INPUT_LIMIT',
    `takes about ${needed} MiB of memory to be read, and ${there} are there`,
    'Look for a stray cell far outside the table; or save the sheet as CSV UTF-8, which takes next to nothing.',
  )
}
