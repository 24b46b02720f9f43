/** Routes of the companies of a portfolio: contract §8 rows 37 to 44. */

import type { FastifyInstance } from 'fastify'
import type { Personal } from '../../contract/index.ts'
import type { AppDeps } from '../deps.ts'
import { runIdempotent } from '../http/idempotency.ts'
import { pagingOf, windowOf } from '../http/paging.ts'
import { type Call, route } from '../http/route.ts'
import type { Need } from '../object-access.ts'
import { badRequest, conflict, notFound, Refusal } from '../refusal.ts'
import type { Holding, Notes } from './holdings.ts'
import { companyItem, companyRecord } from './record.ts'
import type { Portfolio } from './store.ts'

const notesOf = ({ personalReference, freeText, personalLimit }: Personal): Notes => ({
  ...{ reference: personalReference, freeText, personalLimit },
})

/** Throws a 400 unless the request names either all companies or some of them. */
function requireChoice(all: boolean, name: string, companies: readonly unknown[]): void {
  if (all === (companies.length === 0)) return
  const why = all ? `must be empty when ${name} is true` : `must name a company unless ${name} is true`
  throw badRequest('The request is not acceptable', `companies: ${why}`)
}

interface CopyBody {
  readonly portfolios: readonly number[]
  readonly companies: readonly { readonly id: string }[]
}

export function portfolioCompanyRoutes(app: FastifyInstance, deps: AppDeps): void {
  const { objects, search, holdings, transaction } = deps

  type AnyCall = Pick<Call<unknown, unknown>, 'user' | 'params'>
  const portfolioOf = ({ user, params }: AnyCall, ...needs: Need[]): Portfolio =>
    objects.portfolio(user, params.portfolioId ?? '', ...needs)

  /** The company of a call. The response of a change does not contain it, because the user may lack the right to view it. */
  const holdingOf = (call: AnyCall, need: Need): Holding => objects.company(portfolioOf(call, need), call.params.companyId ?? '')

  route(app, deps, 'listPortfolioCompanies', call => {
    const { id } = portfolioOf(call, 'View')
    const { searchQuery = '', countryCode = '' } = call.query
    const filter = { words: searchQuery, country: countryCode, ...windowOf(call.query, 0) }
    const { total, holdings: found } = holdings.list(id, filter)
    const paging = pagingOf(call.query, total)
    return { correlationId: call.request.id, totalCount: total, paging, data: found.map(companyItem) }
  })

  route(app, deps, 'addCompany', async call => {
    portfolioOf(call, 'Add')
    const company = await search.find(call.body.id)
    return runIdempotent(deps, call, () => {
      // Checked again: the portfolio may have been deleted during the search.
      const { id } = portfolioOf(call, 'Add')
      if (company === null) throw notFound('Company resource')
      if (!holdings.add(id, company, notesOf(call.body))) {
        throw conflict('Company already in portfolio', `id: ${company.connectId} is in portfolio ${id} already`)
      }
      return { correlationId: call.request.id, message: 'Company Added' }
    })
  })

  route(app, deps, 'readPortfolioCompany', call => ({
    correlationId: call.request.id,
    ...companyRecord(holdingOf(call, 'View')),
  }))

  route(app, deps, 'changeCompany', call => {
    const { portfolio, connectId } = holdingOf(call, 'Edit')
    holdings.change(portfolio, connectId, notesOf(call.body))
    return { correlationId: call.request.id, message: 'Company updated' }
  })

  route(app, deps, 'removeCompany', call => {
    const { portfolio, connectId } = holdingOf(call, 'Remove')
    holdings.remove(portfolio, connectId)
    return { correlationId: call.request.id, message: 'Company removed' }
  })

  /** The target portfolio of a copy, or the reason why the user cannot add to it. */
  const targetOf = ({ user }: AnyCall, id: number): Portfolio | string => {
    try {
      return objects.portfolio(user, id, 'Add')
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return error.status === 404 ? `portfolio ${id} is unknown` : `portfolio ${id} is not yours to add to`
    }
  }
  /** Copies a company; returns the reason of a failure, else null. */
  const copyOne = (from: Portfolio, target: Portfolio | string, companyId: string): string | null => {
    if (typeof target === 'string') return target
    const holding = objects.held(from, companyId)
    if (holding === null) return `company ${companyId} is not in portfolio ${from.id}`
    return holdings.copy(from.id, target.id, holding.connectId)
      ? null
      : `company ${companyId} is in portfolio ${target.id} already`
  }
  /** Copies companies to portfolios. With `move`, a company is removed once all targets are writable and contain it. */
  const copy = (call: Call<CopyBody, unknown>, from: Portfolio, all: boolean, move: boolean): unknown => {
    const ids = [...new Set(call.body.portfolios)]
    if (ids.includes(from.id)) {
      throw badRequest('The request is not acceptable', `portfolios: ${from.id} is the portfolio the companies are in`)
    }
    const targets = ids.map(id => targetOf(call, id))
    const companies = all ? holdings.ids(from.id) : [...new Set(call.body.companies.map(one => one.id))]
    const reasons: string[] = []
    for (const company of companies) {
      reasons.push(...targets.flatMap(target => copyOne(from, target, company) ?? []))
      const holding = move ? objects.held(from, company) : null
      const isIn = (target: Portfolio | string, id: string): boolean =>
        typeof target !== 'string' && objects.held(target, id) !== null
      if (holding !== null && targets.every(target => isIn(target, holding.connectId))) {
        holdings.remove(from.id, holding.connectId)
      }
    }
    const totalPortfoliosCompanies = targets.length * companies.length
    const failedPortfoliosCompanies = reasons.length
    return {
      correlationId: call.request.id,
      data: {
        ...{ totalPortfoliosCompanies, failedPortfoliosCompanies },
        successfulPortfoliosCompanies: totalPortfoliosCompanies - failedPortfoliosCompanies,
        reason: reasons.length > 3 ? `${reasons.slice(0, 3).join('; ')} (and ${reasons.length - 3} more)` : reasons.join('; '),
      },
    }
  }

  route(app, deps, 'copyCompanies', call => {
    const portfolio = portfolioOf(call, 'View')
    requireChoice(call.query.copyAll, 'copyAll', call.body.companies)
    return runIdempotent(deps, call, () => copy(call, portfolio, call.query.copyAll, false))
  })

  route(app, deps, 'moveCompanies', call => {
    const portfolio = portfolioOf(call, 'View', 'Remove')
    requireChoice(call.query.removeAll, 'removeAll', call.body.companies)
    return runIdempotent(deps, call, () => copy(call, portfolio, call.query.removeAll, true))
  })

  const clear = (call: Call<{ companies: string[] }, { clearAll: boolean }>): unknown => {
    const portfolio = portfolioOf(call, 'Remove')
    const { id } = portfolio
    const { companies } = call.body
    requireChoice(call.query.clearAll, 'clearAll', companies)
    const removed = transaction(() => {
      if (call.query.clearAll) return holdings.clear(id)
      const found = companies.flatMap(company => objects.held(portfolio, company) ?? [])
      for (const { connectId } of found) holdings.remove(id, connectId)
      return new Set(found.map(one => one.connectId)).size
    })
    return { correlationId: call.request.id, message: `${removed} companies removed` }
  }
  route(app, deps, 'clearCompanies', clear)
}
