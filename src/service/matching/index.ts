/** The matching engine's face: re-exports only. */
export { buildIndex, startIndex } from './index/build.ts'
export { usualConnectId } from './index/companies.ts'
export { normaliseCountry } from './text/country.ts'
export { match } from './match.ts'
export { type MatchIndex, viewIndex } from './index/match-index.ts'
export type { Image } from './index/memory.ts'
export type { Company, Query } from './types.ts'
export { THRESHOLDS } from './data/weights.ts'
