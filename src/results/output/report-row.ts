/**
 * Builds the rows of a report: key, mapped cells and candidates, masked as the plan requires. Those to review, and those with a decision,
 * are stored in the run directory.
 */

import { JsonLinesWriter, readJsonLines, writeJsonLines } from '../../files/json-lines.ts'
import { isColumnMasked, isMappingMasked, MASK } from '../../model/list.ts'
import type { RowCandidate, RowSample } from '../../model/results.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import type { Candidate } from '../candidates.ts'
import { reviewPath } from '../file-names.ts'

type Rules = Pick<Plan, 'mappings' | 'key' | 'input' | 'report'>

/** The mapped columns and the key, which reports mask; found once for each plan, not for each row. */
const maskedColumns = new WeakMap<Rules, ReadonlySet<number>>()

function findMasked(plan: Rules): ReadonlySet<number> {
  const known = maskedColumns.get(plan)
  if (known !== undefined) return known
  const indexes = [...plan.mappings, ...(plan.key === null ? [] : [plan.key])].map(({ index }) => index)
  const masked = new Set(indexes.filter(index => isColumnMasked(plan, index)))
  maskedColumns.set(plan, masked)
  return masked
}

function shownCell(plan: Rules, index: number, inputRow: readonly string[]): string {
  const cell = inputRow[index] ?? ''
  return cell !== '' && findMasked(plan).has(index) ? MASK : cell
}

/** The key of the row, null when the pipeline has no key column. */
export function shownKey(plan: Rules, inputRow: readonly string[]): string | null {
  if (plan.key === null) return null
  return findMasked(plan).has(plan.key.index) ? MASK : (inputRow[plan.key.index] ?? '')
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

export type ReviewRow = Required<Omit<RowSample, 'file'>> & Pick<RowSample, 'file'>

export const reviewWriter = (workDir: string): JsonLinesWriter<ReviewRow> => new JsonLinesWriter(reviewPath(workDir))

/** The stored rows in the order of the input; empty without such a file. */
export const readReview = (workDir: string): AsyncGenerator<ReviewRow> => readJsonLines(reviewPath(workDir))

/** Writes the rows again without some of them. Throws FETTLE_OUTPUT_WRITE. */
export async function removeReviewRows(workDir: string, isGone: (row: ReviewRow) => boolean): Promise<void> {
  async function* left(): AsyncGenerator<ReviewRow> {
    for await (const row of readReview(workDir)) if (!isGone(row)) yield row
  }
  await writeJsonLines(reviewPath(workDir), left())
}
