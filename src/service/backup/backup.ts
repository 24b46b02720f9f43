/**
 * Writes a data directory, as of one moment, to one archive. A running service takes the snapshot on request; without one the command takes it
 * itself. A request is an empty file `<id>.wanted` in the data directory, answered by a folder `<id>.ready` or a text `<id>.failed`. No port
 * and no secret is needed: a process that may write there owns the data anyway.
 */
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  createReadStream,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
} from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import { action, FettleError } from '../../errors.ts'
import type { Clock } from '../clock.ts'
import { namePart, publishPart } from '../storage/atomic-file.ts'
import { type Database, openDatabase } from '../storage/database.ts'
import { lockDirectory } from '../storage/lock.ts'
import { wholeIn } from '../storage/unnamed-files.ts'

const snapshotDirIn = (dataDir: string): string => join(dataDir, 'backups')

const ENDS = { wanted: '.wanted', part: '.part', ready: '.ready', failed: '.failed' } as const

type SnapshotRequests = { dataDir: string; clock: Clock; everyMs: number; take: (folder: string) => void }

async function answer(requests: string, id: string, take: SnapshotRequests['take']): Promise<void> {
  const path = (end: keyof typeof ENDS): string => join(requests, `${id}${ENDS[end]}`)
  await rm(path('wanted'), { force: true })
  try {
    take(path('part'))
    await rename(path('part'), path('ready'))
  } catch (error) {
    await rm(path('part'), { recursive: true, force: true })
    await writeFile(path('failed'), error instanceof Error ? error.message : 'unknown', { mode: 0o600 })
  }
}

/** Answers requests until it is closed. First removes unfinished snapshots left by a kill. */
export function openSnapshotRequests({ dataDir, clock, everyMs, take }: SnapshotRequests): { close(): Promise<void> } {
  const requests = snapshotDirIn(dataDir)
  const stop = new AbortController()
  // The folder is created by the first request.
  const names = (): Promise<string[]> => readdir(requests).catch(() => [])
  const answerAll = async (): Promise<void> => {
    for (const name of await names()) {
      if (name.endsWith(ENDS.wanted) && !stop.signal.aborted) await answer(requests, name.slice(0, -ENDS.wanted.length), take)
    }
  }
  const run = async (): Promise<void> => {
    for (const name of await names()) {
      if (name.endsWith(ENDS.part)) await rm(join(requests, name), { recursive: true, force: true })
    }
    while (!stop.signal.aborted) {
      // A disk error may be gone at the next poll; the waiting command has its own timeout.
      await answerAll().catch(() => {})
      await clock.sleep(everyMs, stop.signal)
    }
  }
  const running = run().catch(() => {})
  return {
    async close() {
      stop.abort()
      await running
    },
  }
}

const FOLDERS = ['accounts', 'uploads', 'files', 'imports'] as const

/** Links a file under a second name, so that its bytes survive the removal of the first. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
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
    for (const file of wholeIn(join(dataDir, name)))
      if (!file.startsWith('lock')) linkOrCopy(join(dataDir, name, file), join(folder, name, file))
  }
}

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

const BLOCK = 512

/** A numeric field: octal digits and a zero byte. */
const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`

/** The header of a file, or of a folder, whose name ends in a slash. The checksum is computed with its own field as spaces. */
function makeHeader(name: string, size: number, mtimeMs: number): Buffer {
  const isFolder = name.endsWith('/')
  const header = Buffer.alloc(BLOCK)
  // Eleven octal digits; larger files need another format.
  if (Buffer.byteLength(name) > 100 || size >= 8 ** 11) throw new Error(`${name} does not fit into a tar archive`)
  header.write(name, 0)
  header.write(octal(isFolder ? 0o700 : 0o600, 8), 100)
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  header.write(octal(size, 12), 124)
  header.write(octal(Math.floor(mtimeMs / 1000), 12), 136)
  header.write(' '.repeat(8), 148)
  header.write(isFolder ? '5' : '0', 156)
  header.write('ustar\0', 257)
  header.write('00', 263)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 7)} `, 148)
  return header
}

/** Packs everything below a folder as a tar archive (POSIX ustar) in constant memory: plain files and folders with short names. */
export async function* packTar(folder: string): AsyncGenerator<Buffer> {
  yield* packBelow(folder, '')
  // Two empty blocks end an archive.
  yield Buffer.alloc(2 * BLOCK)
}

async function* packBelow(root: string, prefix: string): AsyncGenerator<Buffer> {
  const entries = await readdir(join(root, prefix), { withFileTypes: true })
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = `${prefix}${entry.name}`
    const path = join(root, name)
    const { size, mtimeMs } = await stat(path)
    if (entry.isDirectory()) {
      yield makeHeader(`${name}/`, 0, mtimeMs)
      yield* packBelow(root, `${name}/`)
    } else {
      yield makeHeader(name, size, mtimeMs)
      for await (const chunk of createReadStream(path)) yield chunk as Buffer
      yield Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)
    }
  }
}

async function pack(folder: string, file: string): Promise<void> {
  const handle = await open(namePart(file), 'w', 0o600)
  try {
    const out = handle.createWriteStream({ flush: true })
    const archive = Readable.from(packTar(folder), { objectMode: false })
    await (file.endsWith('.gz') ? pipeline(archive, createGzip(), out) : pipeline(archive, out))
    await publishPart(file)
  } catch (error) {
    await handle.close().catch(() => {})
    await rm(namePart(file), { force: true })
    throw error
  }
}

/**
 * Writes a backup. Throws FETTLE_SETTINGS for a folder that is not a data directory, FETTLE_OUTPUT_WRITE when the snapshot or the file
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
