/** How each output format is written: from the table's columns to a writer that turns batches of rows into text or bytes. */
import { constants, crc32, deflateRawSync } from 'node:zlib'
import type { ColumnType } from '../model/columns.ts'
import { isGzipName, type OutputFormat } from './index.ts'
import { loadParquetWriter, parquetFormat } from './parquet.ts'
import { type CellForm, excelText, jsonArray, jsonLines, plainCsv, type RowFormat } from './text-formats.ts'
import { type SheetLook, xlsxFormat } from './xlsx.ts'

/** Deflate, no flags, no time, no system: bytes that depend on nothing but the content. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])

function gzipped({ head, render, end }: RowFormat): RowFormat<Buffer> {
  let crc = 0
  let bytes = 0
  /** Each batch ends on a byte, so that batches can follow each other. */
  const pack = (content: string | Buffer): Buffer => {
    const raw = Buffer.from(content)
    crc = crc32(raw, crc)
    bytes += raw.length
    return deflateRawSync(raw, { finishFlush: constants.Z_FULL_FLUSH })
  }
  const close = (): Buffer => {
    const trailer = Buffer.alloc(8)
    trailer.writeUInt32LE(crc, 0)
    trailer.writeUInt32LE(bytes % 2 ** 32, 4)
    return Buffer.concat([deflateRawSync(''), trailer])
  }
  return {
    head: Buffer.concat([HEADER, pack(head)]),
    render: rows => pack(render(rows)),
    end: () => Buffer.concat([pack(end?.() ?? ''), close()]),
  }
}

export interface TableSpec {
  readonly names: readonly string[]
  /** Of the input, so that the output opens where the input did. */
  readonly delimiter: string
  readonly title: string
  /** Types of the columns, for formats that have types; text if absent. */
  readonly types?: readonly ColumnType[]
  /** Those that come from a workbook, as they were in it. */
  readonly sheetColumns?: readonly SheetLook[]
}

const NUMBERS: readonly ColumnType['is'][] = ['integer', 'decimal', 'float16', 'float', 'double']

/** Only numbers and truth values are other than text in JSON. */
const forms = ({ types = [] }: TableSpec): CellForm[] =>
  types.map(({ is }) => (NUMBERS.includes(is) ? 'number' : is === 'boolean' ? 'boolean' : 'text'))

/** A workbook keeps ids as text, so that no zero is lost: only our own columns of numbers, and the number columns of a workbook, are numbers. */
const sheetLooks = ({ names, types = [], sheetColumns = [] }: TableSpec): SheetLook[] =>
  names.map((_, at) => sheetColumns[at] ?? (NUMBERS.includes(types[at]?.is ?? 'string') ? { is: 'number' } : undefined))

const WRITERS: Readonly<Record<OutputFormat, (table: TableSpec) => RowFormat | Promise<RowFormat>>> = {
  csv: plainCsv,
  tsv: table => plainCsv({ ...table, delimiter: '\t' }),
  excel: excelText,
  xlsx: table => xlsxFormat(table.names, table.title, sheetLooks(table)),
  jsonl: table => jsonLines({ ...table, types: forms(table) }),
  json: table => jsonArray({ ...table, types: forms(table) }),
  parquet: parquetFormat,
}

/** The writer of a format, packed by gzip where the name of the file ends in .gz. Throws FETTLE_SETTINGS without its packages. */
export async function openFormat(format: OutputFormat, table: TableSpec, path = ''): Promise<RowFormat> {
  const opened = await WRITERS[format](table)
  return isGzipName(path) && format !== 'parquet' ? gzipped(opened) : opened
}

/** Throws FETTLE_SETTINGS when the packages of a format are not installed. */
export async function requirePackages(format: OutputFormat): Promise<void> {
  if (format === 'parquet') await loadParquetWriter()
}
