/** Lineage of runs as OpenLineage: settings from the variables of its clients, names of jobs and datasets, and events by HTTP. */

import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { z } from 'zod'
import { defined } from '../defined.ts'
import { type Env, text } from '../env/environment.ts'
import type { RunState } from '../journal/index.ts'
import { columnName } from '../model/columns.ts'
import { nameLine, type Plan, recordedInput } from '../pipeline/index.ts'
import type { LineageEvent, LineageNames } from '../report/index.ts'
import { openPoster } from './post.ts'
import type { RunReporter } from './reporters.ts'

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
    http: url === null ? null : readHttp(url, env, warn),
    namespace: namespace ?? DEFAULT_NAMESPACE,
    parent: readParent(env, warn),
    nominalTime: readNominalTime(env),
    warnings,
  }
}

type Warn = (variable: string, why: string) => null

function readHttp(base: string, env: Env, warn: Warn): LineageSettings['http'] {
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
function readParent(env: Env, warn: Warn): LineageNames['parent'] {
  const whole = text(env, 'OPENLINEAGE_CONTEXT')
  if (whole !== null) {
    const found = context.safeParse(parseJson(whole))
    if (!found.success) return warn('OPENLINEAGE_CONTEXT', 'is not {"parent": {"run": {"runId"}, "job": {"namespace", "name"}}}')
    const { parent, root } = found.data
    return defined({ ...parent, root })
  }
  const parent = readLegacy('OPENLINEAGE_PARENT_ID', env, warn)
  const root = readLegacy('OPENLINEAGE_ROOT_PARENT_ID', env, warn)
  return parent && defined({ ...parent, root: root ?? undefined })
}

function readLegacy(variable: string, env: Env, warn: Warn) {
  const value = text(env, variable)
  if (value === null) return null
  const [, namespace, job, runId] = /^(.+)\/([^/]+)\/([^/]+)$/.exec(value) ?? []
  const found = run.safeParse({ run: { runId }, job: { namespace, name: job } })
  return found.success ? found.data : warn(variable, 'is not namespace/job/run with a UUID for the run')
}

function parseJson(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return null
  }
}

function readNominalTime(env: Env): string | null {
  const date = text(env, 'AIRFLOW_CTX_LOGICAL_DATE') ?? text(env, 'AIRFLOW_CTX_EXECUTION_DATE')
  const at = new Date(date ?? Number.NaN)
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}

/** The names of a run whose paths are relative to `cwd`. */
export const nameForLineage = (
  { runId, plan, shardRuns }: RunState,
  { namespace, parent, nominalTime }: LineageSettings,
  cwd: string,
): LineageNames => ({
  runId: makeUuid(runId),
  job: { namespace, name: nameLine(plan) },
  parent,
  nominalTime,
  shards: shardRuns.map((id, at) => ({
    run: { runId: makeUuid(id) },
    job: { namespace, name: nameLine({ name: plan.name, shard: { number: at + 1, of: shardRuns.length } }) },
  })),
  dataset: path => nameDataset(path, plan.input, cwd),
  column: columnName,
})

/** A namespace UUID of fettle, so that ids differ from the ids of other programs. */
const SPACE = Buffer.from('8d9f1f5e6c5b4f0e9a3d2b7c41f06e58', 'hex')

/** A UUID of a name (RFC 9562, version 5): the same for every process that resumes the run. */
export function makeUuid(name: string): string {
  const bytes = createHash('sha1').update(SPACE).update(name).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x50
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Files by path, remote objects by address without user and query, as the naming rules of OpenLineage require. */
function nameDataset(path: string, input: Plan['input'], cwd: string): { readonly namespace: string; readonly name: string } {
  if (/^[a-z][a-z0-9]+:\/\//.test(path) && URL.canParse(path)) {
    const { protocol, host, pathname } = new URL(path)
    return { namespace: `${protocol}//${host}`, name: pathname.replace(/^\/+/, '') || '/' }
  }
  return {
    namespace: 'file',
    name: path === input.path && recordedInput(input).kind === 'stdin' ? '/dev/stdin' : resolve(cwd, path),
  }
}

/** For one event, and for all that are still under way when the run is over. */
const TIMEOUT_MS = 2_000

/** A reporter that posts every event. Connections are made with the first. */
export function httpLineage({ url, apiKey }: NonNullable<LineageSettings['http']>, env: Env): RunReporter {
  const over = new AbortController()
  let last = Promise.resolve()
  let poster: ReturnType<typeof openPoster> | null = null
  const headers = { 'content-type': 'application/json', ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }) }
  const send = async (event: LineageEvent): Promise<void> => {
    poster ??= openPoster(env, TIMEOUT_MS)
    const { post, close } = await poster
    const refusal = await post(url, headers, JSON.stringify(event), over.signal)
    if (refusal === null) return
    await close()
    throw new Error(`${url.origin} did not accept the event ${event.eventType}: ${refusal.why}`)
  }
  return {
    name: 'OpenLineage',
    onLineageEvent(event) {
      last = last.then(() => send(event))
      return last
    },
    async onRunEnd() {
      const timer = setTimeout(() => over.abort(new DOMException('no response in time', 'TimeoutError')), TIMEOUT_MS)
      await last.catch(() => {})
      clearTimeout(timer)
      await (await poster)?.close()
    },
  }
}
