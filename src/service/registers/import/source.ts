/**
 * Reads the table in a register's source file: plain, gunzipped, or the only CSV of a zip, detected by its first bytes; UTF-8, comma, RFC
 * 4180 quotes. Each row has its position, from which reading can resume. Also digests the file.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { pipeline, type Readable } from 'node:stream'
import { promisify } from 'node:util'
import { createGunzip } from 'node:zlib'
import { type Entry, open as openZip, type ZipFile } from 'yauzl'
import { FettleError } from '../../../errors.ts'
import { importReadError, parseRows, requireUtf8 } from '../../csv/csv.ts'

export interface SourceFacts {
  readonly sha256: string
  readonly bytes: number
  /** Day of its last change, `2026-01-31`. */
  readonly changedOn: string
}

const CHUNK = { highWaterMark: 1 << 20 }

/** Digests a file. Throws FETTLE_INPUT_READ when it is missing or not a regular file. */
export async function sourceFacts(file: string): Promise<SourceFacts> {
  const found = await stat(file).catch((cause: unknown) => {
    throw importReadError('register', file, cause)
  })
  if (!found.isFile()) throw new FettleError('FETTLE_INPUT_READ', `${file} is not a regular file`)
  const digest = createHash('sha256')
  let bytes = 0
  try {
    for await (const chunk of createReadStream(file, CHUNK) as AsyncIterable<Buffer>) {
      digest.update(chunk)
      bytes += chunk.length
    }
  } catch (cause) {
    throw importReadError('register', file, cause)
  }
  return { sha256: digest.digest('hex'), bytes, changedOn: found.mtime.toISOString().slice(0, 10) }
}

async function readSignature(file: string): Promise<Buffer> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

const listEntries = (zip: ZipFile): Promise<Entry[]> =>
  new Promise((resolve, reject) => {
    const entries: Entry[] = []
    zip.on('entry', (entry: Entry) => {
      entries.push(entry)
      zip.readEntry()
    })
    zip.on('end', () => resolve(entries))
    zip.on('error', reject)
    zip.readEntry()
  })

async function openTable(file: string): Promise<Readable> {
  const zip = await promisify<string, object, ZipFile>(openZip)(file, { lazyEntries: true, autoClose: false })
  const entries = await listEntries(zip)
  if (entries.some(({ fileName }) => fileName === 'xl/workbook.xml')) {
    zip.close()
    throw new FettleError('FETTLE_INPUT_KIND', `${file} is an Excel workbook, and a register is read from CSV`, {
      hint: 'Save the sheet as CSV, and import that.',
    })
  }
  const tables = entries.filter(({ fileName }) => /\.(?:csv|txt)$/i.test(fileName) && !fileName.startsWith('__MACOSX/'))
  const [table] = tables
  if (table === undefined || tables.length > 1) {
    zip.close()
    const content =
      tables.length === 0 ? 'no CSV' : `${tables.length} CSV files: ${tables.map(({ fileName }) => fileName).join(', ')}`
    throw new FettleError('FETTLE_INPUT_KIND', `The zip ${file} has ${content}`, { hint: 'Unpack it and import the CSV itself.' })
  }
  const stream = await promisify<Entry, Readable>(zip.openReadStream.bind(zip))(table)
  stream.once('close', () => zip.close())
  return stream
}

async function openSource(file: string): Promise<Readable> {
  const start = await readSignature(file)
  if (start.toString('latin1', 0, 2) === 'PK') return openTable(file)
  const plain = createReadStream(file, CHUNK)
  // If its first part fails, a pipeline destroys the last with the error.
  return start[0] === 0x1f && start[1] === 0x8b ? pipeline(plain, createGunzip(), () => {}) : plain
}

/** A position between two rows. */
export interface Position {
  /** Bytes of the uncompressed table before it. */
  readonly bytes: number
  /** Lines before it. */
  readonly lines: number
}

export interface Row {
  readonly cells: readonly string[]
  /** End of the row; `lines` is also the number of its last line. */
  readonly end: Position
}

/** The bytes from a position on. */
async function* readFrom(file: string, from: number): AsyncGenerator<Buffer> {
  let before = 0
  for await (const chunk of (await openSource(file)) as AsyncIterable<Buffer>) {
    const skipped = Math.min(chunk.length, Math.max(0, from - before))
    before += chunk.length
    if (skipped < chunk.length) yield chunk.subarray(skipped)
  }
}

/**
 * The rows of a source from a position on.
 * @throws FettleError FETTLE_INPUT_READ, FETTLE_INPUT_KIND, FETTLE_INPUT_ENCODING, FETTLE_INPUT_QUOTE
 */
export async function* readRows(file: string, from: Position): AsyncGenerator<Row> {
  type Parsed = { record: string[]; info: { lines: number; bytes: number } }
  const source = requireUtf8(readFrom(file, from.bytes))
  try {
    for await (const { record, info } of parseRows<Parsed>(source, { info: true, relax_column_count: true })) {
      yield { cells: record, end: { bytes: from.bytes + info.bytes, lines: from.lines + info.lines } }
    }
  } catch (error) {
    throw importReadError('register', file, error, from.lines)
  }
}

/** The first row of a source, empty without one and where it cannot be read; null for a file that is not CSV, such as a workbook. */
export async function readHeader(file: string): Promise<readonly string[] | null> {
  try {
    for await (const { cells } of readRows(file, { bytes: 0, lines: 0 })) return cells
    return []
  } catch (error) {
    if (!FettleError.is(error)) throw error
    return error.code === 'FETTLE_INPUT_READ' ? [] : null
  }
}

export const wrongWidth = (cells: number, width: number): string => `${cells} cells where the header has ${width}`

/** The error for a source without a header. */
export const emptySource = (file: string, { header }: { readonly header: string }): FettleError =>
  new FettleError('FETTLE_INPUT_EMPTY', `${file} is empty`, {
    hint: `A file of this kind begins with a header such as ${header}.`,
  })
