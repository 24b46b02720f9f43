/** Groups the rows of a planned list, for the outputs of a run. */
import { planRows } from '../input/table/records.ts'
import { rowMaker, skippedRows } from '../input/upload/upload-row.ts'
import { GROUP_COLUMNS } from '../model/columns.ts'
import type { Plan } from '../pipeline/model/types.ts'
import { REGISTER_COLUMNS_OF, type TableColumns } from '../prepare/table-register.ts'
import { groupRows } from './dedupe.ts'
import { readList } from './list.ts'

/** Returns what the columns `dup.*` have for a row, from 1. Throws FETTLE_INPUT_READ. */
export async function groupsOfPlan(
  plan: Plan,
  {
    root = '',
    signal = new AbortController().signal,
  }: { readonly root?: string | undefined; readonly signal?: AbortSignal | undefined },
): Promise<(row: number) => Readonly<Record<string, string>>> {
  const { input, mappings, dedupe } = plan
  const keep = { by: dedupe!.keep }
  const table = { inspected: { facts: input, columns: [] }, columns: columnsOf(mappings) }
  const list = await readList(table, { keep, cwd: root, signal, rows: readPlanned(plan, root) })
  const { cellsOf } = await groupRows(list, { keep, decisions: [], signal })
  return row => {
    const cells = cellsOf(row - 1)
    return Object.fromEntries(GROUP_COLUMNS.map((name, at) => [name, cells[at]!]))
  }
}

/** The rows of the run, as they are sent. */
async function* readPlanned(plan: Plan, root: string): AsyncGenerator<readonly string[]> {
  const toUploadRow = rowMaker(plan.mappings)
  const isSkipped = skippedRows(plan.input)
  const before = plan.shard?.from ?? 0
  let left = plan.rows
  if (left === 0) return
  for await (const row of planRows(plan, root)) {
    yield isSkipped(row, before + plan.rows - left + 1) ? [] : toUploadRow(row)
    if (--left === 0) return
  }
}

function columnsOf(mappings: Plan['mappings']): TableColumns {
  const columns: Record<string, number[]> = {}
  for (const { mapping, index } of mappings) {
    const name = (REGISTER_COLUMNS_OF as Readonly<Record<string, string>>)[mapping]
    if (name !== undefined) columns[name] = [...(columns[name] ?? []), index]
  }
  return columns
}
