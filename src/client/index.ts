/** The public interface of `fettle/client`. */
export type { Api, ApiAnswer, ApiCall, ApiList, WithResponse } from './api/api.ts'
export type { Client } from './api/client.ts'
export { connect } from './api/connect.ts'
export type { Pages } from './api/pages.ts'
export { createShared, type Shared } from './api/shared.ts'
export type { Proxies } from './http/proxies.ts'
export { createRetryBudget } from './retry/retry-budget.ts'
export type * from './types.ts'
