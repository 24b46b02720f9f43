/**
 * The input as an upload that can be opened again for every attempt: the file itself, byte for byte, or a prepared copy in the
 * run directory when the plan says why it cannot go up as it is. It sends nothing.
 */
import { open, rm, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { FettleError } from '../errors.ts'
import type { Plan } from '../pipeline/types.ts'
import { openInput } from './locate.ts'
import { readHead, readPieces } from './pieces.ts'
import { changed, checkPlanned } from './planned.ts'
import { type Copy, prepareCopy } from './prepare.ts'
import { bytesBeforeTable } from './records.ts'
import type { WorkExtra } from './work.ts'

/**
 * A prepared transfer. `open` gives a fresh stream for each attempt; `sha256` is of the bytes once they were sent to the end, null before and
 * where nobody counted them.
 */
interface SourceUpload {
  readonly filename: string
  readonly bytes: number
  readonly hasHeader: boolean
  open(): Readable
  sha256(): string | null
}

/** An input, ready to send. */
interface FileSource {
  /** Throws FETTLE_INPUT_CHANGED when the file is no longer the planned one. */
  upload(): Promise<SourceUpload>
  /** Removes the prepared copy, if there is one. */
  remove(): Promise<void>
}

/** The source of a plan; a prepared copy goes to `workDir/upload.csv`. Nothing is read or written before `upload`. */
export function openSource(plan: Plan, workDir: string, extra: WorkExtra = {}): FileSource {
  const { input } = plan
  const copy = join(workDir, 'upload.csv')
  let copied: Copy | null = null
  return {
    async upload() {
      await checkPlanned(input, extra.root, extra.signal)
      const isPrepared = plan.preparation.length > 0
      if (isPrepared && (copied === null || (await sizeOf(copy)) !== copied.bytes)) copied = await prepareCopy(plan, copy, extra)
      const path = copied === null ? resolve(extra.root ?? '', input.path) : copy
      const start = copied === null ? await tableStart(plan, extra.root) : 0
      const { bytes, sha256 } = copied ?? { bytes: input.bytes - start, sha256: start === 0 ? input.sha256 : null }
      const before = await versionOf(path)
      let isSent = false
      async function* body(): AsyncGenerator<Buffer> {
        isSent = false
        yield* readFrom(path, start)
        // Changed under our hands with its size kept: the transfer must fail, or other rows than the planned ones are matched.
        if ((await versionOf(path)) !== before) throw changed(input, 'it was written to while it was sent')
        isSent = true
      }
      return {
        filename: basename(input.path).replace(/\.gz$/i, ''),
        bytes,
        hasHeader: input.header !== null,
        open: () => Readable.from(body(), { objectMode: true, highWaterMark: 1 }),
        sha256: () => (isSent ? sha256 : null),
      }
    },
    remove: () => rm(copy, { force: true }),
  }
}

/**
 * Buffers of a transfer. Whoever sends holds at most three pieces at a time: one on its way to the network, which is waited
 * for, one in hand and one read ahead; the rest is margin.
 */
const BUFFERS = 8

async function* readFrom(path: string, start: number): AsyncGenerator<Buffer> {
  try {
    const handle = await open(path)
    try {
      yield* readPieces(handle, start, BUFFERS)
    } finally {
      await handle.close()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    throw new FettleError('FETTLE_INPUT_READ', `cannot read ${path} while it is sent: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/** A `sep=` line is for spreadsheets: to the service it would be the header. With it goes the byte-order mark before it. */
async function tableStart({ input }: Plan, root: string | undefined): Promise<number> {
  const opened = await openInput(input.path, root)
  if ('code' in opened) throw changed(input, opened.message)
  try {
    const head = await readHead(opened.handle, 64)
    const before = bytesBeforeTable(head, input.encoding)
    return before > 3 ? before : 0
  } finally {
    await opened.handle.close()
  }
}

/**
 * Which version of a file this is: any write moves the time of change, which nobody can set back. Asked before and after, it
 * costs nothing, where hashing 1 GB on the way took 0.6 s.
 */
async function versionOf(path: string): Promise<string> {
  const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true })
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}`
}

const sizeOf = async (path: string): Promise<number | null> => (await stat(path).catch(() => null))?.size ?? null
