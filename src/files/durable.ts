/** Renames, new folders and added lines that survive a power cut: a name is on disk only once the folder that holds it is synced. */
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { FettleError } from '../errors.ts'
import { readKept } from './kept-files.ts'

/** File systems that cannot sync a folder (some network and FUSE mounts) answer with one of these; any other error is real. */
const UNSUPPORTED = ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP']

function throwUnlessUnsupported(error: unknown): void {
  if (!UNSUPPORTED.includes((error as NodeJS.ErrnoException).code ?? '')) throw error
}

/** Windows can sync no folder; NTFS journals its names. */
const canSyncFolders = (): boolean => process.platform !== 'win32'

export async function syncFolder(path: string): Promise<void> {
  if (!canSyncFolders()) return
  const folder = await open(path, constants.O_RDONLY)
  try {
    await folder.sync().catch(throwUnlessUnsupported)
  } finally {
    await folder.close()
  }
}

export function syncFolderSync(path: string): void {
  if (!canSyncFolders()) return
  const folder = openSync(path, constants.O_RDONLY)
  try {
    fsyncSync(folder)
  } catch (error) {
    throwUnlessUnsupported(error)
  } finally {
    closeSync(folder)
  }
}

/** What Windows answers while a virus scanner or a spreadsheet has one of the files open. */
const HELD = ['EPERM', 'EACCES', 'EBUSY']

/** How long to wait before the next try, a second and a quarter in all; throws what no wait helps against. */
function pauseAfter(error: unknown, tries: number): number {
  const isHeld = process.platform === 'win32' && HELD.includes((error as NodeJS.ErrnoException).code ?? '')
  if (!isHeld || tries === 6) throw error
  return 20 * 2 ** tries
}

async function renameOnceFree(from: string, to: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await rename(from, to)
    } catch (error) {
      await wait(pauseAfter(error, tries))
    }
  }
}

/** Renames a file or folder, in spite of a program that has it open for a moment. */
export function renameOnceFreeSync(from: string, to: string): void {
  for (let tries = 0; ; tries++) {
    try {
      renameSync(from, to)
      return
    } catch (error) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseAfter(error, tries))
    }
  }
}

/** Renames a synced file; the new name is durable when this resolves. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await renameOnceFree(from, to)
  await syncFolder(dirname(to))
}

/** Writes `path` (0600) through `write` under the name `temporary`, which is removed on failure. Durable when this resolves. */
export async function replaceFile<T>(path: string, temporary: string, write: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(temporary, 'w', 0o600)
  try {
    const result = await write(file)
    await file.sync()
    await file.close()
    await renameDurably(temporary, path)
    return result
  } catch (error) {
    await file.close().catch(() => {})
    await rm(temporary, { force: true })
    throw error
  }
}

export interface FolderOptions {
  readonly mode?: number
  /** The folder itself, or the topmost one created, gets a `.gitignore` for all of it: its files contain personal data. */
  readonly ignored?: 'itself' | 'topmost'
}

/**
 * Creates a folder and its missing parents, and returns the topmost one created, undefined when the folder exists. One by
 * one, since mkdir's `recursive` never ends on file systems that refuse new folders with ENOENT, as /proc does.
 */
export function createFolders(path: string, options: FolderOptions = {}): string | undefined {
  const exists = (): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  if (exists()) return undefined
  const { mode = 0o700, ignored } = options
  const parent = createFolders(dirname(path), ignored === 'itself' ? { mode } : options)
  try {
    if (ignored === 'itself' || (ignored === 'topmost' && parent === undefined)) createIgnored(path, mode)
    else mkdirSync(path, { mode })
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!exists()) throw error
  }
  return parent ?? path
}

/** Whenever the process is killed, there is no folder without its `.gitignore`: it is made under a different name. */
function createIgnored(path: string, mode: number): void {
  const temporary = join(dirname(path), `.${basename(path)}.new`)
  try {
    if (!existsSync(temporary)) mkdirSync(temporary, { mode })
    writeFileSync(join(temporary, '.gitignore'), '*\n', { mode: mode & 0o666 })
    renameOnceFreeSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true })
    throw error
  }
}

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

const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_CREAT

/** Opens a file (0600) for more lines. A last line that a kill left torn is cut off: the next one must not continue it. */
function openForLines(path: string): number {
  const bytes = readKept(path) ?? Buffer.alloc(0)
  const whole = bytes.lastIndexOf(0x0a) + 1
  const file = openSync(path, FLAGS, 0o600)
  if (whole < bytes.length) ftruncateSync(file, whole)
  // The process that wrote the first line synced the name.
  if (whole === 0) syncFolderSync(dirname(path))
  return file
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
    writeWhole(file, Buffer.from(`${line}\n`))
    fsyncSync(file)
  } catch (cause) {
    throw new FettleError('FETTLE_OUTPUT_WRITE', `cannot write ${path}: ${(cause as Error).message}`, { cause })
  } finally {
    if (file !== null) closeSync(file)
  }
}
