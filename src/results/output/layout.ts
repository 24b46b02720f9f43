/** Which cell goes where in an output file: the input's own cells as they were, and the chosen columns of the enriched file. */

import { columnName } from '../../formats/text-formats.ts'
import type { Plan, PlannedOutput } from '../../pipeline/model/types.ts'
import type { RowResult } from '../decisions/apply-decisions.ts'
import type { EnrichedColumns } from '../enriched-columns.ts'

const CANDIDATE = ['match.candidateId', 'match.candidateName']

/** Chosen tags that the enriched file does not have; `match.*` columns are the embedded service's own and not missed. */
export const missingColumns = (output: PlannedOutput, columns: EnrichedColumns): string[] =>
  output.columns.filter(name => name !== '*' && !name.startsWith('match.') && columns.find(name) === -1)

/** The columns of one output file. */
export interface Layout {
  readonly names: readonly string[]
  /** A repeat was given the answer of another row. */
  row(own: readonly string[], answer: RowResult, isRepeat: boolean): string[]
}

/**
 * The layout of the main file, and of the review file when `withCandidate` (it adds the best company found, if the service names
 * one). A chosen column that the service did not deliver stays empty, but for `match.outcome`, which is known from the rest: the
 * rows are paid for by then, and no column is worth losing them.
 */
export function makeLayout(plan: Plan, output: PlannedOutput, columns: EnrichedColumns, withCandidate: boolean): Layout {
  const extra = withCandidate ? CANDIDATE.filter(name => columns.find(name) !== -1 && !output.columns.includes(name)) : []
  const chosen = [...output.columns, ...extra]
  const own = plan.input.header ?? Array.from({ length: plan.input.columns }, (_, index) => columnName(index))
  const places = chosen.map(name => ({ name, at: columns.find(name) }))
  return {
    names: chosen.flatMap(name => (name === '*' ? own : [name])),
    row: (cells, { row, outcome, instead }, isRepeat) =>
      places.flatMap(({ name, at }) => {
        if (name === '*') return cells
        if (name === 'match.outcome') return [outcome]
        if (name === 'general.duplicate' && isRepeat && outcome === 'duplicate') return ['Y']
        return [instead?.(name) ?? (at === -1 ? '' : row[at]!)]
      }),
  }
}
