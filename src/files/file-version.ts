/**
 * Versions of a file: what a look at it without reading tells it from any other state, and the hashes of the versions that this
 * process has read. A time of change cannot be set back, so an equal version of a settled file has equal bytes.
 */
import type { BigIntStats } from 'node:fs'
import { stat } from 'node:fs/promises'

/** One state of a file. */
export interface Version {
  /** Device, inode, size, and the times of writing and of change in nanoseconds. */
  readonly id: string
  readonly bytes: number
  readonly mtimeMs: number
  readonly ctimeMs: number
}

/** The version that a look found. */
export const versionOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): Version => ({
  id: `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`,
  bytes: Number(size),
  mtimeMs: Number(mtimeNs) / 1e6,
  ctimeMs: Number(ctimeNs) / 1e6,
})

/** The version of the file at a path. */
export const versionAt = async (path: string): Promise<Version> => versionOf(await stat(path, { bigint: true }))

/** The coarsest times that a file system keeps (FAT): two writes within them may leave the same version. */
const COARSEST_MS = 2_000

/** Whether any write after a look at `lookedMs` (since 1970, null for unknown) makes another version of the file. */
export const isSettled = ({ ctimeMs }: Version, lookedMs: number | null): boolean =>
  lookedMs !== null && ctimeMs + COARSEST_MS <= lookedMs

/** Versions are kept for so many files; of one that is forgotten, the bytes are hashed again. */
const MOST = 1_000

const hashes = new Map<string, string>()

/** Keeps the hash of a version that was settled before it was read. */
export function rememberHash({ id }: Version, sha256: string): void {
  hashes.set(id, sha256)
  const [oldest] = hashes.keys()
  if (hashes.size > MOST) hashes.delete(oldest!)
}

/** The hash of a version, null when this process has not read it. */
export const knownHash = ({ id }: Version): string | null => hashes.get(id) ?? null
