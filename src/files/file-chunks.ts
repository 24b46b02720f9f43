/**
 * A file from its first byte to its last in large pieces, the next one being read while the last is worked on. It knows
 * nothing of the content.
 */
import { createReadStream } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { FettleError } from '../errors.ts'

/** Bytes per read: smaller ones halve the speed. */
export const READ_BYTES = 1_048_576

/**
 * The pieces of an open file, from `start`. Buffers take turns, so that memory does not grow with the file: a piece is valid
 * until `count - 1` more were asked for. Fresh buffers would wait for the collector, 64 MiB of them at a time (measured:
 * 161 MB at the peak of a 1 GB run against 142 MB).
 */
export async function* readChunks(handle: FileHandle, start = 0, count = 2, size = READ_BYTES): AsyncGenerator<Buffer> {
  const buffers = Array.from({ length: count }, () => Buffer.allocUnsafe(size))
  let at = start
  let turn = 0
  let coming = handle.read(buffers[0]!, 0, size, at)
  try {
    for (;;) {
      const { bytesRead, buffer } = await coming
      if (bytesRead === 0) return
      at += bytesRead
      turn = (turn + 1) % count
      coming = handle.read(buffers[turn]!, 0, size, at)
      // Looked at only in the next turn: until then its failure is not unhandled.
      coming.catch(() => {})
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    // The handle may be closed as soon as the reader stops: no read may be under way then.
    await coming.catch(() => {})
  }
}

/** The first bytes of an open file. */
export async function readHead(handle: FileHandle, bytes = READ_BYTES): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(bytes)
  let filled = 0
  while (filled < bytes) {
    const { bytesRead } = await handle.read(buffer, filled, bytes - filled, filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

/** The pieces of the file at `path`, or of a span of it; what the disk says against it becomes the error that `fail` makes of it. */
export async function* fileChunks(
  path: string,
  fail: (cause: Error) => FettleError,
  span = { from: 0, to: Number.POSITIVE_INFINITY },
): AsyncGenerator<Buffer> {
  if (span.from >= span.to) return
  try {
    // The end of a stream is its last byte, not the one behind it.
    yield* createReadStream(path, { highWaterMark: READ_BYTES, start: span.from, end: span.to - 1 }) as AsyncIterable<Buffer>
  } catch (error) {
    throw isOfDisk(error) ? fail(error) : error
  }
}

/** An error that a call to the system gave. */
export const isOfDisk = (error: unknown): error is Error =>
  error instanceof Error && !FettleError.is(error) && (error as NodeJS.ErrnoException).syscall !== undefined

/** The error for an input that cannot be read to its end. */
export const unreadable = (path: string, cause: Error): FettleError =>
  new FettleError('FETTLE_INPUT_READ', `cannot read the input ${path}: ${cause.message}`, {
    cause,
    at: { file: path, line: null, column: null },
  })
