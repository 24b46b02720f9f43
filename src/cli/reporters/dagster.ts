/** Dagster Pipes: messages about events and results, to the file or stream that Dagster names in the environment of the process. */
import { appendFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pipesContext, pipesParams } from '../../env/dagster-pipes.ts'
import type { Env } from '../../env/environment.ts'
import { type PipesLevel, type PipesMessage, type PipesStep, pipesLine, pipesLog, pipesMessages } from '../../report/index.ts'
import type { Io } from '../terminal/io.ts'
import { formatRunEvent } from '../terminal/progress/text.ts'
import type { CallReporter } from './reporter.ts'

type Channel = { readonly path: string } | { readonly stream: 'out' | 'err'; readonly atEnd: boolean }

/** Where Dagster expects messages: a file or a stream, as they happen or all at the end; null if the variable cannot be read. */
function findChannel(env: Env): Channel | null {
  try {
    const params = pipesParams(env, 'DAGSTER_PIPES_MESSAGES')
    if (typeof params.path === 'string') return { path: params.path }
    const stream = params.stdio ?? params.buffered_stdio
    if (stream !== 'stdout' && stream !== 'stderr') return null
    return { stream: stream === 'stdout' ? 'out' : 'err', atEnd: params.stdio === undefined }
  } catch {
    return null
  }
}

export function usesStdout(env: Env): boolean {
  const channel = findChannel(env)
  return channel !== null && 'stream' in channel && channel.stream === 'out'
}

function readStep(env: Env): PipesStep {
  const { asset_keys: assets, extras } = pipesContext(env)
  const texts = (list: unknown): string[] => (Array.isArray(list) ? list.filter(item => typeof item === 'string') : [])
  return { assets: texts(assets), checks: texts(extras?.checks) }
}

const LEVEL: Record<string, PipesLevel> = { 'issue.raised': 'WARNING', 'part.failed': 'ERROR', 'stage.failed': 'ERROR' }

export function dagsterReporter(io: Io): CallReporter {
  const buffered: string[] = []
  let step: PipesStep | null = null
  const send = (message: PipesMessage): void => {
    const channel = findChannel(io.env)
    const use = 'use PipesTempFileMessageReader or a pod log reader'
    if (channel === null) throw new Error(`DAGSTER_PIPES_MESSAGES names neither a file nor a stream: ${use}`)
    const line = pipesLine(message)
    if ('path' in channel) appendFileSync(channel.path, `${line}\n`)
    else if (channel.atEnd) buffered.push(line)
    else io[channel.stream](line)
  }
  /** `opened` must be the first message; a call that starts no run sends it with its results. */
  const open = (): PipesStep => {
    if (step === null) {
      step = readStep(io.env)
      send({ method: 'opened', params: { extras: {} } })
    }
    return step
  }
  const statuses = new Map<string, string>()
  return {
    name: 'dagster',
    onEvent(event, { plan }) {
      open()
      const text = event.type === 'status.observed' ? `status ${event.status}` : formatRunEvent(event)
      if (text === null) return
      if (event.type === 'status.observed') {
        const key = `${plan.name} ${event.part}`
        if (statuses.get(key) === text) return
        statuses.set(key, text)
      }
      send(pipesLog(LEVEL[event.type] ?? 'INFO', `${plan.name}: ${text}`))
    },
    onCallEnd(results) {
      for (const message of pipesMessages(results, open(), path => resolve(io.cwd, path))) send(message)
      const channel = findChannel(io.env)
      if (buffered.length > 0 && channel !== null && 'stream' in channel) io[channel.stream](buffered.join('\n'))
    },
  }
}
