/** Estimates how much of a list is in the register, from a sample of its rows that is the same for any part of the list. */
import { estimateShare } from '../../matching/index.ts'
import type { Query } from '../../matching/types.ts'
import type { Engine } from '../../registers/engine.ts'
import type { Pace } from './job-pace.ts'

/** Rows of the sample: the share is then certain to three points in a hundred. A shorter list is taken whole. */
const SAMPLE = 1000

/** A number for a row's position, which spreads the sample over the list (finaliser of MurmurHash3). */
function mix(row: number): number {
  let hash = row >>> 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Up to `size` rows, in their order: those whose positions have the lowest numbers. The same rows give the same sample. */
export async function sampleOf<Row>(rows: AsyncIterable<Row>, size = SAMPLE): Promise<Row[]> {
  let kept: { readonly at: number; readonly order: number; readonly row: Row }[] = []
  const cut = (): void => {
    kept = kept.sort((a, b) => a.order - b.order || a.at - b.at).slice(0, size)
  }
  let limit = Number.POSITIVE_INFINITY
  let at = 0
  for await (const row of rows) {
    at += 1
    const order = mix(at)
    if (order >= limit) continue
    kept.push({ at, order, row })
    if (kept.length < 2 * size) continue
    cut()
    limit = kept.at(-1)?.order ?? limit
  }
  cut()
  return kept.sort((a, b) => a.at - b.at).map(({ row }) => row)
}

/** How much of the list of these rows is in the register of the engine. */
export async function shareOf(queries: AsyncIterable<Query>, engine: Engine, pace: Pace): Promise<number> {
  const rows: number[] = []
  for (const query of await sampleOf(queries)) {
    const presence = engine.presence(query)
    if (presence !== null) rows.push(presence)
    await pace()
  }
  return estimateShare(rows)
}
