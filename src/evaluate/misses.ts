/** The rows of an evaluation that were decided wrongly or left to a person, as a table for a review. */
import type { Plan } from '../pipeline/index.ts'
import { shownCandidate, shownCells, shownKey } from '../results/output/report-row.ts'
import { fingerprinter, keyFingerprint } from '../results/row-fingerprint.ts'
import { reviewTable } from '../review/review.ts'
import type { MissedRow } from './evaluate.ts'
import type { Miss } from './measure.ts'

/** Rows of a table: a person looks at no more, and they are held in memory. */
export const MOST_MISSES = 10_000

/** In this order: wrong matches, rows that were not found, rows in review. */
const ORDER: readonly Miss[] = ['wrong', 'missed', 'review']

/** The table of a review, with a column `miss`. Masked as reports are. */
export function missesTable(plan: Plan, missed: readonly MissedRow[]) {
  const fingerprintOf = fingerprinter(plan)
  const sorted = [...missed].sort((a, b) => ORDER.indexOf(a.miss) - ORDER.indexOf(b.miss))
  const samples = sorted.map(({ number, inputRow, uploadRow, candidates }) => ({
    row: number,
    key: shownKey(plan, inputRow),
    cells: shownCells(plan, inputRow),
    fingerprint: keyFingerprint(plan, inputRow[plan.key?.index ?? 0] ?? '') || fingerprintOf(uploadRow),
    candidates: candidates.map(candidate => shownCandidate(plan, { ...candidate, tags: {} })),
    decision: null,
  }))
  const { names, rows } = reviewTable([...new Set(plan.mappings.map(({ mapping }) => mapping))], samples)
  const rowAt = names.indexOf('row')
  const missOfRow = new Map(sorted.map(({ number, miss }) => [String(number), miss]))
  return { names: [...names, 'miss'], rows: rows.map(line => [...line, missOfRow.get(line[rowAt] ?? '') ?? '']) }
}
