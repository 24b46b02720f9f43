/** The client's face: re-exports only. */
export { connect } from './connect.ts'
export { createQuota } from './quota.ts'
export type * from './types.ts'
