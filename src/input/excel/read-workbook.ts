/**
 * Reads one sheet of an Excel workbook as CSV with commas, the same for the same file. Limits the unpacked size and the memory; time
 * is linear in both.
 */

import { getHeapStatistics } from 'node:v8'
import { listSome } from '../../counted.ts'
import { defined } from '../../defined.ts'
import { type ErrorCode, FettleError } from '../../errors.ts'
import { readXml } from '../../files/xml.ts'
import { readDirectory, unpack } from '../../files/zip.ts'
import { DAY_MS, DAYS_1900, SHEET_DATE, SHEET_KINDS, sheetValue } from '../../formats/sheet-values.ts'
import { csvText } from '../../formats/text-formats.ts'
import type { SheetColumn } from '../../model/columns.ts'
import { type Book, findPart, type Parts, readBook, TextRuns, unescaped } from './workbook.ts'

export const MAX_XML = 512 * 1024 ** 2

interface Sheet {
  readonly name: string
  readonly others: readonly string[]
  /** Those with a width, or with cells that are not text. */
  readonly columns: readonly SheetColumn[]
  /** Cells of merged ranges that got the value of their range. */
  readonly filled: number
  readonly text: readonly Buffer[]
}

type Fail = (code: ErrorCode, why: string, hint?: string) => FettleError

type WantedSheet = string | number | null

/** A last column that names the sheet: its header, and the line that gets it; 0 without a header. */
export interface SheetNaming {
  readonly header: string
  readonly line: number
}

export const isWorkbook = (archive: Buffer): boolean =>
  readDirectory(archive)?.some(({ name }) => name === 'xl/workbook.xml') === true

/**
 * Reads a sheet of the workbook at `path`, whose bytes are given. Throws FETTLE_INPUT_KIND when the workbook is damaged,
 * FETTLE_INPUT_LIMIT when it is too large, FETTLE_INPUT_SHEET when the sheet is not there.
 */
export const readSheet = (archive: Buffer, path: string, wanted: WantedSheet, naming?: SheetNaming): Sheet =>
  readParts(archive, path, (parts, fail) => readChosen(parts, wanted, naming, fail))

/** The sheets with content. Throws as readSheet does. */
export const listSheets = (archive: Buffer, path: string): readonly Pick<Book['sheets'][number], 'name' | 'isHidden'>[] =>
  readParts(archive, path, (parts, fail) => {
    const { sheets, isFilled } = openBook(parts, fail)
    return sheets.filter(isFilled)
  })

function readParts<T>(archive: Buffer, path: string, read: (parts: Parts, fail: Fail) => T): T {
  const fail: Fail = (code, why, hint) =>
    new FettleError(code, `${path} ${why}`, { at: { file: path, line: null, column: null }, hint })
  try {
    return read(unpackXml(archive, fail), fail)
  } catch (error) {
    if (FettleError.is(error)) throw error
    throw fail('FETTLE_INPUT_KIND', `is an Excel file that cannot be read: ${(error as Error).message}`, SAVE_AGAIN)
  }
}

const SAVE_AGAIN = 'Open it in Excel and save it again, without a password; or save it as CSV UTF-8.'

function openBook(parts: Parts, fail: Fail) {
  // Checked before reading: these parts fill the heap.
  refuseTooLarge(BYTES_OF_XML * sharedBytes(parts), fail)
  const book = readBook(parts)
  const filled = new Map<string, boolean>()
  const isFilled = ({ part }: Book['sheets'][number]): boolean => {
    if (part === null) return false
    // Several sheets may name one part: it is read once.
    const known = filled.get(part) ?? hasCells(findPart(parts, part), book)
    filled.set(part, known)
    return known
  }
  return { book, sheets: book.sheets, isFilled }
}

function readChosen(parts: Parts, wanted: WantedSheet, naming: SheetNaming | undefined, fail: Fail): Sheet {
  const { book, sheets, isFilled } = openBook(parts, fail)
  const chosen = sheets[findIndex(sheets, wanted, isFilled)]
  if (chosen === undefined) {
    const names = sheetNames(sheets.map(({ name }) => name))
    throw fail('FETTLE_INPUT_SHEET', `has no sheet ${JSON.stringify(wanted)}`, `It has ${names}; see input.sheet.`)
  }
  const others = sheets.filter(sheet => sheet !== chosen && isFilled(sheet)).map(({ name }) => name)
  const rows =
    chosen.part === null
      ? { text: [], columns: [], filled: 0 }
      : formatRows(findPart(parts, chosen.part), book, naming && { ...naming, name: chosen.name }, fail)
  return { name: chosen.name, others, ...rows }
}

export const sheetNames = (names: readonly string[]): string =>
  listSome(
    names.map(name => JSON.stringify(name)),
    20,
  )

function findIndex(sheets: Book['sheets'], wanted: WantedSheet, isFilled: (sheet: Book['sheets'][number]) => boolean): number {
  if (typeof wanted === 'number') return wanted - 1
  if (typeof wanted === 'string') return sheets.findIndex(({ name }) => name === wanted)
  if (sheets.length === 0) throw new Error('it has no sheet')
  const seen = sheets.findIndex(sheet => !sheet.isHidden && isFilled(sheet))
  return seen >= 0 ? seen : Math.max(0, sheets.findIndex(isFilled))
}

function hasCells(xml: Buffer, book: Book): boolean {
  let has = false
  readCells(xml, book, () => {
    has = true
    return false
  })
  return has
}

const LINE_END = /\r\n|\n|\r/g
const BATCH_CELLS = 50_000
const BATCH_CHARS = 1_048_576

type OwnName = (SheetNaming & Pick<Sheet, 'name'>) | undefined

/** Rows as CSV, padded to the widest. The size is counted first, so that a few distant cells do not fill the memory. */
function formatRows(xml: Buffer, book: Book, naming: OwnName, fail: Fail): Pick<Sheet, 'text' | 'columns' | 'filled'> {
  let [rows, columns, chars] = [0, 0, 0]
  const merges = readMerges(xml)
  const looks: ColumnLook[] = []
  readCells(xml, book, (row, column, cell, kind) => {
    looks[column - 1] ??= new ColumnLook()
    looks[column - 1]!.add(cell, kind)
    rows = row
    columns = Math.max(columns, column)
    chars += cell.length
    for (const merge of merges.get(row) ?? []) if (merge.column === column) chars += cell.length * (merge.to - row)
    return true
  })
  refuseTooLarge(chars + rows * (columns + (naming?.name.length ?? 0)), fail)
  const text: Buffer[] = []
  const style = { delimiter: ',', lineEnd: '\n', columns: columns + (naming === undefined ? 0 : 1) }
  let batch: string[][] = []
  let held = 0
  const flush = (): void => {
    if (batch.length > 0) text.push(Buffer.from(csvText(batch, style)))
    batch = []
    held = 0
  }
  let cells: string[] = []
  let at = 1
  let line = 1
  const filler = new MergeFiller(merges)
  const end = (): void => {
    while (cells.length < columns) cells.push('')
    filler.fill(at, cells)
    if (naming !== undefined) {
      const { header, name } = naming
      const inCells = cells.reduce((sum, cell) => sum + (cell.match(LINE_END)?.length ?? 0), 0)
      cells.push(line < naming.line || cells.every(cell => cell === '') ? '' : line === naming.line ? header : name)
      line += 1 + inCells
    }
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
  const widths = readWidths(xml, columns)
  const found = Array.from({ length: columns }, (_, index): SheetColumn => {
    return defined({ index, ...looks[index]?.found(), width: widths[index] })
  })
  return { text, columns: found.filter(column => Object.keys(column).length > 1), filled: filler.count }
}

/** A merged range of several rows, by the first of them: the value is in its first cell alone. */
interface Merge {
  readonly column: number
  readonly to: number
}

const RANGE = /^[A-Z]{1,3}[1-9]\d{0,6}:[A-Z]{1,3}[1-9]\d{0,6}$/

function readMerges(xml: Buffer): ReadonlyMap<number, readonly Merge[]> {
  const merges = new Map<number, Merge[]>()
  // They stand behind all cells, and few sheets have some.
  if (!xml.includes('mergeCell')) return merges
  readXml(xml, {
    open(name, attribute) {
      const ref = name === 'mergeCell' ? attribute('ref') : null
      if (ref === null || !RANGE.test(ref)) return true
      const [from, to] = ref.split(':').map(address => parseAddress(address)!)
      if (to!.row <= from!.row) return true
      const merge = { column: from!.column, to: Math.min(to!.row, MAX_ROW) }
      merges.set(from!.row, [...(merges.get(from!.row) ?? []), merge])
      return true
    },
  })
  return merges
}

/** Carries the value of a merged range down to its other rows, as far as these have cells of their own. */
class MergeFiller {
  count = 0
  readonly #merges: ReturnType<typeof readMerges>
  /** By column: what reaches the present row. */
  readonly #open = new Map<number, { readonly to: number; readonly text: string }>()

  constructor(merges: ReturnType<typeof readMerges>) {
    this.#merges = merges
  }

  /** `row` ascends by one. */
  fill(row: number, cells: string[]): void {
    const hasOwn = this.#open.size > 0 && cells.some(cell => cell !== '')
    for (const [column, { to, text }] of this.#open) {
      if (row > to) this.#open.delete(column)
      else if (hasOwn && cells[column - 1] === '') {
        cells[column - 1] = text
        this.count++
      }
    }
    for (const { column, to } of this.#merges.get(row) ?? []) {
      const text = cells[column - 1] ?? ''
      if (text !== '') this.#open.set(column, { to, text })
    }
  }
}

/** What a cell is that is not text, and the number format that shows it; null for text. */
type CellKind = Required<Pick<SheetColumn, 'is' | 'format'>> | null

/** Collects what the cells of a column are. */
class ColumnLook {
  readonly #counts = new Map<string, { readonly kind: NonNullable<CellKind>; count: number }>()
  /** Whether it has texts that look like each of them. */
  readonly #isText = { number: false, date: false, boolean: false }

  add(cell: string, kind: CellKind): void {
    if (kind === null) {
      if (/^[-\dTF]/.test(cell)) for (const is of SHEET_KINDS) this.#isText[is] ||= sheetValue(cell, is) !== null
      return
    }
    const name = `${kind.is} ${kind.format}`
    const found = this.#counts.get(name) ?? { kind, count: 0 }
    found.count++
    this.#counts.set(name, found)
  }

  /** What most of them are; nothing where a text looks like one of them: a column that is written again would mix them up. */
  found(): Pick<SheetColumn, 'is' | 'format'> {
    const [best] = [...this.#counts.values()].toSorted((a, b) => b.count - a.count)
    if (best === undefined || this.#isText[best.kind.is]) return {}
    return best.kind.format === 0 ? { is: best.kind.is } : best.kind
  }
}

const MOST_WIDE = 255

/** The widths of the columns that have one, by their places. */
function readWidths(xml: Buffer, columns: number): (number | undefined)[] {
  const widths: (number | undefined)[] = []
  readXml(xml, {
    open(name, attribute) {
      const [min, max, width] = ['min', 'max', 'width'].map(key => Number(attribute(key) ?? Number.NaN))
      if (name === 'col' && min! >= 1 && width! > 0 && width! <= MOST_WIDE && attribute('customWidth') !== null)
        for (let at = min!; at <= Math.min(max!, columns); at++) widths[at - 1] = width
      return name !== 'sheetData'
    },
  })
  return widths
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

/** The last row and column that Excel has. */
const MAX_ROW = 1_048_576
const MAX_COLUMN = 16_384

/**
 * Calls `take` for each cell with content, rows and columns counted from 1 and ascending, until it returns false. Throws an Error
 * for a cell that cannot be read.
 */
function readCells(xml: Buffer, book: Book, take: (row: number, column: number, text: string, kind: CellKind) => boolean): void {
  const runs = new TextRuns()
  let [isData, isValue, goesOn] = [false, false, true]
  let [row, column] = [0, 0]
  let cell: { type: string; style: string | null } | null = null
  let value = ''
  readXml(xml, {
    open(name, attribute) {
      if (name === 'sheetData') isData = true
      else if (name === 'row' && isData) {
        row = placed(rowNumber(attribute('r')), row, `row ${attribute('r')}`, MAX_ROW)
        column = 0
      } else if (name === 'c' && isData) {
        const at = parseAddress(attribute('r'))
        if (at !== null && at.row !== row) throw new Error(`the cell ${attribute('r')} is in row ${row}`)
        column = placed(at?.column ?? null, column, `cell ${attribute('r')} of row ${row}`, MAX_COLUMN)
        cell = { type: attribute('t') ?? 'n', style: attribute('s') }
        value = ''
      } else if (cell !== null) {
        if (name === 'v') isValue = true
        else runs.open(name)
      }
      return goesOn
    },
    close(name) {
      if (name === 'sheetData') isData = false
      if (cell === null) return
      if (name === 'v') isValue = false
      else if (name === 'c') {
        const text = cellText({ ...cell, value, inline: runs.take() }, book, () => `${row}, column ${column}`)
        const kind = cellKind(cell.type, book.formats[Number(cell.style ?? 0)])
        cell = null
        if (text !== '') goesOn &&= take(row, column, text, kind)
      } else runs.close(name)
    },
    text(text) {
      if (cell === null) return
      if (isValue) value += text
      else runs.add(text)
    },
  })
}

/** Dates that are stored as text in ISO 8601 have no number format of their own. */
function cellKind(type: string, { isDate, format }: Book['formats'][number] = { isDate: false, format: 0 }): CellKind {
  if (type === 'b') return { is: 'boolean', format: 0 }
  if (type === 'd') return { is: 'date', format: isDate ? format : SHEET_DATE }
  if (type !== 'n') return null
  return { is: isDate ? 'date' : 'number', format }
}

/** The position of a cell or row; the next one when none is given. Positions must ascend. */
function placed(named: number | null, before: number, what: string, last: number): number {
  const place = named ?? before + 1
  if (place > last) throw new Error(`${what} is beyond the last that Excel has`)
  if (place <= before) throw new Error(`${what} follows one of a higher number`)
  return place
}

function rowNumber(text: string | null): number | null {
  if (text === null) return null
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new Error(`${JSON.stringify(text.slice(0, 20))} is not the address of a row`)
  return Number(text)
}

function parseAddress(text: string | null): { row: number; column: number } | null {
  if (text === null) return null
  const [, letters, digits] = /^([A-Z]{1,3})([1-9]\d{0,6})$/.exec(text) ?? []
  if (letters === undefined) throw new Error(`${JSON.stringify(text.slice(0, 20))} is not the address of a cell`)
  return { row: Number(digits), column: [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) }
}

/** The text of a cell: dates as ISO 8601, numbers without exponent, TRUE and FALSE, nothing for errors and for an empty one. */
function cellText(
  cell: { readonly type: string; readonly style: string | null; readonly value: string; readonly inline: string },
  book: Book,
  place: () => string,
): string {
  const { value, inline } = cell
  const known = (text: string | undefined | null): string => {
    if (text == null)
      throw new Error(`the cell of row ${place()} has ${JSON.stringify(value.slice(0, 40))}, which is not a value of its type`)
    return text
  }
  if (cell.type === 'inlineStr') return inline
  if (value === '' || cell.type === 'e') return ''
  switch (cell.type) {
    case 's':
      return known(/^\s*\d{1,9}\s*$/.test(value) ? book.strings[Number(value)] : null)
    case 'str':
      return unescaped(value)
    case 'b':
      return known(value === '1' ? 'TRUE' : value === '0' ? 'FALSE' : null)
    case 'd': {
      const date = new Date(value)
      return known(Number.isNaN(date.getTime()) ? null : dateText(date))
    }
    case 'n': {
      const number = value.trim() === '' ? Number.NaN : Number(value)
      const isDate = cell.style === null ? false : book.formats[Number(cell.style)]?.isDate
      if (Number.isNaN(number) || isDate === undefined) return known(null)
      return isDate ? dateText(toDate(number, book.is1904)) : numberText(number)
    }
    default:
      return known(null)
  }
}

/** A number as JavaScript prints it, without exponent. */
function numberText(value: number): string {
  const [, sign = '', whole = '', part = '', exponent] = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(String(value)) ?? []
  if (exponent === undefined) return String(value)
  const point = whole.length + Number(exponent)
  const digits = whole + part
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return sign + digits.slice(0, point).padEnd(point, '0') + (digits.length > point ? `.${digits.slice(point)}` : '')
}

/** Days from 1 January 1904 to 1970. */
const DAYS_1904 = 24_107

const toDate = (days: number, is1904: boolean): Date => new Date(Math.floor((days - (is1904 ? DAYS_1904 : DAYS_1900)) * DAY_MS))

const SECOND_MS = 1000

/** A date with its time, if any, or a time alone. Empty for a number outside the calendar. */
function dateText(date: Date): string {
  // Times are fractions of a day, which miss whole seconds by less than one second.
  const rounded = new Date(Math.round(date.getTime() / SECOND_MS) * SECOND_MS)
  if (Number.isNaN(rounded.getTime())) return ''
  const [day = '', rest = ''] = rounded.toISOString().split('T')
  const time = rest.slice(0, 8)
  // Day 0: a time of day without a date.
  if (day === '1899-12-30') return time
  return time === '00:00:00' ? day : `${day}T${time}`
}
