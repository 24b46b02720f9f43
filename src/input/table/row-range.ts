/**
 * Where the rows of a shard lie in the text of a table. What was noted while the table was looked through leads close to them, so
 * that nothing is read a second time but the mebibyte around each end.
 */
import type { InputFacts, Shard } from '../../pipeline/model/types.ts'
import { parseRows, parserOptions, tableText } from './records.ts'

/** So many records (the header is one) lie before this byte of the text of the table. */
export interface RecordMark {
  readonly records: number
  readonly offset: number
}

/** Marks are made so far apart. */
const MARK_BYTES = 1_048_576

/** Notes marks while a table is scanned. */
export class Checkpoints {
  readonly all: RecordMark[] = [{ records: 0, offset: 0 }]

  /** `offset`: behind the last complete record. */
  note(records: number, offset: number): void {
    if (offset - this.all.at(-1)!.offset >= MARK_BYTES) this.all.push({ records, offset })
  }
}

/** Where the header ends, and where rows `from` (from 0) up to `to` lie. Throws FETTLE_INPUT_READ. */
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

/** The byte behind so many records. */
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
