/** The client's face: re-exports only. */
export { connect } from './connect.ts'
export type { Proxies } from './proxies.ts'
export { createQuota } from './quota.ts'
export { createShared, type Shared } from './shared.ts'
export type * from './types.ts'
