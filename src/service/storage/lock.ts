/**
 * The lock of a data directory: a lock file with the process id of its owner, taken over when that process is gone (stack §6:
 * SQLite's own lock is a folder that a kill leaves behind). Its owner touches it every minute: without /proc another program may have
 * the number of a process that is gone.
 */
import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FettleError } from '../../errors.ts'
import { isAlive, ownBeginning, type ProcessMark } from '../../process.ts'
import { type Clock, systemClock } from '../clock.ts'

export type Release = () => void

const BEAT_MS = 60_000
/** A number alone shows a living owner only while the lock is touched. */
const STALE_MS = 10 * BEAT_MS

/** Locks held by this process. A lock file with our id that is not listed here is stale: in a container every process may be number 1. */
const held = new Set<string>()

const ownerOf = (text: string): ProcessMark | null => {
  const [pid = '', began = ''] = text.split(' ')
  return /^\d{1,10}$/.test(pid) ? { pid: Number(pid), began: began === '' ? undefined : began } : null
}

const readOr = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

async function touchUntil(released: AbortSignal, path: string, clock: Clock): Promise<void> {
  for (;;) {
    await clock.sleep(BEAT_MS, released)
    if (released.aborted) return
    const now = new Date(clock.now())
    try {
      utimesSync(path, now, now)
    } catch {
      // Removed with its directory.
    }
  }
}

function isTouched(path: string, now: number): boolean {
  try {
    return now - statSync(path).mtimeMs < STALE_MS
  } catch {
    return false
  }
}

/** Takes the lock of a directory. Throws FETTLE_LOCKED when a living process holds it. */
export function lockDirectory(directory: string, clock: Clock = systemClock): Release {
  const path = join(directory, 'lock')
  const own = join(directory, `lock.${process.pid}.${randomBytes(6).toString('hex')}`)
  writeFileSync(own, `${process.pid} ${ownBeginning() ?? ''}`, { flag: 'wx', mode: 0o600 })
  try {
    for (let attempt = 0; attempt < 5; attempt++) {
      try {
        // A link appears with its content, and only if the name is free: exactly one process creates it.
        linkSync(own, path)
        held.add(path)
        const released = new AbortController()
        void touchUntil(released.signal, path, clock)
        return () => {
          released.abort()
          held.delete(path)
          rmSync(path, { force: true })
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
      const found = readOr(path)
      const owner = found === null ? null : ownerOf(found)
      const isOurs = owner === null || owner.pid === process.pid
      if (isOurs ? held.has(path) : isAlive(owner) && (owner.began !== undefined || isTouched(path, clock.now()))) {
        const who = owner === null ? '' : ` (process ${owner.pid})`
        throw new FettleError('FETTLE_LOCKED', `Cannot open the data directory ${directory}: another service uses it${who}.`, {
          hint: 'Stop that service, or use another directory.',
        })
      }
      removeStale(path, found, `${own}.stale`)
    }
    throw new FettleError('FETTLE_LOCKED', `Cannot open the data directory ${directory}: several services are starting on it.`)
  } finally {
    rmSync(own, { force: true })
  }
}

/** Removes a stale lock; restores a lock that another process has created meanwhile. */
function removeStale(path: string, stale: string | null, aside: string): void {
  try {
    renameSync(path, aside)
    if (readOr(aside) !== stale) linkSync(aside, path)
  } catch {
    // Removed already, or a third process was faster: the next attempt reads the current state.
  } finally {
    rmSync(aside, { force: true })
  }
}
