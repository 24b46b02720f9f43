/**
 * An Excel workbook as the text of one of its sheets: CSV with commas, always the same for the same file. It chooses the sheet and
 * bounds what is unpacked and what memory it takes; the XML is read by a package that is loaded only then.
 */
import { getHeapStatistics } from 'node:v8'
import { crc32 } from 'node:zlib'
import { type ErrorCode, FettleError } from '../errors.ts'
import { csvText } from './formats.ts'
import { type Cell, cellText, extentOf } from './xlsx-cells.ts'
import { centralDirectory, localHeader, type Member, readDirectory, STORED, unpack } from './zip.ts'

/** Bytes that the XML of a workbook may have, all together: about what one text of Node can hold. */
export const MAX_XML = 512 * 1024 ** 2

const BATCH = 1000

/** The text of a sheet, and the sheets that a workbook has. */
export interface Sheet {
  readonly name: string
  /** Other sheets with content. */
  readonly others: readonly string[]
  readonly text: readonly Buffer[]
}

type Fail = (code: ErrorCode, why: string, hint?: string) => FettleError

/** Which sheet is meant: its name, its number from 1, or the first with content. */
export type WantedSheet = string | number | null

/** Whether an archive is a workbook of the kind that is read here. */
export const isWorkbook = (archive: Buffer): boolean =>
  readDirectory(archive)?.some(({ name }) => name === 'xl/workbook.xml') === true

/**
 * Reads a sheet of the workbook at `path`, whose bytes are given. Throws FETTLE_INPUT_KIND when the package is not installed or the
 * workbook is damaged, FETTLE_INPUT_LIMIT when it is too large, FETTLE_INPUT_SHEET when the sheet is not there.
 */
export async function readSheet(archive: Buffer, path: string, wanted: WantedSheet): Promise<Sheet> {
  const fail: Fail = (code, why, hint) =>
    new FettleError(code, `${path} ${why}`, { at: { file: path, line: null, column: null }, ...(hint ? { hint } : {}) })
  const read = await loadReader()
  if (read === null)
    throw fail(
      'FETTLE_INPUT_KIND',
      'is an Excel file, and the package that reads those is not installed',
      'npm install read-excel-file, or save it as CSV UTF-8.',
    )
  const files = unpackXml(archive, fail)
  refuseTooLarge(files, fail)
  // As they stand: by default the spaces around a text would be lost.
  const sheets = await read(repack(files), { trim: false }).catch(error => {
    throw fail('FETTLE_INPUT_KIND', `is an Excel file that cannot be read: ${(error as Error).message}`, MEND)
  })
  const chosen = sheets[indexOf(sheets, wanted)]
  if (chosen === undefined) {
    const names = sheets.map(({ sheet }) => JSON.stringify(sheet)).join(', ')
    throw fail('FETTLE_INPUT_SHEET', `has no sheet ${JSON.stringify(wanted)}`, `It has ${names}; see input.sheet.`)
  }
  const others = sheets.filter(one => one !== chosen && one.data.length > 0).map(({ sheet }) => sheet)
  return { name: chosen.sheet, others, text: textOf(chosen.data as Cell[][]) }
}

function indexOf(sheets: readonly { readonly sheet: string; readonly data: readonly unknown[] }[], wanted: WantedSheet): number {
  if (typeof wanted === 'number') return wanted - 1
  if (typeof wanted === 'string') return sheets.findIndex(({ sheet }) => sheet === wanted)
  return Math.max(
    0,
    sheets.findIndex(({ data }) => data.length > 0),
  )
}

function textOf(rows: readonly (readonly Cell[])[]): Buffer[] {
  const style = { delimiter: ',', lineEnd: '\n', columns: rows[0]?.length ?? 0 }
  const text: Buffer[] = []
  for (let at = 0; at < rows.length; at += BATCH)
    text.push(
      Buffer.from(
        csvText(
          rows.slice(at, at + BATCH).map(row => row.map(cellText)),
          style,
        ),
      ),
    )
  return text
}

const MEND = 'Open it in Excel and save it again, without a password; or save it as CSV UTF-8.'

/** The package, null when it is not installed. */
const loadReader = async () => (await import('read-excel-file/node').catch(() => null))?.default ?? null

/** Folders of a workbook that say nothing of its cells, and may be large. */
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
  try {
    return new Map(members.map(member => [member.name, unpack(archive, member, MAX_XML)]))
  } catch (error) {
    throw fail('FETTLE_INPUT_KIND', `is an Excel file that cannot be read: ${(error as Error).message}`, MEND)
  }
}

/** Bytes of memory that the package takes for a byte of XML, a cell (empty ones are filled in) and a row; measured, with a margin. */
const BYTES_OF = { xml: 4, cell: 16, row: 64 }

/** A process that runs out of memory says nothing more: what would take too much is told before. */
function refuseTooLarge(files: ReadonlyMap<string, Buffer>, fail: Fail): void {
  let need = 0
  for (const [name, xml] of files) {
    const extent = extentOf(xml)
    if (extent === null)
      throw fail('FETTLE_INPUT_KIND', `is an Excel file that cannot be read: an address in ${name} is none`, MEND)
    const { rows, filledRows, columns } = extent
    need += BYTES_OF.xml * xml.length + BYTES_OF.cell * filledRows * columns + BYTES_OF.row * rows
  }
  const { heap_size_limit: limit, used_heap_size: used } = getHeapStatistics()
  // As much again lies outside the heap meanwhile: the file, its XML, and copies of it.
  const free = Math.min(limit - used, process.availableMemory() / 2)
  if (need <= free) return
  const [needed, there] = [need, free].map(bytes => Math.ceil(bytes / 1024 ** 2))
  throw fail(
    'FETTLE_INPUT_LIMIT',
    `takes about ${needed} MiB of memory to be read, and ${there} are there`,
    'Look for a stray cell far outside the table; or save the sheet as CSV UTF-8, which takes next to nothing.',
  )
}

/** What was unpacked as an archive again: whoever reads it can find nothing but this in it, however the first was made. */
function repack(files: ReadonlyMap<string, Buffer>): Buffer {
  const pieces: Buffer[] = []
  const members: Member[] = []
  let offset = 0
  for (const [name, data] of files) {
    const member = { name, method: STORED, crc: crc32(data), packed: data.length, bytes: data.length, offset }
    const piece = [localHeader(name, STORED, member), data]
    members.push(member)
    pieces.push(...piece)
    for (const { length } of piece) offset += length
  }
  return Buffer.concat([...pieces, centralDirectory(members, offset)])
}
