/** On which lines of its file the rows of an input begin: what a person looks for with an editor. It reads no cells. */
import type { Plan } from '../../pipeline/model/types.ts'
import { recordStarts } from './record-offsets.ts'
import { tableText } from './records.ts'

/**
 * The lines (from 1) of data rows (from 1, rising), in one quick look at the file. Empty where quotes inside cells are text,
 * since there a line end may be one as well, and of a workbook, which has no lines. Throws FETTLE_INPUT_READ.
 */
export async function linesOf({ input }: Pick<Plan, 'input'>, rows: readonly number[], root = ''): Promise<readonly number[]> {
  if (rows.length === 0 || input.quotes === 'relaxed' || input.packed?.as === 'xlsx') return []
  const headers = input.header === null ? 0 : 1
  const records = rows.map(row => row - 1 + headers)
  const { starts } = await recordStarts(tableText(input, root), records)
  return starts.map(({ line }) => line + (input.linesBefore ?? 0))
}
