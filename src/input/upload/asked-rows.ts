/** The rows of a plan that are asked about, by this run or by an earlier one: those that are not empty, and with `job.collapse` each different one once. */
import { DigestIndex } from '../../files/digest-index.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import { hasMostlyKnown } from '../../reuse/files/choice.ts'
import { rowKeyMaker } from '../../reuse/files/row-key.ts'
import { emptyRowsOf } from '../table/empty-row.ts'
import { planRows, readRows } from '../table/records.ts'
import { rowMaker } from './upload-row.ts'

export interface AskedRow {
  readonly inputRow: readonly string[]
  readonly uploadRow: readonly string[]
}

/**
 * `onBefore`: called with the rows before those of a shard; `isMostlyKnown`: most rows have an earlier answer, see `hasMostlyKnown`. Throws
 * FETTLE_INPUT_READ.
 */
export async function* askedRows(
  plan: Plan,
  root?: string,
  onBefore?: (uploadRow: readonly string[]) => void,
  isMostlyKnown = hasMostlyKnown(plan),
): AsyncGenerator<AskedRow> {
  const { input, mappings, rows, shard, collapse } = plan
  if (rows === 0) return
  const toUploadRow = rowMaker(mappings)
  const isNew = isFirstOfItsKey(plan)
  const isSkipped = emptyRowsOf(input)
  // Rows that repeat one before the shard are not sent either.
  const isFromStart = collapse || onBefore !== undefined
  const before = isFromStart ? (shard?.from ?? 0) : 0
  let read = 0
  const where = isMostlyKnown ? 'here' : 'aside'
  for await (const inputRow of isFromStart ? readRows(input, root, where) : planRows(plan, root, where)) {
    if (!isSkipped(inputRow)) {
      const uploadRow = toUploadRow(inputRow)
      if (read < before) onBefore?.(uploadRow)
      if (isNew(uploadRow) && read >= before) yield { inputRow, uploadRow }
    }
    if (++read === before + rows) return
  }
}

export function isFirstOfItsKey({ collapse, mappings }: Plan): (uploadRow: readonly string[]) => boolean {
  if (!collapse) return () => true
  const index = new DigestIndex()
  const rowKey = rowKeyMaker({ mappings })
  return uploadRow => {
    const { size } = index
    return index.add(rowKey(uploadRow)) === size
  }
}
