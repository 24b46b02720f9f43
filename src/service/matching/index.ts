/** The matching engine. */

export { type Audit, auditByRegister, auditMatch, type Difference } from './audit.ts'
export { BY_RANGE, bytesOf, type Column, type IndexImage, Layout, type Pages, pack, sizeOf } from './blocking/columns.ts'
export { defaultConnectId } from './blocking/companies.ts'
export { registerOf } from './blocking/company-records.ts'
export {
  buildIndex,
  companiesNamed,
  companyWithId,
  IndexBuilder,
  type MatchIndex,
  viewIndex,
} from './blocking/match-index.ts'
export { type Clusters, type Couple, type DecidedPairs, ListClusters, PairFinder } from './cluster.ts'
export { estimateFacts, isShort } from './decide/list-facts.ts'
export { absentEvidence, match, rowEvidence } from './match.ts'
export type { Company, ListFacts, Query, Related, RowEvidence } from './types.ts'
export { FIGURES, readFigures } from './types.ts'
export { ALONE, THRESHOLDS } from './weights.ts'
