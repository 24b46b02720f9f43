/**
 * Opens an input for reading: a regular file, or an issue. A FIFO, device or folder is rejected before it is opened, since the input is read
 * more than once and must never block. A version of a file is identified by its metadata: a change time cannot be set back, so an equal
 * version of a settled file has equal bytes.
 */
import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { type Issue, issue } from '../errors.ts'

export interface Version {
  /** Device, inode, size, and the times of writing and of change in nanoseconds. */
  readonly id: string
  readonly bytes: number
  readonly mtimeMs: number
  readonly ctimeMs: number
}

const readVersion = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): Version => ({
  id: `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`,
  bytes: Number(size),
  mtimeMs: Number(mtimeNs) / 1e6,
  ctimeMs: Number(ctimeNs) / 1e6,
})

export const versionAt = async (path: string): Promise<Version> => readVersion(await stat(path, { bigint: true }))

/** The coarsest resolution of file times (FAT): two writes within it may leave the same version. */
const COARSEST_MS = 2_000

/** Whether any write after `lookedMs` (since 1970, null for unknown) changes the version. */
export const isSettled = ({ ctimeMs }: Version, lookedMs: number | null): boolean =>
  lookedMs !== null && ctimeMs + COARSEST_MS <= lookedMs

/** Hashes kept; a file whose hash was dropped is hashed again. */
const MOST = 1_000

const hashes = new Map<string, string>()

/** Stores the hash of a version that was settled before it was read. */
export function rememberHash({ id }: Version, sha256: string): void {
  hashes.set(id, sha256)
  const [oldest] = hashes.keys()
  if (hashes.size > MOST) hashes.delete(oldest!)
}

export const knownHash = ({ id }: Version): string | null => hashes.get(id) ?? null

export interface FileContext {
  /** The folder that relative paths start from and that outputs stay in; the working directory when absent. */
  readonly root?: string
  readonly signal?: AbortSignal
  /** Milliseconds since 1970, on the clock of file times; without it, files are hashed on every check. */
  readonly now?: () => number
}

export interface OpenInput {
  readonly handle: FileHandle
  readonly version: Version
}

/** Opens `path`, relative to `root`, for reading. The caller closes the handle. */
export async function openInput(path: string, root = ''): Promise<OpenInput | Issue> {
  const file = resolve(root, path)
  const at = { file: path, line: null, column: null }
  const refuse = (why: string, hint?: string): Issue =>
    issue('FETTLE_INPUT_READ', `cannot read the input ${path}: ${why}`, hint === undefined ? { at } : { at, hint })
  try {
    const found = await stat(file)
    if (!found.isFile()) return refuse(`it is ${describeKind(found)}; fettle needs a regular file: it is read more than once`)
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
    return { handle, version: readVersion(await handle.stat({ bigint: true })) }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      const near = await nearestNames(file)
      return refuse('there is no such file', near.length > 0 ? `Near it: ${near.join(', ')}.` : undefined)
    }
    if (code === 'ELOOP') return refuse('its symbolic links lead in a circle')
    if (code === 'EACCES' || code === 'EPERM') return refuse('permission denied')
    return refuse((error as Error).message)
  }
}

function describeKind(found: Awaited<ReturnType<typeof stat>>): string {
  if (found.isDirectory()) return 'a folder'
  if (found.isFIFO()) return 'a FIFO'
  if (found.isSocket()) return 'a socket'
  return 'a device'
}

async function nearestNames(path: string): Promise<string[]> {
  const names = await readdir(dirname(path)).catch(() => [])
  const wanted = basename(path).toLowerCase()
  const limit = Math.max(2, Math.floor(wanted.length / 3))
  return names
    .slice(0, 2_000)
    .map(name => ({ name, far: distance(wanted, name.toLowerCase()) }))
    .filter(file => file.far <= limit)
    .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(file => file.name)
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]!
}
