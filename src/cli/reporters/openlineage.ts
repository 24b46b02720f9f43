/** `openlineage`: OpenLineage events as lines of JSON, appended to a file or on stdout. */
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { safeJson } from '../../report/index.ts'
import { makeFolder } from '../../runs/run-directory.ts'
import type { Io } from '../terminal/io.ts'
import { type CallReporter, STDOUT } from './reporter.ts'

/** O_APPEND: one command may start a run and another end it. O_NONBLOCK: a pipe without a reader fails instead of blocking the run. */
const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NONBLOCK

export const openLineageReporter = (path: string, io: Io): CallReporter => ({
  name: 'openlineage',
  onLineageEvent(event) {
    const line = safeJson(event)
    if (path === STDOUT) io.out(line)
    else append(resolve(io.cwd, path), `${line}\n`)
  },
})

function append(path: string, line: string): void {
  makeFolder(dirname(path))
  const file = openSync(path, FLAGS, 0o600)
  try {
    writeSync(file, line)
  } finally {
    closeSync(file)
  }
}
