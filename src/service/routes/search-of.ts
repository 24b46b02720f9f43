/** What every operation of AML screening begins with: whose search it is, and what users are called. */
import { notFound } from '../refusal.ts'
import type { SearchType } from '../screening/screener.ts'
import type { Search } from '../store/searches.ts'
import type { Context } from './context.ts'
import type { Call } from './operation.ts'

/** The name of the user of a number; null when there is none. */
export const userNames =
  ({ users }: Pick<Context, 'users'>) =>
  (id: number): string | null =>
    [...users.values()].find(user => user.id === id)?.username ?? null

/** The search of a path, which is its owner's. Throws a 404. */
export function searchOf(
  { searches }: Pick<Context, 'searches'>,
  type: SearchType,
  { user, params }: Pick<Call<unknown, unknown>, 'user' | 'params'>,
): Search {
  const search = searches.find(user.id, type, params.searchId ?? '')
  if (search === null) throw notFound('Search')
  return search
}
