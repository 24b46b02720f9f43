/**
 * Identifies versions of a file by its metadata, and remembers the hashes of versions that this process has read. A change time
 * cannot be set back, so an equal version of a settled file has equal bytes.
 */
import type { BigIntStats } from 'node:fs'
import { stat } from 'node:fs/promises'

export interface Version {
  /** Device, inode, size, and the times of writing and of change in nanoseconds. */
  readonly id: string
  readonly bytes: number
  readonly mtimeMs: number
  readonly ctimeMs: number
}

export const versionOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): Version => ({
  id: `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`,
  bytes: Number(size),
  mtimeMs: Number(mtimeNs) / 1e6,
  ctimeMs: Number(ctimeNs) / 1e6,
})

export const versionAt = async (path: string): Promise<Version> => versionOf(await stat(path, { bigint: true }))

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
