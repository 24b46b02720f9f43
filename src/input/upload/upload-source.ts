/**
 * Opens the input as an upload that can be read again for every attempt: the bytes of the file, or of a prepared copy in the run
 * directory where the plan needs one; all of them, or the rows of one part.
 */
import { open, rm } from 'node:fs/promises'
import { basename, dirname, join, parse, resolve } from 'node:path'
import { counted } from '../../counted.ts'
import { FettleError } from '../../errors.ts'
import { openSink, type Sink } from '../../files/atomic-file.ts'
import { readChunks } from '../../files/file-chunks.ts'
import { type FileContext, type Version, versionAt } from '../../files/open-input.ts'
import { csvText } from '../../formats/text-formats.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import { readFates } from '../../reuse/files/choice.ts'
import { recordStarts } from '../table/record-offsets.ts'
import { tableText } from '../table/records.ts'
import { type Span, tablePlace } from '../table/table-range.ts'
import { changed, verifyPlanned } from '../table/verify-unchanged.ts'
import { askedRows } from './asked-rows.ts'
import { changesRows, sentCells, uploadColumns, uploadHeader } from './upload-row.ts'

interface Sendable {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
  /** The version of the prepared copy; null when the input itself is sent. */
  readonly copy: Version | null
  /** The spans of each part, header first; null when the only part is the complete file. */
  readonly spans: readonly (readonly Span[])[] | null
}

/** The name of the prepared copy. */
export const UPLOAD_FILE = 'upload.csv'

/** The source of a plan; a prepared copy goes to `workDir/upload.csv`. Nothing is read or written before `upload`. */
export function openSource(plan: Plan, workDir: string, extra: FileContext = {}) {
  const { input } = plan
  const copy = join(workDir, UPLOAD_FILE)
  let sendable: Promise<Sendable | null> = Promise.resolve(null)
  /** Created once for all parts, and again when the copy was removed or changed. */
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
    /** The rows of a part. Throws FETTLE_INPUT_CHANGED when the file is no longer the planned one. */
    async upload(part: number) {
      await verifyPlanned(input, extra)
      const { path, bytes, sha256, spans, copy } = await ready()
      const own = spans?.[part] ?? [{ from: 0, to: bytes }]
      let isSent = false
      // Checked before and after sending: rows other than the planned ones must not be matched.
      async function* body(): AsyncGenerator<Buffer> {
        isSent = false
        const verifyUnchanged = copy === null ? await verifyPlanned(input, extra) : null
        for (const span of own) yield* readFrom(path, span)
        await verifyUnchanged?.('sent')
        if (copy !== null && !(await isAt(path, copy))) throw changed(input, 'its prepared copy was written to')
        isSent = true
      }
      return {
        filename: formatFilename(plan, part),
        bytes: own.reduce((sum, { from, to }) => sum + to - from, 0),
        hasHeader: input.header !== null,
        open: body,
        /** Of the bytes sent; null until they were all sent, and for one of several parts. */
        sha256: () => (isSent && spans === null ? sha256 : null),
      }
    },
    /** Removes the prepared copy, if there is one. */
    remove: () => rm(copy, { force: true }),
  }
}

/** Throws FETTLE_INPUT_CHANGED when the input changed while it was read. */
async function makeSendable(plan: Plan, copy: string, extra: FileContext): Promise<Sendable> {
  const verifyUnchanged = await verifyPlanned(plan.input, extra)
  const made = needsCopy(plan) ? await copied(plan, copy, extra) : await sentUnchanged(plan, extra)
  await verifyUnchanged('read')
  return made
}

async function copied(plan: Plan, path: string, extra: FileContext): Promise<Sendable> {
  const { input, shard, parts, rows } = plan
  const { bytes, sha256 } = await prepareCopy(plan, path, extra)
  const isWhole = parts.length === 1 && (plan.collapse || plan.known !== undefined || shard !== undefined || rows === input.rows)
  const copy = await versionAt(path)
  return { path, bytes, sha256, copy, spans: isWhole ? null : await findSpans(plan, path, { from: 0, to: bytes }) }
}

async function sentUnchanged(plan: Plan, extra: FileContext): Promise<Sendable> {
  const { input, shard, parts, rows } = plan
  const path = resolve(extra.root ?? '', input.path)
  const place = await tablePlace(input, extra.root)
  // A byte-order mark is sent, unless lines between it and the table are skipped.
  const table = { from: place.from === place.mark ? 0 : place.from, to: place.to }
  const isWhole = parts.length === 1 && rows === input.rows && table.from === 0 && table.to === input.bytes
  const { sha256, bytes } = input
  const file = { path, bytes, sha256, copy: null }
  if (shard === undefined) return { ...file, spans: isWhole ? null : await findSpans(plan, path, table) }
  const { head, from, to } = shard.span
  const own = { from: place.from + from, to: to === null ? place.to : place.from + to }
  const header = { from: table.from, to: place.from + head }
  return { ...file, spans: await findSpans(plan, path, own, header) }
}

/**
 * The spans of header and rows of each part; `header` where it is not the first record of the table. Throws FETTLE_INPUT_CHANGED when
 * the file has fewer rows than planned.
 */
async function findSpans(plan: Plan, path: string, table: Span, header?: Span): Promise<Span[][]> {
  const { parts, sent, input } = plan
  const headers = header !== undefined || input.header === null ? 0 : 1
  const starts = [...parts.map(({ from }) => from + headers), sent + headers]
  const found = await recordStarts(readFrom(path, table), starts)
  if (found.records < sent + headers)
    throw changed(input, `${counted(sent, 'row')} planned to be sent, the file has ${found.records - headers}`)
  const at = (index: number): number => table.from + (found.starts[index]?.offset ?? table.to - table.from)
  const head = header ?? { from: table.from, to: at(0) }
  return parts.map((_, part) => [...(input.header === null ? [] : [head]), { from: at(part), to: at(part + 1) }])
}

function formatFilename({ input, parts, shard }: Plan, part: number): string {
  const name = basename(input.files?.[0]?.path ?? input.path)
    .replace(/\.gz$/i, '')
    .replace(/\.(xlsx|parquet|jsonl|ndjson|json)$/i, '.csv')
  const { name: stem, ext } = parse(name)
  const which = shard === undefined ? '' : `.${shard.number}-of-${shard.of}`
  return `${stem}${which}${parts.length === 1 ? '' : `-${part + 1}`}${ext}`
}

/**
 * Bytes and buffers of a transfer: pieces of 1 MiB take a tenth longer. The sender holds at most three: one being written to the
 * network, one waiting and one read ahead; the fourth is a margin.
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

/** Compares metadata, which costs nothing; hashing 1 GB took 0.6 s. */
const isAt = async (path: string, version: Version): Promise<boolean> =>
  (await versionAt(path).catch(() => null))?.id === version.id

const BATCH = 1000

/**
 * Writes the copy that is uploaded instead of the input (0600, atomically): unpacked, UTF-8 without mark, cells tidied, constants
 * added, and empty rows, repeated rows, rows with an earlier answer and unsent columns removed as the plan requires. Header and
 * delimiter stay. The same plan gives the same bytes. Throws FETTLE_OUTPUT_WRITE.
 */
async function prepareCopy(plan: Plan, path: string, extra: FileContext): Promise<Pick<Sendable, 'bytes' | 'sha256'>> {
  const sink = await openSink(path, { tag: 'copy' })
  try {
    if (changesCells(plan) || plan.shard !== undefined) await writeRows(plan, sink, extra)
    else
      for await (const piece of tableText(plan.input, extra.root)) {
        extra.signal?.throwIfAborted()
        await sink.write(piece)
      }
    const sha256 = await sink.finish()
    await sink.publish()
    return { bytes: sink.bytes, sha256 }
  } finally {
    await sink.discard()
  }
}

const needsCopy = (plan: Plan): boolean =>
  plan.input.files !== undefined || plan.input.packed !== undefined || plan.input.encoding !== 'utf-8' || changesCells(plan)

const changesCells = ({ input, mappings, collapse, known, send }: Plan): boolean =>
  input.quotes === 'relaxed' ||
  input.emptyRows !== undefined ||
  input.rejected !== undefined ||
  collapse ||
  known !== undefined ||
  send !== undefined ||
  changesRows(mappings)

async function writeRows(plan: Plan, sink: Sink, { root, signal }: FileContext): Promise<void> {
  const { input } = plan
  const cells = sentCells(plan)
  const columns = cells?.length ?? uploadColumns(plan)
  const style = { delimiter: input.delimiter, lineEnd: input.lineEnd === 'crlf' ? '\r\n' : '\n', columns }
  const header = uploadHeader(plan)
  const chosen = (row: readonly string[]): readonly string[] => (cells === null ? row : cells.map(at => row[at] ?? ''))
  const fates = readFates(plan, dirname(sink.path))
  let batch: (readonly string[])[] = header === null ? [] : [chosen(header)]
  let asked = 0
  let sent = 0
  for await (const { uploadRow } of askedRows(plan, root)) {
    if (fates !== null && fates(asked++) !== 'sent') continue
    sent++
    batch.push(chosen(uploadRow))
    if (batch.length >= BATCH) {
      signal?.throwIfAborted()
      await sink.write(Buffer.from(csvText(batch, style)))
      batch = []
    }
  }
  await sink.write(Buffer.from(csvText(batch, style)))
  if (sent !== plan.sent) throw changed(input, `${counted(plan.sent, 'row')} planned to be sent, the file has ${sent}`)
}
