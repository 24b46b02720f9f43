/** The matching engine's face: re-exports only. */

export { THRESHOLDS } from './data/weights.ts'
export { buildIndex, startIndex } from './index/build.ts'
export { usualConnectId } from './index/companies.ts'
export { type MatchIndex, viewIndex } from './index/match-index.ts'
export type { Image } from './index/memory.ts'
export { match } from './match.ts'
export { normaliseCountry } from './text/country.ts'
export type { Company, Query } from './types.ts'
