/** The run key: the same in every attempt of one run of a schedule, a different one in the next run. */
import { FettleError } from '../errors.ts'
import { pipesContext } from './dagster-pipes.ts'
import { type Env, text } from './environment.ts'

/** A key, and what it is from: a setting or a scheduler. */
export interface RunKey {
  readonly key: string
  readonly from: string
}

/**
 * Schedulers with what reads their key, or the variables that their tasks have, joined to the key; those that end in `?` may be missing.
 * Schedulers that start others come first: a task of Airflow may run in a pod, or a CI job start a flow.
 */
const SCHEDULERS: readonly (readonly [name: string, source: readonly string[] | ((env: Env) => string | null)])[] = [
  ['Airflow', ['AIRFLOW_CTX_DAG_ID', 'AIRFLOW_CTX_DAG_RUN_ID', 'AIRFLOW_CTX_TASK_ID', 'AIRFLOW_CTX_MAP_INDEX?']],
  ['Dagster', readPipesRunId],
  ['Prefect', ['PREFECT__FLOW_RUN_ID']],
  ['Argo Workflows', ['ARGO_WORKFLOW_NAME']],
  ['Kubernetes', readIndexedJob],
  ['GitHub Actions', ['GITHUB_RUN_ID', 'GITHUB_JOB']],
  ['GitLab CI', ['CI_PIPELINE_ID', 'CI_JOB_NAME']],
]

const MOST_CHARACTERS = 500

/**
 * The key of `--run-key`, else of FETTLE_RUN_KEY, else of the scheduler whose variables are set; null for none. Throws FETTLE_USAGE
 * and FETTLE_SETTINGS for an empty key or one with control characters: a template that gave nothing must not start a second run.
 */
export function findRunKey(env: Env, given: string | null): RunKey | null {
  if (given !== null) return { key: checkKey(given, '--run-key', 'FETTLE_USAGE'), from: '--run-key' }
  if (env.FETTLE_RUN_KEY !== undefined)
    return { key: checkKey(env.FETTLE_RUN_KEY, 'FETTLE_RUN_KEY', 'FETTLE_SETTINGS'), from: 'FETTLE_RUN_KEY' }
  for (const [name, source] of SCHEDULERS) {
    const key = typeof source === 'function' ? source(env) : joinVariables(env, source)
    if (key !== null && isKey(key)) return { key, from: name }
  }
  return null
}

const isKey = (key: string): boolean => key.trim() !== '' && key.length <= MOST_CHARACTERS && !/\p{Cc}/u.test(key)

function checkKey(key: string, source: string, code: 'FETTLE_USAGE' | 'FETTLE_SETTINGS'): string {
  if (isKey(key)) return key
  const why = key.trim() === '' ? 'is empty' : `is not a key of 1 to ${MOST_CHARACTERS} characters without control characters`
  throw new FettleError(code, `${source} ${why}`, { hint: 'Give the id of the run that the scheduler started, or leave it out.' })
}

function joinVariables(env: Env, variables: readonly string[]): string | null {
  const parts = variables.map(variable => {
    const value = text(env, variable.replace('?', ''))
    return value === null && variable.endsWith('?') ? '' : value
  })
  return parts.includes(null) ? null : parts.filter(part => part !== '').join('/')
}

/** The pods of an indexed Job are called `<job>-<index>`. */
function readIndexedJob(env: Env): string | null {
  const index = text(env, 'JOB_COMPLETION_INDEX')
  const host = text(env, 'HOSTNAME')
  const job = text(env, 'JOB_NAME') ?? (index !== null && host?.endsWith(`-${index}`) ? host.slice(0, -index.length - 1) : null)
  return index === null || job === null ? null : `${job}/${index}`
}

/** The run of Dagster's context, null without one. */
function readPipesRunId(env: Env): string | null {
  if (text(env, 'DAGSTER_PIPES_CONTEXT') === null) return null
  try {
    const { run_id: id } = pipesContext(env)
    return typeof id === 'string' ? id : null
  } catch {
    return null
  }
}
