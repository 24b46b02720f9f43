/** Plans an inspected list as a whole or in shards: row ranges, and rows that are sent where repeated or empty ones are not. */
import { errorOfIssues } from '../../errors.ts'
import type { Inspection } from '../../input/table/inspect.ts'
import { locateRows } from '../../input/table/record-offsets.ts'
// Imported by file, because the index of the folder would load what only a run needs.
import { countRows, type RowCounts } from '../../input/upload/asked-rows.ts'
import {
  type InputFacts,
  needsCount,
  type Pipeline,
  type Plan,
  type PlannedShard,
  planRun,
  type Shard,
  type ShardChoice,
  shareOf,
} from '../../pipeline/index.ts'

/** A list to plan: its first plan counts rows, `path` is where it can be read now. */
export interface InspectedList {
  readonly pipeline: Pipeline
  readonly facts: InputFacts
  readonly plan: Plan
  readonly path: string
  /** Relative paths start from this folder; the working directory if absent. */
  readonly root?: string
  readonly marks: Inspection['marks']
  readonly context: Parameters<typeof planRun>[2]
}

/** The plan of each shard; of the whole list where none is chosen. */
export async function planChoices(
  { pipeline, facts, plan, path, root = '', marks, context }: InspectedList,
  choices: readonly ShardChoice[],
): Promise<ReturnType<typeof planRun>[]> {
  const readable = { ...plan, input: { ...plan.input, path } }
  const ranges = choices.map(choice => shareOf(plan.rows, choice))
  const bounds = ranges.flatMap(({ from, to }) => [from, to])
  const isOfSome = choices.length > 0 && plan.input.emptyRows !== undefined
  const counts = isOfSome || needsCount(plan) ? await countRows(readable, root, bounds) : null
  const all = { ...context, ...(counts === null ? {} : { counts: counts.all }) }
  if (choices.length === 0) return [planRun(pipeline, facts, all)]
  const plans: ReturnType<typeof planRun>[] = []
  for (const [index, choice] of choices.entries()) {
    const range = ranges[index]!
    const span = await locateRows(readable.input, marks, range, root)
    const shard = shardOf(choice, range, counts?.before.slice(2 * index, 2 * index + 2) ?? null, span)
    plans.push(planRun(pipeline, facts, { ...all, shard }))
  }
  return plans
}

/** The plans of all shards of a list. Throws the issues that prevent the split. */
export async function planShards(list: InspectedList, count: number): Promise<readonly Plan[]> {
  const plans = await planChoices(
    list,
    Array.from({ length: count }, (_, index) => ({ number: index + 1, of: count })),
  )
  return plans.map(({ plan, issues }) => {
    if (plan === null) throw errorOfIssues(issues)
    return plan
  })
}

/** A shard with its number of rows. `counts`: those before its first row, and up to its last. */
function shardOf(
  { number, of }: ShardChoice,
  { from, to }: { readonly from: number; readonly to: number },
  counts: readonly RowCounts[] | null,
  span: Shard['span'],
): PlannedShard {
  const [before = { sent: from, skipped: 0 }, after = { sent: to, skipped: 0 }] = counts ?? []
  const shard = { number, of, from, asked: before.sent, span }
  return { shard, rows: to - from, sent: after.sent - before.sent, skipped: after.skipped - before.skipped }
}
