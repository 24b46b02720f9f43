/** Locks of a whole folder of runs, which are held for moments. */
import { join } from 'node:path'
import { makeFolder } from '../files/durable.ts'
import { waitForLock } from '../files/process-lock.ts'
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
  const lock = await waitForLock(path, clock.now.bind(clock), async (tries, error) => {
    if (tries === ATTEMPTS) throw error
    await clock.sleep(PAUSE_MS)
  })
  try {
    return await body()
  } finally {
    lock.release()
  }
}
