/** Digests by which earlier answers are found: of what a row asks the service, and of its key. */
import { digestOf } from '../../files/file-chunks.ts'
import type { Plan } from '../../pipeline/model/types.ts'

type Row = readonly string[]

/** A digest of mapping names and cells, 16 bytes, independent of the order of the mappings and of other columns. */
export function questionDigester({ mappings }: Pick<Plan, 'mappings'>): (uploadRow: Row) => Buffer {
  const named = mappings.toSorted((a, b) => (a.mapping < b.mapping ? -1 : 1))
  return uploadRow =>
    digestOf(
      named.map(({ mapping, index }) => `${mapping}:${(uploadRow[index] ?? '').length}:${uploadRow[index] ?? ''}`).join('\n'),
    )
}

/** A digest of the row's own id, 8 bytes; null without one. */
export function keyDigester({ key }: Pick<Plan, 'key'>): (inputRow: Row) => Buffer | null {
  if (key === null) return () => null
  return inputRow => {
    const cell = inputRow[key.index] ?? ''
    return cell === '' ? null : keyDigest(cell)
  }
}

/** As earlier answers store the id of a row. */
export const keyDigest = (cell: string): Buffer => digestOf(`key ${cell}`).subarray(0, 8)
