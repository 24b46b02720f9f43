/** The sample from which a service estimates facts of a whole list, so that they are the same for all parts of it. */
import { createHash } from 'node:crypto'

type Row = Readonly<Record<string, unknown>>

/** Rows of a sample: a share is then certain to four points in a hundred. More rows change no decision of the labelled lists for the better. */
const SAMPLE_ROWS = 500

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)

/** A digest of the cells, independent of their order: repeated rows are one. */
export const digestCells = (row: Row): string =>
  digestOf(JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))))

/** A digest of the position: repeated rows count each. */
export const digestPlace = (_: Row, at: number): string => digestOf(String(at))

/**
 * Up to `size` rows: those with the lowest digests, one for each digest. By cells, the same rows give the same sample in any order, and a
 * list that differs a little gives almost the same one.
 */
export async function sampleRows<R extends Row>(
  rows: AsyncIterable<R> | Iterable<R>,
  digest: (row: R, at: number) => string = digestCells,
  size = SAMPLE_ROWS,
): Promise<R[]> {
  let kept = new Map<string, R>()
  let limit = ''
  const lowest = (): [string, R][] => [...kept].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, size)
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
