/**
 * Opens the content of a file: its own bytes, those that gzip packed into it, the text of a sheet of a workbook, or JSON lines as a table. Every reader of an
 * input uses it.
 */
import type { FileHandle } from 'node:fs/promises'
import { counted } from '../../counted.ts'
import { type Issue, issue } from '../../errors.ts'
import { READ_BYTES, readChunks, readHead, unpacked, unreadable } from '../../files/file-chunks.ts'
import type { InputOptions, Packing } from '../../pipeline/model/types.ts'
import { isWorkbook, listSheets, MAX_XML, readSheet, type SheetNaming, sheetNames } from '../excel/read-workbook.ts'
import { isParquet, openParquet } from '../parquet/read-parquet.ts'
import { isJsonLines, jsonColumns, jsonTable } from '../text/json-table.ts'

/** Buffers while unpacking: one being unpacked, one waiting, one being read, and a margin. */
const PACKED_BUFFERS = 4

type Pieces = AsyncIterable<Buffer>
/** What is read as one stream. */
type Packed = Exclude<Packing, { as: 'parquet' }>

export interface Content {
  readonly packing: Packing | null
  readonly issues: readonly Issue[]
  /** Yields the content from its start; `onRead` receives the pieces of the file itself as they are read. */
  pieces(onRead?: (piece: Buffer) => void): Pieces
}

/**
 * Recognises the packing by the first bytes of the file (gzip: RFC 1952 §2.3.1; deflate is its only method). A workbook is read
 * at once. Throws as readSheet does.
 */
export async function openContent(
  handle: FileHandle,
  { path, sheet }: Pick<InputOptions, 'path' | 'sheet'>,
  naming?: SheetNaming,
): Promise<Content> {
  const head = await readHead(handle, 4)
  if (head.toString('latin1') === 'PK\x03\x04') {
    const workbook = await openWorkbook(handle, path, sheet, naming)
    if (workbook !== null) return workbook
  }
  if (head.toString('latin1') === 'PAR1' && (await isParquet(handle))) return parquetContent(handle, path, sheet)
  const plain = head.subarray(0, 3).equals(GZIP) ? ({ as: 'gzip' } as const) : null
  async function* read(onRead: (piece: Buffer) => void = () => {}): AsyncGenerator<Buffer> {
    for await (const piece of readChunks(handle, 0, plain === null ? 2 : PACKED_BUFFERS)) {
      onRead(piece)
      yield piece
    }
  }
  const text = (): Pieces => contentOf(read(), path, plain)
  const isJson = isJsonLines((await headOf(text())).head)
  const packing: Packed | null = isJson
    ? { as: 'jsonl', gzip: plain === null ? undefined : true, ...(await jsonColumns(text(), path)) }
    : plain
  return { packing, issues: sheetless(path, sheet), pieces: onRead => contentOf(read(onRead), path, packing) }
}

const sheetless = (path: string, sheet: InputOptions['sheet']): Issue[] =>
  sheet === null ? [] : [sheetIssue(path, 'is not an Excel file: input.sheet does not apply', { hint: 'Remove input.sheet.' })]

async function parquetContent(handle: FileHandle, path: string, sheet: InputOptions['sheet']): Promise<Content> {
  const table = await openParquet(handle, path)
  return {
    packing: { as: 'parquet', types: table.types },
    issues: sheetless(path, sheet),
    // Columns are read here and there: the bytes are passed on for the hash first.
    async *pieces(onRead) {
      if (onRead !== undefined) for await (const piece of readChunks(handle)) onRead(piece)
      yield* table.text()
    },
  }
}

const GZIP = Buffer.from([0x1f, 0x8b, 8])

/** The bytes of a workbook; null for another file. */
async function readArchive(handle: FileHandle): Promise<Buffer | null> {
  const { size } = await handle.stat()
  if (size > MAX_XML) return null
  const archive = await whole(readChunks(handle))
  return isWorkbook(archive) ? archive : null
}

/** The sheets with content of the workbook at `path`; null for another file. Throws as readSheet does. */
export async function readSheets(handle: FileHandle, path: string): Promise<ReturnType<typeof listSheets> | null> {
  const isZip = (await readHead(handle, 4)).toString('latin1') === 'PK\x03\x04'
  const archive = isZip ? await readArchive(handle) : null
  return archive === null ? null : listSheets(archive, path)
}

async function openWorkbook(
  handle: FileHandle,
  path: string,
  wanted: InputOptions['sheet'],
  naming?: SheetNaming,
): Promise<Content | null> {
  const archive = await readArchive(handle)
  if (archive === null) return null
  const { name, others, columns, filled, text } = readSheet(archive, path, wanted, naming)
  const list = sheetNames(others)
  const message = `is read from its sheet ${JSON.stringify(name)}; it also has ${list}`
  return {
    packing: { as: 'xlsx', sheet: name, columns: columns.length === 0 ? undefined : columns, naming },
    issues: [
      ...(wanted === null && others.length > 0 ? [sheetIssue(path, message, { hint: otherSheets(others) })] : []),
      ...(filled > 0 ? [mergedIssue(path, name, filled)] : []),
    ],
    // The archive is kept, so that the hash is of the bytes that were read.
    async *pieces(onRead = () => {}) {
      onRead(archive)
      yield* text
    },
  }
}

const otherSheets = ([first = '']: readonly string[]): string =>
  `Name a different one with input.sheet: ${JSON.stringify(first)}, or read all that have the same columns with input.sheet: "*".`

function mergedIssue(path: string, sheet: string, filled: number): Issue {
  const message = `has merged cells: ${counted(filled, 'cell')} of the sheet ${JSON.stringify(sheet)} got the value of the range`
  return sheetIssue(path, message, { severity: 'info', hint: null, count: filled })
}

const sheetIssue = (path: string, message: string, rest: Partial<Pick<Issue, 'hint' | 'severity' | 'count'>> = {}): Issue =>
  issue('FETTLE_INPUT_SHEET', `${path} ${message}`, { severity: 'warn', at: { file: path, line: null, column: null }, ...rest })

/**
 * The content of the pieces of the file at `path`. Throws FETTLE_INPUT_READ for gzip data that are damaged or cut short, and as
 * readSheet does.
 */
export async function* contentOf(pieces: Pieces, path: string, packing: Packed | null): AsyncGenerator<Buffer, void, void> {
  if (packing === null) yield* pieces
  else if (packing.as === 'gzip') yield* unpack(pieces, path)
  else if (packing.as === 'jsonl') yield* jsonTable(jsonText(pieces, path, packing), path, packing)
  else yield* readSheet(await whole(pieces), path, packing.sheet, packing.naming).text
}

/** The JSON lines of a file, unpacked. */
export const jsonText = (pieces: Pieces, path: string, { gzip }: Extract<Packing, { as: 'jsonl' }>): Pieces =>
  gzip === true ? unpack(pieces, path) : pieces

async function whole(pieces: Pieces): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const piece of pieces) parts.push(Buffer.from(piece))
  return Buffer.concat(parts)
}

const unpack = (pieces: Pieces, path: string): AsyncGenerator<Buffer> => unpacked(pieces, cause => unreadable(path, cause))

/** The first bytes of a content; `isWhole`: there are no more. */
export interface FileHead {
  readonly head: Buffer
  readonly isWhole: boolean
}

export async function headOf(content: Pieces, bytes = READ_BYTES): Promise<FileHead> {
  const parts: Buffer[] = []
  let size = 0
  for await (const piece of content) {
    parts.push(Buffer.from(piece))
    size += piece.length
    if (size > bytes) break
  }
  return { head: Buffer.concat(parts).subarray(0, bytes), isWhole: size <= bytes }
}
