/** The service and account of a run, as its journal records them. */
import { createHash } from 'node:crypto'
import { FettleError } from '../errors.ts'
import type { PlannedService } from '../pipeline/index.ts'
import type { Credentials } from './environment.ts'

/** `embedded`, or the address of the service and a digest of the user name. */
export const identityOf = (service: PlannedService, credentials: () => Credentials): string =>
  service.kind === 'embedded' ? 'embedded' : remoteIdentity(service.url, credentials)

/** The address of the service and a digest of the user name. */
export const remoteIdentity = (url: string, credentials: () => Credentials): string =>
  `${url} ${createHash('sha256').update(credentials().username).digest('hex').slice(0, 12)}`

const WITHOUT: readonly string[] = ['FETTLE_CREDENTIALS', 'FETTLE_SERVICE_ORIGIN']

/** As identityOf; null without credentials for the service, which a command that sends nothing does not need. */
export function findIdentity(service: PlannedService, credentials: () => Credentials): string | null {
  try {
    return identityOf(service, credentials)
  } catch (error) {
    if (FettleError.is(error) && WITHOUT.includes(error.code)) return null
    throw error
  }
}

/** The service of an identity: `embedded` or its address. */
export const serviceOf = (identity: string): string => identity.split(' ')[0] ?? identity
