/**
 * Loaded into a fettle process with `node --import`: acts when a text is first written to a file, or when a file with that
 * name is first opened for writing. AT is the text or a part of the path; DO is a signal for the process (with `2` at its end:
 * twice), or the error of every following write. WAIT_DIVISOR divides every pause.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { constants } from 'node:os'
import timers from 'node:timers/promises'

const { AT = '', DO = '', WAIT_DIVISOR = '1' } = process.env
const { openSync, writeSync } = fs
const open = fs.promises.open
const wait = timers.setTimeout
const [, signal, twice] = /^(SIG[A-Z]+)(2?)$/.exec(DO) ?? []
let isDue = false

const isWriting = flags => (typeof flags === 'number' ? (flags & 3) !== 0 : /[wa+]/.test(flags ?? 'r'))

/** Called before each write with what is written and where to. */
function meet(text, path) {
  if (AT === '') return
  if (!isDue) {
    if (!text.includes(AT) && !path.includes(AT)) return
    isDue = true
    if (signal !== undefined) {
      process.kill(process.pid, signal)
      // A process hears the second only after the first.
      if (twice) setImmediate(() => process.kill(process.pid, signal))
    }
  }
  if (signal !== undefined) return
  throw Object.assign(new Error(`${DO}: planned fault`), { code: DO, errno: -constants.errno[DO], syscall: 'write' })
}

fs.openSync = (path, flags, ...rest) => {
  if (isWriting(flags)) meet('', String(path))
  return openSync(path, flags, ...rest)
}
fs.writeSync = (file, bytes, ...rest) => {
  meet(Buffer.from(bytes).toString('utf8'), '')
  return writeSync(file, bytes, ...rest)
}
fs.promises.open = (path, flags, ...rest) => {
  if (!isWriting(flags)) return open(path, flags, ...rest)
  try {
    meet('', String(path))
  } catch (error) {
    return Promise.reject(error)
  }
  return open(path, flags, ...rest)
}
timers.setTimeout = (ms, ...rest) => wait(ms / Number(WAIT_DIVISOR), ...rest)

const probe = await open(new URL(import.meta.url))
const handle = Object.getPrototypeOf(probe)
await probe.close()
for (const name of ['write', 'writeFile', 'appendFile', 'writev']) {
  const original = handle[name]
  handle[name] = async function (data, ...rest) {
    meet('', '')
    return original.call(this, data, ...rest)
  }
}
syncBuiltinESMExports()
