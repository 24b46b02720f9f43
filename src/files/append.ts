/** Files that grow by whole lines, each on disk before the caller continues. */
import { closeSync, constants, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { FettleError } from '../errors.ts'
import { syncFolderSync } from './durable.ts'

const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_CREAT

/** Opens a file (0600) for more lines. A last line that a kill left torn is cut off: the next one must not continue it. */
function openForLines(path: string): number {
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0)
  const whole = bytes.lastIndexOf(0x0a) + 1
  const file = openSync(path, FLAGS, 0o600)
  if (whole < bytes.length) ftruncateSync(file, whole)
  // The process that wrote the first line synced the name.
  if (whole === 0) syncFolderSync(dirname(path))
  return file
}

/** Appends lines with their ends to an open file, and syncs them. */
function appendSynced(file: number, lines: string): void {
  writeWhole(file, Buffer.from(lines))
  fsyncSync(file)
}

/** A write may be short: the rest is written by the next call. */
export function writeWhole(file: number, bytes: Buffer): void {
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(file, bytes, offset)
}

/** Appends a line to a file that one process writes at a time. Throws FETTLE_OUTPUT_WRITE. */
export function appendLine(path: string, line: string): void {
  let file: number | null = null
  try {
    file = openForLines(path)
    appendSynced(file, `${line}\n`)
  } catch (cause) {
    throw new FettleError('FETTLE_OUTPUT_WRITE', `cannot write ${path}: ${(cause as Error).message}`, { cause })
  } finally {
    if (file !== null) closeSync(file)
  }
}
