/**
 * What a file holds: its own bytes, or those that gzip packed into it. Every reader of an input comes through here, so that none
 * of them needs to know. It knows nothing of text.
 */
import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { READ_BYTES, readHead, readPieces, unreadable } from './pieces.ts'

/** Buffers that the reader of packed pieces may hold at a time: one being unpacked, one waiting, one being read; and margin. */
const PACKED_BUFFERS = 4

/** The content of an open file. */
export interface Content {
  readonly isPacked: boolean
  /** Its pieces, from the first each time; `onRead` sees the pieces of the file itself as they are read. */
  pieces(onRead?: (piece: Buffer) => void): AsyncIterable<Buffer>
}

/** Looks at the first bytes of an open file; gzip data are known by them (RFC 1952 §2.3.1: deflate is the only method). */
export async function openContent(handle: FileHandle, path: string): Promise<Content> {
  const [first, second, method] = await readHead(handle, 3)
  const isPacked = first === 0x1f && second === 0x8b && method === 8
  async function* read(onRead: (piece: Buffer) => void): AsyncGenerator<Buffer> {
    for await (const piece of readPieces(handle, 0, isPacked ? PACKED_BUFFERS : 2)) {
      onRead(piece)
      yield piece
    }
  }
  return { isPacked, pieces: (onRead = () => {}) => contentOf(read(onRead), path, isPacked) }
}

/** The content of the pieces of the file at `path`. Throws FETTLE_INPUT_READ for gzip data that are damaged or cut short. */
export function contentOf(pieces: AsyncIterable<Buffer>, path: string, isPacked: boolean): AsyncIterable<Buffer> {
  return isPacked ? unpack(pieces, path) : pieces
}

async function* unpack(pieces: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: READ_BYTES })
  let failure: unknown = null
  const reading = pipeline(Readable.from(pieces, { objectMode: true, highWaterMark: 1 }), gunzip).catch(error => {
    failure = error
  })
  try {
    yield* gunzip as AsyncIterable<Buffer>
  } catch (error) {
    await reading
    const cause = (failure ?? error) as NodeJS.ErrnoException
    throw cause.code?.startsWith('Z_') ? unreadable(path, new Error(`its gzip data are damaged: ${cause.message}`)) : cause
  } finally {
    gunzip.destroy()
    await reading
  }
}

/** The first bytes of some content, and whether they are all of it. */
export async function headOf(content: AsyncIterable<Buffer>, bytes = READ_BYTES): Promise<{ head: Buffer; isWhole: boolean }> {
  const parts: Buffer[] = []
  let size = 0
  for await (const piece of content) {
    parts.push(Buffer.from(piece))
    size += piece.length
    if (size > bytes) break
  }
  return { head: Buffer.concat(parts).subarray(0, bytes), isWhole: size <= bytes }
}
