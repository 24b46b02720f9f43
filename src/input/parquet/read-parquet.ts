/**
 * Reads a Parquet file as text: a header and a record for each row, as the rest of fettle reads a CSV. Rows are decoded in slices of their
 * row group, one column after the other, so that memory does not grow with the file. The packages are optional.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { counted } from '../../counted.ts'
import { FettleError } from '../../errors.ts'
import { unreadable } from '../../files/file-chunks.ts'
import { INPUT_KINDS } from '../../formats/places.ts'
import { csvText } from '../../formats/text-formats.ts'
import type { ColumnType } from '../../model/columns.ts'
import { installCommand } from '../../package-file.ts'
import { MAX_RECORD_BYTES } from '../scan/record-scanner.ts'
import { columnType, formatValue, type SchemaElement } from './column-type.ts'

const [QUOTE, COMMA, LINE_FEED, CARRIAGE_RETURN] = [0x22, 0x2c, 0x0a, 0x0d]
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The cells of a column as CSV, one after another in one buffer: strings of a hundred thousand rows would take several times the
 * memory.
 */
class PackedColumn {
  rows = 0
  #bytes = Buffer.allocUnsafe(64 * 1024)
  #ends = new Uint32Array(0)

  /** Empties it for other rows: its memory is used again. */
  clear(rows: number): void {
    this.rows = 0
    if (rows > this.#ends.length) this.#ends = new Uint32Array(rows)
  }

  /** Bytes of the first rows. */
  size(rows: number): number {
    return rows === 0 ? 0 : this.#ends[rows - 1]!
  }

  /** Throws as formatValue does. */
  add(type: ColumnType, raw: Parameters<typeof formatValue>[1]): void {
    const at = this.size(this.rows)
    this.#ends[this.rows] =
      raw instanceof Uint8Array && type.is === 'string' ? this.#quoted(raw, at) : this.#plain(formatValue(type, raw), at)
    this.rows++
  }

  /** Numbers and moments, which need no quotes. */
  #plain(text: string, at: number): number {
    this.#reserve(at + text.length)
    return at + this.#bytes.write(text, at, 'latin1')
  }

  #quoted(cell: Uint8Array, at: number): number {
    let isAscii = true
    let hasQuotes = false
    for (let index = 0; index < cell.length; index++) {
      const byte = cell[index]!
      if (byte >= 0x80) isAscii = false
      else if (byte === QUOTE || byte === COMMA || byte === LINE_FEED || byte === CARRIAGE_RETURN) hasQuotes = true
    }
    if (!isAscii) utf8.decode(cell)
    this.#reserve(at + 2 * cell.length + 2)
    const bytes = this.#bytes
    let end = at
    if (hasQuotes) bytes[end++] = QUOTE
    for (let index = 0; index < cell.length; index++) {
      const byte = cell[index]!
      if (byte === QUOTE) bytes[end++] = QUOTE
      bytes[end++] = byte
    }
    if (hasQuotes) bytes[end++] = QUOTE
    return end
  }

  #reserve(size: number): void {
    if (size <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(size, Math.ceil(this.#bytes.length * 1.5)))
    this.#bytes.copy(larger)
    this.#bytes = larger
  }

  /** Copies a cell, and returns where it ends. */
  copy(row: number, target: Buffer, at: number): number {
    return at + this.#bytes.copy(target, at, this.size(row), this.#ends[row]!)
  }
}

function formatLines(columns: readonly PackedColumn[], from: number, to: number): Buffer {
  const separators = (to - from) * (columns.length + 2)
  const lines = Buffer.allocUnsafe(columns.reduce((sum, column) => sum + column.size(to) - column.size(from), separators))
  let at = 0
  for (let row = from; row < to; row++) {
    for (const column of columns) {
      const end = column.copy(row, lines, at)
      // A lone empty cell would be a blank line, which is not a row.
      at = end === at && columns.length === 1 ? lines.write('""', at) + at : end
      lines[at++] = COMMA
    }
    lines[at - 1] = LINE_FEED
  }
  return lines.subarray(0, at)
}

/** Rows of a slice: DuckDB writes groups of 122,880 rows with one page for each column, which is decoded once for each slice. */
const SLICE = 131_072
/** Bytes of the text of a slice; one with longer cells has fewer rows. */
const SLICE_BYTES = 32 * 1024 * 1024
/** Rows of a piece of text. */
const PIECE = 2_048
/** Bytes of a row group, packed. A column of it is read at once. */
const MAX_GROUP = 1024 ** 3
const MAGIC = 'PAR1'

type Packages = typeof import('hyparquet') & Pick<typeof import('hyparquet-compressors'), 'compressors'>

/** Throws FETTLE_SETTINGS with the command that installs them. */
async function loadPackages(path: string): Promise<Packages> {
  try {
    return { ...(await import('hyparquet')), compressors: (await import('hyparquet-compressors')).compressors }
  } catch (cause) {
    throw new FettleError('FETTLE_SETTINGS', `${path} is a Parquet file, and the packages that read it are not installed`, {
      hint: `Install them beside fettle: ${installCommand(...INPUT_KINDS.parquet.packages)}`,
      cause,
    })
  }
}

/** Whether the file begins and ends as a Parquet file does. */
export async function isParquet(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat()
  if (size < 12) return false
  const marks = await Promise.all(
    [0, size - 4].map(async at => (await handle.read(Buffer.alloc(4), 0, 4, at)).buffer.toString('latin1')),
  )
  return marks.every(mark => mark === MAGIC)
}

/** Bytes of a file as hyparquet reads them. */
class ParquetBytes {
  readonly byteLength: number
  readonly #handle: FileHandle

  constructor(handle: FileHandle, size: number) {
    this.#handle = handle
    this.byteLength = size
  }

  async slice(start: number, end = this.byteLength): Promise<ArrayBuffer> {
    const bytes = new Uint8Array(end - start)
    let filled = 0
    while (filled < bytes.length) {
      const { bytesRead } = await this.#handle.read(bytes, filled, bytes.length - filled, start + filled)
      if (bytesRead === 0) throw new Error('it ends too early')
      filled += bytesRead
    }
    return bytes.buffer
  }
}

type Metadata = Awaited<ReturnType<Packages['parquetMetadataAsync']>>

/**
 * The metadata without logical types, so that values arrive as they are stored: no decimal or moment goes through a number that cannot hold
 * it. Columns are named by their number, since several may have one name.
 */
const withoutTypes = (metadata: Metadata): Metadata => ({
  ...metadata,
  schema: metadata.schema.map(({ converted_type, logical_type, ...element }, at) => ({ ...element, name: `${at - 1}` })),
  row_groups: metadata.row_groups.map(group => ({
    ...group,
    columns: group.columns.map((column, at) => ({
      ...column,
      meta_data: column.meta_data && { ...column.meta_data, path_in_schema: [`${at}`] },
    })),
  })),
})

/** Opens the table of a file. Throws FETTLE_SETTINGS, and FETTLE_INPUT_READ for one that is damaged or has columns without a text. */
export async function openParquet(handle: FileHandle, path: string): Promise<ParquetTable> {
  const packages = await loadPackages(path)
  const file = new ParquetBytes(handle, (await handle.stat()).size)
  const metadata = await packages.parquetMetadataAsync(file, { geoparquet: false }).catch((cause: Error) => {
    throw damaged(path, cause)
  })
  const large = metadata.row_groups.findIndex(group => Number(group.total_compressed_size ?? group.total_byte_size) > MAX_GROUP)
  if (large !== -1) throw unreadable(path, new Error(`its row group ${large + 1} is larger than 1 GiB: write smaller row groups`))
  return new ParquetTable(path, { file, metadata, packages })
}

interface ParquetSource {
  readonly file: ParquetBytes
  readonly metadata: Metadata
  readonly packages: Packages
}

/** Rows of a column to decode: from `from` on, as many as `rows` and as take `bytes`, but one at least. */
interface Range {
  readonly from: number
  readonly rows: number
  readonly bytes: number
}

class ParquetTable {
  readonly #path: string
  readonly #source: ParquetSource
  readonly #bare: Metadata
  readonly #elements: readonly SchemaElement[]
  readonly #types: readonly ColumnType[]

  constructor(path: string, source: ParquetSource) {
    const [root, ...elements] = source.metadata.schema as readonly SchemaElement[] as [SchemaElement, ...SchemaElement[]]
    this.#path = path
    this.#source = source
    this.#bare = withoutTypes(source.metadata)
    this.#elements = elements
    this.#types = readTypes(path, root, elements)
  }

  get types(): ColumnType['name'][] {
    return this.#types.map(type => type.name)
  }

  /** From the start, each time it is called. */
  async *text(): AsyncGenerator<Buffer> {
    const style = { delimiter: ',', lineEnd: '\n', columns: this.#elements.length }
    yield Buffer.from(csvText([this.#elements.map(({ name }) => name)], style))
    const columns = this.#elements.map(() => new PackedColumn())
    let from = 0
    for (const group of this.#source.metadata.row_groups) {
      const end = from + Number(group.num_rows)
      while (from < end) {
        let rows = Math.min(end - from, SLICE)
        let used = 0
        for (const [at, packed] of columns.entries()) {
          await this.#fill(packed, at, { from, rows, bytes: (SLICE_BYTES * (at + 1)) / columns.length - used })
          rows = packed.rows
          used = columns.slice(0, at + 1).reduce((sum, column) => sum + column.size(rows), 0)
        }
        for (let at = 0; at < rows; at += PIECE) yield formatLines(columns, at, Math.min(rows, at + PIECE))
        from += rows
      }
    }
  }

  async #fill(packed: PackedColumn, at: number, range: Range): Promise<void> {
    const { from, rows } = range
    const { file, packages } = this.#source
    packed.clear(rows)
    let failure: unknown = null
    const onChunk = ({ columnData, rowStart }: { columnData: ArrayLike<unknown>; rowStart: number }): void => {
      try {
        for (let row = from + packed.rows; row < from + rows && row - rowStart < columnData.length; row++) {
          if (packed.rows > 0 && packed.size(packed.rows) > range.bytes) return
          const raw = columnData[row - rowStart] as Parameters<typeof formatValue>[1]
          if (raw instanceof Uint8Array && raw.length > MAX_RECORD_BYTES) throw this.#tooLong(this.#place(at, row), raw.length)
          packed.add(this.#types[at]!, raw)
        }
      } catch (error) {
        const why = error instanceof TypeError ? 'bytes that are not UTF-8 text' : (error as Error).message
        const where = this.#place(at, from + packed.rows)
        failure ??= FettleError.is(error) ? error : unreadable(this.#path, new Error(`${where} has ${why}`))
      }
    }
    const place = { columns: [`${at}`], rowStart: from, rowEnd: from + rows }
    const shared = {
      file,
      metadata: this.#bare,
      compressors: packages.compressors,
      utf8: false,
      useOffsetIndex: true,
      geoparquet: false,
    }
    const parsers = { timestampFromNanoseconds: (nanos: bigint) => nanos }
    await packages.parquetRead({ ...shared, ...place, parsers, onChunk }).catch((cause: Error) => {
      throw damaged(this.#path, cause)
    })
    if (failure !== null) throw failure
    if (packed.rows === 0)
      throw damaged(this.#path, new Error(`column ${JSON.stringify(this.#elements[at]!.name)} ends too early`))
  }

  /** No record may be as long, and its text would take several times the bytes. */
  #tooLong(place: string, bytes: number): FettleError {
    return new FettleError('FETTLE_INPUT_LIMIT', `${this.#path}: ${place} has ${counted(bytes, 'byte')}`, {
      at: { file: this.#path, line: null, column: null },
      hint: 'Leave the column out when the file is written.',
    })
  }

  #place(at: number, row: number): string {
    return `row ${row + 1}, column ${JSON.stringify(this.#elements[at]!.name)}`
  }
}

/** The text of the file at `path`; errors name it as `shown`. */
export async function* parquetText(path: string, shown: string): AsyncGenerator<Buffer> {
  const handle = await open(path).catch((cause: Error) => {
    throw unreadable(shown, cause)
  })
  try {
    yield* (await openParquet(handle, shown)).text()
  } finally {
    await handle.close()
  }
}

function readTypes(path: string, root: SchemaElement, elements: readonly SchemaElement[]): ColumnType[] {
  const refused: string[] = []
  const types: ColumnType[] = []
  // The elements are the tree of the schema from the top: a nested one is followed by its parts.
  let inside = 0
  for (const element of elements) {
    if (inside > 0) {
      inside += (element.num_children ?? 0) - 1
      continue
    }
    inside = element.num_children ?? 0
    const type = columnType(element)
    if ('refused' in type) refused.push(`column ${JSON.stringify(element.name)}: ${type.refused}`)
    else types.push(type)
  }
  if (refused.length > 0)
    throw new FettleError('FETTLE_INPUT_READ', `cannot read the input ${path}: ${refused.join('; ')}`, {
      at: { file: path, line: null, column: null },
      hint: 'Select flat columns when the file is written, or cast them to text.',
    })
  if (types.length !== root.num_children) throw unreadable(path, new Error('its Parquet schema is damaged'))
  return types
}

/** An error of the disk stays what it is. */
const damaged = (path: string, cause: NodeJS.ErrnoException): Error =>
  cause.syscall === undefined ? unreadable(path, new Error(`its Parquet data are damaged: ${cause.message}`)) : cause
