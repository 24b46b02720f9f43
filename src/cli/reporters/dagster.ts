/**
 * Dagster Pipes: where Dagster started us, it hears what happens and what came of it, by the file or stream that it names in the
 * environment. It words no result.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { inflateSync } from 'node:zlib'
import type { Env, RunEventInput } from '../../app/index.ts'
import { type PipesLevel, type PipesMessage, type PipesStep, pipesLine, pipesLog, pipesMessages } from '../../report/index.ts'
import type { Io } from '../terminal/io.ts'
import { formatRunEvent } from '../terminal/progress/text.ts'
import type { Reporter } from './reporter.ts'

/** Whether Dagster started us and listens. */
export const hasDagster = (env: Env): boolean => (env.DAGSTER_PIPES_CONTEXT ?? '') !== ''

/** Where Dagster wants its messages: a file, `stdout` or `stderr`, as they happen or all at the end; null for what cannot be read. */
export function dagsterChannel(
  env: Env,
): { readonly path: string } | { readonly stream: string; readonly atEnd: boolean } | null {
  try {
    const told = read(env, 'DAGSTER_PIPES_MESSAGES')
    if (typeof told.path === 'string') return { path: told.path }
    const stream = told.stdio ?? told.buffered_stdio
    return stream === 'stdout' || stream === 'stderr' ? { stream, atEnd: told.stdio === undefined } : null
  } catch {
    return null
  }
}

/** A parameter as Dagster encodes it: base64 of zlib of JSON. */
function read(env: Env, name: string): Record<string, unknown> {
  try {
    const bytes = inflateSync(Buffer.from(env[name] ?? '', 'base64'), { maxOutputLength: 16 * 1024 * 1024 })
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw new Error(`${name} does not hold what Dagster sets: ${(error as Error).message}`)
  }
}

/** What Dagster said of the step: as data, or in a file. */
function stepOf(env: Env): PipesStep {
  const told = read(env, 'DAGSTER_PIPES_CONTEXT')
  const data = typeof told.path === 'string' ? JSON.parse(readFileSync(told.path, 'utf8')) : told.data
  if (data == null)
    throw new Error('DAGSTER_PIPES_CONTEXT holds neither a path nor data: use a context injector of the environment')
  const texts = (list: unknown): string[] => (Array.isArray(list) ? list.filter(one => typeof one === 'string') : [])
  return { assets: texts(data.asset_keys), checks: texts(data.extras?.checks) }
}

const LEVEL: Readonly<Record<string, PipesLevel>> = {
  'issue.raised': 'WARNING',
  'part.failed': 'ERROR',
  'stage.failed': 'ERROR',
}

/** Reports to the Dagster that started us. */
export function dagsterReporter(io: Io): Reporter {
  const held: string[] = []
  let step: PipesStep | null = null
  const send = (message: PipesMessage): void => {
    const channel = dagsterChannel(io.env)
    if (channel === null)
      throw new Error(
        'DAGSTER_PIPES_MESSAGES names neither a file nor a stream: use PipesTempFileMessageReader or a pod log reader',
      )
    const line = pipesLine(message)
    if ('path' in channel) appendFileSync(channel.path, `${line}\n`)
    else if (channel.atEnd) held.push(line)
    else io[channel.stream === 'stdout' ? 'out' : 'say'](line)
  }
  /** Before the first word of all: who begins nothing says nothing. */
  const open = (): PipesStep => {
    if (step === null) {
      step = stepOf(io.env)
      send({ method: 'opened', params: { extras: {} } })
    }
    return step
  }
  const statuses = new Map<string, string>()
  return {
    name: 'dagster',
    event({ pipeline, type, data }) {
      open()
      const words = type === 'status.observed' ? `status ${data.status}` : formatRunEvent({ type, ...data } as RunEventInput)
      const key = `${pipeline} ${data.part}`
      if (words === null || (type === 'status.observed' && statuses.get(key) === words)) return
      if (type === 'status.observed') statuses.set(key, words)
      send(pipesLog(LEVEL[type] ?? 'INFO', `${pipeline}: ${words}`))
    },
    async end(told) {
      for (const message of pipesMessages(told, open(), path => resolve(io.cwd, path))) send(message)
      const channel = dagsterChannel(io.env)
      if (held.length > 0 && channel !== null && 'stream' in channel)
        io[channel.stream === 'stdout' ? 'out' : 'say'](held.join('\n'))
    },
  }
}
