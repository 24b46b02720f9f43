/**
 * Disk faults for any Node program: `node --import ./faulty-disk.mjs program.js`. Counts the program's operations on files in the named
 * folders and lets operation number N fail. Settings in the environment:
 *
 *     FAULT_PATHS    folders or files that count, separated by `:`; others (Node's own reads, node_modules) are ignored
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
import { constants } from 'node:os'
import { delimiter, resolve, sep } from 'node:path'
import timers from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const { FAULT = '', FAULT_PATHS = '', FAULT_LOG, FAULT_OPS = '', WAIT_DIVISOR = '1' } = process.env
const [, effect = '', from = '0', lasts = ''] = /^(\w+)@(\d+)(\+?)$/.exec(FAULT) ?? []
const watched = FAULT_PATHS.split(delimiter)
  .filter(path => path !== '')
  .map(path => resolve(path))
const ops = FAULT_OPS === '' ? null : FAULT_OPS.split(',')
const to = fs
const real = { ...to }
const promises = fs.promises
const log = FAULT_LOG === undefined ? null : fs.openSync(FAULT_LOG, 'a', 0o600)

/** Path of each open file descriptor; numbers are reused after close. */
const names = new Map()
let count = 0
let isOver = false

const pathOf = target => {
  if (typeof target === 'number') return names.get(target) ?? null
  const path = target instanceof URL ? fileURLToPath(target) : Buffer.isBuffer(target) ? String(target) : target
  if (typeof path !== 'string') return null
  const whole = resolve(path)
  return watched.some(one => whole === one || whole.startsWith(one + sep)) ? whole : null
}

const isWriting = flags =>
  typeof flags === 'number' ? (flags & 3) !== 0 || (flags & fs.constants.O_CREAT) !== 0 : /[wa+]/.test(String(flags ?? 'r'))

const die = () => {
  for (;;) process.kill(process.pid, 'SIGKILL') // until it has arrived
}
const nothing = { isShort: false, after: () => {} }

function tell(operation, path, what) {
  if (log !== null) real.writeSync?.(log, `${count} ${operation} ${path}${what}\n`)
}

function isDue(operation) {
  if (effect === '' || count < Number(from) || (isOver && lasts === '')) return false
  if (effect === 'short' || effect === 'cut') return operation === 'write'
  const isFull = lasts !== '' && /^(?:ENOSPC|EDQUOT|EFBIG)$/.test(effect)
  return !isFull || ['open', 'write', 'mkdir', 'link'].includes(operation)
}

/** Counts an operation about to happen on `path`; throws the planned error, ends the process, or returns what to do. */
function meet(operation, path) {
  const isCounted = ops === null ? operation !== 'read' : ops.includes(operation)
  if (path === null || !isCounted) return nothing
  count++
  if (!isDue(operation)) {
    tell(operation, path, '')
    return nothing
  }
  isOver = true
  tell(operation, path, ` ${effect}`)
  if (effect === 'SIGKILL') die()
  if (effect.startsWith('SIG')) process.kill(process.pid, effect)
  const isShort = effect === 'short' || effect === 'cut'
  const after = effect === 'killed' || effect === 'cut' ? die : () => {}
  if (isShort || after === die || effect.startsWith('SIG')) return { isShort, after }
  const errno = -(constants.errno[effect] ?? 1)
  const syscall = operation === 'truncate' ? 'ftruncate' : operation
  throw Object.assign(new Error(`${effect}: planned fault, ${syscall} '${path}'`), { errno, code: effect, syscall, path })
}

/** The first half of what write(2) is asked to write, at least a byte: `[bytes, 0, length, position]`. */
function halved([data, a, b, c]) {
  const isText = typeof data === 'string'
  const bytes = isText ? Buffer.from(data, b ?? 'utf8') : data
  const options = typeof a === 'object' && a !== null ? a : null
  const offset = isText ? 0 : (options?.offset ?? (options === null ? a : null) ?? 0)
  const length = isText ? bytes.length : (options?.length ?? b ?? bytes.length - offset)
  const position = isText ? a : (options?.position ?? c)
  return [bytes.subarray(offset, offset + Math.max(1, length >> 1)), 0, Math.max(1, length >> 1), position ?? null]
}

const joined = ([parts, position]) => [Buffer.concat(parts), 0, undefined, position]

/** Wraps the three ways to call an operation on the path or descriptor in argument `at`; writes may be cut. */
function wrap(name, operation, write = null, at = 0) {
  const cut = (args, isShort, suffix) => {
    if (!isShort || write === null) return [name + suffix, args.slice(1)]
    return [`write${suffix}`, halved(write === 'writev' ? joined(args.slice(1)) : args.slice(1))]
  }
  to[`${name}Sync`] = (...args) => {
    const fate = meet(operation, pathOf(args[at]))
    const [method, rest] = cut(args, fate.isShort, 'Sync')
    const result = real[method]?.(args[0], ...rest)
    fate.after()
    return result
  }
  to[name] = (...args) => {
    const callback = args.at(-1)
    let fate
    try {
      fate = meet(operation, pathOf(args[at]))
    } catch (error) {
      process.nextTick(callback, error)
      return
    }
    const [method, rest] = cut(args.slice(0, -1), fate.isShort, '')
    return real[method]?.(args[0], ...rest, (...results) => {
      fate.after()
      // The caller continues with the rest of its buffer, not of the half.
      callback(...(fate.isShort && write !== null ? results.with(2, args[1]) : results))
    })
  }
  const original = promises[name]
  if (original === undefined) return
  promises[name] = async (...args) => {
    const fate = meet(operation, pathOf(args[at]))
    const result = await original(...args)
    fate.after()
    return result
  }
}

/** Remembers the descriptor of every open; counts only opens for writing. */
function wrapOpen() {
  const keep = (file, path) => void (path === null ? names.delete(file) : names.set(file, path))
  const ask = (path, flags) => (isWriting(flags) ? meet('open', path) : nothing)
  to.openSync = (...args) => {
    const path = pathOf(args[0])
    const { after } = ask(path, args[1])
    const file = real.openSync?.(...args)
    keep(file, path)
    after()
    return file
  }
  to.open = (...args) => {
    const callback = args.at(-1)
    const path = pathOf(args[0])
    let fate
    try {
      fate = ask(path, typeof args[1] === 'function' ? 'r' : args[1])
    } catch (error) {
      process.nextTick(callback, error)
      return
    }
    return real.open?.(...args.slice(0, -1), (error, file) => {
      if (error == null) keep(file, path)
      fate.after()
      callback(error, file)
    })
  }
  const original = promises.open
  promises.open = async (...args) => {
    const path = pathOf(args[0])
    const { after } = ask(path, args[1])
    const handle = await original(...args)
    keep(handle.fd, path)
    after()
    return handle
  }
}

/** The methods of a FileHandle, whose class Node does not export. */
async function wrapHandles() {
  const probe = await fs.promises.open(fileURLToPath(import.meta.url))
  const handles = Object.getPrototypeOf(probe)
  await probe.close()
  const write = handles.write
  const method = (name, operation) => {
    const original = handles[name]
    handles[name] = async function (...args) {
      const { isShort, after } = meet(operation, pathOf(this.fd))
      const result = isShort
        ? await write.apply(this, halved(name === 'writev' ? joined(args) : args))
        : await original.apply(this, args)
      after()
      if (!isShort) return result
      return { bytesWritten: result.bytesWritten, buffer: args[0], buffers: args[0] }
    }
  }
  method('write', 'write')
  method('writev', 'write')
  method('sync', 'fsync')
  method('datasync', 'fsync')
  method('truncate', 'truncate')
  method('read', 'read')
  for (const name of ['writeFile', 'appendFile']) {
    const original = handles[name]
    // Node's own implementation does not call the wrapped write.
    handles[name] = async function (data, options) {
      if (pathOf(this.fd) === null || !isPlain(data)) return original.call(this, data, options)
      const bytes = bytesOf(data, options)
      for (let at = 0; at < bytes.length; ) at += (await this.write(bytes, at)).bytesWritten
      return undefined
    }
  }
}

const isPlain = data => typeof data === 'string' || data instanceof Uint8Array
const bytesOf = (data, options) => {
  const encoding = typeof options === 'string' ? options : options?.encoding
  return typeof data === 'string' ? Buffer.from(data, encoding ?? 'utf8') : data
}

/** Writes whole files as separate operations: open, write, close. */
function wrapWhole(name, usual) {
  const original = promises[name]
  const how = options => ({
    flag: options?.flag ?? usual,
    mode: options?.mode ?? 0o666,
  })
  const isOurs = (target, data) => pathOf(target) !== null && isPlain(data)
  to[`${name}Sync`] = (target, data, options) => {
    if (!isOurs(target, data)) return real[`${name}Sync`]?.(target, data, options)
    const bytes = bytesOf(data, options)
    const { flag, mode } = how(options)
    const file = typeof target === 'number' ? target : fs.openSync(target, flag, mode)
    try {
      for (let at = 0; at < bytes.length; ) at += fs.writeSync(file, bytes, at)
    } finally {
      if (typeof target !== 'number') fs.closeSync(file)
    }
    return undefined
  }
  promises[name] = async (target, data, options) => {
    if (typeof target === 'object' || !isOurs(target, data)) return original(target, data, options)
    const { flag, mode } = how(options)
    const handle = await fs.promises.open(target, flag, mode)
    try {
      await handle.writeFile(bytesOf(data, options))
    } finally {
      await handle.close()
    }
    return undefined
  }
  to[name] = (...args) => {
    const callback = args.at(-1)
    if (!isOurs(args[0], args[1])) return real[name]?.(...args)
    Promise.resolve(promises[name](...args.slice(0, -1))).then(
      () => callback(null),
      error => callback(error),
    )
    return undefined
  }
}

wrapOpen()
wrap('write', 'write', 'write')
wrap('writev', 'write', 'writev')
const FIRST = {
  fsync: 'fsync',
  fdatasync: 'fsync',
  ftruncate: 'truncate',
  truncate: 'truncate',
  mkdir: 'mkdir',
  mkdtemp: 'mkdir',
}
for (const [name, operation] of Object.entries(FIRST)) wrap(name, operation)
for (const name of ['unlink', 'rm', 'rmdir']) wrap(name, 'unlink')
wrap('read', 'read')
// With two paths, the second one changes.
const SECOND = { rename: 'rename', link: 'link', symlink: 'link', copyFile: 'write' }
for (const [name, operation] of Object.entries(SECOND)) wrap(name, operation, null, 1)
wrapWhole('writeFile', 'w')
wrapWhole('appendFile', 'a')
await wrapHandles()

const wait = timers.setTimeout
timers.setTimeout = (ms = 1, ...rest) => wait(ms / Number(WAIT_DIVISOR), ...rest)
syncBuiltinESMExports()
