/**
 * All of a data directory at one moment: the database as it is then, and every file that it may name. Nothing else of this process
 * runs in between, and files are never written in place, so the two fit each other.
 */
import { chmodSync, closeSync, copyFileSync, fsyncSync, linkSync, mkdirSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isPart } from './atomic-file.ts'
import type { Database } from './database.ts'

/** What a data directory keeps beside its database. */
const FOLDERS = ['accounts', 'uploads', 'files', 'imports'] as const

/** A file under a second name: the same bytes, though the first be removed. */
function keep(from: string, to: string): void {
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

/** Takes it, into a new folder. */
export function takeSnapshot(database: Database, dataDir: string, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const copy = join(folder, 'jobs.db')
  database.copyTo(copy)
  chmodSync(copy, 0o600)
  sync(copy)
  for (const name of FOLDERS) {
    mkdirSync(join(folder, name), { mode: 0o700 })
    for (const file of namesIn(join(dataDir, name))) keep(join(dataDir, name, file), join(folder, name, file))
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter(name => !isPart(name) && !name.startsWith('lock'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
