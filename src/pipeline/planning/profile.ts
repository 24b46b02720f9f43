/**
 * What was seen in the columns of a plan, from the counts of their cells: how many rows have a value, how many values differ, and
 * the first of them as far as row content may be shown. It warns of nothing.
 */
import type { CellCounts, ColumnProfile, Plan } from '../model/types.ts'

/** True when the values of a column are masked in reports: by its header, or by what it is mapped to. */
export function isMasked({ mappings, report, input }: Pick<Plan, 'mappings' | 'report' | 'input'>, index: number): boolean {
  const ofColumn = mappings.filter(one => one.index === index)
  const names = [input.header?.[index], ...ofColumn.flatMap(({ mapping, header }) => [mapping, header])]
  return names.some(name => name != null && report.mask.includes(name))
}

/** The profile of the mapped columns in the order of the mappings, and of the key if it is none of them. */
export function profileOf(
  plan: Pick<Plan, 'mappings' | 'key' | 'report' | 'input'>,
  cells: readonly CellCounts[],
): ColumnProfile[] {
  const { mappings, key, report, input } = plan
  const ofKey = key === null || mappings.some(({ index }) => index === key.index) ? [] : [{ mapping: null, ...key }]
  return [...mappings, ...ofKey].flatMap(({ mapping, header, index }) => {
    const counts = cells.find(one => one.index === index)
    if (counts === undefined) return []
    const filled = input.rows - counts.empty.count
    return {
      mapping,
      header,
      index,
      isKey: index === key?.index,
      filled,
      // An estimate knows nothing of the number of rows.
      distinct: Math.min(counts.distinct.count, filled),
      isEstimate: counts.distinct.isEstimate,
      examples:
        report.rows === 'none' ? [] : isMasked(plan, index) ? counts.examples.slice(0, 1).map(() => '***') : counts.examples,
    }
  })
}
