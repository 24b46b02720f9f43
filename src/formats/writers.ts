/** How each output format is written: from the table's columns to a writer that turns batches of rows into text or bytes. */
import { gzipped } from './gzip.ts'
import { isGzipName, type OutputFormat } from './index.ts'
import { type ColumnType, excelText, jsonArray, jsonLines, plainCsv, type RowFormat } from './text-formats.ts'
import { xlsxFormat } from './xlsx.ts'

export interface TableSpec {
  readonly names: readonly string[]
  /** Of the input, so that the output opens where the input did. */
  readonly delimiter: string
  readonly title: string
  /** Types of the columns, for a workbook and JSON; text if absent. */
  readonly types?: readonly ColumnType[]
}

const WRITERS: Readonly<Record<OutputFormat, (table: TableSpec) => RowFormat>> = {
  csv: plainCsv,
  tsv: table => plainCsv({ ...table, delimiter: '\t' }),
  excel: excelText,
  xlsx: ({ names, title, types }) => xlsxFormat(names, title, types),
  jsonl: jsonLines,
  json: jsonArray,
}

/** The writer of a format, packed by gzip where the name of the file ends in .gz. */
export const openFormat = (format: OutputFormat, table: TableSpec, path = ''): RowFormat =>
  isGzipName(path) ? gzipped(WRITERS[format](table)) : WRITERS[format](table)
