/**
 * Takes a sample of a list: estimates from it how much of the list is in the register, and whether its company numbers are reliable; or
 * matches it without a service, to show what a job would find, at no cost.
 */
import { digestPlace, sampleRows } from '../../../list-sample.ts'
import { turnEvery } from '../../../loop-turns.ts'
import { appliedFacts, companiesNamed, estimateFacts, match, rowEvidence } from '../../matching/index.ts'
import type { ListFacts, Query, RowEvidence } from '../../matching/types.ts'
import type { Engine } from '../../registers/engine.ts'
import { openRegister } from '../../registers/index.ts'
import type { Pace } from './job-pace.ts'

/** The facts of the list of these rows. */
export async function factsOf(
  queries: AsyncIterable<Query> | readonly Query[],
  engine: Pick<Engine, 'rowEvidence'>,
  pace: Pace,
): Promise<ListFacts> {
  const rows: RowEvidence[] = []
  for (const query of await sampleRows(queries)) {
    rows.push(engine.rowEvidence(query))
    await pace()
  }
  return estimateFacts(rows)
}

interface Chosen extends Partial<Pick<ListFacts, 'companyNumbers'>> {
  readonly dir: string
  readonly names: readonly string[]
}

/** Registers, opened to match the rows of a list with the facts that a job estimates. Close them. Throws as openRegister does. */
export async function openForList(queries: AsyncIterable<Query>, { dir, names, ...given }: Chosen) {
  const { index, pages, infos, officers } = await openRegister(dir, names)
  officers.close()
  const close = (): void => pages?.close()
  try {
    const facts = await factsOf(queries, { rowEvidence: query => rowEvidence(index, query) }, turnEvery())
    const list = appliedFacts({ ...facts, ...given })
    const registers = infos.map(({ name, companies, snapshotDate }) => ({ name, companies, snapshotDate }))
    return {
      index,
      registers,
      match: (query: Query) => match(index, query, undefined, list),
      companiesNamed: (text: string, country: string) => companiesNamed(index, text, country),
      close,
    }
  } catch (error) {
    close()
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
