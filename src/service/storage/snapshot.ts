/**
 * Copies a data directory as of one moment: the database and every file it may name. The copy runs synchronously and files are
 * never changed in place, so database and files match.
 */
import { chmodSync, closeSync, copyFileSync, fsyncSync, linkSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from './database.ts'
import { wholeIn } from './unnamed-files.ts'

const namesIn = (folder: string): string[] => wholeIn(folder).filter(name => !name.startsWith('lock'))

const FOLDERS = ['accounts', 'uploads', 'files', 'imports'] as const

/** Links a file under a second name, so that its bytes survive the removal of the first. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return
    // A file system without links.
    copyFileSync(from, to)
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}

export function takeSnapshot(database: Database, dataDir: string, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const copy = join(folder, 'jobs.db')
  database.copyTo(copy)
  chmodSync(copy, 0o600)
  sync(copy)
  for (const name of FOLDERS) {
    mkdirSync(join(folder, name), { mode: 0o700 })
    for (const file of namesIn(join(dataDir, name))) linkOrCopy(join(dataDir, name, file), join(folder, name, file))
  }
}
