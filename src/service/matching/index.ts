/** The matching engine's face: re-exports only. */
export { buildIndex, type MatchIndex } from './build.ts'
export { normaliseCountry } from './country.ts'
export { match } from './match.ts'
export type { Company, Query } from './types.ts'
