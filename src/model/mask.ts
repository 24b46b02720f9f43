/** The rule of `report.mask`: names of mappings or headers whose columns are shown as `***`. */

export const MASK = '***'

interface MaskRules {
  readonly mappings: readonly { readonly mapping: string; readonly header: string | null; readonly index: number }[]
  readonly input: { readonly header: readonly string[] | null }
  readonly report: { readonly mask: readonly string[] }
}

export function isColumnMasked({ mappings, input, report }: MaskRules, index: number): boolean {
  if (report.mask.length === 0) return false
  const readers = mappings.filter(one => one.index === index)
  const names = [input.header?.[index], ...readers.flatMap(({ mapping, header }) => [mapping, header])]
  return names.some(name => name != null && report.mask.includes(name))
}

/** A mapping is masked if its column is. A candidate's fields carry its name: that a masked cell is the same would reveal it. */
export const isMappingMasked = (rules: MaskRules, mapping: string): boolean =>
  rules.report.mask.length > 0 &&
  (rules.report.mask.includes(mapping) || rules.mappings.some(one => one.mapping === mapping && isColumnMasked(rules, one.index)))
