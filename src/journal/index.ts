/** Re-exports the journal. */

export { type AcceptedState, fetchedTags } from './accepted.ts'
export * from './checksum.ts'
export { type CandidateState, type DirectorState, explainDataset as meaningOf, type ScreenState } from './company-actions.ts'
export {
  type Content,
  contentAt,
  contentsEnd,
  contentsPath,
  contentsSize,
  digestContent,
  readContents,
  writeContents,
} from './contents.ts'
export type * from './events.ts'
export * from './file.ts'
export * from './outcomes.ts'
export type { PortfolioState } from './portfolio.ts'
export { chosenPlan } from './reuse.ts'
export * from './state.ts'
