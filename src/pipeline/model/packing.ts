/** How the content of an input is packed. Data only. */

/** `numbers`: columns (from 0) with cells that are numbers in the sheet; absent for none. */
interface SheetPacking {
  readonly as: 'xlsx'
  readonly sheet: string
  readonly numbers?: readonly number[]
}

/** `columns`: the keys of the records. `numbers`, `booleans`: columns (from 0) with values of this type alone; absent for none. */
interface JsonPacking {
  readonly as: 'jsonl'
  readonly gzip?: true
  readonly columns: readonly string[]
  readonly numbers?: readonly number[]
  readonly booleans?: readonly number[]
}

/** `types`: of each column, such as `decimal(10,2)`. */
interface ParquetPacking {
  readonly as: 'parquet'
  readonly types: readonly string[]
}

/** How a file is packed. Of a workbook, one sheet is read; JSON lines and Parquet are read as a table. */
export type Packing = { readonly as: 'gzip' } | SheetPacking | JsonPacking | ParquetPacking

/** The query whose rows are the input, and the types of its columns, as `model/column-types.ts` names them. */
export interface InputQuery {
  readonly sql: string
  readonly types: readonly string[]
}
