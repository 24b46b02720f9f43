/** Estimates how much of a list is in the register, from a sample of its rows. */
import { createHash } from 'node:crypto'
import { estimateShare } from '../../matching/index.ts'
import type { Query } from '../../matching/types.ts'
import type { Engine } from '../../registers/engine.ts'
import type { Pace } from './job-pace.ts'

/** Rows of the sample: the share is then certain to three points in a hundred. A shorter list is taken whole. */
const SAMPLE = 1000

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)

/** A digest of the cells, independent of their order: repeated rows are one. */
export const cellsDigest = (query: Query): string =>
  digestOf(JSON.stringify(Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1))))

/** A digest of the position: repeated rows count each. */
export const placeDigest = (_: Query, at: number): string => digestOf(String(at))

/**
 * Up to `size` rows: those with the lowest digests, one for each digest. By cells, the same rows give the same sample in any order, and a
 * list that differs a little gives almost the same one.
 */
export async function sampleOf(
  rows: AsyncIterable<Query>,
  digest: (row: Query, at: number) => string,
  size = SAMPLE,
): Promise<Query[]> {
  let kept = new Map<string, Query>()
  let limit = ''
  const lowest = (): [string, Query][] => [...kept].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, size)
  let at = 0
  for await (const row of rows) {
    const key = digest(row, at++)
    if (limit !== '' && key > limit) continue
    kept.set(key, row)
    if (kept.size < 2 * size) continue
    kept = new Map(lowest())
    limit = [...kept.keys()].at(-1) ?? ''
  }
  return lowest().map(([, row]) => row)
}

/** How much of the list of these rows is in the register of the engine. */
export async function shareOf(queries: AsyncIterable<Query>, engine: Pick<Engine, 'presence'>, pace: Pace): Promise<number> {
  const rows: number[] = []
  for (const query of await sampleOf(queries, cellsDigest)) {
    const presence = engine.presence(query)
    if (presence !== null) rows.push(presence)
    await pace()
  }
  return estimateShare(rows)
}
