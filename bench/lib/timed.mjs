/** One command as a process of its own: wall seconds, peak memory, what it printed. Peak memory needs GNU time (`/usr/bin/time`). */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const TIME = '/usr/bin/time'
const exec = promisify(execFile)

/** Runs a command in `folder`; `peakMb` is null where nobody tells it. Throws when it fails. */
export async function timed(folder, [command, ...args], env = process.env) {
  const peak = join(folder, 'peak')
  const told = existsSync(TIME) ? [TIME, '-f', '%M', '-o', peak, command, ...args] : [command, ...args]
  const startedAt = performance.now()
  const { stdout } = await exec(told[0], told.slice(1), { cwd: folder, env, maxBuffer: 2 ** 24 })
  const seconds = (performance.now() - startedAt) / 1000
  // Its last line: above it stands how a command ended that failed.
  const peakMb = existsSync(TIME) ? Number((await readFile(peak, 'utf8')).trim().split('\n').at(-1)) / 1024 : null
  return { seconds, peakMb, stdout }
}

/** True when a command is on the PATH. */
export const isThere = async command => (await exec('sh', ['-c', 'command -v "$0"', command]).catch(() => null)) !== null

/** The middle one of some numbers. */
export const median = values => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]
