/** Facts of a list: how many rows have a value, what a service fitted to it, and which of its columns are masked. */
import type { CompanyNumbers, InRegister } from '../contract/index.ts'

/** Why rows are not sent, in words. */
export const whySkipped = ({ sections }: { readonly sections?: readonly number[] }): string =>
  sections === undefined ? 'empty' : 'empty, headings or totals'

export const filledRows = ({ rows, emptyRows = 0 }: { readonly rows: number; readonly emptyRows?: number }): number =>
  rows - emptyRows

/** Rows of the whole list that could not be read. Shards and runs over the first rows do not count them. */
export const rejectedRows = ({
  input,
  limit,
  shard,
}: {
  readonly input: { readonly rejected?: { readonly rows: number } }
  readonly limit: number | null
  readonly shard?: object
}): number => (limit === null && shard === undefined ? (input.rejected?.rows ?? 0) : 0)

export interface ListFacts {
  /** How much of it is in the register, and what it adds to the evidence for a company. */
  readonly inRegister: InRegister
  /** Whether its company numbers are relied on. */
  readonly companyNumbers: CompanyNumbers
}

/** What a service fitted to a list: named by its first job, and sent unread with later jobs, whose answers depend on it. */
export type Fit = Partial<ListFacts>

export const MASK = '***'

interface MaskRules {
  readonly mappings: readonly { readonly mapping: string; readonly header: string | null; readonly index: number }[]
  readonly input: { readonly header: readonly string[] | null }
  readonly report: { readonly mask: readonly string[] }
}

export function isColumnMasked({ mappings, input, report }: MaskRules, index: number): boolean {
  if (report.mask.length === 0) return false
  const readers = mappings.filter(mapping => mapping.index === index)
  const names = [input.header?.[index], ...readers.flatMap(({ mapping, header }) => [mapping, header])]
  return names.some(name => name != null && report.mask.includes(name))
}

/** A mapping is masked if its column is. A candidate's fields carry its name: that a masked cell is the same would reveal it. */
export const isMappingMasked = (rules: MaskRules, mapping: string): boolean =>
  rules.report.mask.length > 0 &&
  (rules.report.mask.includes(mapping) ||
    rules.mappings.some(rule => rule.mapping === mapping && isColumnMasked(rules, rule.index)))
