/** The companies of a portfolio, one by one and several at once: contract §8 rows 37 to 44. */
import type { FastifyInstance } from 'fastify'
import type { Personal } from '../../contract/index.ts'
import { badRequest, conflict, notFound } from '../refusal.ts'
import type { Holding, Notes } from '../store/holdings.ts'
import type { Portfolio } from '../store/portfolios.ts'
import type { Context } from './context.ts'
import { onceOf } from './once.ts'
import { type Call, route } from './operation.ts'
import { pagingOf, windowOf } from './paging.ts'
import { mayDo, portfolioOf } from './portfolio-access.ts'
import { companyItem, companyRecord } from './portfolio-record.ts'

const notesOf = ({ personalReference, freeText, personalLimit }: Personal): Notes => ({
  ...{ reference: personalReference, freeText, personalLimit },
})

const orEmpty = (body: unknown): unknown => body ?? {}

/** Either all companies or those named: the 400 of a body that says neither or both. */
function requireChoice(all: boolean, name: string, companies: readonly unknown[]): void {
  if (all === (companies.length === 0)) return
  const why = all ? `must be empty when ${name} is true` : `must name a company unless ${name} is true`
  throw badRequest('The request is not acceptable', `companies: ${why}`)
}

interface CopyBody {
  readonly portfolios: readonly number[]
  readonly companies: readonly { readonly id: string }[]
}

/** Registers the operations. */
export function portfolioCompanyRoutes(app: FastifyInstance, context: Context): void {
  const { search, monitoring } = context
  const { portfolios, holdings, transaction } = monitoring

  /** The company a call names; whoever may do less than view what they change still gets no look at it. */
  const holdingOf = ({ params }: Pick<Call<unknown, unknown>, 'params'>, { id }: Portfolio): Holding => {
    const holding = holdings.find(id, params.companyId ?? '')
    if (holding === null) throw notFound('Company resource')
    return holding
  }

  route(app, context, 'listPortfolioCompanies', call => {
    const { id } = portfolioOf(portfolios, call, 'View')
    const { searchQuery = '', countryCode = '' } = call.query
    const filter = { words: searchQuery, country: countryCode, ...windowOf(call.query, 0) }
    const { total, holdings: found } = holdings.list(id, filter)
    const paging = pagingOf(call.query, total)
    return { correlationId: call.request.id, totalCount: total, paging, data: found.map(companyItem) }
  })

  route(app, context, 'addCompany', async call => {
    portfolioOf(portfolios, call, 'Add')
    const company = await search.find(call.body.id)
    return onceOf(context, call, () => {
      // Once more: it may have gone while the company was looked for.
      const { id } = portfolioOf(portfolios, call, 'Add')
      if (company === null) throw notFound('Company resource')
      if (!holdings.add(id, company, notesOf(call.body))) {
        throw conflict('Company already in portfolio', `id: ${company.connectId} is in portfolio ${id} already`)
      }
      return { correlationId: call.request.id, message: 'Company Added' }
    })
  })

  route(app, context, 'readPortfolioCompany', call => ({
    correlationId: call.request.id,
    ...companyRecord(holdingOf(call, portfolioOf(portfolios, call, 'View'))),
  }))

  route(app, context, 'changeCompany', call => {
    const { portfolio, connectId } = holdingOf(call, portfolioOf(portfolios, call, 'Edit'))
    holdings.change(portfolio, connectId, notesOf(call.body))
    return { correlationId: call.request.id, message: 'Company updated' }
  })

  route(app, context, 'removeCompany', call => {
    const { portfolio, connectId } = holdingOf(call, portfolioOf(portfolios, call, 'Remove'))
    holdings.remove(portfolio, connectId)
    return { correlationId: call.request.id, message: 'Company removed' }
  })

  /** Why a company did not come to a portfolio; null when it did. */
  const copyOne = (call: Call<unknown, unknown>, from: number, to: number, companyId: string): string | null => {
    const target = portfolios.find(to)
    const may = target === null ? null : mayDo(portfolios, call.user.id, target, 'Add')
    if (may === null) return `portfolio ${to} is unknown`
    if (!may) return `portfolio ${to} is not yours to add to`
    const holding = holdings.find(from, companyId)
    if (holding === null) return `company ${companyId} is not in portfolio ${from}`
    return holdings.copy(from, to, holding.connectId) ? null : `company ${companyId} is in portfolio ${to} already`
  }
  /** Copies each to each; with `move` a company leaves as soon as every portfolio named holds it. */
  const copy = (call: Call<CopyBody, unknown>, { id: from }: Portfolio, all: boolean, move: boolean): unknown => {
    const targets = [...new Set(call.body.portfolios)]
    if (targets.includes(from)) {
      throw badRequest('The request is not acceptable', `portfolios: ${from} is the portfolio the companies are in`)
    }
    const companies = all ? holdings.ids(from) : [...new Set(call.body.companies.map(one => one.id))]
    const reasons: string[] = []
    for (const company of companies) {
      reasons.push(...targets.flatMap(to => copyOne(call, from, to, company) ?? []))
      const holding = move ? holdings.find(from, company) : null
      if (holding !== null && targets.every(to => holdings.find(to, holding.connectId) !== null)) {
        holdings.remove(from, holding.connectId)
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

  route(app, context, 'copyCompanies', call => {
    const portfolio = portfolioOf(portfolios, call, 'View')
    requireChoice(call.query.copyAll, 'copyAll', call.body.companies)
    return onceOf(context, call, () => copy(call, portfolio, call.query.copyAll, false))
  })

  route(app, context, 'moveCompanies', call => {
    const portfolio = portfolioOf(portfolios, call, 'View', 'Remove')
    requireChoice(call.query.removeAll, 'removeAll', call.body.companies)
    return onceOf(context, call, () => copy(call, portfolio, call.query.removeAll, true))
  })

  const clear = (call: Call<{ companies: string[] }, { clearAll: boolean }>): unknown => {
    const { id } = portfolioOf(portfolios, call, 'Remove')
    const { companies } = call.body
    requireChoice(call.query.clearAll, 'clearAll', companies)
    const removed = transaction(() => {
      if (call.query.clearAll) return holdings.clear(id)
      const found = companies.flatMap(company => holdings.find(id, company) ?? [])
      for (const { connectId } of found) holdings.remove(id, connectId)
      return new Set(found.map(one => one.connectId)).size
    })
    return { correlationId: call.request.id, message: `${removed} companies removed` }
  }
  route(app, context, 'clearCompanies', clear, { adapt: orEmpty })
}
