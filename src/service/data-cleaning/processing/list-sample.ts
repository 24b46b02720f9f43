/**
 * Takes a sample of a list: estimates from it how much of the list is in the register, and whether its company numbers are reliable; or
 * matches it without a service, to show what a job would find, at no cost.
 */
import { createHash } from 'node:crypto'
import { turnEvery } from '../../../loop-turns.ts'
import { appliedFacts, estimateFacts, match, rowEvidence } from '../../matching/index.ts'
import type { ListFacts, Query, RowEvidence } from '../../matching/types.ts'
import type { Engine } from '../../registers/engine.ts'
import { openRegister } from '../../registers/index.ts'
import type { Pace } from './job-pace.ts'

/** Rows of the sample: the share is then certain to three points in a hundred. A shorter list is taken whole. */
const SAMPLE = 1000

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)

/** A digest of the cells, independent of their order: repeated rows are one. */
export const cellsDigest = (query: Query): string =>
  digestOf(JSON.stringify(Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1))))

/** A digest of the position: repeated rows count each. */
const placeDigest = (_: Query, at: number): string => digestOf(String(at))

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

/** The facts of the list of these rows. */
export async function factsOf(
  queries: AsyncIterable<Query>,
  engine: Pick<Engine, 'rowEvidence'>,
  pace: Pace,
): Promise<ListFacts> {
  const rows: RowEvidence[] = []
  for (const query of await sampleOf(queries, cellsDigest)) {
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
