/**
 * The input as an upload that can be opened again for every attempt: bytes of the file itself, or of a prepared copy in the run
 * directory when the plan says why it cannot go up as it is; all of them, or those of one part. It sends nothing.
 */
import { open, rm } from 'node:fs/promises'
import { basename, join, parse, resolve } from 'node:path'
import { FettleError } from '../../errors.ts'
import type { FileContext } from '../../files/context.ts'
import { readChunks } from '../../files/file-chunks.ts'
import { type Version, versionAt } from '../../files/file-version.ts'
import type { Upload } from '../../model/requests.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import { recordStarts } from '../table/record-offsets.ts'
import { tablePlace } from '../table/table-place.ts'
import type { Span } from '../table/table-range.ts'
import { changed, provePlanned } from '../table/verify-unchanged.ts'
import { needsCopy, prepareCopy } from './prepare-copy.ts'

/**
 * A prepared transfer. `open` gives the bytes anew for each attempt; `sha256` is of the bytes once they were sent to the end, null before and
 * where nobody counted them.
 */
interface SourceUpload extends Upload {
  open(): AsyncIterable<Buffer>
  sha256(): string | null
}

/** An input, ready to send. */
interface FileSource {
  /** The rows of a part. Throws FETTLE_INPUT_CHANGED when the file is no longer the planned one. */
  upload(part: number): Promise<SourceUpload>
  /** Removes the prepared copy, if there is one. */
  remove(): Promise<void>
}

/** What goes up: a file, and of it the header and the rows of each part, or all of it. */
interface Sendable {
  readonly path: string
  readonly bytes: number
  /** Of the file. */
  readonly sha256: string
  /** Of the prepared copy when it was made; null for the input itself. */
  readonly copy: Version | null
  /** The spans of each part, header first; null for the only part of a file that goes up whole. */
  readonly spans: readonly (readonly Span[])[] | null
}

/** The source of a plan; a prepared copy goes to `workDir/upload.csv`. Nothing is read or written before `upload`. */
export function openSource(plan: Plan, workDir: string, extra: FileContext = {}): FileSource {
  const { input } = plan
  const copy = join(workDir, 'upload.csv')
  let sendable: Promise<Sendable | null> = Promise.resolve(null)
  /** Made once for all parts, one after the other asking; made anew when somebody has taken the copy away. */
  const ready = (): Promise<Sendable> => {
    const before = sendable.catch(() => null)
    const next = before.then(async known => {
      const isThere = known !== null && (known.copy === null || (await isAt(copy, known.copy)))
      return isThere ? known : makeSendable(plan, copy, extra)
    })
    sendable = next
    return next
  }
  return {
    async upload(part) {
      await provePlanned(input, extra)
      const { path, bytes, sha256, spans, copy } = await ready()
      const own = spans?.[part] ?? [{ from: 0, to: bytes }]
      let isSent = false
      // What is sent is proved before and after: with other bytes the transfer fails, or other rows than the planned ones are matched.
      async function* body(): AsyncGenerator<Buffer> {
        isSent = false
        const stillPlanned = copy === null ? await provePlanned(input, extra) : null
        for (const span of own) yield* readFrom(path, span)
        await stillPlanned?.('sent')
        if (copy !== null && !(await isAt(path, copy))) throw changed(input, 'its prepared copy was written to')
        isSent = true
      }
      return {
        filename: filenameOf(plan, part),
        bytes: own.reduce((sum, { from, to }) => sum + to - from, 0),
        hasHeader: input.header !== null,
        open: body,
        sha256: () => (isSent && spans === null ? sha256 : null),
      }
    },
    remove: () => rm(copy, { force: true }),
  }
}

/** Throws FETTLE_INPUT_CHANGED when the input changed while it was read. */
async function makeSendable(plan: Plan, copy: string, extra: FileContext): Promise<Sendable> {
  const stillPlanned = await provePlanned(plan.input, extra)
  const made = needsCopy(plan) ? await copied(plan, copy, extra) : await sentAsItIs(plan, extra)
  await stillPlanned('read')
  return made
}

async function copied(plan: Plan, path: string, extra: FileContext): Promise<Sendable> {
  const { input, shard, parts, rows } = plan
  const { bytes, sha256 } = await prepareCopy(plan, path, extra)
  const isWhole = parts.length === 1 && (plan.collapse || shard !== undefined || rows === input.rows)
  const copy = await versionAt(path)
  return { path, bytes, sha256, copy, spans: isWhole ? null : await spansOf(plan, path, { table: { from: 0, to: bytes } }) }
}

async function sentAsItIs(plan: Plan, extra: FileContext): Promise<Sendable> {
  const { input, shard, parts, rows } = plan
  const path = resolve(extra.root ?? '', input.path)
  const place = await tablePlace(input, extra.root)
  // A byte-order mark goes up, unless something between it and the table does not.
  const table = { from: place.from === place.mark ? 0 : place.from, to: place.to }
  const isWhole = parts.length === 1 && rows === input.rows && table.from === 0 && table.to === input.bytes
  const { sha256, bytes } = input
  const file = { path, bytes, sha256, copy: null }
  if (shard === undefined) return { ...file, spans: isWhole ? null : await spansOf(plan, path, { table }) }
  const { head, from, to } = shard.span
  const own = { from: place.from + from, to: to === null ? place.to : place.from + to }
  const header = { from: table.from, to: place.from + head }
  return { ...file, spans: await spansOf(plan, path, { header, table: own }) }
}

/** A table, and its header where that is not its first record. */
interface Place {
  readonly header?: Span
  readonly table: Span
}

/** Where the header and the rows of each part lie. Throws FETTLE_INPUT_CHANGED when the file has other rows than planned. */
async function spansOf(plan: Plan, path: string, { header, table }: Place): Promise<Span[][]> {
  const { parts, sent, input } = plan
  const headers = header !== undefined || input.header === null ? 0 : 1
  const starts = [...parts.map(({ from }) => from + headers), sent + headers]
  const found = await recordStarts(readFrom(path, table), starts)
  if (found.records < sent + headers)
    throw changed(input, `${sent} rows were to be sent and there are ${found.records - headers}`)
  const at = (index: number): number => table.from + (found.starts[index]?.offset ?? table.to - table.from)
  const head = header ?? { from: table.from, to: at(0) }
  return parts.map((_, part) => [...(input.header === null ? [] : [head]), { from: at(part), to: at(part + 1) }])
}

function filenameOf({ input, parts, shard }: Plan, part: number): string {
  const name = basename(input.path)
    .replace(/\.gz$/i, '')
    .replace(/\.xlsx$/i, '.csv')
  const { name: stem, ext } = parse(name)
  const which = shard === undefined ? '' : `.${shard.number}-of-${shard.of}`
  return `${stem}${which}${parts.length === 1 ? '' : `-${part + 1}`}${ext}`
}

/**
 * Bytes and buffers of a transfer: pieces of 1 MiB take a tenth longer. Whoever sends holds at most three at a time: one on its
 * way to the network, which is waited for, one in hand and one read ahead; the fourth is margin.
 */
const PIECE_BYTES = 2_097_152
const BUFFERS = 4

async function* readFrom(path: string, { from, to }: Span): AsyncGenerator<Buffer> {
  try {
    const handle = await open(path)
    try {
      let left = to - from
      if (left <= 0) return
      for await (const piece of readChunks(handle, from, BUFFERS, PIECE_BYTES)) {
        yield piece.subarray(0, left)
        left -= piece.length
        if (left <= 0) return
      }
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

/** Asked before and after, it costs nothing, where hashing 1 GB on the way took 0.6 s. */
const isAt = async (path: string, version: Version): Promise<boolean> =>
  (await versionAt(path).catch(() => null))?.id === version.id
