/** Builds the rows of a report: key, mapped cells and candidates, masked as the plan requires. */

import { isColumnMasked, isMappingMasked, MASK } from '../../model/mask.ts'
import type { RowCandidate } from '../../model/results.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import type { Candidate } from '../candidates.ts'

type Rules = Pick<Plan, 'mappings' | 'key' | 'input' | 'report'>

/** The key of the row, null when the pipeline has no key column. */
export function shownKey(plan: Rules, inputRow: readonly string[]): string | null {
  if (plan.key === null) return null
  return isColumnMasked(plan, plan.key.index) ? MASK : (inputRow[plan.key.index] ?? '')
}

export function shownCells(plan: Rules, inputRow: readonly string[]): Record<string, string> {
  const shown = plan.mappings.map(({ mapping, index }) => {
    const cell = inputRow[index] ?? ''
    return [mapping, cell !== '' && isColumnMasked(plan, index) ? MASK : cell] as const
  })
  return Object.fromEntries(shown)
}

export function shownCandidate(plan: Rules, { id, name, score, why, parts, fields }: Candidate): RowCandidate {
  const shown = Object.entries(fields).map(([mapping, text]) => [mapping, isMappingMasked(plan, mapping) ? MASK : text] as const)
  return { id, name, score, why, parts, fields: Object.fromEntries(shown) }
}
