/** Workbooks as other programs write them, made by hand from their XML. */
import { crc32, deflateRawSync } from 'node:zlib'
import { centralDirectory, DEFLATED, localHeader, type Member } from '../../../src/files/zip.ts'

/** An archive of these files, deflated. */
export function archiveOf(files: Readonly<Record<string, string | Buffer>>): Buffer {
  const pieces: Buffer[] = []
  const members: Member[] = []
  let offset = 0
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content)
    const data = deflateRawSync(bytes)
    const member = { name, method: DEFLATED, crc: crc32(bytes), packed: data.length, bytes: bytes.length, offset }
    // As most writers do: sizes before the data.
    const head = localHeader(name, DEFLATED, member)
    pieces.push(head, data)
    members.push(member)
    offset += head.length + data.length
  }
  return Buffer.concat([...pieces, centralDirectory(members, offset)])
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** The XML of a sheet: rows of cells, each as Excel writes it: `<c r="A1"><v>1</v></c>`; a cell may be given without its address. */
export const sheetXml = (...rows: readonly (readonly string[])[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<worksheet xmlns="${MAIN}"><dimension ref="A1"/><sheetData>${rows
    .map((cells, row) => {
      const placed = cells.map((cell, at) => cell.replace(/^<c(?! r=)/, `<c r="${String.fromCharCode(65 + at)}${row + 1}"`))
      return `<row r="${row + 1}">${placed.join('')}</row>`
    })
    .join('')}</sheetData></worksheet>`

/** A text cell. */
export const textCell = (value: string): string =>
  `<c t="inlineStr"><is><t xml:space="preserve">${value.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</t></is></c>`
/** A cell of a number; style 1 is a date, 2 a date with time, 3 a time. */
export const numberCell = (value: string | number, style = 0): string => `<c s="${style}"><v>${value}</v></c>`

/** What a workbook is made of besides its sheets. */
export interface WorkbookParts {
  readonly strings?: readonly string[]
  readonly date1904?: boolean
  readonly more?: Readonly<Record<string, string | Buffer>>
}

/** The files of a workbook of these sheets. */
export function partsOf(
  sheets: Readonly<Record<string, string>>,
  { strings = [], date1904 = false, more = {} }: WorkbookParts = {},
) {
  const names = Object.keys(sheets)
  const link = (id: number, type: string, target: string): string =>
    `<Relationship Id="rId${id}" Type="${OFFICE}/${type}" Target="${target}"/>`
  const list = names.map((name, at) => `<sheet name="${name.replaceAll('&', '&amp;')}" sheetId="${at + 5}" r:id="rId${at + 1}"/>`)
  const links = names.map((_, at) => link(at + 1, 'worksheet', `worksheets/sheet${at + 1}.xml`))
  return {
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    '_rels/.rels': '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"/>',
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><workbookPr date1904="${date1904 ? 1 : 0}"/><sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${links.join('')}${link(90, 'styles', 'styles.xml')}${link(91, 'sharedStrings', 'sharedStrings.xml')}</Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts><cellStyleXfs count="1"><xf numFmtId="0"/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="22"/><xf numFmtId="20"/></cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst xmlns="${MAIN}">${strings.map(text => `<si><t>${text}</t></si>`).join('')}</sst>`,
    ...Object.fromEntries(Object.values(sheets).map((xml, at) => [`xl/worksheets/sheet${at + 1}.xml`, xml])),
    ...more,
  }
}

/** The same, with hidden sheets. */
export function hiding(sheets: Readonly<Record<string, string>>, ...hidden: readonly string[]): Buffer {
  const list = partsOf(sheets)['xl/workbook.xml']
  const hide = (xml: string, name: string): string => xml.replace(`name="${name}"`, `name="${name}" state="hidden"`)
  return workbookOf(sheets, { more: { 'xl/workbook.xml': hidden.reduce(hide, list) } })
}

/** A workbook of these sheets. */
export const workbookOf = (sheets: Readonly<Record<string, string>>, parts?: WorkbookParts): Buffer =>
  archiveOf(partsOf(sheets, parts))
