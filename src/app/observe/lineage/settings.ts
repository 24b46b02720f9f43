/**
 * Lineage settings from the variables of the OpenLineage clients: address, names, parent run. A malformed value is ignored with a
 * warning: lineage must never fail a run.
 */
import { z } from 'zod'
import type { LineageNames } from '../../../report/index.ts'
import { type Env, text } from '../../env/environment.ts'

export interface LineageSettings {
  /** Where events go by HTTP, null for nowhere. */
  readonly http: { readonly url: URL; readonly apiKey: string | null } | null
  readonly namespace: string
  readonly parent: LineageNames['parent']
  readonly nominalTime: string | null
  /** What is set and cannot be used. */
  readonly warnings: readonly string[]
}

const DEFAULT_ENDPOINT = 'api/v1/lineage'
const DEFAULT_NAMESPACE = 'default'

const name = z.string().regex(/^[^\u0000-\u001f\u007f]+$/)
const run = z.object({ run: z.object({ runId: z.guid() }), job: z.object({ namespace: name, name }) })
const context = z.object({ parent: run, root: run.optional() })

export function lineageSettings(env: Env): LineageSettings {
  const warnings: string[] = []
  const isOff = /^(?:true|1)$/i.test(text(env, 'OPENLINEAGE_DISABLED') ?? '')
  const warn = (variable: string, why: string): null => {
    warnings.push(`${variable} ${why} and is ignored`)
    return null
  }
  const url = isOff ? null : text(env, 'OPENLINEAGE_URL')
  const given = text(env, 'OPENLINEAGE_NAMESPACE')
  const namespace = given === null || name.safeParse(given).success ? given : warn('OPENLINEAGE_NAMESPACE', 'is not a name')
  return {
    http: url === null ? null : httpOf(url, env, warn),
    namespace: namespace ?? DEFAULT_NAMESPACE,
    parent: parentOf(env, warn),
    nominalTime: nominalTimeOf(env),
    warnings,
  }
}

type Warn = (variable: string, why: string) => null

function httpOf(base: string, env: Env, warn: Warn): LineageSettings['http'] {
  const endpoint = text(env, 'OPENLINEAGE_ENDPOINT') ?? DEFAULT_ENDPOINT
  const address = `${base.replace(/\/$/, '')}/${endpoint.replace(/^\/+/, '')}`
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return warn('OPENLINEAGE_URL', 'is not an http or https address')
  const url = new URL(address)
  if (url.username !== '' || url.password !== '')
    return warn('OPENLINEAGE_URL', 'contains a password, which belongs in OPENLINEAGE_API_KEY,')
  const apiKey = text(env, 'OPENLINEAGE_API_KEY')?.trim() ?? null
  if (apiKey !== null && !/^[\x21-\x7e]+$/.test(apiKey))
    return warn('OPENLINEAGE_API_KEY', 'contains characters that headers may not contain (no events are sent)')
  return { url, apiKey }
}

/** `OPENLINEAGE_CONTEXT` has everything; the two older ids are `namespace/job/run`, and a namespace may contain a slash. */
function parentOf(env: Env, warn: Warn): LineageNames['parent'] {
  const whole = text(env, 'OPENLINEAGE_CONTEXT')
  if (whole !== null) {
    const found = context.safeParse(jsonOf(whole))
    if (!found.success) return warn('OPENLINEAGE_CONTEXT', 'is not {"parent": {"run": {"runId"}, "job": {"namespace", "name"}}}')
    const { parent, root } = found.data
    return { ...parent, ...(root === undefined ? {} : { root }) }
  }
  const parent = legacy('OPENLINEAGE_PARENT_ID', text(env, 'OPENLINEAGE_PARENT_ID'), warn)
  const root = legacy('OPENLINEAGE_ROOT_PARENT_ID', text(env, 'OPENLINEAGE_ROOT_PARENT_ID'), warn)
  return parent === null ? null : { ...parent, ...(root === null ? {} : { root }) }
}

function legacy(variable: string, value: string | null, warn: Warn) {
  if (value === null) return null
  const [, namespace, job, runId] = /^(.+)\/([^/]+)\/([^/]+)$/.exec(value) ?? []
  const found = run.safeParse({ run: { runId }, job: { namespace, name: job } })
  return found.success ? found.data : warn(variable, 'is not namespace/job/run with a UUID for the run')
}

function jsonOf(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return null
  }
}

function nominalTimeOf(env: Env): string | null {
  const date = text(env, 'AIRFLOW_CTX_LOGICAL_DATE') ?? text(env, 'AIRFLOW_CTX_EXECUTION_DATE')
  const at = new Date(date ?? Number.NaN)
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}
