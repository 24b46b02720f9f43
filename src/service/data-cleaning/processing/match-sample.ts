/** Matches a sample of a list against registers, without a service: what a job would find, at no cost. */
import { turnEvery } from '../../../loop-turns.ts'
import { appliedFacts, type ListFacts, match, type Query, rowEvidence } from '../../matching/index.ts'
import { openRegister } from '../../registers/index.ts'
import { factsOf, placeDigest, sampleOf } from './estimate-facts.ts'

export interface MatchedSample {
  readonly rows: number
  readonly matched: number
  readonly review: number
  readonly unmatched: number
  readonly registers: readonly { readonly name: string; readonly companies: number; readonly snapshotDate: string }[]
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
): Promise<MatchedSample> {
  const rows = await sampleOf(queries(), placeDigest, size)
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
