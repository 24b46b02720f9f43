/** Makes folders that only their owner can read, and that outlast a power cut. */
import { chmodSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { FettleError } from '../errors.ts'
import { createFolders, type FolderOptions, syncFolderSync } from './durable.ts'

/** Makes a folder (0700) with those above it, to outlast a power cut. Throws FETTLE_OUTPUT_WRITE. */
export const makeFolder = (path: string, options: FolderOptions = {}): void => {
  try {
    const made = createFolders(resolve(path), options)
    // A folder that was there keeps the mode its owner gave it.
    if (made === undefined) return
    chmodSync(path, 0o700)
    for (let at = resolve(path); at.length >= made.length; at = dirname(at)) syncFolderSync(dirname(at))
  } catch (cause) {
    throw new FettleError('FETTLE_OUTPUT_WRITE', `cannot make the folder ${path}: ${(cause as Error).message}`, { cause })
  }
}
