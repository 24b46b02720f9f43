/** The lock of a data directory. SQLite's own lock is a folder that a kill leaves behind. */
import { join } from 'node:path'
import { FettleError } from '../../errors.ts'
import { type Lock, readOwner, takeLock } from '../../files/process-lock.ts'
import { type Clock, systemClock } from '../clock.ts'

export type Release = () => void

const BEAT_MS = 15_000
/** An import may block its process for a minute. */
const STALE_MS = 3 * 60_000

/** Takes the lock of a directory, and keeps it fresh. Throws FETTLE_LOCKED when a living process holds it, FETTLE_OUTPUT_WRITE. */
export function lockDirectory(directory: string, clock: Clock = systemClock): Release {
  const lock = take(directory, clock)
  const released = new AbortController()
  const beat = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(BEAT_MS, released.signal)
      if (released.signal.aborted || !lock.held()) return
      lock.beat()
    }
  }
  void beat()
  return () => {
    released.abort()
    lock.release()
  }
}

function take(directory: string, clock: Clock): Lock {
  const path = join(directory, 'lock')
  try {
    return takeLock(path, () => clock.now(), STALE_MS)
  } catch (cause) {
    if (!FettleError.is(cause) || cause.code !== 'FETTLE_LOCKED') throw cause
    const owner = readOwner(path)
    const who = owner === null ? '' : ` (process ${owner.pid} on ${owner.host})`
    throw new FettleError('FETTLE_LOCKED', `Cannot open the data directory ${directory}: another service uses it${who}.`, {
      hint: 'Stop that service, or use another directory.',
      cause,
    })
  }
}
