/** Pages of lists: the window a query selects, and the paging block of the answer (contract §2.3). */
import type { Paging } from '../../contract/index.ts'

interface PageQuery {
  readonly page: number
  readonly pageSize: number
}

export type Window = { readonly limit: number; readonly offset: number }

/** The window of a page; pages are numbered from `first`. */
export const windowOf = ({ page, pageSize }: PageQuery, first: 0 | 1): Window => ({
  limit: pageSize,
  offset: (page - first) * pageSize,
})

/** One page of a list in memory; pages are numbered from 1. */
export function pageOf<T>(list: readonly T[], query: PageQuery): T[] {
  const { limit, offset } = windowOf(query, 1)
  return list.slice(offset, offset + limit)
}

/** The paging block; pages are numbered from 0. */
export function pagingOf({ page, pageSize }: PageQuery, total: number): Paging {
  const last = Math.max(0, Math.ceil(total / pageSize) - 1)
  return { size: pageSize, prev: page > 0 ? page - 1 : null, next: page < last ? page + 1 : null, last }
}
