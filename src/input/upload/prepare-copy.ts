/**
 * Writes the copy that is uploaded instead of the input: unpacked, UTF-8 without mark, cells tidied, constants added and repeated rows
 * and empty rows removed as the plan requires. Columns, their order, header and delimiter stay. The same plan gives the same bytes.
 */

import { openSink, type Sink } from '../../files/atomic-file.ts'
import type { FileContext } from '../../files/open-input.ts'
import { csvText } from '../../formats/text-formats.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import { emptyRowsOf } from '../table/empty-row.ts'
import { planRows, readRows, tableText } from '../table/records.ts'
import { changed } from '../table/verify-unchanged.ts'
import { DigestIndex } from './row-dedupe.ts'
import { changesRows, dedupeKeyOf, rowMaker, uploadColumns, uploadHeader } from './upload-row.ts'

const BATCH = 1000

export interface Copy {
  readonly bytes: number
  readonly sha256: string
}

/** Writes the copy (0600, atomically). Throws FETTLE_OUTPUT_WRITE. */
export async function prepareCopy(plan: Plan, path: string, extra: FileContext): Promise<Copy> {
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

export const needsCopy = (plan: Plan): boolean =>
  plan.input.files !== undefined || plan.input.packed !== undefined || plan.input.encoding !== 'utf-8' || changesCells(plan)

const changesCells = ({ input, mappings, collapse }: Plan): boolean =>
  input.quotes === 'relaxed' || input.emptyRows !== undefined || collapse || changesRows(mappings)

async function writeRows(plan: Plan, sink: Sink, { root, signal }: FileContext): Promise<void> {
  const { input, mappings, rows, shard } = plan
  const style = { delimiter: input.delimiter, lineEnd: input.lineEnd === 'crlf' ? '\r\n' : '\n', columns: uploadColumns(plan) }
  const header = uploadHeader(plan)
  const toUploadRow = rowMaker(mappings)
  const isNew = isFirstOfItsKey(plan)
  const isSkipped = emptyRowsOf(input)
  let batch: (readonly string[])[] = header === null ? [] : [header]
  // Rows that repeat one before the shard are not sent either.
  const before = plan.collapse ? (shard?.from ?? 0) : 0
  let read = 0
  let sent = 0
  if (rows > 0) {
    for await (const inputRow of plan.collapse ? readRows(input, root) : planRows(plan, root)) {
      if (!isSkipped(inputRow)) {
        const uploadRow = toUploadRow(inputRow)
        if (isNew(uploadRow) && read >= before) {
          sent++
          batch.push(uploadRow)
        }
      }
      if (batch.length >= BATCH) {
        signal?.throwIfAborted()
        await sink.write(Buffer.from(csvText(batch, style)))
        batch = []
      }
      if (++read === before + rows) break
    }
  }
  await sink.write(Buffer.from(csvText(batch, style)))
  if (sent !== plan.sent) throw changed(input, `${plan.sent} rows were planned to be sent, the file has ${sent}`)
}

export function isFirstOfItsKey({ collapse, mappings }: Plan): (uploadRow: readonly string[]) => boolean {
  if (!collapse) return () => true
  const index = new DigestIndex()
  const dedupeKey = dedupeKeyOf(mappings)
  return uploadRow => {
    const { size } = index
    return index.add(dedupeKey(uploadRow)) === size
  }
}
