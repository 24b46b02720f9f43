/** The public interface of `fettle/client`. */
export type { Api, ApiAnswer, ApiCall, ApiList, WithResponse } from './api/api.ts'
export { type Client, connect } from './api/connect.ts'
export type { Pages } from './api/pages.ts'
export type { Request, RequestInput } from './api/request.ts'
export { createShared, type Shared } from './api/shared.ts'
export type { Proxies } from './http/transport.ts'
export { createRetryBudget } from './retry/retry-budget.ts'
export type * from './types.ts'
