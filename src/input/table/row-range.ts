/** Finds the byte range of the rows of a shard. Checkpoints from the scan keep the search within a mebibyte around each end. */
import type { InputFacts, Shard } from '../../pipeline/model/types.ts'
import { parseRows, parserOptions, tableText } from './records.ts'

/** `records` (the header is one) precede the byte at `offset` in the text of the table. */
export interface RecordMark {
  readonly records: number
  readonly offset: number
}

const MARK_BYTES = 1_048_576

export class Checkpoints {
  readonly all: RecordMark[] = [{ records: 0, offset: 0 }]

  note(records: number, offset: number): void {
    if (offset - this.all.at(-1)!.offset >= MARK_BYTES) this.all.push({ records, offset })
  }
}

/** The end of the header, and the byte range of rows `from` (from 0) to `to`. Throws FETTLE_INPUT_READ. */
export async function locateRows(
  facts: InputFacts,
  marks: readonly RecordMark[],
  { from, to }: { readonly from: number; readonly to: number },
  root = '',
): Promise<Shard['span']> {
  if (from === to) return { head: 0, from: 0, to: 0 }
  const headers = facts.header === null ? 0 : 1
  const place = (record: number): Promise<number> => recordPlace(facts, marks, record, root)
  return {
    head: await place(headers),
    from: await place(from + headers),
    to: to === facts.rows ? null : await place(to + headers),
  }
}

async function recordPlace(facts: InputFacts, marks: readonly RecordMark[], records: number, root: string): Promise<number> {
  const mark = marks.findLast(one => one.records <= records)!
  let left = records - mark.records
  if (left === 0) return mark.offset
  const text = tableText(facts, root, { from: mark.offset, to: Number.POSITIVE_INFINITY })
  const parsed = parseRows(text, { ...parserOptions(facts.delimiter, facts.quotes), info: true }) as AsyncIterable<unknown>
  for await (const { info } of parsed as AsyncIterable<{ info: { bytes: number } }>)
    if (--left === 0) return mark.offset + info.bytes
  throw new RangeError(`the table has fewer than ${records} records`)
}
