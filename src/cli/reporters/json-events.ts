/** `json-events`: a line of JSON for each event and progress report as it happens, to a new file or to stdout; then the results. */
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { RunState } from '../../journal/index.ts'
import {
  type Event,
  eventData,
  eventLine,
  isRejection,
  type PipelineResult,
  resultLine,
  startEventData,
} from '../../report/index.ts'
import { type ProgressEvent, progressOf } from '../../run/index.ts'
import { makeFolder } from '../../runs/run-directory.ts'
import type { Io } from '../terminal/io.ts'
import { type CallReporter, STDOUT } from './reporter.ts'

/** O_NONBLOCK: opening a pipe without a reader fails instead of blocking the run. */
const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK

const TRANSFER_MS = 1_000

export function jsonEventsReporter(path: string, io: Io): CallReporter {
  let file: number | null = null
  const transferAt = new Map<string, number>()
  const write = (event: Omit<Event, 'schema' | 'at'>): void => {
    const line = eventLine({ at: new Date().toISOString(), ...event })
    if (path === STDOUT) io.out(line)
    else {
      if (file === null) makeFolder(dirname(resolve(io.cwd, path)))
      file ??= openSync(resolve(io.cwd, path), FLAGS, 0o600)
      writeSync(file, `${line}\n`)
    }
  }
  const writeFor = ({ runId, plan }: RunState, type: string, data: Event['data']): void =>
    write({ pipeline: plan.name, runId, type, data })
  const isDue = (progress: ProgressEvent, key: string): boolean => {
    const transfer = progressOf(progress)
    if (transfer === null) return true
    const now = performance.now()
    const elapsed = now - (transferAt.get(key) ?? Number.NEGATIVE_INFINITY)
    if (transfer.done !== transfer.total && elapsed < TRANSFER_MS) return false
    transferAt.set(key, now)
    return true
  }
  return {
    name: 'json-events',
    onRunStart: state => writeFor(state, 'run.started', startEventData(state)),
    onEvent: (event, state) => writeFor(state, event.type, eventData(event)),
    onProgress(progress, state) {
      const { type, ...data } = progress
      if (isDue(progress, `${state.runId} ${type} ${progress.part}`)) writeFor(state, `progress.${type}`, data)
    },
    onCallEnd(results) {
      for (const result of results) write(resultEvent(result))
      if (file !== null) closeSync(file)
    },
  }
}

function resultEvent(result: PipelineResult): Omit<Event, 'schema' | 'at'> {
  if (isRejection(result)) {
    const { name, exitCode, issues } = result
    return { pipeline: name, runId: null, type: 'run.refused', data: { exitCode, issues } }
  }
  const { name } = result.results[0]!
  return { pipeline: name, runId: result.metadata.runId, type: 'result', data: JSON.parse(resultLine(result)) }
}
