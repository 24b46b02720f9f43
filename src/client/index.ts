/** The client's face: re-exports only. */
export { connect } from './connect.ts'
export { LIMITS, type Limits } from './limits.ts'
export { createQuota, type Quota } from './quota.ts'
export type * from './types.ts'
