/** `json-events`: a line of JSON for everything that happens, as it happens, to a file begun anew or to stdout. */
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { makeFolder } from '../../app/runs/run-directory.ts'
import { type Event, eventLine, isRejection, type PipelineResult, resultLine } from '../../report/index.ts'
import type { Io } from '../terminal/io.ts'
import { STDOUT } from './documents.ts'
import type { Reporter } from './reporter.ts'

/** A pipe that nobody reads must not hold up a run: without a reader it cannot be opened. */
const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK

/** Writes events to `path`, or to stdout. */
export function jsonEventsReporter(path: string, io: Io): Reporter {
  let file: number | null = null
  const write = (event: Omit<Event, 'schema'>): void => {
    const line = eventLine(event)
    if (path === STDOUT) io.out(line)
    else {
      file ??= open(resolve(io.cwd, path))
      writeSync(file, `${line}\n`)
    }
  }
  return {
    name: 'json-events',
    event: write,
    async end(told) {
      for (const one of told) write(lastWord(one))
      if (file !== null) closeSync(file)
    },
  }
}

function open(path: string): number {
  makeFolder(dirname(path))
  return openSync(path, FLAGS, 0o600)
}

const lastWord = (told: PipelineResult): Omit<Event, 'schema'> => {
  const at = new Date().toISOString()
  if (isRejection(told)) {
    const { name, exitCode, issues } = told
    return { at, pipeline: name, runId: null, type: 'run.refused', data: { exitCode, issues } }
  }
  const { name } = told.results[0]!
  return { at, pipeline: name, runId: told.metadata.runId, type: 'result', data: JSON.parse(resultLine(told)) }
}
