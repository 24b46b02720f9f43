/**
 * A list over all its pages, whichever way the service tells that there are more: a block with the next page's number, a total,
 * or a page with less than the first (contract §2.3). It sends nothing itself.
 */
import type { Operation } from '../../contract/index.ts'
import { FettleError } from '../../errors.ts'

/** All items of a list, page by page as they are asked for. */
export interface Pages<Item> extends AsyncIterable<Item> {
  /** The pages themselves. */
  pages(): AsyncIterable<readonly Item[]>
  /** The first items, at most `limit`: a list may be longer than memory, so the caller says how much of it is wanted. */
  toArray(most: { readonly limit: number }): Promise<Item[]>
}

type Query = Readonly<Record<string, unknown>>

/** Lists of this many pages are taken for endless. */
const MOST_PAGES = 100_000

const at = (value: unknown, path: string | null): unknown =>
  (path === null ? [] : path.split('.')).reduce<unknown>((inner, key) => (inner as Query | null | undefined)?.[key], value)

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)

/** Whether the answer says itself that more follows; null when it does not say. */
function saysMore(reply: unknown, page: number, seen: number): boolean | null {
  const { paging, totalSize, totalCount } = (reply ?? {}) as Query
  if (typeof paging === 'object' && paging !== null) {
    const next = numberOf((paging as Query).next)
    return next !== null && next > page
  }
  const total = numberOf(totalSize) ?? numberOf(totalCount)
  return total === null ? null : seen < total
}

async function* eachPage(
  { first, items }: NonNullable<Operation['pages']>,
  query: Query,
  ask: (query: Query) => Promise<unknown>,
): AsyncGenerator<readonly unknown[]> {
  const begin = Number(query.page ?? first)
  let before = ''
  let seen = 0
  let full = 0
  for (let page = begin; page < begin + MOST_PAGES; page++) {
    const reply = await ask({ ...query, page })
    const found = at(reply, items)
    const list = Array.isArray(found) ? found : []
    const same = JSON.stringify(list)
    // A service that knows no pages gives the same one again.
    if (list.length === 0 || same === before) return
    before = same
    seen += list.length
    yield list
    // A service may give smaller pages than were asked for: the first one shows how many are a full one.
    if (page === begin) full = list.length
    if (!(saysMore(reply, page, seen) ?? list.length >= full)) return
  }
  throw new FettleError('FETTLE_CONTRACT', `the list has no end after ${MOST_PAGES} pages.`)
}

/** The pages of a list, asked for one after the other. */
export function pagesOf(
  how: NonNullable<Operation['pages']>,
  query: Query,
  ask: (query: Query) => Promise<unknown>,
): Pages<unknown> {
  const pages = (): AsyncGenerator<readonly unknown[]> => eachPage(how, query, ask)
  async function* each(): AsyncGenerator<unknown> {
    for await (const page of pages()) yield* page
  }
  return {
    pages,
    [Symbol.asyncIterator]: each,
    async toArray({ limit }) {
      const all: unknown[] = []
      if (limit < 1) return all
      for await (const one of each()) if (all.push(one) >= limit) break
      return all
    },
  }
}
