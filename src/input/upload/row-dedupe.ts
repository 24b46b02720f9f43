/** Counts the rows of a list that are sent: those that are not empty, and where rows are collapsed each different one once. */
import { DigestIndex } from '../../files/digest-index.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import { rowKeyMaker } from '../../reuse/files/row-key.ts'
import { emptyRowsOf } from '../table/empty-row.ts'
import { readRows } from '../table/records.ts'
import { rowMaker } from './upload-row.ts'

/** Rows that are sent, each different one once where rows are collapsed, and empty rows, which are not. */
export interface RowCounts {
  readonly sent: number
  readonly skipped: number
}

/** Counts the rows of a plan, and those before each of the rows `at` (from 0, ascending). Throws FETTLE_INPUT_READ. */
export async function countRows(
  { input, mappings, rows, collapse }: Pick<Plan, 'input' | 'mappings' | 'rows' | 'collapse'>,
  root = '',
  at: readonly number[] = [],
): Promise<{ readonly all: RowCounts; readonly before: readonly RowCounts[] }> {
  const index = new DigestIndex()
  const toUploadRow = rowMaker(mappings)
  const rowKey = rowKeyMaker({ mappings })
  const isSkipped = emptyRowsOf(input)
  const before: RowCounts[] = []
  let read = 0
  let skipped = 0
  const counts = (): RowCounts => ({ sent: collapse ? index.size : read - skipped, skipped })
  if (rows > 0)
    for await (const inputRow of readRows(input, root)) {
      while (at[before.length] === read) before.push(counts())
      if (isSkipped(inputRow)) skipped++
      else if (collapse) index.add(rowKey(toUploadRow(inputRow)))
      if (++read === rows) break
    }
  while (before.length < at.length) before.push(counts())
  return { all: counts(), before }
}
