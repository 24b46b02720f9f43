/** A run that was taken over by another process: it sends nothing more and records nothing more. It judges no lock itself. */
import { FettleError } from '../errors.ts'
import { type Lock, lockHolder } from '../journal/index.ts'
import type { Service } from '../run/index.ts'

/** Throws FETTLE_LOCKED once the lock is another's. */
export type Guard = () => void

/** The guard of a run by its lock; `now` gives milliseconds since 1970. */
export const guardOf =
  (lock: Lock, runId: string, now: () => number): Guard =>
  () => {
    if (lock.held()) return
    const heir = lockHolder(lock.path, now)
    const who = heir === null ? 'another process' : `process ${heir.pid} on ${heir.host} (since ${heir.since})`
    throw new FettleError('FETTLE_LOCKED', `${who} took over the run ${runId}: nothing more is sent from here`)
  }

/** A service that is asked for no effect once the guard objects; looking is free. */
export function guarded(service: Service, guard: Guard): Service {
  const first =
    <A extends readonly unknown[], R>(send: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      guard()
      return send(...args)
    }
  return {
    ...service,
    createJob: first(service.createJob),
    upload: first(service.upload),
    setMappings: first(service.setMappings),
    submit: first(service.submit),
    setEnrichments: first(service.setEnrichments),
    enrich: first(service.enrich),
  }
}
