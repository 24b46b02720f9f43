/** The matching engine. */

export { buildIndex, createIndexBuilder } from './blocking/build-index.ts'
export { defaultConnectId } from './blocking/companies.ts'
export { registerOf } from './blocking/company-records.ts'
export { type MatchIndex, viewIndex } from './blocking/match-index.ts'
export type { IndexImage } from './blocking/packed-columns.ts'
export { appliedShare, estimateShare } from './decide/share.ts'
export { FIGURES, figuresOf } from './figures.ts'
export { match, presence } from './match.ts'
export type { Company, Query } from './types.ts'
export { DEFAULT_SHARE, THRESHOLDS } from './weights.ts'
