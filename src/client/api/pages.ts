/**
 * Iterates over the pages of a list. The service shows in one of three ways that more follow: the next page's number, a total, or a
 * page as long as the first (contract §2.3).
 */
import type { Operation } from '../../contract/index.ts'
import { FettleError } from '../../errors.ts'

/** All items of a list; pages are requested as they are needed. */
export interface Pages<Item> extends AsyncIterable<Item> {
  /** The pages themselves. */
  pages(): AsyncIterable<readonly Item[]>
  /** The first items, at most `limit`, since a list may not fit into memory. */
  toArray(options: { readonly limit: number }): Promise<Item[]>
}

type Query = Readonly<Record<string, unknown>>

const MAX_PAGES = 100_000

const at = (value: unknown, path: string | null): unknown =>
  (path === null ? [] : path.split('.')).reduce<unknown>((inner, key) => (inner as Query | null | undefined)?.[key], value)

const readNumber = (value: unknown): number | null => (typeof value === 'number' ? value : null)

/** Whether the reply shows that more follow; null when it does not show it. */
function hasMore(reply: unknown, page: number, seen: number): boolean | null {
  const { paging, totalSize, totalCount } = (reply ?? {}) as Query
  const total = readNumber(totalSize) ?? readNumber(totalCount)
  const isPaged = typeof paging === 'object' && paging !== null
  if (isPaged && (readNumber((paging as Query).next) ?? -1) > page) return true
  // Without a next page all should have been seen.
  if (total !== null) return seen < total
  return isPaged ? false : null
}

async function* eachPage(
  { first, items }: NonNullable<Operation['pages']>,
  query: Query,
  send: (query: Query) => Promise<unknown>,
): AsyncGenerator<readonly unknown[]> {
  const begin = Number(query.page ?? first)
  let before = ''
  let seen = 0
  let full = 0
  for (let page = begin; page < begin + MAX_PAGES; page++) {
    const reply = await send({ ...query, page })
    const found = at(reply, items)
    const list = Array.isArray(found) ? found : []
    const same = JSON.stringify(list)
    const more = hasMore(reply, page, seen + list.length)
    // A service without paging returns the same page again. Of an empty page the items may have been left out.
    if (same === before && list.length > 0 && more === true)
      throw new FettleError('FETTLE_CONTRACT', `page ${page} of the list is the page before, though more should follow it.`)
    if (same === before || (list.length === 0 && more !== true)) return
    before = same
    seen += list.length
    yield list
    // A service may return smaller pages than requested: the first one shows the size of a full page.
    if (page === begin) full = list.length
    if (!(more ?? list.length >= full)) return
  }
  throw new FettleError('FETTLE_CONTRACT', `the list has no end after ${MAX_PAGES} pages.`)
}

export function listPages(
  how: NonNullable<Operation['pages']>,
  query: Query,
  send: (query: Query) => Promise<unknown>,
): Pages<unknown> {
  const pages = (): AsyncGenerator<readonly unknown[]> => eachPage(how, query, send)
  async function* each(): AsyncGenerator<unknown> {
    for await (const page of pages()) yield* page
  }
  return {
    pages,
    [Symbol.asyncIterator]: each,
    async toArray({ limit }) {
      const all: unknown[] = []
      if (limit < 1) return all
      for await (const item of each()) if (all.push(item) >= limit) break
      return all
    },
  }
}
