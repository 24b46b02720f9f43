/** The mapped cells of every row that is sent of a list, also of those that other parts or shards send. */
import type { Plan } from '../../pipeline/model/types.ts'
import { emptyRowsOf } from '../table/empty-row.ts'
import { readRows } from '../table/records.ts'
import { isFirstOfItsKey } from './asked-rows.ts'
import { rowMaker } from './upload-row.ts'

/** Mapping to text of each row, without empty cells, in the order in which the rows are sent. Throws FETTLE_INPUT_READ. */
export async function* sentRows(plan: Plan, root = ''): AsyncGenerator<Readonly<Record<string, string>>> {
  const { input, mappings, limit } = plan
  const toUploadRow = rowMaker(mappings)
  const isNew = isFirstOfItsKey(plan)
  const isSkipped = emptyRowsOf(input)
  let read = 0
  for await (const inputRow of readRows(input, root)) {
    if (!isSkipped(inputRow)) {
      const row = toUploadRow(inputRow)
      if (isNew(row))
        yield Object.fromEntries(
          mappings.flatMap(({ mapping, index }) => {
            const cell = row[index]?.trim() ?? ''
            return cell === '' ? [] : [[mapping, cell]]
          }),
        )
    }
    if (++read === limit) return
  }
}
