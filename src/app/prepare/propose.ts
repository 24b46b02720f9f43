/** Inspects a file without a pipeline and proposes a mapping of its columns. Sends and writes nothing. */
import { errorOfIssues, FettleError, type Issue } from '../../errors.ts'
import { inspect } from '../../input/table/inspect.ts'
import {
  type Decisions,
  type InputFacts,
  type InputOptions,
  isAddress,
  type Knowledge,
  type Proposal,
  propose,
  type SeenColumn,
  shownPath,
} from '../../pipeline/index.ts'

export type Reading = Omit<InputOptions, 'quotes'>

export interface InspectedColumns {
  readonly facts: InputFacts
  readonly columns: readonly SeenColumn[]
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
  const { facts, issues, cells } = await inspect(
    { ...reading, quotes: 'strict' },
    {
      root,
      signal,
      watch: (_, columns) => Array.from({ length: columns }, (_, index) => ({ index, of: ['profile', 'values'] as const })),
    },
  )
  if (facts === null || issues.some(one => one.severity === 'error')) throw errorOfIssues(issues)
  if (facts.rows === 0)
    throw new FettleError('FETTLE_INPUT_EMPTY', `${reading.path} has a header and no rows`, { hint: 'Take a file with rows.' })
  const columns = Array.from({ length: facts.columns }, (_, index): SeenColumn => {
    const counts = cells.find(one => one.index === index)
    const values = (counts?.values ?? []).map(one => one.text.trim()).filter(text => text !== '')
    return {
      index,
      header: facts.header?.[index] ?? null,
      filled: facts.rows - (counts?.empty.count ?? facts.rows),
      distinct: counts?.distinct.count ?? 0,
      values,
      examples: counts?.examples ?? [],
    }
  })
  return { facts, columns, issues }
}

/** The proposed mapping; `decided` overrides it. */
export async function proposeFor({ facts, columns }: InspectedColumns, decided: Decisions): Promise<Proposal> {
  return propose(columns, facts.rows, await knowledge(), decided)
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
