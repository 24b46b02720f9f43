/** The enrichment products and their tags (contract §5.7). */
import ADDED from './enrichment-tags.json' with { type: 'json' }

/** The tags that name the company found; each identifies it (contract §5.7). */
export const COMPANY_TAGS = ['general.connectId', 'general.safeNumber'] as const

/** The tags with the name of the company found. */
export const NAME_TAGS = ['general.companyName', 'general.legalName'] as const

/** Whether an earlier row has the same company, and which. */
export const DUPLICATE_TAGS = ['general.duplicate', 'general.duplicateId'] as const

/** The number of the input row in an enriched row; every product has this tag. */
export const ROW_NUMBER = 'general.rowNumber'

/** How good the match of a row is: a band, and the evidence behind it. Every product has both; their values are open (contract §5.7). */
export const BANDING = 'general.banding'
export const PATTERN = 'general.pattern'

/** The row number, by which rows are joined to the input, and what `accept` and the report read. */
export const ALWAYS_ASKED: readonly string[] = [ROW_NUMBER, BANDING, PATTERN]

/** An enrichment product; its tag list is a maximum that may be shortened, never exceeded (contract §5.7). */
export type Product = 'basic' | 'basicPlus' | 'standard'

/** The tags of each product, in the service's order: 34, 163 and 664 names. */
export const TAGS: Readonly<Record<Product, readonly string[]>> = {
  basic: ADDED.basic,
  basicPlus: [...ADDED.basic, ...ADDED.basicPlus],
  standard: [...ADDED.basic, ...ADDED.basicPlus, ...ADDED.standard],
}
