/** Reads the owner of a lock file and decides whether it is gone: by its process on this host, by the age of the file on others. */
import { statSync } from 'node:fs'
import { hostname } from 'node:os'
import { isAlive, pidNamespace } from '../process.ts'
import { readKeptText } from './kept-files.ts'

export interface LockOwner {
  readonly pid: number
  readonly host: string
  readonly since: string
  readonly token: string
  /** When the process began, as its kernel counts: a later process may have the same number. Absent where the kernel does not show it. */
  readonly began?: string
  /** The machine or container whose process numbers these are: two containers may have one host name. */
  readonly space?: string
}

/** A lock is stale after this time without a beat where its process cannot be checked: on another host, or by its number alone. */
export const STALE_MS = 10 * 60_000

export function readOwner(path: string): LockOwner | null {
  try {
    return JSON.parse(readKeptText(path) ?? '') as LockOwner
  } catch {
    return null
  }
}

/**
 * Whether the owner that the lock file at `path` names is gone. `ours` are the tokens this process holds; `now` is milliseconds
 * since 1970. A file that has been removed meanwhile is not stale.
 */
export function isStale(
  path: string,
  owner: LockOwner | null,
  ours: ReadonlySet<string>,
  now: number,
  staleMs = STALE_MS,
): boolean {
  const isHere = owner?.host === hostname() && (owner.space === undefined || owner.space === pidNamespace())
  // A lock of ours by number but not by token is an earlier process's: in a container every process may be number 1.
  if (isHere && owner.pid === process.pid) return !ours.has(owner.token)
  if (isHere) {
    if (!isAlive(owner)) return true
    // Without /proc another program may have the number by now.
    if (owner.began !== undefined) return false
  }
  // Written by link, so a lock without a readable owner was damaged afterwards: only its age can judge it.
  try {
    return now - statSync(path).mtimeMs > staleMs
  } catch {
    return false
  }
}
