/** Files that gzip packs, by the end of their name: they are packed and unpacked as streams, in constant memory. */
import { randomBytes } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip, type Gunzip, type Gzip } from 'node:zlib'
import { fileChunks, READ_BYTES } from './file-chunks.ts'
import { temporaryName } from './stale-temp-files.ts'

/** Measured with received files: an eighth smaller than at the fastest level, a quarter slower; zlib's default takes twice as long. */
export const PACK_LEVEL = 4

export const isPacked = (path: string): boolean => path.endsWith('.gz')

/** The content as gzip. Throws what the content throws. */
export const packed = (content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> =>
  through(content, createGzip({ level: PACK_LEVEL, chunkSize: 65_536 }))

/** The content of gzip data. Throws what `pieces` throws; `fail` turns an error of zlib into the error to throw. */
export async function* unpacked(pieces: AsyncIterable<Uint8Array>, fail: (cause: Error) => Error): AsyncGenerator<Buffer> {
  try {
    yield* through(pieces, createGunzip({ chunkSize: READ_BYTES }))
  } catch (error) {
    throw isOfZlib(error) ? fail(new Error(`its gzip data are damaged: ${error.message}`)) : error
  }
}

async function* through(pieces: AsyncIterable<Uint8Array>, zlib: Gzip | Gunzip): AsyncGenerator<Buffer> {
  let failure: unknown = null
  const reading = pipeline(Readable.from(pieces, { objectMode: true, highWaterMark: 1 }), zlib).catch(error => {
    failure = error
  })
  try {
    yield* zlib as AsyncIterable<Buffer>
  } catch (error) {
    await reading
    throw failure ?? error
  } finally {
    zlib.destroy()
    await reading
  }
}

/** Yields the content of a file, which may be packed; `fail` turns errors of the disk and of zlib into the error to throw. */
export function contentChunks(path: string, fail: (cause: Error) => Error): AsyncGenerator<Buffer> {
  const chunks = fileChunks(path, fail)
  return isPacked(path) ? unpacked(chunks, fail) : chunks
}

const isOfZlib = (error: unknown): error is Error =>
  error instanceof Error && (error as NodeJS.ErrnoException).code?.startsWith('Z_') === true

/** Opens the content of a file, which may be packed, to be read at any offset: a packed one as a copy that ends with the handle. */
export async function openContentOf(path: string): Promise<FileHandle> {
  if (!isPacked(path)) return open(path)
  const temporary = temporaryName(path, randomBytes(4).toString('hex'))
  const copy = await open(temporary, 'wx+', 0o600)
  try {
    // Without a name it is gone with the process, too.
    await unlink(temporary)
    for await (const piece of contentChunks(path, cause => cause)) await copy.writeFile(piece)
    return copy
  } catch (error) {
    await copy.close()
    throw error
  }
}
