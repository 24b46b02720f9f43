/**
 * Rows as a Parquet file, written by row group in bounded memory: columns of the list keep their types, an empty cell is null. The same
 * rows give the same bytes. The packages are optional.
 */
import { FettleError } from '../errors.ts'
import { uniqueNames } from '../model/column-names.ts'
import { type ColumnType, TEXT } from '../model/column-types.ts'
import { installCommand } from '../package-file.ts'
import { OUTPUT_FORMATS } from './index.ts'
import { cellValue, hasBounds, schemaOf } from './parquet-column.ts'
import type { RowFormat, UnfitCells } from './text-formats.ts'

/** A row group ends at one of both, since it is in memory until it is written. */
const GROUP_ROWS = 32_768
const GROUP_CHARACTERS = 8 * 1024 * 1024
/** Numbers of rows that a warning names. */
const FIRST = 3

type Package = typeof import('hyparquet-writer')

/** Throws FETTLE_SETTINGS with the command that installs it. */
export async function loadParquetWriter(): Promise<Package> {
  try {
    return await import('hyparquet-writer')
  } catch (cause) {
    throw new FettleError('FETTLE_SETTINGS', 'an output is a Parquet file, and the packages that write it are not installed', {
      hint: `Install them beside fettle: ${installCommand(...OUTPUT_FORMATS.parquet.packages)}`,
      cause,
    })
  }
}

interface ParquetTable {
  readonly names: readonly string[]
  readonly types?: readonly ColumnType[]
}

export async function parquetFormat({ names, types = [] }: ParquetTable): Promise<RowFormat<Buffer>> {
  const { ByteWriter, ParquetWriter } = await loadParquetWriter()
  const columns = uniqueNames(names).map((name, at) => new Column(name, types[at] ?? TEXT))
  const bytes = new ByteWriter(1024 * 1024)
  const root = { name: 'schema', num_children: columns.length }
  const schema = [root, ...columns.map(({ name, type }) => ({ name, repetition_type: 'OPTIONAL', ...schemaOf(type) }))]
  const writer = new ParquetWriter({ writer: bytes, schema: schema as never, createdBy: 'fettle' })
  let rows = 0
  let characters = 0
  /** The buffer is used again; offsets in the file go on. */
  const take = (): Buffer => {
    const written = Buffer.from(bytes.getBytes())
    bytes.index = 0
    return written
  }
  const writeGroup = (): void => {
    if (rows === 0) return
    const columnData = columns.map(({ name, type, take }) => ({ name, data: take() as never, statistics: hasBounds(type) }))
    writer.write({ columnData, rowGroupSize: rows })
    rows = characters = 0
  }
  return {
    head: take(),
    render(batch) {
      for (const row of batch) {
        for (const [at, column] of columns.entries()) {
          const cell = row[at] ?? ''
          column.add(cell)
          characters += cell.length
        }
        if (++rows >= GROUP_ROWS || characters >= GROUP_CHARACTERS) writeGroup()
      }
      return take()
    },
    end() {
      writeGroup()
      writer.finish()
      return take()
    },
    unfit: () => columns.flatMap(({ unfit }) => (unfit.count === 0 ? [] : [unfit])),
  }
}

class Column {
  readonly name: string
  readonly type: ColumnType
  readonly unfit: { -readonly [key in keyof UnfitCells]: UnfitCells[key] }
  #row = 0
  #values: unknown[] = []

  constructor(name: string, type: ColumnType) {
    this.name = name
    this.type = type
    this.unfit = { column: name, type: type.name, count: 0, rows: [] }
  }

  add(cell: string): void {
    this.#row++
    const value = cellValue(this.type, cell)
    if (value === undefined && this.unfit.count++ < FIRST) this.unfit.rows = [...this.unfit.rows, this.#row]
    this.#values.push(value ?? null)
  }

  readonly take = (): unknown[] => {
    const values = this.#values
    this.#values = []
    return values
  }
}
