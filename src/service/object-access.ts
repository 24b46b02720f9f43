/**
 * THE way from an id that a caller names to the object: jobs, searches, hits, portfolios, companies in them. What does not exist and
 * what the caller may not know of get the same 404 (faults H3). No route reads a store by an id on its own: the stores in the
 * context cannot (test/unit/service/object-access.test.ts).
 */
import type { Permission } from '../contract/index.ts'
import type { User } from './auth/users.ts'
import type { Job, JobStore } from './data-cleaning/jobs-store.ts'
import type { Holding, HoldingStore } from './portfolios/holdings.ts'
import type { Portfolio, PortfolioStore } from './portfolios/store.ts'
import { notFound, Refusal } from './refusal.ts'
import type { SearchType } from './screening/screener.ts'
import type { Hit, Search, SearchStore } from './screening/searches-store.ts'

/** Who asks. Objects belong to the tenant's number. */
export type Caller = Pick<User, 'id'>

/** What a caller must be allowed to do with an object; deleting and sharing are the owner's alone. */
export type Need = Permission | 'Own'

/** From ids to objects, for a caller. What cannot be had is thrown: 404, or 403 where the caller may know of it and not do this. */
export interface ObjectAccess {
  job(caller: Caller, id: string): Job
  search(caller: Caller, type: SearchType, id: string): Search
  /** The hit of a search that was looked up. */
  hit(search: Search, id: string): Hit
  portfolio(caller: Caller, id: string | number, ...needs: readonly Need[]): Portfolio
  /** The company in a portfolio that was looked up, by connectId or Safe Number. */
  company(portfolio: Portfolio, id: string): Holding
  /** The same; null when the portfolio does not hold it. */
  held(portfolio: Portfolio, id: string): Holding | null
  /** Whether a portfolio that the caller may see holds the company. */
  watches(caller: Caller, connectId: string): boolean
}

/** The stores that are looked into. */
export interface ObjectStores {
  readonly jobs: Pick<JobStore, 'find'>
  readonly searches: Pick<SearchStore, 'find' | 'hit'>
  readonly portfolios: Pick<PortfolioStore, 'find' | 'shares'>
  readonly holdings: Pick<HoldingStore, 'find' | 'isVisible'>
}

/** The object, when this caller may do all of this with it. `grants` are those of an owner's object to others. */
function open<Kind extends { readonly owner: number }>(
  what: string,
  object: Kind | null,
  { id }: Caller,
  needs: readonly Need[] = ['Own'],
  grants: (object: Kind) => readonly Permission[] | undefined = () => undefined,
): Kind {
  if (object === null) throw notFound(what)
  if (object.owner === id) return object
  const permissions = grants(object)
  if (permissions === undefined) throw notFound(what)
  const isAllowed = needs.every(need => need !== 'Own' && permissions.includes(need))
  if (!isAllowed) throw new Refusal(403, 'Access forbidden')
  return object
}

/** The object, else the 404. */
function there<Kind>(what: string, object: Kind | null): Kind {
  if (object === null) throw notFound(what)
  return object
}

/** Looks into these stores. */
export function createObjectAccess({ jobs, searches, portfolios, holdings }: ObjectStores): ObjectAccess {
  const held = (portfolio: Portfolio, id: string): Holding | null => holdings.find(portfolio.id, id)
  return {
    job: (caller, id) => open('Job', jobs.find(caller.id, id), caller),
    search: (caller, type, id) => open('Search', searches.find(caller.id, type, id), caller),
    hit: (search, id) => there('Hit', searches.hit(search, id)),
    portfolio(caller, id, ...needs) {
      const found = /^\d{1,15}$/.test(String(id)) ? portfolios.find(Number(id)) : null
      return open('Portfolio resource', found, caller, needs, ({ id: own }) => portfolios.shares(own).get(caller.id))
    },
    company: (portfolio, id) => there('Company resource', held(portfolio, id)),
    held,
    watches: (caller, connectId) => holdings.isVisible(caller.id, connectId),
  }
}
