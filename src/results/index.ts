/** Results: joins the enriched files with the input rows and writes the outputs. Re-exports only. */

export { readFetchedFile } from './accepted.ts'
export { compareStates } from './changes/compare.ts'
export { type OutputChoice, outputStates, type RowStates, readStates } from './changes/row-states.ts'
export { readHitsToDecide } from './decide-rows.ts'
export { hasId } from './decisions/apply-decisions.ts'
export type { Decision } from './decisions/decision.ts'
export {
  Decisions,
  decisionIssue,
  decisionsText,
  fewIssues,
  LATER,
  mergeDecisions,
  readDecisionTable,
  readPlacedDecisions,
  requireDecisions,
  requireLines,
  writeDecisions,
} from './decisions/decisions.ts'
export { orderForTeaching } from './decisions/learned-names.ts'
export {
  HIT_COLUMNS,
  type HitDecision,
  hitCells,
  hitLine,
  readHitDecisions,
  requireHitDecisions,
  writeHitDecisions,
} from './hits/hit-decisions.ts'
export { decideAbout, HitDecisions, hitToDecide, type JudgedHit } from './hits/judge-hits.ts'
export { openResults } from './join.ts'
export { readReview } from './output/report-row.ts'
export { sheetColumn, tableText, writeTable } from './output/writers.ts'
export { isAsReceived, lostParts } from './receive.ts'
