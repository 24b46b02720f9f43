/** Re-exports the journal. */
export * from './checksum.ts'
export type {
  PortfolioState,
  RefusedCompany,
  ScreenedCompany,
  ScreenState,
} from './company-actions.ts'
export { meaningOf } from './company-actions.ts'
export * from './events.ts'
export * from './file.ts'
export * from './outcomes.ts'
export * from './state.ts'
