/**
 * Holds a program of fettle at a moment that no request marks: `node --import ./hold.mjs program.js`. It waits while a file of the
 * working directory exists: `hold-write` before an output gets its name, `hold-end` after everything is done and printed, if the
 * arguments match the expression in the file. `held-write` and `held-end` have the id of the process that waits.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { resolve, sep } from 'node:path'

const here = process.cwd()
const words = process.argv.slice(2).join(' ')
const { existsSync, readFileSync, writeFileSync } = fs
const idle = new Int32Array(new SharedArrayBuffer(4))

function isHeld(moment) {
  try {
    return new RegExp(readFileSync(resolve(here, `hold-${moment}`), 'utf8')).test(words)
  } catch {
    return false
  }
}

const rename = fs.promises.rename
fs.promises.rename = async (from, to) => {
  if (resolve(String(to)).startsWith(resolve(here, 'out') + sep) && isHeld('write')) {
    writeFileSync(resolve(here, 'held-write'), String(process.pid))
    while (existsSync(resolve(here, 'hold-write'))) await new Promise(done => setTimeout(done, 20))
  }
  return rename(from, to)
}
syncBuiltinESMExports()

process.on('exit', () => {
  if (!isHeld('end')) return
  writeFileSync(resolve(here, 'held-end'), String(process.pid))
  while (existsSync(resolve(here, 'hold-end'))) Atomics.wait(idle, 0, 0, 20)
})
