/**
 * The lock of a data directory: a lock file with the process id of its owner, taken over when that process is gone (stack §6:
 * SQLite's own lock is a folder that a kill leaves behind). Its owner touches it: without /proc another program may have the number of a
 * process that is gone, and in another container every process may be number 1.
 */
import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FettleError } from '../../errors.ts'
import { isAlive, ownBeginning, type ProcessMark, pidNamespace } from '../../process.ts'
import { type Clock, systemClock } from '../clock.ts'

export type Release = () => void

const BEAT_MS = 15_000
/** A number alone shows a living owner only while the lock is touched. */
const STALE_MS = 10 * 60_000
/** The number of a process in another container shows nothing. An import may block its process for a minute. */
const ELSEWHERE_STALE_MS = 3 * 60_000

interface Owner extends ProcessMark {
  /** The namespace of its process id; absent in locks of older versions. */
  readonly namespace: string | undefined
}

/** Locks held by this process. A lock file with our id that is not listed here is stale: in a container every process may be number 1. */
const held = new Set<string>()

const ownerOf = (text: string): Owner | null => {
  const [pid = '', began = '', namespace = ''] = text.split(' ')
  if (!/^\d{1,10}$/.test(pid)) return null
  return { pid: Number(pid), began: began || undefined, namespace: namespace || undefined }
}

const readOr = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

async function touchUntil(released: AbortSignal, path: string, text: string, clock: Clock): Promise<void> {
  for (;;) {
    await clock.sleep(BEAT_MS, released)
    if (released.aborted || readOr(path) !== text) return
    const now = new Date(clock.now())
    try {
      utimesSync(path, now, now)
    } catch {
      // Removed with its directory.
    }
  }
}

function isTouched(path: string, now: number, staleMs: number): boolean {
  try {
    return now - statSync(path).mtimeMs < staleMs
  } catch {
    return false
  }
}

/** Whether the process that a lock names holds it still. */
function isHeld(path: string, owner: Owner | null, now: number): boolean {
  const isElsewhere = owner?.namespace !== undefined && owner.namespace !== pidNamespace()
  if (isElsewhere) return isTouched(path, now, ELSEWHERE_STALE_MS)
  if (owner === null || owner.pid === process.pid) return held.has(path)
  return isAlive(owner) && (owner.began !== undefined || isTouched(path, now, STALE_MS))
}

/** Takes the lock of a directory. Throws FETTLE_LOCKED when a living process holds it. */
export function lockDirectory(directory: string, clock: Clock = systemClock): Release {
  const path = join(directory, 'lock')
  const own = join(directory, `lock.${process.pid}.${randomBytes(6).toString('hex')}`)
  // The last word makes the text different from the text of every other lock.
  const text = `${process.pid} ${ownBeginning() ?? ''} ${pidNamespace()} ${randomBytes(6).toString('hex')}`
  writeFileSync(own, text, { flag: 'wx', mode: 0o600 })
  try {
    for (let attempt = 0; attempt < 5; attempt++) {
      try {
        // A link appears with its content, and only if the name is free: exactly one process creates it.
        linkSync(own, path)
        held.add(path)
        const released = new AbortController()
        void touchUntil(released.signal, path, text, clock)
        return () => {
          released.abort()
          held.delete(path)
          // Another process that judged this one dead may have taken it over.
          if (readOr(path) === text) rmSync(path, { force: true })
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
      const found = readOr(path)
      const owner = found === null ? null : ownerOf(found)
      if (isHeld(path, owner, clock.now())) {
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
