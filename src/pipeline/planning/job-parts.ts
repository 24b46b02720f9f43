/** Which of the rows that go up go into which remote job. Pure arithmetic. */
import type { Plan } from '../model/types.ts'

/** The parts of a run in the order of the rows, `split` rows each; one at least. */
export function partsOf(sent: number, split: number | null): Plan['parts'] {
  const size = split ?? Math.max(1, sent)
  const count = Math.max(1, Math.ceil(sent / size))
  return Array.from({ length: count }, (_, part) => ({ from: part * size, rows: Math.min(size, sent - part * size) }))
}
