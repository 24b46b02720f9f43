/**
 * Loaded into a fettle process with `node --import`: kills it at the n-th write to its journal, and shortens its waits so that
 * a sweep over every point takes minutes. KILL_AT is `torn:N` (half of the line reaches the disk, then SIGKILL) or `after:N`
 * (the line is synced, then SIGKILL before anything is done because of it). WAIT_DIVISOR divides every pause.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'

const [effect, at] = (process.env.KILL_AT ?? 'never:0').split(':')
const divisor = Number(process.env.WAIT_DIVISOR ?? '1')
const { openSync, writeSync, fsyncSync } = fs
const wait = timers.setTimeout
const journals = new Set()
let writes = 0

const die = () => process.kill(process.pid, 'SIGKILL')

fs.openSync = (path, ...rest) => {
  const file = openSync(path, ...rest)
  if (String(path).endsWith('journal.jsonl')) journals.add(file)
  else journals.delete(file)
  return file
}
fs.writeSync = (file, bytes, ...rest) => {
  if (!journals.has(file)) return writeSync(file, bytes, ...rest)
  writes++
  if (effect === 'torn' && writes === Number(at)) {
    writeSync(file, bytes.subarray(0, Math.floor(bytes.length / 2)))
    die()
  }
  return writeSync(file, bytes, ...rest)
}
fs.fsyncSync = file => {
  fsyncSync(file)
  if (effect === 'after' && journals.has(file) && writes === Number(at)) die()
}
timers.setTimeout = (ms, ...rest) => wait(ms / divisor, ...rest)
syncBuiltinESMExports()
