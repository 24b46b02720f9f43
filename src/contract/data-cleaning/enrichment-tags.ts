/** The enrichment products and their tags (contract §5.7). */
import ADDED from './enrichment-tags.json' with { type: 'json' }

/** The tags that name the company found; each identifies it (contract §5.7). */
export const COMPANY_TAGS = ['general.connectId', 'general.safeNumber'] as const

/** The number of the input row in an enriched row; every product has this tag. */
export const ROW_NUMBER = 'general.rowNumber'

/** The requested tags: those chosen, and the row number, by which enriched rows are joined to rows of the input. */
export const askedTags = (chosen: readonly string[]): readonly string[] =>
  chosen.includes(ROW_NUMBER) ? chosen : [...chosen, ROW_NUMBER]

/** An enrichment product; its tag list is a maximum that may be shortened, never exceeded (contract §5.7). */
export type Product = 'basic' | 'basicPlus' | 'standard'

/** The tags of each product, in the service's order: 34, 163 and 664 names. */
export const TAGS: Readonly<Record<Product, readonly string[]>> = {
  basic: ADDED.basic,
  basicPlus: [...ADDED.basic, ...ADDED.basicPlus],
  standard: [...ADDED.basic, ...ADDED.basicPlus, ...ADDED.standard],
}
