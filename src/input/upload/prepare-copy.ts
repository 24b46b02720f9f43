/**
 * The copy that goes up in place of the input: unpacked, UTF-8 without mark, cells tidied and constants added where the pipeline
 * asks for it, rows that ask the same only once. All columns, their order, the header and the delimiter stay, and where no row
 * changes all the text does. The same plan gives the same bytes.
 */

import { openSink, type Sink } from '../../files/atomic-file.ts'
import type { FileContext } from '../../files/context.ts'
import { csvText } from '../../formats/text-formats.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import { planRows, readRows, tableText } from '../table/records.ts'
import { changed } from '../table/verify-unchanged.ts'
import { DigestIndex } from './row-dedupe.ts'
import { changesRows, dedupeKeyOf, rowMaker, uploadColumns, uploadHeader } from './upload-row.ts'

const BATCH = 1000

/** A prepared copy on disk. */
export interface Copy {
  readonly bytes: number
  readonly sha256: string
}

/** Writes the copy (0600, whole or not at all). Throws FETTLE_OUTPUT_WRITE. */
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

/** Why the bytes of the input cannot go up themselves. */
export const needsCopy = (plan: Plan): boolean =>
  plan.input.packed !== undefined || plan.input.encoding !== 'utf-8' || changesCells(plan)

const changesCells = ({ input, mappings, collapse }: Plan): boolean =>
  input.quotes === 'relaxed' || collapse || changesRows(mappings)

async function writeRows(plan: Plan, sink: Sink, { root, signal }: FileContext): Promise<void> {
  const { input, mappings, rows, shard } = plan
  const style = { delimiter: input.delimiter, lineEnd: input.lineEnd === 'crlf' ? '\r\n' : '\n', columns: uploadColumns(plan) }
  const header = uploadHeader(plan)
  const make = rowMaker(mappings)
  const isNew = newness(plan)
  let batch: (readonly string[])[] = header === null ? [] : [header]
  // What the rows before a shard ask is not asked again.
  const before = plan.collapse ? (shard?.from ?? 0) : 0
  let read = 0
  let sent = 0
  if (rows > 0) {
    for await (const row of plan.collapse ? readRows(input, root) : planRows(plan, root)) {
      const made = make(row)
      if (isNew(made) && read >= before) {
        sent++
        batch.push(made)
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
  if (sent !== plan.sent) throw changed(input, `${plan.sent} rows were to be sent and there are ${sent}`)
}

/** True for a sent row that asks what no row before it did; for every row where they are not collapsed. */
function newness({ collapse, mappings }: Plan): (sent: readonly string[]) => boolean {
  if (!collapse) return () => true
  const fold = new DigestIndex()
  const question = dedupeKeyOf(mappings)
  return sent => {
    const { size } = fold
    return fold.place(question(sent)) === size
  }
}
