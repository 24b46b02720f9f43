/** What Dagster Pipes gives a process in its environment. */
import { readFileSync } from 'node:fs'
import { inflateSync } from 'node:zlib'
import type { Env } from './environment.ts'

/** The fields that are read; a context of another version may lack any. */
export interface PipesContext {
  readonly run_id?: unknown
  readonly asset_keys?: unknown
  readonly extras?: { readonly checks?: unknown }
}

/** A parameter, which Dagster encodes as base64 of zlib of JSON. Throws an Error that names the variable. */
export function pipesParams(env: Env, name: string): Readonly<Record<string, unknown>> {
  try {
    const bytes = inflateSync(Buffer.from(env[name] ?? '', 'base64'), { maxOutputLength: 16 * 1024 * 1024 })
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw new Error(`${name} does not hold what Dagster sets: ${(error as Error).message}`)
  }
}

/** The context of the step, from the variable or the file that it names. Throws an Error. */
export function pipesContext(env: Env): PipesContext {
  const params = pipesParams(env, 'DAGSTER_PIPES_CONTEXT')
  const context = typeof params.path === 'string' ? JSON.parse(readFileSync(params.path, 'utf8')) : params.data
  if (context == null)
    throw new Error('DAGSTER_PIPES_CONTEXT holds neither a path nor data: use a context injector of the environment')
  return context
}
