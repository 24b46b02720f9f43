/**
 * Counts the operations on files of a program and lets one of them fail: wraps `node:fs` for the whole process, and asks the disk
 * of the caller what happens to each operation. Operations are open (for writing), write, fsync, rename, link, unlink, truncate,
 * mkdir, read.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { constants } from 'node:os'
import { resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const to = fs
const real = { ...to }
const promises = fs.promises

/** Path of each open file descriptor; numbers are reused after close. */
const names = new Map()
const nothing = { isShort: false, after: () => {} }

const isWriting = flags =>
  typeof flags === 'number' ? (flags & 3) !== 0 || (flags & fs.constants.O_CREAT) !== 0 : /[wa+]/.test(String(flags ?? 'r'))

function pathOf(target) {
  if (typeof target === 'number') return names.get(target) ?? null
  const path = target instanceof URL ? fileURLToPath(target) : Buffer.isBuffer(target) ? String(target) : target
  return typeof path === 'string' ? resolve(path) : null
}

/**
 * The disk of one program. `fault` is EFFECT@N or EFFECT@N+, see test/support/faulty-disk.mjs; `signal` sends the program a signal
 * and does not return from SIGKILL; `end` ends it after an operation.
 */
export class Disk {
  #count = 0
  #isOver = false

  constructor({ fault = '', paths, ops = null, log = () => {}, signal, end = () => signal('SIGKILL') }) {
    const [, effect = '', from = '0', lasts = ''] = /^(\w+)@(\d+)(\+?)$/.exec(fault) ?? []
    Object.assign(this, { effect, from: Number(from), lasts: lasts !== '', ops, log, signal, end })
    this.watched = paths.filter(path => path !== '').map(path => (path.startsWith('*') ? path : resolve(path)))
  }

  #isDue(operation) {
    const { effect, from, lasts } = this
    if (effect === '' || this.#count < from || (this.#isOver && !lasts)) return false
    if (effect === 'short' || effect === 'cut') return operation === 'write'
    const isFull = lasts && /^(?:ENOSPC|EDQUOT|EFBIG)$/.test(effect)
    return !isFull || ['open', 'write', 'mkdir', 'link'].includes(operation)
  }

  /** What a power cut does. */
  lose() {}

  /** Whether operations on this path count. */
  watches(path) {
    const isWatched = one => (one.startsWith('*') ? path.endsWith(one.slice(1)) : path === one || path.startsWith(one + sep))
    return path !== null && this.watched.some(isWatched)
  }

  /** Counts an operation about to happen on `path`; throws the planned error, ends the program, or returns what to do. */
  meet(operation, path) {
    const isCounted = this.ops === null ? operation !== 'read' : this.ops.includes(operation)
    if (!isCounted || !this.watches(path)) return nothing
    this.#count++
    if (!this.#isDue(operation)) {
      this.log(`${this.#count} ${operation} ${path}\n`)
      return nothing
    }
    const { effect, signal, end } = this
    this.#isOver = true
    this.log(`${this.#count} ${operation} ${path} ${effect}\n`)
    if (effect.startsWith('SIG')) signal(effect)
    const isShort = effect === 'short' || effect === 'cut'
    const isKilled = effect === 'killed' || effect === 'cut'
    if (isShort || isKilled || effect.startsWith('SIG')) return { isShort, after: isKilled ? end : () => {} }
    const errno = -(constants.errno[effect] ?? 1)
    const syscall = operation === 'truncate' ? 'ftruncate' : operation
    throw Object.assign(new Error(`${effect}: planned fault, ${syscall} '${path}'`), { errno, code: effect, syscall, path })
  }
}

let diskOf = () => null
const meet = (operation, path, args = []) => diskOf()?.meet(operation, path, args) ?? nothing
const isWatched = path => diskOf()?.watches(path) ?? false

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
    const fate = meet(operation, pathOf(args[at]), args)
    const [method, rest] = cut(args, fate.isShort, 'Sync')
    // An operation that fails by itself, such as removing what is not there, has been carried out, too.
    try {
      return real[method]?.(args[0], ...rest)
    } finally {
      fate.after()
    }
  }
  to[name] = (...args) => {
    const callback = args.at(-1)
    let fate
    try {
      fate = meet(operation, pathOf(args[at]), args)
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
    const fate = meet(operation, pathOf(args[at]), args)
    try {
      return await original(...args)
    } finally {
      fate.after()
    }
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
      if (!isWatched(pathOf(this.fd)) || !isPlain(data)) return original.call(this, data, options)
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
  const isOurs = (target, data) => isWatched(pathOf(target)) && isPlain(data)
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

/** Wraps `node:fs` once for this process; `current` returns the disk of the running program, null for none. */
export async function watchDisks(current) {
  diskOf = current
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
  const SECOND = { rename: 'rename', link: 'link', symlink: 'link', copyFile: 'write' }
  for (const [name, operation] of Object.entries(SECOND)) wrap(name, operation, null, 1)
  wrapWhole('writeFile', 'w')
  wrapWhole('appendFile', 'a')
  await wrapHandles()
  syncBuiltinESMExports()
}
