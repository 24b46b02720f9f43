/**
 * Finds jobs, searches, hits, schedules, decision trees, decisions, portfolios and their companies by the id a caller names. A missing object and one the caller may
 * not see get the same 404 (faults H3). Routes read no store by id (test/unit/service/object-access.test.ts).
 */
import type { Permission } from '../contract/index.ts'
import type { User } from './auth/users.ts'
import type { Job, JobStore } from './data-cleaning/jobs-store.ts'
import type { Decision, DecisionStore, Tree } from './decisions/store.ts'
import type { EventStore } from './monitoring/events-store.ts'
import type { Holding, HoldingStore } from './portfolios/holdings.ts'
import type { Portfolio, PortfolioStore } from './portfolios/store.ts'
import { notFound, Refusal } from './refusal.ts'
import type { Schedule, ScheduleStore } from './screening/schedules-store.ts'
import type { SearchType } from './screening/screener.ts'
import type { Hit, Search, SearchStore } from './screening/searches-store.ts'

/** The user of a request. Objects belong to the number of the user's tenant, and are shared with people. */
export type Caller = Pick<User, 'id' | 'person'>

type PortfolioCall = { readonly user: Caller; readonly params: Readonly<Record<string, string>> }

/** A permission an operation needs; only the owner may delete and share (`Own`). */
export type Need = Permission | 'Own'

interface ObjectStores {
  readonly jobs: Pick<JobStore, 'find'>
  readonly searches: Pick<SearchStore, 'find' | 'hit'>
  readonly schedules: Pick<ScheduleStore, 'find'>
  readonly portfolios: Pick<PortfolioStore, 'find' | 'shares'>
  readonly holdings: Pick<HoldingStore, 'find' | 'isVisible'>
  readonly events: Pick<EventStore, 'portfolioOf'>
  readonly decisions: Pick<DecisionStore, 'find' | 'findTree'>
}

/** Whether a text of a path is a number of an object. Clients generated from `number` write `5.0`. */
export const isNumber = (text: string): boolean => /^\d{1,15}(?:\.0{1,9})?$/.test(text)

function requireFound<Kind>(what: string, object: Kind | null): Kind {
  if (object === null) throw notFound(what)
  return object
}

export function createObjectAccess({ jobs, searches, schedules, portfolios, holdings, events, decisions }: ObjectStores) {
  const held = (portfolio: Portfolio, id: string): Holding | null => holdings.find(portfolio.id, id)
  /** Returns the portfolio when the caller owns it, or its owner shared all `needs` with the caller. */
  const requireShared = ({ id, person }: Caller, portfolio: Portfolio, what: string, needs: readonly Need[]): Portfolio => {
    if (portfolio.owner === id) return portfolio
    const permissions = requireFound(what, portfolios.shares(portfolio.id).get(person) ?? null)
    const isAllowed = needs.every(need => need !== 'Own' && permissions.includes(need))
    if (!isAllowed) throw new Refusal(403, 'Access forbidden')
    return portfolio
  }
  const openPortfolio = (caller: Caller, id: string | number, ...needs: readonly Need[]): Portfolio => {
    const what = 'Portfolio resource'
    const portfolio = isNumber(String(id)) ? portfolios.find(Number(id)) : null
    return requireShared(caller, requireFound(what, portfolio), what, needs)
  }
  return {
    job: ({ id: owner }: Caller, id: string): Job => requireFound('Job', jobs.find(owner, id)),
    search: (caller: Caller, type: SearchType, id: string): Search => requireFound('Search', searches.find(caller.id, type, id)),
    /** Of either type. */
    anySearch: ({ id }: Caller, search: string): Search =>
      requireFound('Search', searches.find(id, 'business', search) ?? searches.find(id, 'individual', search)),
    /** By its id, or the id of its search. */
    schedule: ({ id: owner }: Caller, id: string): Schedule => requireFound('Schedule', schedules.find(owner, id)),
    hit: (search: Search, id: string): Hit => requireFound('Hit', searches.hit(search, id)),
    tree: ({ id: owner }: Caller, guid: string): Tree => requireFound('Decision tree', decisions.findTree(owner, guid)),
    /** Like `tree`, but null where the tenant has none of this guid. */
    heldTree: ({ id: owner }: Caller, guid: string): Tree | null => decisions.findTree(owner, guid),
    decision: ({ id: owner }: Caller, id: string): Decision =>
      requireFound('Decision log', isNumber(id) ? decisions.find(owner, Number(id)) : null),
    portfolio: openPortfolio,
    /** The portfolio in the path of a call. */
    portfolioOf: ({ user, params }: PortfolioCall, ...needs: readonly Need[]): Portfolio =>
      openPortfolio(user, params.portfolioId ?? '', ...needs),
    /** The portfolio of a notification event. */
    notified(caller: Caller, id: string, ...needs: readonly Need[]): Portfolio {
      const what = 'NotificationEvent resource'
      const portfolio = requireFound(what, isNumber(id) ? events.portfolioOf(Number(id)) : null)
      return requireShared(caller, requireFound(what, portfolios.find(portfolio)), what, needs)
    },
    company: (portfolio: Portfolio, id: string): Holding => requireFound('Company resource', held(portfolio, id)),
    /** Like `company`, but null when the portfolio does not hold it. */
    held,
    watches: (caller: Caller, connectId: string): boolean => holdings.isVisible(caller, connectId),
  }
}

/** Throws a 404 for an object the caller may not see, a 403 where the caller may see it but lacks the permission. */
export type ObjectAccess = ReturnType<typeof createObjectAccess>
