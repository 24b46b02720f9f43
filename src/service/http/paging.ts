/** Pages of lists: which part of the whole a query asks for, and the block beside it (contract §2.3). */
import type { Paging } from '../../contract/index.ts'

interface Asked {
  readonly page: number
  readonly pageSize: number
}

/** The part of a list that a page is; the first one has the number `first`. */
export const windowOf = ({ page, pageSize }: Asked, first: 0 | 1) => ({ limit: pageSize, offset: (page - first) * pageSize })

/** One page of a list that is there as a whole; pages are numbered from 1. */
export function pageOf<T>(list: readonly T[], asked: Asked): T[] {
  const { limit, offset } = windowOf(asked, 1)
  return list.slice(offset, offset + limit)
}

/** The block beside a page; pages are numbered from 0. */
export function pagingOf({ page, pageSize }: Asked, total: number): Paging {
  const last = Math.max(0, Math.ceil(total / pageSize) - 1)
  return { size: pageSize, prev: page > 0 ? page - 1 : null, next: page < last ? page + 1 : null, last }
}
