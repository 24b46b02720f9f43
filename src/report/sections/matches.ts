/** Bands and patterns in reports: the data, and the line that the terminal shows. */
import type { RunState } from '../../journal/index.ts'
import { isColumnMasked, isMappingMasked, MASK } from '../../model/list.ts'
import type { MatchExample } from '../../model/results.ts'
import type { Result } from '../schema.ts'
import { count } from '../words.ts'

/** A row as a report may show it. */
export const maskExample = (plan: RunState['plan'], { row, key, name, company }: MatchExample): MatchExample => ({
  row,
  key: key !== null && plan.key !== null && isColumnMasked(plan, plan.key.index) ? MASK : key,
  name: name !== '' && isMappingMasked(plan, 'name') ? MASK : name,
  company,
})

/** Masked again, as all rows of a report: a resume may mask more columns. */
export function readMatches({ plan, matches }: RunState) {
  if (matches === null) return null
  const mask = <T extends { readonly examples: readonly MatchExample[] }>(group: T) => ({
    ...group,
    examples: plan.report.rows === 'all' ? group.examples.map(example => maskExample(plan, example)) : [],
  })
  return { ...matches, bands: matches.bands.map(mask), patterns: matches.patterns.map(mask) }
}

/** The matches that a report shows: the embedded service decides by its own score, so its bands matter to `accept` only. */
export const shownMatches = ({ matches, service, plan }: Result): Result['matches'] =>
  service === 'embedded' && plan.accept === null ? null : matches

export const bandName = (value: string): string => (value === '' ? 'no band' : `band ${value}`)

/** `A 380 matched; C 31 review`; empty when no bands are shown. */
export function bandLine(result: Result): string {
  const lines = shownMatches(result)?.bands.map(({ value, matched, review, unmatched }) => {
    const placed = Object.entries({ matched, review, unmatched }).filter(([, rows]) => rows > 0)
    return `${value === '' ? 'none' : value} ${placed.map(([word, rows]) => `${count(rows)} ${word}`).join(', ')}`
  })
  return lines?.join('; ') ?? ''
}
