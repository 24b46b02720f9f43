/** A run of the first rows of its list only. */
import type { RunState } from '../journal/index.ts'
import type { Result } from './schema.ts'
import { count, counted } from './words.ts'

export function partialOf({ plan }: Pick<RunState, 'plan'>): Result['partial'] {
  const { rows, limit, shard, target = null, input } = plan
  return limit === null || shard !== undefined || rows >= input.rows ? null : { rows, of: input.rows, target }
}

/** `Only 500 of 805 rows, target dev. `; empty for a run of all rows. */
export function partialWords(partial: Result['partial']): string {
  if (partial === null) return ''
  const { rows, of, target } = partial
  return `Only ${count(rows)} of ${counted(of, 'row')}${target === null ? '' : `, target ${target}`}. `
}
