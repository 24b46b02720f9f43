/** A run that was taken over by another process: it sends nothing more and records nothing more. It judges no lock itself. */
import { FettleError } from '../errors.ts'
import { type Lock, lockHolder } from '../journal/index.ts'
import type { PortfolioService, ScreenService, Service } from '../run/index.ts'

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

/** What has to be settled before an effect: by the guard at once, or by somebody who has to ask. */
type Before = () => void | Promise<void>

const first =
  (guard: Before) =>
  <A extends readonly unknown[], R>(send: (...args: A) => Promise<R>) =>
  async (...args: A): Promise<R> => {
    await guard()
    return send(...args)
  }

/** A service that is asked for no effect once the guard objects; looking is free. */
export function guarded(service: Service, guard: Before): Service {
  const after = first(guard)
  return {
    ...service,
    createJob: after(service.createJob),
    upload: after(service.upload),
    setMappings: after(service.setMappings),
    submit: after(service.submit),
    setEnrichments: after(service.setEnrichments),
    enrich: after(service.enrich),
  }
}

/** The same for portfolios. */
export const guardedPortfolios = (service: PortfolioService, guard: Before): PortfolioService => ({
  ...service,
  createPortfolio: first(guard)(service.createPortfolio),
  addCompany: first(guard)(service.addCompany),
})

/** The same for AML searches. */
export const guardedScreening = (service: ScreenService, guard: Before): ScreenService => ({
  ...service,
  screenBusiness: first(guard)(service.screenBusiness),
})
