/**
 * Takes a sample of a list: estimates from it and from the register how much evidence a match needs, and whether company numbers are reliable; or
 * matches it without a service, to show what a job would find, at no cost.
 */
import { digestPlace, sampleRows } from '../../../list-sample.ts'
import { turnEvery } from '../../../loop-turns.ts'
import { absentEvidence, companiesNamed, estimateFacts, isShort, match, rowEvidence } from '../../matching/index.ts'
import type { ListFacts, Query, RowEvidence } from '../../matching/types.ts'
import type { Engine } from '../../registers/engine.ts'
import { openRegister } from '../../registers/index.ts'
import type { Pace } from './job-pace.ts'

/** Companies of the register that are asked for with them taken out of it, to learn how rows that it lacks are matched; fewer for a short list. */
const ABSENT = 2000
/** This many are enough for a list where this share at least is found without doubt: few of its rows can be wrong. */
const [FEW_ABSENT, WELL_FOUND] = [1000, 0.5]
const ABSENT_PER_ROW = 10

/** The facts of the list of these rows; `precision`: the share of its matches that should be right. */
export async function factsOf(
  queries: AsyncIterable<Query> | readonly Query[],
  engine: Pick<Engine, 'rowEvidence' | 'absentEvidence' | 'size'>,
  { pace, precision }: { readonly pace: Pace; readonly precision: number | undefined },
): Promise<ListFacts> {
  const sample = await sampleRows(queries)
  const rows: RowEvidence[] = []
  for (const query of sample) {
    rows.push(engine.rowEvidence(query))
    await pace()
  }
  const absent: RowEvidence[] = []
  const most = isShort(rows) ? 0 : Math.min(ABSENT, ABSENT_PER_ROW * rows.length, engine.size)
  for (let at = 0; at < most; at++) {
    if (at === FEW_ABSENT && estimateFacts(rows, absent).inRegister.from >= WELL_FOUND) break
    absent.push(engine.absentEvidence(sample[at % sample.length]!, at))
    await pace()
  }
  return estimateFacts(rows, absent, precision)
}

interface Chosen extends Partial<Pick<ListFacts, 'companyNumbers'>> {
  readonly dir: string
  readonly names: readonly string[]
  /** The share of the matches that should be right. */
  readonly precision?: number | undefined
}

/** Registers, opened to match rows of several lists, each with the facts that a job estimates. Close them. Throws as openRegister does. */
export async function openForLists({ dir, names }: Pick<Chosen, 'dir' | 'names'>) {
  const { index, pages, infos, officers } = await openRegister(dir, names)
  officers.close()
  const engine = {
    rowEvidence: (query: Query) => rowEvidence(index, query),
    absentEvidence: (query: Query, at: number) => absentEvidence(index, query, at),
    size: index.companies.length,
  }
  return {
    index,
    registers: infos.map(({ name, companies, snapshotDate }) => ({ name, companies, snapshotDate })),
    factsOf: (queries: Parameters<typeof factsOf>[0], precision: number | undefined) =>
      factsOf(queries, engine, { pace: turnEvery(), precision }),
    match: (query: Query, list: ListFacts) => match(index, query, undefined, list),
    companiesNamed: (text: string, country: string) => companiesNamed(index, text, country),
    close: (): void => pages?.close(),
  }
}

/** Registers, opened to match the rows of one list. Close them. Throws as openRegister does. */
export async function openForList(queries: AsyncIterable<Query>, { dir, names, precision, ...given }: Chosen) {
  const opened = await openForLists({ dir, names })
  try {
    const list = { ...(await opened.factsOf(queries, precision)), ...given }
    return { ...opened, match: (query: Query) => opened.match(query, list) }
  } catch (error) {
    opened.close()
    throw error
  }
}

/**
 * Matches up to `size` rows, chosen by their positions: the same list gives the same sample. The list is read twice, because its facts are
 * those that a job estimates, from different rows of the whole list. Throws as openRegister does.
 */
export async function matchSample(queries: () => AsyncIterable<Query>, size: number, chosen: Chosen) {
  const rows = await sampleRows(queries(), digestPlace, size)
  const { match, registers, close } = await openForList(queries(), chosen)
  const turn = turnEvery()
  try {
    const counts = { matched: 0, review: 0, unmatched: 0 }
    for (const row of rows) {
      await turn()
      counts[match(row).decision]++
    }
    return { rows: rows.length, ...counts, registers }
  } finally {
    close()
  }
}
