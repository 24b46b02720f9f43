/** Builds the rows of a report: key, mapped cells and candidates, masked as the plan requires. */

import { isColumnMasked, isMappingMasked, MASK } from '../../model/list.ts'
import type { RowCandidate } from '../../model/results.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import type { Candidate } from '../candidates.ts'

type Rules = Pick<Plan, 'mappings' | 'key' | 'input' | 'report'>

/** The mapped columns, and the key, of which reports show a mask; found once for each plan, not for each row. */
const maskedColumns = new WeakMap<Rules, ReadonlySet<number>>()

function maskedOf(plan: Rules): ReadonlySet<number> {
  const known = maskedColumns.get(plan)
  if (known !== undefined) return known
  const indexes = [...plan.mappings, ...(plan.key === null ? [] : [plan.key])].map(({ index }) => index)
  const masked = new Set(indexes.filter(index => isColumnMasked(plan, index)))
  maskedColumns.set(plan, masked)
  return masked
}

function shownCell(plan: Rules, index: number, inputRow: readonly string[]): string {
  const cell = inputRow[index] ?? ''
  return cell !== '' && maskedOf(plan).has(index) ? MASK : cell
}

/** The key of the row, null when the pipeline has no key column. */
export function shownKey(plan: Rules, inputRow: readonly string[]): string | null {
  if (plan.key === null) return null
  return maskedOf(plan).has(plan.key.index) ? MASK : (inputRow[plan.key.index] ?? '')
}

export const shownCells = (plan: Rules, inputRow: readonly string[]): Record<string, string> =>
  Object.fromEntries(plan.mappings.map(({ mapping, index }) => [mapping, shownCell(plan, index, inputRow)] as const))

/** The name of the row as reports show it; empty without a mapped name. */
export function shownName(plan: Rules, inputRow: readonly string[]): string {
  const name = plan.mappings.findLast(({ mapping }) => mapping === 'name')
  return name === undefined ? '' : shownCell(plan, name.index, inputRow)
}

export function shownCandidate(plan: Rules, { id, name, score, why, parts, fields }: Candidate): RowCandidate {
  if (plan.report.mask.length === 0) return { id, name, score, why, parts, fields }
  const shown = Object.entries(fields).map(([mapping, text]) => [mapping, isMappingMasked(plan, mapping) ? MASK : text] as const)
  return { id, name, score, why, parts, fields: Object.fromEntries(shown) }
}
