/**
 * Writes files that appear complete or not at all: an exclusive temporary file beside the target, fsync, rename, fsync of the
 * folder. Follows no symbolic link, replaces only regular files and writes nothing outside the root.
 */
import { createHash, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, realpath, rm, unlink } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { FettleError } from '../errors.ts'
import { createFolders, renameDurably } from './durable.ts'
import { fileDigest } from './file-chunks.ts'
import { isInside } from './paths.ts'
import { PROBE, removeStaleTempFiles, temporaryName } from './stale-temp-files.ts'

export interface SinkOptions {
  /** Relative paths start from this folder, and the real path of the target must lie in it; absent: no such rule. */
  readonly root?: string
  /** Further folders that the target may lie in; null: it may lie anywhere. */
  readonly roots?: readonly string[] | null
  /**
   * Part of the temporary name. A run and its resumption use the same tag, so that files a crash left are removed; different runs
   * use different tags. Absent: random.
   */
  readonly tag?: string
  /** New files and folders get the permissions that the umask leaves; absent: only the owner's. */
  readonly isShared?: boolean
  /** Permissions of the file, regardless of the umask. */
  readonly mode?: number
  /** A folder that is created for it gets a `.gitignore` for all of it: results contain personal data. */
  readonly isIgnored?: boolean
}

/** `type` is a name of `model/columns.ts`. */
export interface SinkColumn {
  readonly name: string
  readonly type: string
}

export interface Sink {
  readonly path: string
  /** `publish` takes no other path. */
  readonly hasFixedName?: boolean
  readonly bytes: number
  /** Receives the columns before the first row; absent for a sink that needs only bytes. */
  columns?(columns: readonly SinkColumn[]): void
  write(bytes: Uint8Array): Promise<void>
  /** Syncs the bytes under the temporary name and returns their SHA-256. */
  finish(): Promise<string>
  /** Renames the finished file to its target, or to `path` in the same folder when the name depends on the content. */
  publish(path?: string): Promise<void>
  /** Removes the temporary file; does nothing after `publish`. */
  discard(): Promise<void>
}

/** Opens a sink for `path`. Throws FETTLE_OUTPUT_WRITE, as its methods do. */
export async function openSink(path: string, options: SinkOptions = {}): Promise<Sink> {
  return attempt(path, async () => {
    const { isShared = false } = options
    const folder = await prepareFolder(resolve(options.root ?? '', path), options)
    const target = join(folder, basename(path))
    await refuseSpecial(target)
    const temporary = temporaryName(target, options.tag ?? randomBytes(4).toString('hex'))
    const handle = await openExclusive(temporary, isShared)
    if (options.mode !== undefined) await handle.chmod(options.mode)
    await removeStaleTempFiles(target, temporary, options.tag)
    return new FileSink(path, target, temporary, handle)
  })
}

/** Checks that `path` can be written now; creates only its folder. Throws FETTLE_OUTPUT_WRITE. */
export async function checkWritable(path: string, options: SinkOptions = {}): Promise<void> {
  // All checks share one name, so that the next check removes what a killed one left.
  await (await openSink(path, { ...options, tag: PROBE })).discard()
}

/** Replaces a text file (0600 unless shared) or leaves the old one unchanged. Throws FETTLE_OUTPUT_WRITE. */
export async function writeAtomic(
  path: string,
  content: string | Uint8Array,
  options: Pick<SinkOptions, 'isShared' | 'root' | 'roots'> = {},
): Promise<void> {
  const sink = await openSink(path, options)
  try {
    await sink.write(Buffer.from(content as string))
    await sink.finish()
    await sink.publish()
  } finally {
    await sink.discard()
  }
}

/** Writes bytes that can be read only once into `folder` (0600, atomically), named by their hash, and returns the path. Throws FETTLE_OUTPUT_WRITE, and what `bytes` throws. */
export async function writeContentAddressed(bytes: AsyncIterable<Uint8Array>, folder: string): Promise<string> {
  const sink = await openSink(join(folder, 'incoming'))
  try {
    for await (const piece of bytes) await sink.write(piece)
    const sha256 = await sink.finish()
    const path = join(folder, `${sha256}.csv`)
    // A process may be reading the existing file: it is not replaced by an equal one.
    if ((await fileDigest(path)) !== sha256) await sink.publish(path)
    return path
  } finally {
    await sink.discard()
  }
}

class FileSink implements Sink {
  bytes = 0
  readonly path: string
  readonly #target: string
  readonly #temporary: string
  readonly #hash = createHash('sha256')
  #handle: FileHandle | null
  #isPublished = false

  constructor(path: string, target: string, temporary: string, handle: FileHandle) {
    this.path = path
    this.#target = target
    this.#temporary = temporary
    this.#handle = handle
  }

  write(bytes: Uint8Array): Promise<void> {
    return attempt(this.path, async () => {
      for (let written = 0; written < bytes.length; ) {
        written += (await this.#handle!.write(bytes, written)).bytesWritten
      }
      this.#hash.update(bytes)
      this.bytes += bytes.length
    })
  }

  finish(): Promise<string> {
    return attempt(this.path, async () => {
      await this.#handle!.sync()
      await this.#close()
      return this.#hash.digest('hex')
    })
  }

  publish(path?: string): Promise<void> {
    const target = path === undefined ? this.#target : join(dirname(this.#target), basename(path))
    return attempt(this.path, async () => {
      await refuseSpecial(target)
      await renameDurably(this.#temporary, target)
      this.#isPublished = true
    })
  }

  async discard(): Promise<void> {
    if (this.#isPublished) return
    // A second failure must not hide the first.
    await this.#close().catch(() => {})
    await unlink(this.#temporary).catch(() => {})
  }

  async #close(): Promise<void> {
    const handle = this.#handle
    this.#handle = null
    await handle?.close()
  }
}

export async function attempt<T>(path: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    if (FettleError.is(error)) throw error
    throw new FettleError('FETTLE_OUTPUT_WRITE', `cannot write ${path}: ${(error as Error).message}`, { cause: error })
  }
}

/** Removes a file if there is one. Throws FETTLE_OUTPUT_WRITE. */
export const removeFile = (path: string): Promise<void> => attempt(path, () => rm(path, { force: true }))

const MOST_TRIES = 5

/** Creates a file (0600 unless shared). A file or link of that name, left by a crash or planted, is removed, not opened. */
export async function openExclusive(path: string, isShared = false): Promise<FileHandle> {
  const mode = isShared ? 0o666 : 0o600
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  const isCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code
  for (let tries = 1; ; tries++)
    try {
      return await open(path, flags, mode)
    } catch (error) {
      if (!isCode(error, 'EEXIST') || tries === MOST_TRIES) throw error
      // Two processes that check one output share the name: the other one may have removed the file.
      await unlink(path).catch((gone: unknown) => {
        if (!isCode(gone, 'ENOENT')) throw gone
      })
    }
}

/** Returns the real path of the target's folder, checked to be inside the root and created if missing. */
async function prepareFolder(target: string, { root, roots = [], isShared, isIgnored = false }: SinkOptions): Promise<string> {
  const folder = dirname(target)
  const requireInside = async (real: string): Promise<void> => {
    if (root === undefined || roots === null) return
    for (const allowed of [root, ...roots]) {
      const place = await findRealpath(allowed)
      if (place !== null && isInside(place, real)) return
      if (place === null && isInside(resolve(allowed), resolve(folder)))
        throw new FettleError('FETTLE_OUTPUT_WRITE', `cannot write ${target}: its folder ${allowed} does not exist`, {
          hint: 'Create or mount this folder, then run the same command again: the run is resumed.',
        })
    }
    throw new FettleError(
      'FETTLE_OUTPUT_WRITE',
      `cannot write ${target}: its folder is really ${real}, outside the working directory`,
    )
  }
  const missing: string[] = []
  let real = await findRealpath(folder)
  for (let at = folder; real === null; real = await findRealpath(at)) {
    missing.unshift(basename(at))
    at = dirname(at)
  }
  await requireInside(real)
  if (missing.length > 0)
    createFolders(join(real, ...missing), { mode: isShared ? 0o777 : 0o700, ignored: isIgnored ? 'topmost' : undefined })
  real = await realpath(join(real, ...missing))
  await requireInside(real)
  return real
}

const findRealpath = (path: string): Promise<string | null> =>
  realpath(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && dirname(path) !== path) return null
    throw error
  })

async function refuseSpecial(target: string): Promise<void> {
  const found = await lstat(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (found === null || found.isFile()) return
  const what = found.isSymbolicLink()
    ? `a symbolic link to ${await realpath(target).catch(() => 'nowhere')}`
    : 'not a regular file'
  throw new FettleError('FETTLE_OUTPUT_WRITE', `cannot write ${target}: it is ${what}; only a regular file is replaced`)
}
