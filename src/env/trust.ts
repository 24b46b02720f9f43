/** Where credentials may be sent, and whether the addresses of a pipeline may be opened at all. */
import { FettleError } from '../errors.ts'
import type { PlannedService } from '../pipeline/index.ts'
import { type Credentials, type Env, readPassword, splitList, text } from './environment.ts'

/** A service, as far as its credentials depend on it. */
export type ServiceAddress = Pick<PlannedService, 'kind'> & { readonly url?: string }

/** The origins of FETTLE_SERVICE_ORIGINS. Throws FETTLE_SETTINGS for what is not an origin. */
export function listServiceOrigins(env: Env): readonly string[] {
  return splitList(text(env, 'FETTLE_SERVICE_ORIGINS')).map(entry => {
    const url = URL.canParse(entry) ? new URL(entry) : null
    if (url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin
    throw new FettleError('FETTLE_SETTINGS', 'FETTLE_SERVICE_ORIGINS has an entry that is not an origin', {
      hint: 'Give https://host or https://host:port, separated by commas.',
    })
  })
}

const readOrigin = (address: string | null | undefined): string | null =>
  address != null && URL.canParse(address) ? new URL(address).origin : null

/**
 * Credentials are sent to the origin of FETTLE_URL, to the origins in FETTLE_SERVICE_ORIGINS, and to the service that the command itself names;
 * never to an address that only a pipeline, a project file or a recorded run names. Throws FETTLE_SERVICE_ORIGIN.
 */
export function assertKnownOrigin({ kind, url }: ServiceAddress, env: Env, named: string | null = null): void {
  if (kind === 'embedded') return
  const origin = readOrigin(url)
  const listed = listServiceOrigins(env)
  if (origin !== null && [readOrigin(env.FETTLE_URL), readOrigin(named), ...listed].includes(origin)) return
  const line = `FETTLE_SERVICE_ORIGINS=${[...new Set([...listed, origin])].join(',')}`
  throw new FettleError(
    'FETTLE_SERVICE_ORIGIN',
    `the credentials are not for ${origin}: it is the service of the pipeline, and neither at FETTLE_URL nor in FETTLE_SERVICE_ORIGINS`,
    { hint: `If your credentials are for this service, set ${line}.` },
  )
}

/**
 * Credentials for `service`; what the pipeline gave wins over the environment. `named` is the address that the command itself names. Throws
 * FETTLE_SERVICE_ORIGIN for a service that they are not for, FETTLE_CREDENTIALS when one is missing, FETTLE_SETTINGS when FETTLE_PASSWORD
 * and FETTLE_PASSWORD_FILE are both set or the file is unusable.
 */
export function readCredentials(
  env: Env,
  service: ServiceAddress,
  given: Partial<Credentials> = {},
  named: string | null = null,
): Credentials {
  assertKnownOrigin(service, env, named)
  const username = given.username ?? text(env, 'FETTLE_USERNAME')
  const password = given.password ?? readPassword(env)
  const missing = [...(username === null ? ['FETTLE_USERNAME'] : []), ...(password === null ? ['FETTLE_PASSWORD'] : [])]
  if (username === null || password === null)
    throw new FettleError('FETTLE_CREDENTIALS', `no credentials for the service: ${missing.join(' and ')} not set`)
  return { username, password }
}

/** Whether FETTLE_UNTRUSTED is set: a pipeline of a stranger opens its known service and reads files of the checkout. */
export function isUntrusted(env: Env): boolean {
  const value = text(env, 'FETTLE_UNTRUSTED') ?? '0'
  if (value === '0' || value === '1') return value === '1'
  throw new FettleError('FETTLE_SETTINGS', `FETTLE_UNTRUSTED is ${value}: expected 1 or 0`)
}

/** Throws FETTLE_UNTRUSTED for an address of an untrusted pipeline. */
export function assertMayOpen(env: Env, shown: string): void {
  if (isUntrusted(env)) throw new FettleError('FETTLE_UNTRUSTED', `${shown} was not opened: the pipeline is untrusted`)
}
