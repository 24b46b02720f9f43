/** Matches a sample of a list against registers, without a service: what a job would find, at no cost. */
import { turnEvery } from '../../../loop-turns.ts'
import { estimateShare, match, presence, type Query } from '../../matching/index.ts'
import { openRegister } from '../../registers/index.ts'
import { placeDigest, sampleOf } from './estimate-share.ts'

export interface MatchedSample {
  readonly rows: number
  readonly matched: number
  readonly review: number
  readonly unmatched: number
  readonly registers: readonly { readonly name: string; readonly companies: number; readonly snapshotDate: string }[]
}

/** Matches up to `size` rows, chosen by their positions: the same list gives the same sample. Throws as openRegister does. */
export async function matchSample(
  queries: AsyncIterable<Query>,
  size: number,
  { dir, names }: { readonly dir: string; readonly names: readonly string[] },
): Promise<MatchedSample> {
  const rows = await sampleOf(queries, placeDigest, size)
  const { index, infos, officers } = await openRegister(dir, names)
  officers.close()
  const turn = turnEvery()
  const known: number[] = []
  for (const row of rows) {
    await turn()
    const found = presence(index, row)
    if (found !== null) known.push(found)
  }
  const share = estimateShare(known)
  const counts = { matched: 0, review: 0, unmatched: 0 }
  for (const row of rows) {
    await turn()
    counts[match(index, row, undefined, share).decision]++
  }
  const registers = infos.map(({ name, companies, snapshotDate }) => ({ name, companies, snapshotDate }))
  return { rows: rows.length, ...counts, registers }
}
