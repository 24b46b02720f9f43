/**
 * Files of the data directory that appear only when they are complete: written under a temporary name, synced and renamed
 * (stack §6).
 */
import { mkdir } from 'node:fs/promises'
import { renameDurably, replaceFile } from '../../files/durable.ts'

/** Appends text; resolves when more can be written. */
export type Write = (text: string) => Promise<void>

const CHUNK = 256 * 1024
/** Bytes of a character at most. */
const MOST_BYTES = 3
const PART = '.part'

/** The name of a file until it is complete; files of this name are removed at start. */
export const namePart = (path: string): string => `${path}${PART}`

export const isPart = (name: string): boolean => name.endsWith(PART)

/** Renames a finished, synced file to its path; durable when it resolves. */
export const publishPart = (path: string): Promise<void> => renameDurably(namePart(path), path)

/** Writes a file through `fill`. It appears at `path` when `fill` resolves; when `fill` throws, nothing is left. */
export const writeWhole = <T>(path: string, fill: (write: Write) => Promise<T>): Promise<T> =>
  replaceFile(path, namePart(path), async file => {
    // One buffer for all of the file: a string or a buffer for each chunk would wait for the garbage collector.
    const pending = Buffer.allocUnsafeSlow(CHUNK)
    let size = 0
    const flush = async (): Promise<void> => {
      const bytes = pending.subarray(0, size)
      size = 0
      await file.appendFile(bytes)
    }
    const result = await fill(async text => {
      const most = text.length * MOST_BYTES
      if (size + most > CHUNK) await flush()
      if (most > CHUNK) await file.appendFile(text)
      else size += pending.write(text, size)
    })
    await flush()
    return result
  })

/** Creates a folder with mode 0700. */
export const makeFolder = async (path: string): Promise<void> => void (await mkdir(path, { recursive: true, mode: 0o700 }))
