/**
 * Writes a data directory, as of one moment, to one archive. A running service takes the snapshot on request; without one the
 * command takes it itself.
 */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import { action, FettleError } from '../../errors.ts'
import { partOf, publishPart } from '../storage/atomic-file.ts'
import { openDatabase } from '../storage/database.ts'
import { lockDirectory } from '../storage/lock.ts'
import { ENDS, snapshotDirIn, takeSnapshot } from './snapshots.ts'
import { tarOf } from './tar.ts'

/** Source and target of a backup. */
export interface BackupOptions {
  readonly dataDir: string
  /** Appears only when complete; compressed when its name ends in `.gz`. */
  readonly file: string
  readonly signal?: AbortSignal
}

/** A finished backup. */
export interface BackupInfo {
  readonly bytes: number
  /** Whether a service was running and took the snapshot. */
  readonly online: boolean
}

const POLL_MS = 100

/** Takes the snapshot in this process; false when a service holds the directory. */
function takeOffline(dataDir: string, folder: string): boolean {
  let release: () => void
  try {
    release = lockDirectory(dataDir)
  } catch (error) {
    if (FettleError.is(error) && error.code === 'FETTLE_LOCKED') return false
    throw error
  }
  try {
    const database = openDatabase(dataDir)
    try {
      takeSnapshot(database, dataDir, folder)
    } finally {
      database.close()
    }
    return true
  } finally {
    release()
  }
}

/** Removes requests of killed commands: an id starts with the process number of its command. */
async function removeStale(requests: string): Promise<void> {
  for (const name of await readdir(requests)) {
    try {
      process.kill(Number.parseInt(name, 10), 0)
    } catch (error) {
      const isGone = (error as NodeJS.ErrnoException).code === 'ESRCH'
      if (isGone) await rm(join(requests, name), { recursive: true, force: true })
    }
  }
}

async function snapshot(dataDir: string, requests: string, id: string, signal?: AbortSignal): Promise<boolean> {
  const path = (end: keyof typeof ENDS): string => join(requests, `${id}${ENDS[end]}`)
  for (;;) {
    signal?.throwIfAborted()
    if (existsSync(path('ready'))) return true
    if (existsSync(path('failed'))) throw new Error(await readFile(path('failed'), 'utf8'))
    if (takeOffline(dataDir, path('part'))) {
      await rename(path('part'), path('ready'))
      return false
    }
    if (!existsSync(path('part'))) await writeFile(path('wanted'), '', { mode: 0o600 })
    await pause(POLL_MS)
  }
}

async function pack(folder: string, file: string): Promise<void> {
  const handle = await open(partOf(file), 'w', 0o600)
  try {
    const out = handle.createWriteStream({ flush: true })
    const archive = Readable.from(tarOf(folder), { objectMode: false })
    await (file.endsWith('.gz') ? pipeline(archive, createGzip(), out) : pipeline(archive, out))
    await publishPart(file)
  } catch (error) {
    await handle.close().catch(() => {})
    await rm(partOf(file), { force: true })
    throw error
  }
}

/**
 * Writes a backup. Throws FETTLE_SETTINGS for a folder that is no data directory, FETTLE_OUTPUT_WRITE when the snapshot or the file
 * cannot be written.
 */
export async function backup({ dataDir, file, signal }: BackupOptions): Promise<BackupInfo> {
  if (!existsSync(join(dataDir, 'jobs.db'))) {
    throw new FettleError('FETTLE_SETTINGS', `Cannot back up ${dataDir}: it is not the data directory of a service.`, {
      hint: 'Name the data directory of the service.',
      action: action('serve', 'backup', 'FILE', '--data-dir', 'DIR'),
    })
  }
  const requests = snapshotDirIn(dataDir)
  const id = `${process.pid}-${randomBytes(6).toString('hex')}`
  try {
    await mkdir(requests, { recursive: true, mode: 0o700 })
    await removeStale(requests)
    const online = await snapshot(dataDir, requests, id, signal)
    await pack(join(requests, `${id}${ENDS.ready}`), file)
    return { bytes: (await stat(file)).size, online }
  } catch (error) {
    if (FettleError.is(error)) throw error
    throw new FettleError('FETTLE_OUTPUT_WRITE', `Cannot back up ${dataDir} to ${file}: ${(error as Error).message}`, {
      cause: error,
    })
  } finally {
    for (const end of Object.values(ENDS)) await rm(join(requests, `${id}${end}`), { recursive: true, force: true })
  }
}
