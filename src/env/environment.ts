/** Settings from the environment: service, credentials, registers, trace, CI. Secrets are read here alone, and only when needed. */
import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Proxies } from '../client/index.ts'
import type { S3Settings } from '../client/storage/s3.ts'
import { FettleError } from '../errors.ts'
import { whyNotEndpoint } from '../pipeline/index.ts'

/** The environment of a process. */
export type Env = Readonly<Record<string, string | undefined>>

/** User name and password; never part of a plan, a journal or a report. */
export interface Credentials {
  readonly username: string
  readonly password: string
}

/** A variable, null when it is not set or empty. */
export const text = (env: Env, name: string): string | null => {
  const value = env[name]
  return value === undefined || value === '' ? null : value
}

/** Entries between commas or spaces. */
export const splitList = (list: string | null): string[] => (list ?? '').split(/[\s,]+/).filter(entry => entry !== '')

/** Where imported registers are kept: FETTLE_DATA, else the user's data folder (XDG base directories). */
export const findDataDir = (env: Env): string =>
  text(env, 'FETTLE_DATA') ?? join(text(env, 'XDG_DATA_HOME') ?? join(homedir(), '.local', 'share'), 'fettle')

/** The registers of FETTLE_REGISTER, separated by commas; null when it is not set. */
export function registersOf(env: Env): readonly string[] | null {
  const names = splitList(text(env, 'FETTLE_REGISTER'))
  return names.length === 0 ? null : names
}

/** Whether FETTLE_EMBEDDED=never rules out the embedded service. Throws FETTLE_SETTINGS for another value. */
export function isEmbeddedRuledOut(env: Env): boolean {
  const value = text(env, 'FETTLE_EMBEDDED')
  if (value === null || value === 'never') return value !== null
  throw new FettleError('FETTLE_SETTINGS', `FETTLE_EMBEDDED is ${value}: expected never, or nothing`)
}

/**
 * The address in FETTLE_URL, null when it is not set. Throws FETTLE_SETTINGS when it is set but empty: that must never fall
 * back to the embedded service in silence.
 */
export function readServiceUrl(env: Env): string | null {
  if (env.FETTLE_URL === '')
    throw new FettleError('FETTLE_SETTINGS', 'FETTLE_URL is set but empty', {
      hint: 'Set it to the address of the service, or unset it for the embedded service.',
    })
  return text(env, 'FETTLE_URL')
}

/** What holds a secret of the environment, or names the file that does: `…_FILE`. */
export type SecretName = 'FETTLE_PASSWORD' | 'FETTLE_QUEUE_PASSWORD' | 'FETTLE_QUEUE_KEY'

/** A secret of the environment, null when it has none. Throws FETTLE_SETTINGS for two, or a file that cannot be read. */
export function readPassword(env: Env, name: SecretName = 'FETTLE_PASSWORD'): string | null {
  const direct = text(env, name)
  const file = text(env, `${name}_FILE`)
  if (direct !== null && file !== null)
    throw new FettleError('FETTLE_SETTINGS', `${name} and ${name}_FILE are both set`, { hint: 'Set one of them.' })
  if (file === null) return direct
  let content: string
  try {
    content = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (cause) {
    throw new FettleError('FETTLE_SETTINGS', `cannot read ${name}_FILE ${file}: ${(cause as Error).message}`, { cause })
  }
  if (content === '') throw new FettleError('FETTLE_SETTINGS', `${name}_FILE ${file} is empty`)
  return content
}

/** A warning when other users may read the file of a secret; null otherwise. */
export function passwordFileWarning(env: Env, name: SecretName = 'FETTLE_PASSWORD'): string | null {
  const file = text(env, `${name}_FILE`)
  if (file === null || process.platform === 'win32') return null
  try {
    const mode = statSync(file).mode & 0o777
    return (mode & 0o077) === 0
      ? null
      : `${file} (${name}_FILE) can be read by others: mode ${mode.toString(8).padStart(4, '0')}; chmod 600 it`
  } catch {
    return null
  }
}

/** The URL of a proxy; `host:port` alone means http, as in curl. Its password is never echoed. */
function proxyUrl(env: Env, name: string): string | null {
  const value = text(env, name.toLowerCase()) ?? text(env, name)
  if (value === null) return null
  const url = value.includes('://') ? value : `http://${value}`
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw new FettleError('FETTLE_SETTINGS', `${name} is not the address of an http or https proxy`, {
    hint: `Give http://host:port, or unset ${name}.`,
  })
}

/**
 * The proxies of HTTPS_PROXY, HTTP_PROXY and NO_PROXY; written small they win, as in curl. Loopback is never reached through a
 * proxy. Throws FETTLE_SETTINGS for one that is neither http nor https.
 */
export const findProxies = (env: Env): Proxies => ({
  https: proxyUrl(env, 'HTTPS_PROXY'),
  http: proxyUrl(env, 'HTTP_PROXY'),
  except: splitList(text(env, 'no_proxy') ?? text(env, 'NO_PROXY')),
})

/**
 * How S3 is spoken to, by the variables that every tool of its kind reads. Throws FETTLE_CREDENTIALS and FETTLE_SETTINGS, naming
 * what is not set.
 */
export function s3SettingsOf(env: Env): S3Settings {
  const accessKeyId = text(env, 'AWS_ACCESS_KEY_ID')
  const secretAccessKey = text(env, 'AWS_SECRET_ACCESS_KEY')
  const missing = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'].filter(name => text(env, name) === null)
  if (accessKeyId === null || secretAccessKey === null)
    throw new FettleError('FETTLE_CREDENTIALS', `no credentials for s3:// addresses: ${missing.join(' and ')} not set`, {
      hint: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN where they are temporary.',
    })
  const endpoint = findS3Endpoint(env)
  const region = text(env, 'AWS_REGION') ?? text(env, 'AWS_DEFAULT_REGION') ?? (endpoint === null ? null : 'us-east-1')
  if (region === null)
    throw new FettleError('FETTLE_SETTINGS', 'AWS_REGION is not set, and s3:// addresses need it', {
      hint: 'Set AWS_REGION to the region of the bucket; or AWS_ENDPOINT_URL_S3 to another store than Amazon’s.',
    })
  return { region, accessKeyId, secretAccessKey, sessionToken: text(env, 'AWS_SESSION_TOKEN'), endpoint }
}

/** The address of another store than Amazon's: https, or http to this machine. */
function findS3Endpoint(env: Env): string | null {
  const name = text(env, 'AWS_ENDPOINT_URL_S3') === null ? 'AWS_ENDPOINT_URL' : 'AWS_ENDPOINT_URL_S3'
  const value = text(env, name)
  if (value === null) return null
  const problem = whyNotEndpoint(value)
  if (problem === null) return value
  throw new FettleError('FETTLE_SETTINGS', `the address in ${name} ${problem}`, {
    hint: 'Give https://host without anything more.',
  })
}

/** Version, trace id, parent id, flags; a later version may bring more (W3C Trace Context §3.2). */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const NO_TRACE = { traceId: null, traceparent: null }

/**
 * The W3C trace context of the caller: the trace id, and the header to send on, in the version known here; both null when absent
 * or malformed.
 */
export function traceOf(env: Env): { readonly traceId: string | null; readonly traceparent: string | null } {
  const [, version, traceId = '', parentId = '', flags, more] = TRACEPARENT.exec(text(env, 'TRACEPARENT') ?? '') ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return NO_TRACE
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return NO_TRACE
  return { traceId, traceparent: `00-${traceId}-${parentId}-${flags}` }
}

/** A warning when TRACEPARENT is set and not one: it is left out, since a trace must never fail a run. */
export const traceWarning = (env: Env): string | null =>
  text(env, 'TRACEPARENT') === null || traceOf(env).traceId !== null
    ? null
    : 'TRACEPARENT is not a W3C trace context and is left out'

const CI_NAMES = [
  ['GITHUB_ACTIONS', 'github'],
  ['GITLAB_CI', 'gitlab'],
  ['JENKINS_URL', 'jenkins'],
  ['TF_BUILD', 'azure'],
  ['BUILDKITE', 'buildkite'],
  ['CIRCLECI', 'circleci'],
] as const

/** A CI platform by the name that reports use; `ci` for any other. */
export type CiName = (typeof CI_NAMES)[number][1] | 'ci'

/** The CI platform of this process, null for none. */
export const detectCi = (env: Env): CiName | null =>
  CI_NAMES.find(([name]) => text(env, name) !== null)?.[1] ?? (text(env, 'CI') === null || env.CI === 'false' ? null : 'ci')
