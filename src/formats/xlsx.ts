/**
 * Rows as an Excel workbook of one sheet, written as they come and in constant memory: cells are text, so that no zero is lost
 * and nothing is a formula, except in columns of numbers, dates and truth values; the header bold and with a filter. The same rows give the same bytes. It is given cells and gives bytes.
 */
import { constants, crc32, deflateRawSync } from 'node:zlib'
import { FettleError } from '../errors.ts'
import { centralDirectory, DEFLATED, dataDescriptor, localHeader, type Member } from '../files/zip.ts'
import { columnLetters, type SheetColumn } from '../model/columns.ts'
import { OUTPUT_FORMATS } from './index.ts'
import { sheetValue } from './sheet-values.ts'
import type { RowFormat } from './text-formats.ts'

const { cell: MAX_CELL, bytes: MAX_SHEET_BYTES } = OUTPUT_FORMATS.xlsx.limits

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Characters that XML 1.0 cannot hold or readers change, and what could be taken for the beginning of the escape itself. */
const ESCAPED = /[\0-\x08\x0b-\x1f\x7f\ufffe\uffff]|\p{Cs}|_(?=x[0-9A-Fa-f]{4})/gu
const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text for XML; what XML cannot hold becomes `_xHHHH_` (ECMA-376 part 1, 22.9.2.19). */
const xmlText = (text: string): string =>
  text
    .replace(ESCAPED, unit => `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replace(/[&<>"]/g, mark => MARKUP[mark]!)

const sheetName = (name: string): string => name.replace(/[[\]/\\:*?']/g, '-').slice(0, 31)

const relation = (id: number, type: string, target: string): string =>
  `<Relationship Id="rId${id}" Type="${OFFICE}/${type}" Target="${target}"/>`
const relations = (...all: readonly string[]): string =>
  `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${all.join('')}</Relationships>`
const part = (name: string, type: string): string => `<Override PartName="/${name}" ContentType="${TYPE}.${type}+xml"/>`

const SHEET = 'xl/worksheets/sheet1.xml'

const parts = (name: string, formats: readonly SheetColumn['format'][]): readonly (readonly [name: string, xml: string])[] => [
  [
    '[Content_Types].xml',
    `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${part('xl/workbook.xml', 'sheet.main')}${part(SHEET, 'worksheet')}${part('xl/styles.xml', 'styles')}</Types>`,
  ],
  ['_rels/.rels', relations(relation(1, 'officeDocument', 'xl/workbook.xml'))],
  [
    'xl/workbook.xml',
    `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="${xmlText(sheetName(name))}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  ],
  [
    'xl/_rels/workbook.xml.rels',
    relations(relation(1, 'worksheet', 'worksheets/sheet1.xml'), relation(2, 'styles', 'styles.xml')),
  ],
  ['xl/styles.xml', stylesXml(formats)],
]

/** Codes of formats begin here (ECMA-376 part 1, 18.8.30). */
const FIRST_CODE = 164
const STYLES = { plain: 0, text: 1, bold: 2, first: 3 } as const

/** Style 1 is a text, style 2 a bold one: format 49 is "@", so that a cell stays text when a person edits it. Then one for each format. */
function stylesXml(formats: readonly SheetColumn['format'][]): string {
  const codes = formats.flatMap((format, at) =>
    typeof format === 'string' ? [`<numFmt numFmtId="${FIRST_CODE + at}" formatCode="${xmlText(format)}"/>`] : [],
  )
  const numbers = formats.map((format, at) => (typeof format === 'number' ? format : FIRST_CODE + at))
  const style = (format: number, font = 0): string =>
    `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0"${format === 0 ? '' : ' applyNumberFormat="1"'}${font === 0 ? '' : ' applyFont="1"'}/>`
  const all = [style(0), style(49), style(49, 1), ...numbers.map(number => style(number))]
  return `${HEAD}<styleSheet xmlns="${MAIN}">${codes.length === 0 ? '' : `<numFmts count="${codes.length}">${codes.join('')}</numFmts>`}<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${all.length}">${all.join('')}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
}

const NARROWEST = 8
const WIDEST = 50

/** Widths in characters, as they are known or by the first rows; later ones are not known when the sheet begins. */
function columnsXml(rows: readonly (readonly string[])[], looks: readonly SheetLook[]): string {
  const widths = (rows[0] ?? []).map(
    (_, at) =>
      looks[at]?.width ??
      // The button of the filter takes room in the header.
      Math.min(WIDEST, Math.max(NARROWEST, (rows[0]![at] ?? '').length + 4, ...rows.map(row => (row[at] ?? '').length + 2))),
  )
  const cols = widths.map((width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`)
  return cols.length === 0 ? '' : `<cols>${cols.join('')}</cols>`
}

/** How a column is written; nothing for one of text. `choices`: words that a cell offers in a list; others are kept after a question. */
export type SheetLook = (Omit<SheetColumn, 'index'> & { readonly choices?: readonly string[] }) | undefined

/**
 * The format for a table of these column names, on a sheet of this name; numbers, dates and truth values in columns of them are written
 * as such. Rendering throws FETTLE_OUTPUT_LIMIT.
 */
export function xlsxFormat(names: readonly string[], name: string, looks: readonly SheetLook[] = []): RowFormat<Buffer> {
  const letters = names.map((_, index) => columnLetters(index))
  const archive = new Archive()
  const formats = [...new Set(looks.flatMap(look => look?.format ?? []))]
  const styles = looks.map(look => (look?.format === undefined ? STYLES.plain : STYLES.first + formats.indexOf(look.format)))
  let row = 0
  const valueXml = (cell: string, at: number): string => {
    const is = looks[at]?.is
    const value = is === undefined ? null : sheetValue(cell, is)
    if (value === null) return cellXml(cell, letters[at]!, row, STYLES.text)
    const style = styles[at] === STYLES.plain ? '' : ` s="${styles[at]}"`
    return `<c r="${letters[at]!}${row}"${style}${is === 'boolean' ? ' t="b"' : ''}><v>${value}</v></c>`
  }
  const line = (cells: readonly string[]): string => {
    row++
    const xml = cells.map((cell, at) => (row === 1 ? cellXml(cell, letters[at]!, row, STYLES.bold) : valueXml(cell, at)))
    return `<row r="${row}">${xml.join('')}</row>`
  }
  const before = parts(name, formats).map(([part, xml]) =>
    Buffer.concat([archive.begin(part), archive.add(xml), archive.finish()]),
  )
  const start = `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`
  let isBegun = false
  /** Begins the sheet with the first rows, since the widths come before them. */
  const begin = (rows: readonly (readonly string[])[]): string => {
    if (isBegun) return ''
    isBegun = true
    return `${start}${columnsXml([names, ...rows], looks)}<sheetData>${line(names)}`
  }
  const filter = (): string => (names.length === 0 ? '' : `<autoFilter ref="A1:${letters.at(-1)}${row}"/>`)
  const lists = (): string => {
    const all = looks.flatMap((look, at) =>
      look?.choices === undefined || row < 2 ? [] : [[letters[at]!, look.choices] as const],
    )
    const xml = all.map(
      ([column, words]) =>
        `<dataValidation type="list" errorStyle="warning" allowBlank="1" showErrorMessage="1" sqref="${column}2:${column}${row}"><formula1>"${xmlText(words.join(','))}"</formula1></dataValidation>`,
    )
    return all.length === 0 ? '' : `<dataValidations count="${all.length}">${xml.join('')}</dataValidations>`
  }
  return {
    head: Buffer.concat([...before, archive.begin(SHEET)]),
    render: rows => archive.add(begin(rows) + rows.map(line).join('')),
    end: () =>
      Buffer.concat([archive.add(`${begin([])}</sheetData>${filter()}${lists()}</worksheet>`), archive.finish(), archive.end()]),
  }
}

function cellXml(cell: string, letters: string, row: number, style: number): string {
  if (cell === '') return ''
  if (cell.length > MAX_CELL)
    throw new FettleError(
      'FETTLE_OUTPUT_LIMIT',
      `cell ${letters}${row} has ${cell.length} characters, an Excel cell holds ${MAX_CELL}`,
    )
  return `<c r="${letters}${row}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${xmlText(cell)}</t></is></c>`
}

class Archive {
  readonly #members: Member[] = []
  #written = 0
  #name = ''
  #offset = 0
  #crc = 0
  #bytes = 0
  #packed = 0

  begin(name: string): Buffer {
    this.#name = name
    this.#offset = this.#written
    this.#crc = this.#bytes = this.#packed = 0
    return this.#give(localHeader(name, DEFLATED))
  }

  /** Each text is packed by itself and ends on a byte, so that they can follow each other. */
  add(text: string): Buffer {
    const bytes = Buffer.from(text)
    this.#crc = crc32(bytes, this.#crc)
    this.#bytes += bytes.length
    if (this.#bytes > MAX_SHEET_BYTES)
      throw new FettleError('FETTLE_OUTPUT_LIMIT', `the sheet would have more than ${MAX_SHEET_BYTES} bytes unpacked`)
    return this.#pack(deflateRawSync(bytes, { finishFlush: constants.Z_FULL_FLUSH }))
  }

  finish(): Buffer {
    const data = this.#pack(deflateRawSync(''))
    const [name, crc, packed, bytes, offset] = [this.#name, this.#crc, this.#packed, this.#bytes, this.#offset]
    const member = { name, method: DEFLATED, crc, packed, bytes, offset }
    this.#members.push(member)
    return Buffer.concat([data, this.#give(dataDescriptor(member))])
  }

  end(): Buffer {
    return centralDirectory(this.#members, this.#written)
  }

  #pack(bytes: Buffer): Buffer {
    this.#packed += bytes.length
    return this.#give(bytes)
  }

  #give(bytes: Buffer): Buffer {
    this.#written += bytes.length
    return bytes
  }
}
