/** The client's face: re-exports only. */
export type { Api, ApiAnswer, ApiCall, ApiList, WithResponse } from './api.ts'
export type { Client } from './client.ts'
export { connect } from './connect.ts'
export type { Pages } from './pages.ts'
export type { Proxies } from './proxies.ts'
export { createQuota } from './quota.ts'
export { createShared, type Shared } from './shared.ts'
export type * from './types.ts'
