/**
 * The input as an upload that can be opened again for every attempt: the file itself, byte for byte, or a prepared copy in the
 * run directory when the plan says why it cannot go up as it is. It sends nothing.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { FettleError } from '../errors.ts'
import type { Plan } from '../pipeline/types.ts'
import { openInput } from './locate.ts'
import { readHead } from './pieces.ts'
import { changed, checkPlanned } from './planned.ts'
import { prepareCopy } from './prepare.ts'
import { bytesBeforeTable, READ_BYTES } from './records.ts'
import type { WorkExtra } from './work.ts'

/** A prepared transfer. `open` gives a fresh stream for each attempt; `sha256` is of the last one read to its end, else null. */
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
  let copied: number | null = null
  return {
    async upload() {
      await checkPlanned(input, extra.root, extra.signal)
      const isPrepared = plan.preparation.length > 0
      if (isPrepared && (copied === null || (await sizeOf(copy)) !== copied)) copied = await prepareCopy(plan, copy, extra)
      const path = isPrepared ? copy : resolve(extra.root ?? '', input.path)
      const start = isPrepared ? 0 : await tableStart(plan, extra.root)
      const bytes = isPrepared ? copied! : input.bytes - start
      let sent: string | null = null
      async function* body(): AsyncGenerator<Buffer> {
        sent = null
        const hash = createHash('sha256')
        for await (const piece of readFrom(path, start)) {
          hash.update(piece)
          yield piece
        }
        const digest = hash.digest('hex')
        // Changed under our hands with its size kept: the transfer must fail, or other rows than the planned ones are matched.
        if (!isPrepared && start === 0 && digest !== input.sha256) throw changed(input, 'its bytes changed while it was sent')
        sent = digest
      }
      return {
        filename: basename(input.path),
        bytes,
        hasHeader: input.header !== null,
        open: () => Readable.from(body(), { objectMode: true, highWaterMark: 1 }),
        sha256: () => sent,
      }
    },
    remove: () => rm(copy, { force: true }),
  }
}

async function* readFrom(path: string, start: number): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path, { start, highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>
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

const sizeOf = async (path: string): Promise<number | null> => (await stat(path).catch(() => null))?.size ?? null
