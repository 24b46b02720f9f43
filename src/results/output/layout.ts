/** Lays out the cells of an output file: the input's own cells, unchanged, and the chosen columns of the enriched file. */

import { formatFacts, formatOfOutput } from '../../formats/index.ts'
import { columnName, outputNames } from '../../model/column-names.ts'
import { type ColumnType, columnTypeOf, MIXED, TEXT } from '../../model/column-types.ts'
import { inWords } from '../../model/reasons.ts'
import type { OutputFile } from '../../model/results.ts'
import type { Packing, Plan, PlannedOutput } from '../../pipeline/model/types.ts'
import { acceptColumns } from '../accept.ts'
import type { RowResult } from '../decisions/apply-decisions.ts'
import type { EnrichedColumns } from '../enriched-columns.ts'

/** Columns that are not text; the service documents no type of any other. */
const COLUMN_TYPES: Readonly<Record<string, string>> = {
  'match.score': 'double',
  'match.matchScore': 'double',
  'general.rowNumber': 'int64',
  'general.duplicateId': 'int64',
  'general.duplicate': 'boolean',
  'general.active': 'boolean',
  'answer.reused': 'boolean',
}

/** Days, as the embedded service writes them. */
const DAYS: readonly string[] = ['general.incorporationDate', 'general.establishDate']

const typeOfTag = (name: string, { service }: Plan): ColumnType =>
  columnTypeOf(COLUMN_TYPES[name] ?? (service.kind === 'embedded' && DAYS.includes(name) ? 'date' : 'string'))

const CANDIDATE = ['match.candidateId', 'match.candidateName']

/** The type that a column has in every file of the list. */
function inputType(plan: Plan, at: number): ColumnType {
  const { files, packed, query } = plan.input
  if (query !== undefined) return columnTypeOf(query.types[at] ?? '')
  const [first = TEXT, ...others] = (files ?? [{ packed }]).map(file => fileType(plan, file.packed, at))
  return others.every(({ name }) => name === first.name) ? first : TEXT
}

/** Of a sheet, a column of numbers that is neither the key nor mapped: ids and postcodes stay text. Else the type of its values. */
function fileType({ mappings, key }: Plan, packed: Packing | undefined, at: number): ColumnType {
  if (packed?.as === 'parquet') return columnTypeOf(packed.types[at] ?? '')
  if (packed?.as === 'jsonl')
    return columnTypeOf(packed.numbers?.includes(at) ? 'double' : packed.booleans?.includes(at) ? 'boolean' : '')
  const isFree = key?.index !== at && mappings.every(one => one.index !== at)
  return packed?.as === 'xlsx' && packed.numbers?.includes(at) === true && isFree ? MIXED : TEXT
}

/** Tags that the enriched file lacks, chosen or used by `accept`; `match.*` columns exist in the embedded service only and do not count. */
export const missingColumns = ({ accept }: Plan, output: PlannedOutput, columns: EnrichedColumns): string[] =>
  [...new Set([...output.columns, ...acceptColumns(accept ?? null)])].filter(
    name => name !== '*' && !/^(?:match|answer)\./.test(name) && columns.find(name) === -1,
  )

/** The columns of the file of this kind: those of the output, and of rows in review the best candidate. */
export function chosenColumns(plan: Plan, output: PlannedOutput, columns: EnrichedColumns, kind: OutputFile['kind']): string[] {
  const hasCandidate = (name: string): boolean => columns.find(name) !== -1 || plan.accept != null || plan.candidates != null
  const extra = kind === 'review' ? CANDIDATE.filter(name => hasCandidate(name) && !output.columns.includes(name)) : []
  return [...output.columns, ...extra]
}

/** What is known of an answer itself. */
const ANSWER_CELLS: Readonly<Record<string, (given: RowResult['given']) => string>> = {
  'answer.at': ({ at }) => at,
  'answer.job': ({ job }) => job,
  'answer.reused': ({ reused }) => (reused ? 'Y' : 'N'),
}

/**
 * The layout of the file at `path`, with the columns `chosen`; that of rows in review has the best candidate, too. A chosen column that the
 * service did not deliver stays empty, except `match.outcome`, which follows from the rest: the rows are paid for by then, so a
 * missing column must not lose them.
 */
export function makeLayout(plan: Plan, output: PlannedOutput, columns: EnrichedColumns, path: string, chosen: readonly string[]) {
  const { isForPeople } = formatFacts(formatOfOutput(path, output.format))
  const own = plan.input.header ?? Array.from({ length: plan.input.columns }, (_, index) => columnName(index))
  const places = chosen.map(name => ({ name, at: columns.find(name) }))
  const outputCell = (name: string, at: number, result: RowResult, isRepeat: boolean): string => {
    const { row, outcome, overrideCell, given } = result
    if (name === 'match.outcome') return outcome
    const ofAnswer = ANSWER_CELLS[name]
    if (ofAnswer !== undefined) return outcome === 'skipped' ? '' : ofAnswer(given)
    if (name === 'general.duplicate' && isRepeat && outcome === 'duplicate') return 'Y'
    const cell = overrideCell?.(name) ?? row[at] ?? ''
    return name === 'match.why' && isForPeople ? inWords(cell) : cell
  }
  return {
    types: chosen.flatMap((name): ColumnType[] =>
      name === '*' ? own.map((_, at) => inputType(plan, at)) : [typeOfTag(name, plan)],
    ),
    names: outputNames({ ...output, columns: chosen }, own),
    /** `isRepeat`: the row has the answer of an earlier row. */
    row: (inputRow: readonly string[], rowResult: RowResult, isRepeat: boolean): string[] => {
      const cells: string[] = []
      for (const { name, at } of places)
        if (name === '*') for (const cell of inputRow) cells.push(cell)
        else cells.push(outputCell(name, at, rowResult, isRepeat))
      return cells
    },
  }
}
