/** Inspects a file without a pipeline and proposes a mapping of its columns. Sends and writes nothing. */
import { errorOfIssues, FettleError, type Issue } from '../errors.ts'
import { type Inspection, inspect } from '../input/table/inspect.ts'
import { filledRows } from '../model/list.ts'
import {
  type Decisions,
  type InputFacts,
  type InputOptions,
  isAddress,
  type Knowledge,
  nearest,
  type Proposal,
  propose,
  type SeenColumn,
  type Surroundings,
  shownPath,
  skippedLines,
} from '../pipeline/index.ts'
import { aroundOf, openSectionReader, skippedRowIssues } from './lines-around.ts'

/** How to read a list. */
export type Reading = Omit<InputOptions, 'quotes' | 'skip'> &
  Required<Pick<InputOptions, 'skip'>> & { readonly quotes?: InputOptions['quotes'] }

export interface InspectedColumns {
  readonly facts: InputFacts
  readonly columns: readonly SeenColumn[]
  /** Lines around the table of each file that were recognised and skipped. */
  readonly around: readonly Surroundings[]
  /** Headings and totals inside the list. */
  readonly sections?: Inspection['sections']
  /** Warnings; errors are thrown. */
  readonly issues: readonly Issue[]
}

/** Inspects every column of a file. Throws FETTLE_INPUT_* with all problems that make it unusable. */
export async function inspectColumns(reading: Reading, root: string, signal: AbortSignal): Promise<InspectedColumns> {
  if (isAddress(reading.path))
    throw new FettleError(
      'FETTLE_INPUT_READ',
      `${shownPath(reading.path)} is a remote object; only a local file can be inspected`,
      { hint: 'Fetch it to a file first; the pipeline may then name the address.' },
    )
  const watch = (_: unknown, columns: number) =>
    Array.from({ length: columns }, (_, index) => ({ index, of: ['profile', 'values'] as const }))
  const options = { ...reading, quotes: reading.quotes ?? 'auto' } as const
  const sections = reading.sections === 'skip' ? await openSectionReader() : undefined
  const { facts, cells, edges, ...found } = await inspect(options, { root, signal, around: aroundOf(reading), sections, watch })
  const as = { hasHeader: reading.header, isTailFound: reading.skip.tail === 'auto' }
  const rowsIn = (at: number): number => (facts?.files?.[at] ?? facts)?.rows ?? 0
  const lost = edges.flatMap((table, at) => skippedRowIssues(table, { ...as, rows: rowsIn(at) }, true))
  const issues = [...found.issues, ...lost]
  if (facts === null || issues.some(({ severity }) => severity === 'error')) throw errorOfIssues(issues)
  const rows = filledRows(facts)
  if (rows === 0)
    throw new FettleError(
      'FETTLE_INPUT_EMPTY',
      `${reading.path} ${facts.rows === 0 ? 'has a header and no rows' : 'has only empty rows'}`,
      { hint: 'Take a file with rows.' },
    )
  const columns = Array.from({ length: facts.columns }, (_, index): SeenColumn => {
    const counts = cells.find(column => column.index === index)
    const values = (counts?.values ?? []).filter(({ text }) => text.trim() !== '')
    return {
      index,
      header: facts.header?.[index] ?? null,
      filled: rows - (counts?.empty.count ?? rows),
      distinct: counts?.distinct.count ?? 0,
      values: values.map(({ text }) => text.trim()),
      counts: values.map(({ count }) => count),
      examples: counts?.examples ?? [],
    }
  })
  const { head, tail } = reading.skip
  const around = edges.map(skippedLines).map(
    (found): Surroundings => ({
      head: head === 'auto' ? found.head : 0,
      above: head === 'auto' ? found.above : [],
      tail: tail === 'auto' ? found.tail : 0,
      below: tail === 'auto' ? found.below : [],
    }),
  )
  return { facts, columns, issues, around, sections: found.sections }
}

/** The proposed mapping; `decided` overrides it. */
export async function proposeFor({ facts, columns }: InspectedColumns, decided: Decisions): Promise<Proposal> {
  const { normaliseCountry } = await import('../normalise/country.ts')
  const { parseCompanyName } = await import('../normalise/company-name.ts')
  const knowledge: Knowledge = {
    isCountry: text => normaliseCountry(text) !== '',
    hasLegalForm: text => parseCompanyName(text).legal !== null,
  }
  return propose(columns, filledRows(facts), knowledge, decided)
}

/** The index of the column that a user names by its header, or by its number as `#3`; throws what `refuse` makes of the reason. */
export function findColumn(column: string, columns: InspectedColumns['columns'], refuse: (why: string) => Error): number {
  const byName = columns.filter(({ header }) => header === column || header?.trim() === column)
  if (byName.length === 1) return byName[0]!.index
  if (byName.length > 1)
    throw refuse(`columns ${byName.map(({ index }) => index + 1).join(' and ')} have this header; choose one by #number`)
  const number = /^#(\d{1,4})$/.exec(column)?.[1]
  if (number !== undefined && columns[Number(number) - 1] !== undefined) return Number(number) - 1
  const headers = columns.flatMap(({ header }) => header ?? [])
  const close = nearest(column, headers)
  throw refuse(`there is no such column${close === null ? '' : `; did you mean ${close}?`}`)
}
