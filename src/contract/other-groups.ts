/**
 * The operations of the interface that need a separate subscription and that this version neither calls nor serves: contract
 * §10, §11.3 to §11.7. A service without the data set answers 403.
 */
import TABLE from './other-groups.json' with { type: 'json' }

export interface OtherOperation {
  readonly group: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: `/${string}`
  /** A GET that orders something, which may be charged: `*` in the table. */
  readonly orders: boolean
}

export const OTHER_GROUPS: readonly OtherOperation[] = Object.entries(TABLE).flatMap(([group, paths]) =>
  Object.entries<string>(paths).flatMap(([path, methods]) =>
    methods.split(' ').map(word => {
      const method = word.replace('*', '')
      return { group, method, path, orders: method !== word } as OtherOperation
    }),
  ),
)

/** Everything below this path but the audit was retired in November 2024 and answers 301 (contract §2.1). */
export const RETIRED = '/protect/'
