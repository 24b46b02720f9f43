/** The service that a run asks: from the command line, the pipeline, the environment, or the embedded one. */

import { type Env, isEmbeddedRuledOut, readServiceUrl } from '../env/environment.ts'
import { FettleError } from '../errors.ts'
import { checkServiceUrl, type Pipeline, type PlannedService } from '../pipeline/index.ts'

/** Five requests a second on average (contract §14.2): a job of a few rows, which needs thirteen, does not wait for its turn. */
const DEFAULT_RATE = { requests: 25, perMs: 5_000 }
const DEFAULT_FILE_HOSTS = ['*.amazonaws.com']

/** The embedded service. Throws FETTLE_SETTINGS where FETTLE_EMBEDDED=never rules it out. */
function embedded(env: Env): PlannedService {
  if (!isEmbeddedRuledOut(env)) return { kind: 'embedded' }
  throw new FettleError('FETTLE_SETTINGS', 'the embedded service is ruled out by FETTLE_EMBEDDED=never', {
    hint: 'Set FETTLE_URL or `service:` to the address of a service, or unset FETTLE_EMBEDDED.',
  })
}

/** Throws FETTLE_SETTINGS when credentials are set, too: the service that they are for was meant. */
function embeddedByDefault(env: Env): PlannedService {
  const name = ['FETTLE_USERNAME', 'FETTLE_PASSWORD', 'FETTLE_PASSWORD_FILE'].find(variable => (env[variable] ?? '') !== '')
  if (name === undefined) return embedded(env)
  throw new FettleError(
    'FETTLE_SETTINGS',
    `${name} is set, and no address of a service: neither service: in the pipeline nor FETTLE_URL`,
    { hint: 'Set FETTLE_URL, or choose the embedded service (`service: embedded`), which needs no credentials.' },
  )
}

/**
 * --service, then the pipeline, then FETTLE_URL, then embedded. Throws FETTLE_PIPELINE_URL, and FETTLE_SETTINGS for an address that is
 * missing. `recorded` is the service of a run to resume.
 */
export function resolveService(
  { env, service }: { readonly env: Env; readonly service: string | null },
  pipeline: Pick<Pipeline, 'service'>,
  recorded?: PlannedService,
): PlannedService {
  const own = pipeline.service
  if (service === 'embedded' || (service === null && own?.kind === 'embedded')) return embedded(env)
  const fields = own?.kind === 'remote' ? own : null
  const url = service ?? fields?.url ?? readServiceUrl(env)
  if (url === null) {
    if (own === null) return recorded?.kind === 'embedded' ? embedded(env) : embeddedByDefault(env)
    throw new FettleError('FETTLE_SETTINGS', 'service: of the pipeline has no address, and FETTLE_URL is not set', {
      hint: 'Set FETTLE_URL to the address of the service.',
    })
  }
  const checked = checkServiceUrl(url, fields?.insecure ?? false)
  if ('code' in checked) {
    const { code, problem, hint } = checked
    throw new FettleError(code, `the address ${service === null ? 'in FETTLE_URL' : 'given for the service'} ${problem}`, {
      hint,
    })
  }
  return {
    kind: 'remote',
    url: checked.url,
    rate: fields?.rate ?? DEFAULT_RATE,
    fileHosts: fields?.fileHosts ?? DEFAULT_FILE_HOSTS,
    insecure: fields?.insecure ?? false,
  }
}
