/** How each output format is written: from the table's columns to a writer that turns batches of rows into text or bytes. */
import type { OutputFormat } from './index.ts'
import { excelText, jsonArray, jsonLines, plainCsv, type RowFormat } from './text-formats.ts'
import { xlsxFormat } from './xlsx.ts'

export interface TableSpec {
  readonly names: readonly string[]
  /** Of the input, so that the output opens where the input did. */
  readonly delimiter: string
  readonly title: string
  /** Columns of numbers, for a workbook. */
  readonly numbers?: readonly number[]
}

const WRITERS: Readonly<Record<OutputFormat, (table: TableSpec) => RowFormat>> = {
  csv: plainCsv,
  tsv: table => plainCsv({ ...table, delimiter: '\t' }),
  excel: excelText,
  xlsx: ({ names, title, numbers }) => xlsxFormat(names, title, numbers),
  jsonl: jsonLines,
  json: jsonArray,
}

export const openFormat = (format: OutputFormat, table: TableSpec): RowFormat => WRITERS[format](table)
