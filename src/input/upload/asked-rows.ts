/** The rows of a plan that are asked about, by this run or by an earlier one: those that are not empty, and with `job.collapse` each different one once. */
import { DigestIndex } from '../../files/digest-index.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import { hasMostlyKnown } from '../../reuse/files/choice.ts'
import { rowKeyMaker } from '../../reuse/files/row-key.ts'
import { planRows, readRows } from '../table/records.ts'
import { rowMaker, skippedRows } from './upload-row.ts'

/**
 * `onBefore`: called with the rows before the rows of a shard; `isMostlyKnown`: most rows have an earlier answer, see `hasMostlyKnown`. Throws
 * FETTLE_INPUT_READ.
 */
export async function* askedRows(
  plan: Plan,
  root?: string,
  onBefore?: (uploadRow: readonly string[]) => void,
  isMostlyKnown = hasMostlyKnown(plan),
): AsyncGenerator<{ readonly inputRow: readonly string[]; readonly uploadRow: readonly string[] }> {
  const { input, mappings, rows, shard, collapse } = plan
  if (rows === 0) return
  const toUploadRow = rowMaker(mappings)
  const isNew = isFirstOfItsKey(plan)
  const isSkipped = skippedRows(input)
  // Rows that repeat one before the shard are not sent either.
  const isFromStart = collapse || onBefore !== undefined
  const before = isFromStart ? (shard?.from ?? 0) : 0
  const first = isFromStart ? 0 : (shard?.from ?? 0)
  let read = 0
  const where = isMostlyKnown ? 'here' : 'aside'
  for await (const inputRow of isFromStart ? readRows(input, root, where) : planRows(plan, root, where)) {
    if (!isSkipped(inputRow, first + read + 1)) {
      const uploadRow = toUploadRow(inputRow)
      if (read < before) onBefore?.(uploadRow)
      if (isNew(uploadRow) && read >= before) yield { inputRow, uploadRow }
    }
    if (++read === before + rows) return
  }
}

function isFirstOfItsKey({ collapse, mappings }: Plan): (uploadRow: readonly string[]) => boolean {
  if (!collapse) return () => true
  const index = new DigestIndex()
  const rowKey = rowKeyMaker({ mappings })
  return uploadRow => {
    const { size } = index
    return index.add(rowKey(uploadRow)) === size
  }
}

/**
 * Mapping to text of each row that is sent, in their order, without empty cells; also of rows that other parts or shards send. Throws
 * FETTLE_INPUT_READ.
 */
export async function* sentRows(plan: Plan, root = ''): AsyncGenerator<Readonly<Record<string, string>>> {
  const { mappings, limit, input } = plan
  const whole: Plan = { ...plan, shard: undefined, rows: limit ?? input.rows }
  for await (const { uploadRow } of askedRows(whole, root, undefined, false)) yield mappedCells(mappings, uploadRow)
}

/** Mapping to text of a sent row, without empty cells. */
export function mappedCells(mappings: Plan['mappings'], uploadRow: readonly string[]): Readonly<Record<string, string>> {
  const cells = mappings.map(({ mapping, index }) => [mapping, uploadRow[index]?.trim() ?? ''] as const)
  return Object.fromEntries(cells.filter(([, cell]) => cell !== ''))
}

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
  const isSkipped = skippedRows(input)
  const before: RowCounts[] = []
  let read = 0
  let skipped = 0
  const counts = (): RowCounts => ({ sent: collapse ? index.size : read - skipped, skipped })
  if (rows > 0)
    for await (const inputRow of readRows(input, root)) {
      while (at[before.length] === read) before.push(counts())
      if (isSkipped(inputRow, read + 1)) skipped++
      else if (collapse) index.add(rowKey(toUploadRow(inputRow)))
      if (++read === rows) break
    }
  while (before.length < at.length) before.push(counts())
  return { all: counts(), before }
}
