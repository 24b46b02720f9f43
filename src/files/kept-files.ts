/**
 * Reads files and folders that fettle keeps for later runs. What is not there has nothing; what is there and cannot be read is an
 * error that names it, since a run would pay again for what it holds.
 */
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, readSync, type Stats } from 'node:fs'
import { FettleError } from '../errors.ts'

/** Never opened for long: a FIFO without a writer is one of the files that are refused. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK

export interface OpenKept {
  readonly fd: number
  readonly stats: Stats
}

/** Null for a file that does not exist. Throws FETTLE_OUTPUT_WRITE. */
export function openKept(path: string): OpenKept | null {
  const fd = ifThere(path, () => openSync(path, FLAGS))
  if (fd === null) return null
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile()) throw new Error('it is not a regular file')
    return { fd, stats }
  } catch (cause) {
    closeSync(fd)
    throw unreadableKept(path, cause)
  }
}

/** Null for a file that does not exist. Throws FETTLE_OUTPUT_WRITE. */
export function readKept(path: string): Buffer | null {
  const file = openKept(path)
  if (file === null) return null
  try {
    return readFileSync(file.fd)
  } catch (cause) {
    throw unreadableKept(path, cause)
  } finally {
    closeSync(file.fd)
  }
}

/** Fills `into` from the place on, and returns it; less at the end of the file. Throws FETTLE_OUTPUT_WRITE. */
export function readKeptAt(path: string, fd: number, place: number, into: Buffer): Buffer {
  let filled = 0
  try {
    while (filled < into.length) {
      const count = readSync(fd, into, filled, into.length - filled, place + filled)
      if (count === 0) break
      filled += count
    }
  } catch (cause) {
    throw unreadableKept(path, cause)
  }
  return into.subarray(0, filled)
}

/** The text of a file, null for one that does not exist. Throws FETTLE_OUTPUT_WRITE. */
export const readKeptText = (path: string): string | null => readKept(path)?.toString('utf8') ?? null

/** The names in a folder, sorted; none for a folder that does not exist. Throws FETTLE_OUTPUT_WRITE. */
export const listKept = (folder: string): string[] => (ifThere(folder, () => readdirSync(folder)) ?? []).sort()

const HINT = 'Correct its permissions, or remove what is not a file of fettle; then run the same command again.'

export const unreadableKept = (path: string, cause: unknown, hint = HINT): FettleError =>
  new FettleError('FETTLE_OUTPUT_WRITE', `cannot read ${path}: ${(cause as Error).message}`, { hint, cause })

function ifThere<T>(path: string, read: () => T): T | null {
  try {
    return read()
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw unreadableKept(path, cause)
  }
}
