/** The matching engine's face: re-exports only. */
export { buildIndex, startIndex } from './build.ts'
export { usualConnectId } from './companies.ts'
export { normaliseCountry } from './country.ts'
export { match } from './match.ts'
export { type MatchIndex, viewIndex } from './match-index.ts'
export type { Image } from './memory.ts'
export type { Company, Query } from './types.ts'
export { THRESHOLDS } from './weights.ts'
