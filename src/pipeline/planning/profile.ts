/** The profile of the columns of a plan: filled cells, distinct values, and the first values as far as reports may show them. */

import { filledRows } from '../../model/filled-rows.ts'
import { isColumnMasked, MASK } from '../../model/mask.ts'
import type { CellCounts, ColumnProfile, Plan } from '../model/types.ts'

export function profileOf(
  plan: Pick<Plan, 'mappings' | 'key' | 'report' | 'input'>,
  cells: readonly CellCounts[],
): ColumnProfile[] {
  const { mappings, key, report, input } = plan
  const ofKey = key === null || mappings.some(({ index }) => index === key.index) ? [] : [{ mapping: null, ...key }]
  return [...mappings, ...ofKey].flatMap(({ mapping, header, index }) => {
    const counts = cells.find(one => one.index === index)
    if (counts === undefined) return []
    const filled = filledRows(input) - counts.empty.count
    return {
      mapping,
      header,
      index,
      isKey: index === key?.index,
      filled,
      // An estimate may exceed the number of rows.
      distinct: Math.min(counts.distinct.count, filled),
      isEstimate: counts.distinct.isEstimate,
      examples:
        report.rows === 'none' ? [] : isColumnMasked(plan, index) ? counts.examples.slice(0, 1).map(() => MASK) : counts.examples,
    }
  })
}
