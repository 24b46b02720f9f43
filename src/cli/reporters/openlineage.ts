/** `openlineage`: the events of OpenLineage, a line of JSON each, added to a file or on stdout. It makes none of them. */
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { makeFolder } from '../../app/runs/run-directory.ts'
import { safeJson } from '../../report/index.ts'
import type { Io } from '../terminal/io.ts'
import { STDOUT } from './documents.ts'
import type { Reporter } from './reporter.ts'

/** A run may be begun by one command and ended by another, so events are added; a pipe that nobody reads must not hold it up. */
const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NONBLOCK

/** Adds events to `path`, or writes them to stdout. */
export const openLineageReporter = (path: string, io: Io): Reporter => ({
  name: 'openlineage',
  lineage(event) {
    const line = safeJson(event)
    if (path === STDOUT) io.out(line)
    else append(resolve(io.cwd, path), `${line}\n`)
  },
  async end() {},
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
