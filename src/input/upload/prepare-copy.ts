/**
 * Writes the copy that is uploaded instead of the input: unpacked, UTF-8 without mark, cells tidied, constants added, and empty rows,
 * repeated rows, rows with an earlier answer and columns that do not go up removed as the plan requires. Header and delimiter stay. The same plan gives the same bytes.
 */

import { dirname } from 'node:path'
import { counted } from '../../counted.ts'
import { openSink, type Sink } from '../../files/atomic-file.ts'
import type { FileContext } from '../../files/open-input.ts'
import { csvText } from '../../formats/text-formats.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import { readFates } from '../../reuse/files/choice.ts'
import { tableText } from '../table/records.ts'
import { changed } from '../table/verify-unchanged.ts'
import { askedRows } from './asked-rows.ts'
import { changesRows, sentCells, uploadColumns, uploadHeader } from './upload-row.ts'

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

const changesCells = ({ input, mappings, collapse, known, send }: Plan): boolean =>
  input.quotes === 'relaxed' ||
  input.emptyRows !== undefined ||
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
  const fates = await readFates(plan, dirname(sink.path))
  let batch: (readonly string[])[] = header === null ? [] : [chosen(header)]
  let asked = 0
  let sent = 0
  for await (const { uploadRow } of askedRows(plan, root)) {
    if (fates !== null && fates.fate(asked++) !== 'sent') continue
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
