/** The environment, as far as fettle reads it: what is wrong, what is misspelled, what makes a run less safe. No value is shown. */
import { existsSync } from 'node:fs'
import { nearest } from '../../pipeline/index.ts'
import { type Env, passwordFileWarning, proxiesOf, serviceUrlOf, traceWarning } from '../env/environment.ts'
import { runKeyOf } from '../env/run-key.ts'
import { isUntrusted, serviceOriginsOf } from '../env/trust.ts'
import { attempt, type CheckResult, ok, warn } from './check-result.ts'

const READ = [
  'FETTLE_URL',
  'FETTLE_SERVICE_ORIGINS',
  'FETTLE_USERNAME',
  'FETTLE_PASSWORD',
  'FETTLE_PASSWORD_FILE',
  'FETTLE_QUEUE_PASSWORD',
  'FETTLE_QUEUE_PASSWORD_FILE',
  'FETTLE_QUEUE_KEY',
  'FETTLE_QUEUE_KEY_FILE',
  'FETTLE_DATA',
  'FETTLE_EMBEDDED',
  'FETTLE_OUTPUT_ROOT',
  'FETTLE_REGISTER',
  'FETTLE_RUNS_DIR',
  'FETTLE_SUMMARY_ROWS',
  'FETTLE_RUN_KEY',
  'FETTLE_UNTRUSTED',
]
const NAME = 'settings'

/** Problems of the settings, or one line that they are in order. */
export async function checkSettings(env: Env): Promise<CheckResult[]> {
  const set = READ.filter(name => (env[name] ?? '') !== '')
  const fine = ok(NAME, set.length === 0 ? 'none set: the embedded service, the usual folders' : `set: ${set.join(', ')}`)
  const read = await attempt(NAME, () => {
    serviceUrlOf(env)
    serviceOriginsOf(env)
    isUntrusted(env)
    proxiesOf(env)
    return fine
  })
  const oddities = [...misspelled(env), ...unsafe(env)]
  return read.status === 'ok' && oddities.length > 0 ? oddities : [read, ...oddities]
}

/** The run key that `run` would have. */
export const checkRunKey = (env: Env): Promise<CheckResult> =>
  attempt('run key', () => {
    const found = runKeyOf(env, null)
    return ok(
      'run key',
      found === null ? 'none: the command of a finished run starts another one' : `${found.key} (${found.from})`,
    )
  })

function misspelled(env: Env): CheckResult[] {
  return Object.keys(env)
    .filter(name => /^FETTLE_/i.test(name) && !READ.includes(name))
    .flatMap(name => {
      const close = nearest(name, READ)
      return close === null ? [] : [warn(NAME, `${name} is set but not used`, `Did you mean ${close}?`)]
    })
}

function unsafe(env: Env): CheckResult[] {
  const certificates = env.NODE_EXTRA_CA_CERTS ?? ''
  const warnings: [string | null, string][] = [
    [passwordFileWarning(env), 'Only you should be able to read it.'],
    [traceWarning(env), 'Unset it, or give a W3C trace context.'],
    [
      env.NODE_TLS_REJECT_UNAUTHORIZED === '0' ? 'NODE_TLS_REJECT_UNAUTHORIZED=0: server certificates are not verified' : null,
      'Unset it; for a private authority set NODE_EXTRA_CA_CERTS.',
    ],
    [
      certificates !== '' && !existsSync(certificates) ? 'NODE_EXTRA_CA_CERTS names a file that is not there' : null,
      'Node ignores it silently: fix the path.',
    ],
  ]
  return warnings.flatMap(([message, hint]) => (message === null ? [] : [warn(NAME, message, hint)]))
}
