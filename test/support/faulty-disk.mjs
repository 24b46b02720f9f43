/**
 * Disk faults for any Node program: `node --import ./faulty-disk.mjs program.js`. Counts the program's operations on files in the named
 * folders and lets operation number N fail. Settings in the environment:
 *
 *     FAULT_PATHS    folders or files that count, separated by `:`, `*` and the end of their path; others (Node's own reads, node_modules) are
 *                    ignored
 *     FAULT          EFFECT@N: the effect, and the counted operation from 1; EFFECT@N+ from there on; absent: counts only
 *     FAULT_LOG      file for a line `N operation path` for each operation, with ` EFFECT` added for failed ones
 *     FAULT_OPS      operations that count, separated by `,`; absent: all but `read`
 *     WAIT_DIVISOR   divides every pause of node:timers/promises
 *
 * Operations are open (for writing), write, fsync, rename, link, unlink, truncate, mkdir, read. Effects are the name of a signal,
 * which comes before the operation (SIGKILL, SIGINT), killed (SIGKILL after it), short (half of the bytes are written, and that
 * number is returned, as write(2) may), cut (the same, then SIGKILL), and the name of an error (EIO), with which the operation fails and does
 * nothing. A disk that stays full (ENOSPC@N+, EDQUOT@N+, EFBIG@N+) still renames, removes and syncs.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { delimiter } from 'node:path'
import timers from 'node:timers/promises'
import { Disk, watchDisks } from './disk/operations.mjs'

const { FAULT, FAULT_PATHS = '', FAULT_LOG, FAULT_OPS = '', WAIT_DIVISOR = '1' } = process.env
const { writeSync } = fs
const log = FAULT_LOG === undefined ? null : fs.openSync(FAULT_LOG, 'a', 0o600)

function signal(name) {
  do process.kill(process.pid, name)
  while (name === 'SIGKILL') // until it has arrived
}

const disk = new Disk({
  fault: FAULT,
  paths: FAULT_PATHS.split(delimiter),
  ops: FAULT_OPS === '' ? null : FAULT_OPS.split(','),
  log: line => log !== null && writeSync(log, line),
  signal,
})
const wait = timers.setTimeout
timers.setTimeout = (ms = 1, ...rest) => wait(ms / Number(WAIT_DIVISOR), ...rest)
syncBuiltinESMExports()
await watchDisks(() => disk)
