/** Stops a run that another process has taken over: no more requests, no more events. */
import { FettleError } from '../../errors.ts'
import { type Lock, lockHolder } from '../../files/process-lock.ts'

/** Throws FETTLE_LOCKED once the lock is another's. */
export type TakeoverGuard = () => void

export const createTakeoverGuard =
  (lock: Lock, runId: string, now: () => number): TakeoverGuard =>
  () => {
    if (lock.held()) return
    const holder = lockHolder(lock.path, now)
    const who = holder === null ? 'another process' : `process ${holder.pid} on ${holder.host} (since ${holder.since})`
    throw new FettleError('FETTLE_LOCKED', `${who} took over the run ${runId}: nothing more is sent from here`)
  }
