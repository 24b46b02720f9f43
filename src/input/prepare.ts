/**
 * The copy that goes up in place of the input: UTF-8 without mark, the first rows only when there is a limit, lost leading zeros
 * put back in the mapped columns. All columns, their order, the header and the delimiter stay. The same plan gives the same bytes.
 */
import type { Plan, PlannedMapping } from '../pipeline/types.ts'
import { csvText } from './formats.ts'
import { readRows } from './records.ts'
import { openSink } from './sink.ts'
import type { WorkExtra } from './work.ts'

const BATCH = 1000

/** A prepared copy on disk. */
export interface Copy {
  readonly bytes: number
  readonly sha256: string
}

/** Writes the copy (0600, whole or not at all). Throws FETTLE_OUTPUT_WRITE. */
export async function prepareCopy(plan: Plan, path: string, { root, signal }: WorkExtra): Promise<Copy> {
  const { input, limit } = plan
  const style = { delimiter: input.delimiter, lineEnd: input.lineEnd === 'crlf' ? '\r\n' : '\n', columns: input.columns }
  const sink = await openSink(path, { tag: 'copy' })
  try {
    let batch: (readonly string[])[] = input.header === null ? [] : [input.header]
    let rows = 0
    if (limit !== 0) {
      for await (const row of readRows(input, root)) {
        batch.push(padRow(row, plan.mappings))
        if (batch.length >= BATCH) {
          signal?.throwIfAborted()
          await sink.write(Buffer.from(csvText(batch, style)))
          batch = []
        }
        if (++rows === limit) break
      }
    }
    await sink.write(Buffer.from(csvText(batch, style)))
    const sha256 = await sink.finish()
    await sink.publish()
    return { bytes: sink.bytes, sha256 }
  } finally {
    await sink.discard()
  }
}

/** The row as it goes up: all-digit cells of columns with `pad` filled with zeros on the left, all others as they are. */
export function padRow(row: readonly string[], mappings: readonly PlannedMapping[]): readonly string[] {
  if (mappings.every(one => one.pad === null)) return row
  const padded = [...row]
  for (const { index, pad } of mappings) {
    const cell = padded[index]
    if (pad !== null && cell !== undefined && /^[0-9]+$/.test(cell)) padded[index] = cell.padStart(pad, '0')
  }
  return padded
}
