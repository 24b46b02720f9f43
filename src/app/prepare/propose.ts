/** Inspects a file without a pipeline and proposes a mapping of its columns. Sends and writes nothing. */
import { errorOfIssues, FettleError, type Issue } from '../../errors.ts'
import { type Inspection, inspect } from '../../input/table/inspect.ts'
import { filledRows } from '../../model/filled-rows.ts'
import {
  type Decisions,
  type InputFacts,
  type InputOptions,
  isAddress,
  type Knowledge,
  type Proposal,
  propose,
  type SeenColumn,
  type Surroundings,
  shownPath,
  surroundingsOf,
} from '../../pipeline/index.ts'

/** How to read a list; `skip` holds what was asked for, null where lines are to be found. */
export type Reading = Omit<InputOptions, 'quotes' | 'skip'> & {
  readonly skip: { readonly head: number | null; readonly tail: number | null }
}

export interface InspectedColumns {
  readonly facts: InputFacts
  readonly columns: readonly SeenColumn[]
  /** Lines that were skipped around the table, by request or because they were recognised. */
  readonly skip: NonNullable<InputOptions['skip']>
  readonly around: Surroundings
  /** Warnings; errors are thrown. */
  readonly issues: readonly Issue[]
}

/** Inspects every column of a file. Throws FETTLE_INPUT_* with all problems that make it unusable. */
export async function inspectColumns(reading: Reading, root: string, signal: AbortSignal): Promise<InspectedColumns> {
  if (isAddress(reading.path))
    throw new FettleError(
      'FETTLE_INPUT_READ',
      `${shownPath(reading.path)} is a remote object; only a local file can be inspected`,
      {
        hint: 'Fetch it to a file first; the pipeline may then name the address.',
      },
    )
  const { skip, around, inspection } = await inspectTable(reading, {
    root,
    signal,
    watch: (_, columns) => Array.from({ length: columns }, (_, index) => ({ index, of: ['profile', 'values'] as const })),
  })
  const { facts, issues, cells } = inspection
  if (facts === null || issues.some(one => one.severity === 'error')) throw errorOfIssues(issues)
  const rows = filledRows(facts)
  if (rows === 0)
    throw new FettleError(
      'FETTLE_INPUT_EMPTY',
      `${reading.path} ${facts.rows === 0 ? 'has a header and no rows' : 'has only empty rows'}`,
      {
        hint: 'Take a file with rows.',
      },
    )
  const columns = Array.from({ length: facts.columns }, (_, index): SeenColumn => {
    const counts = cells.find(one => one.index === index)
    const values = (counts?.values ?? []).filter(one => one.text.trim() !== '')
    return {
      index,
      header: facts.header?.[index] ?? null,
      filled: rows - (counts?.empty.count ?? rows),
      distinct: counts?.distinct.count ?? 0,
      values: values.map(one => one.text.trim()),
      counts: values.map(one => one.count),
      examples: counts?.examples ?? [],
    }
  })
  return { facts, columns, issues, skip, around }
}

const NOTHING: Surroundings = { head: 0, tail: 0, above: [], below: [] }

/** Inspects the table of a file, and once more without the lines that were recognised around it. */
async function inspectTable(
  { skip: asked, ...reading }: Reading,
  extra: Parameters<typeof inspect>[1],
): Promise<{ skip: NonNullable<InputOptions['skip']>; around: Surroundings; inspection: Inspection }> {
  const read = (skip: NonNullable<InputOptions['skip']>): Promise<Inspection> =>
    inspect({ ...reading, quotes: 'strict', ...(skip.head + skip.tail === 0 ? {} : { skip }) }, extra)
  const given = { head: asked.head ?? 0, tail: asked.tail ?? 0 }
  const inspection = await read(given)
  const { head, tail, above, below } = linesAround(inspection, reading.header) ?? NOTHING
  const around: Surroundings = {
    ...(asked.head === null ? { head, above } : { head: 0, above: [] }),
    ...(asked.tail === null ? { tail, below } : { tail: 0, below: [] }),
  }
  if (around.head + around.tail === 0) return { skip: given, around, inspection }
  const skip = { head: asked.head ?? head, tail: asked.tail ?? tail }
  return { skip, around, inspection: await read(skip) }
}

/** Lines around the table that are no part of it; null without any. A `sep=` line above them is part of the dialect. */
export function linesAround({ facts, edges }: Pick<Inspection, 'facts' | 'edges'>, hasHeader: boolean): Surroundings | null {
  if (facts === null || edges === null) return null
  const found = surroundingsOf(edges, hasHeader)
  const hasSeparator = (facts.linesBefore ?? 0) > (facts.skipped?.head ?? 0)
  const around = hasSeparator ? { ...found, head: 0, above: [] } : found
  return around.head + around.tail === 0 ? null : around
}

/** The proposed mapping; `decided` overrides it. */
export async function proposeFor({ facts, columns }: InspectedColumns, decided: Decisions): Promise<Proposal> {
  return propose(columns, filledRows(facts), await knowledge(), decided)
}

async function knowledge(): Promise<Knowledge> {
  const [{ normaliseCountry }, { parseCompanyName }] = await Promise.all([
    import('../../normalise/country.ts'),
    import('../../normalise/company-name.ts'),
  ])
  return {
    isCountry: text => normaliseCountry(text) !== '',
    hasLegalForm: text => parseCompanyName(text).legal !== null,
  }
}
