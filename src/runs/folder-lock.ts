/** Locks of a whole folder of runs, which are held for moments. */
import { join } from 'node:path'
import { FettleError } from '../errors.ts'
import { makeFolder } from '../files/durable.ts'
import { type Lock, takeLock } from '../files/process-lock.ts'
import type { Clock } from '../model/requests.ts'

/** Milliseconds between two attempts. */
const PAUSE_MS = 100
const ATTEMPTS = 100

export type LockClock = Pick<Clock, 'now' | 'sleep'>

/** One process at a time holds the lock of this name. Throws FETTLE_LOCKED after ten seconds. */
export async function withFolderLock<T>(
  runsDir: string,
  name: '.spending' | '.removal',
  clock: LockClock,
  body: () => T | Promise<T>,
): Promise<T> {
  const path = join(runsDir, 'locks', name)
  makeFolder(join(runsDir, 'locks'))
  for (let attempt = 1; ; attempt++) {
    let lock: Lock
    try {
      lock = takeLock(path, clock.now.bind(clock))
    } catch (error) {
      if (attempt === ATTEMPTS || !FettleError.is(error) || error.code !== 'FETTLE_LOCKED') throw error
      await clock.sleep(PAUSE_MS)
      continue
    }
    try {
      return await body()
    } finally {
      lock.release()
    }
  }
}
