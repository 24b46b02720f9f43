/** Lays out the cells of an output file: the input's own cells, unchanged, and the chosen columns of the enriched file. */

import { formatFacts, formatOfOutput } from '../../formats/index.ts'
import type { ColumnType } from '../../formats/text-formats.ts'
import { columnName, outputNames } from '../../model/column-names.ts'
import { reasonsOf } from '../../model/reasons.ts'
import type { OutputFile } from '../../model/results.ts'
import type { Plan, PlannedOutput } from '../../pipeline/model/types.ts'
import { acceptColumns } from '../accept.ts'
import type { RowResult } from '../decisions/apply-decisions.ts'
import type { EnrichedColumns } from '../enriched-columns.ts'

/** Columns that are not text; the service documents no type of any other. */
const COLUMN_TYPES: Readonly<Record<string, ColumnType>> = {
  'match.score': 'number',
  'match.matchScore': 'number',
  'general.rowNumber': 'number',
  'general.duplicateId': 'number',
  'general.duplicate': 'boolean',
  'general.active': 'boolean',
}

const CANDIDATE = ['match.candidateId', 'match.candidateName']

/** `same number, different postcode`. */
const inWords = (why: string): string =>
  reasonsOf(why)
    .map(({ text }) => text)
    .join(', ')

/** Of a sheet, a column of numbers that is neither the key nor mapped: ids and postcodes stay text. Of JSON, the type of its values. */
function inputType({ input: { packed }, mappings, key }: Plan, at: number): ColumnType {
  if (packed?.as === 'jsonl') return packed.numbers?.includes(at) ? 'number' : packed.booleans?.includes(at) ? 'boolean' : 'text'
  const isFree = key?.index !== at && mappings.every(one => one.index !== at)
  return packed?.as === 'xlsx' && packed.numbers?.includes(at) === true && isFree ? 'number' : 'text'
}

/** Tags that the enriched file lacks, chosen or used by `accept`; `match.*` columns exist in the embedded service only and do not count. */
export const missingColumns = ({ accept }: Plan, output: PlannedOutput, columns: EnrichedColumns): string[] =>
  [...new Set([...output.columns, ...acceptColumns(accept ?? null)])].filter(
    name => name !== '*' && !name.startsWith('match.') && columns.find(name) === -1,
  )

/**
 * The layout of the file at `path`; that of rows in review has the best candidate, too. A chosen column that the
 * service did not deliver stays empty, except `match.outcome`, which follows from the rest: the rows are paid for by then, so a
 * missing column must not lose them.
 */
export function makeLayout(
  plan: Plan,
  output: PlannedOutput,
  columns: EnrichedColumns,
  { kind, path }: Pick<OutputFile, 'kind' | 'path'>,
) {
  const { isForPeople } = formatFacts(formatOfOutput(path, output.format))
  const hasCandidate = (name: string): boolean => columns.find(name) !== -1 || plan.accept != null || plan.candidates != null
  const extra = kind === 'review' ? CANDIDATE.filter(name => hasCandidate(name) && !output.columns.includes(name)) : []
  const chosen = [...output.columns, ...extra]
  const own = plan.input.header ?? Array.from({ length: plan.input.columns }, (_, index) => columnName(index))
  const places = chosen.map(name => ({ name, at: columns.find(name) }))
  return {
    types: chosen.flatMap((name): ColumnType[] =>
      name === '*' ? own.map((_, at) => inputType(plan, at)) : [COLUMN_TYPES[name] ?? 'text'],
    ),
    names: outputNames({ ...output, columns: chosen }, own),
    /** `isRepeat`: the row has the answer of an earlier row. */
    row: (inputRow: readonly string[], { row, outcome, overrideCell }: RowResult, isRepeat: boolean): string[] =>
      places.flatMap(({ name, at }) => {
        if (name === '*') return inputRow
        if (name === 'match.outcome') return [outcome]
        if (name === 'general.duplicate' && isRepeat && outcome === 'duplicate') return ['Y']
        const cell = overrideCell?.(name) ?? row[at] ?? ''
        return [name === 'match.why' && isForPeople ? inWords(cell) : cell]
      }),
  }
}
