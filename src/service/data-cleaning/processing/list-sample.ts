/**
 * Takes a sample of a list: estimates from it how much of the list is in the register, and whether its company numbers are reliable; or
 * matches it without a service, to show what a job would find, at no cost.
 */
import { digestPlace, sampleRows } from '../../../list-sample.ts'
import { turnEvery } from '../../../loop-turns.ts'
import { appliedFacts, estimateFacts, match, rowEvidence } from '../../matching/index.ts'
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

/**
 * Matches up to `size` rows, chosen by their positions: the same list gives the same sample. The list is read twice, because its facts are
 * those that a job estimates, from different rows of the whole list. Throws as openRegister does.
 */
export async function matchSample(
  queries: () => AsyncIterable<Query>,
  size: number,
  {
    dir,
    names,
    ...given
  }: { readonly dir: string; readonly names: readonly string[] } & Partial<Pick<ListFacts, 'companyNumbers'>>,
) {
  const rows = await sampleRows(queries(), digestPlace, size)
  const { index, pages, infos, officers } = await openRegister(dir, names)
  officers.close()
  const turn = turnEvery()
  const registers = infos.map(({ name, companies, snapshotDate }) => ({ name, companies, snapshotDate }))
  try {
    const facts = await factsOf(queries(), { rowEvidence: query => rowEvidence(index, query) }, turn)
    const list = appliedFacts({ ...facts, ...given })
    const counts = { matched: 0, review: 0, unmatched: 0 }
    for (const row of rows) {
      await turn()
      counts[match(index, row, undefined, list).decision]++
    }
    return { rows: rows.length, ...counts, registers }
  } finally {
    pages?.close()
  }
}
