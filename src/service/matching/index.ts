/** The matching engine. */

export { buildIndex, createIndexBuilder } from './blocking/build-index.ts'
export { defaultConnectId } from './blocking/companies.ts'
export { registerOf } from './blocking/company-records.ts'
export { companyWithId, type MatchIndex, viewIndex } from './blocking/match-index.ts'
export { BY_RANGE, bytesOf, type Column, type IndexImage, Layout, type Pages, pack, sizeOf } from './blocking/packed-columns.ts'
export { appliedFacts, estimateFacts } from './decide/list-facts.ts'
export { appliedShare, estimateShare } from './decide/share.ts'
export { FIGURES, figuresOf } from './figures.ts'
export { match, rowEvidence } from './match.ts'
export type { Company, ListFacts, Query } from './types.ts'
export { ALONE, DEFAULT_SHARE, THRESHOLDS } from './weights.ts'
