/**
 * Who stands in a lock file, and whether they still live: asked of this machine where it can know, of the age of the file where
 * it cannot. It takes no lock.
 */
import { readFileSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { isAlive } from '../process.ts'

/** Who holds a lock. */
export interface LockOwner {
  readonly pid: number
  readonly host: string
  readonly since: string
  readonly token: string
  /** When the process began, as its kernel counts; tells it from a later one of the same number. Absent: not told here. */
  readonly began?: string
}

/** Another host's lock is stale after so long without a beat; we cannot ask that host whether the process lives. */
const STALE_MS = 10 * 60_000

/** The owner a lock file names; null when it cannot be read. */
export function readOwner(path: string): LockOwner | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as LockOwner
  } catch {
    return null
  }
}

/**
 * Whether the lock file at `path`, which names `owner`, is nobody's any more. `ours` are the tokens this process holds; `now` is
 * milliseconds since 1970. A file that has gone meanwhile is not stale.
 */
export function isStale(path: string, owner: LockOwner | null, ours: ReadonlySet<string>, now: number): boolean {
  // A lock of ours by number but not by token is an earlier process's: in a container every process may be number 1.
  if (owner !== null && owner.host === hostname() && owner.pid === process.pid) return !ours.has(owner.token)
  if (owner !== null && owner.host === hostname()) return !isAlive(owner)
  // Written by link, so a lock without a readable owner was damaged afterwards: only its age can judge it.
  try {
    return now - statSync(path).mtimeMs > STALE_MS
  } catch {
    return false
  }
}
