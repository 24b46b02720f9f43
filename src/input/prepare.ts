/**
 * The copy that goes up in place of the input: unpacked, UTF-8 without mark, the first rows only when there is a limit, lost
 * leading zeros put back in the mapped columns. All columns, their order, the header and the delimiter stay, and where no cell
 * changes all the text does. The same plan gives the same bytes.
 */
import type { Plan, PlannedMapping } from '../pipeline/types.ts'
import { csvText } from './formats.ts'
import { readRows, tableText } from './records.ts'
import { openSink, type Sink } from './sink.ts'
import type { WorkExtra } from './work.ts'

const BATCH = 1000

/** A prepared copy on disk. */
export interface Copy {
  readonly bytes: number
  readonly sha256: string
}

/** Writes the copy (0600, whole or not at all). Throws FETTLE_OUTPUT_WRITE. */
export async function prepareCopy(plan: Plan, path: string, extra: WorkExtra): Promise<Copy> {
  const sink = await openSink(path, { tag: 'copy' })
  try {
    if (changesCells(plan)) await writeRows(plan, sink, extra)
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

const changesCells = ({ input, rows, mappings }: Plan): boolean =>
  input.quotes === 'relaxed' || rows < input.rows || mappings.some(one => one.pad !== null)

async function writeRows({ input, limit, mappings }: Plan, sink: Sink, { root, signal }: WorkExtra): Promise<void> {
  const style = { delimiter: input.delimiter, lineEnd: input.lineEnd === 'crlf' ? '\r\n' : '\n', columns: input.columns }
  let batch: (readonly string[])[] = input.header === null ? [] : [input.header]
  let rows = 0
  if (limit !== 0) {
    for await (const row of readRows(input, root)) {
      batch.push(padRow(row, mappings))
      if (batch.length >= BATCH) {
        signal?.throwIfAborted()
        await sink.write(Buffer.from(csvText(batch, style)))
        batch = []
      }
      if (++rows === limit) break
    }
  }
  await sink.write(Buffer.from(csvText(batch, style)))
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
