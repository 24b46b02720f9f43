/** Routes of portfolios, their totals and their sharing: contract §8 rows 31 to 36, 49, 49a. */

import type { FastifyInstance } from 'fastify'
import type { Permission } from '../../contract/index.ts'
import { CUSTOMER } from '../data-cleaning/job-record.ts'
import type { AppDeps } from '../deps.ts'
import { runIdempotent } from '../http/idempotency.ts'
import { pagingOf, windowOf } from '../http/paging.ts'
import { type Call, route } from '../http/route.ts'
import type { Need } from '../object-access.ts'
import { badRequest, conflict, Refusal } from '../refusal.ts'
import { portfolioCompanyRoutes } from './company-routes.ts'
import { portfolioImportRoutes } from './import-route.ts'
import { portfolioItem, portfolioRecord } from './record.ts'
import type { Portfolio } from './store.ts'

const BANDS = ['A', 'B', 'C', 'D', 'E'] as const

export function portfolioRoutes(app: FastifyInstance, deps: AppDeps): void {
  const { objects, users, limits, portfolios, holdings, transaction } = deps

  const portfolioOf = ({ user, params }: Pick<Call<unknown, unknown>, 'user' | 'params'>, need: Need): Portfolio =>
    objects.portfolio(user, params.portfolioId ?? '', need)

  route(app, deps, 'listPortfolios', ({ user, query, request }) => {
    const { searchQuery = '' } = query
    const { limit, offset } = windowOf(query, 0)
    const totalCount = portfolios.count(user.id, searchQuery)
    const own = portfolios.list(user.id, searchQuery, limit, offset)
    const shared = portfolios.sharedWith(user.person).map(({ id, name }) => ({ portfolioId: id, name }))
    const data = { portfolios: own.map(portfolioItem), sharedPortfolios: shared }
    return { correlationId: request.id, totalCount, paging: pagingOf(query, totalCount), data }
  })

  route(app, deps, 'createPortfolio', call =>
    runIdempotent(deps, call, () => {
      if (portfolios.count(call.user.id, '') >= limits.portfolios) {
        throw new Refusal(507, 'Insufficient storage', `this user has ${limits.portfolios} portfolios; no more are allowed`)
      }
      const isSame = (other: { readonly name: string }): boolean => other.name === call.body.name
      if (portfolios.list(call.user.id, call.body.name, limits.portfolios, 0).some(isSame))
        throw conflict('The portfolio exists already', 'name: one of your portfolios has it')
      const { id, name, isDefault } = portfolios.create(call.user.id, call.body)
      return { correlationId: call.request.id, portfolioId: id, name, isDefault }
    }),
  )

  route(app, deps, 'readPortfolio', call => ({
    correlationId: call.request.id,
    ...portfolioRecord(portfolioOf(call, 'View')),
  }))

  route(app, deps, 'changePortfolio', call => portfolios.change(portfolioOf(call, 'Edit'), call.body))

  route(app, deps, 'deletePortfolio', call => {
    portfolios.remove(portfolioOf(call, 'Own').id)
    return { message: 'Portfolio deleted' }
  })

  route(app, deps, 'listPortfolioCountries', call => holdings.countries(portfolioOf(call, 'View').id))

  route(app, deps, 'readRiskSummary', call => {
    const { id } = portfolioOf(call, 'View')
    const totalCompanies = holdings.count(id)
    const ratings = holdings.ratings(id)
    const bands = BANDS.flatMap(band => {
      const count = ratings.get(band) ?? 0
      const share = totalCompanies === 0 ? 0 : count / totalCompanies
      return [
        [`band${band}Count`, count],
        [`band${band}pc`, Math.round(share * 10_000) / 100],
      ]
    })
    return { correlationId: call.request.id, totalCompanies, ...Object.fromEntries(bands) }
  })

  route(app, deps, 'readSharing', call => {
    const { id } = portfolioOf(call, 'Own')
    const names = new Map([...users.values()].map(({ person, username }) => [person, username]))
    const userPermission = [...portfolios.shares(id)].map(([csUserId, permissions]) => ({
      ...{ csUserId, userName: names.get(csUserId) ?? null, permission: permissions.join(',') },
    }))
    return { correlationId: call.request.id, data: { portfolioId: String(id), customerId: CUSTOMER.id, userPermission } }
  })

  route(app, deps, 'changeSharing', call => {
    const { id, owner } = portfolioOf(call, 'Own')
    const { revokeAll, userPermissions = [] } = call.body
    const tenants = new Map([...users.values()].map(({ person, id }) => [person, id]))
    for (const [index, { csUserId }] of userPermissions.entries()) {
      const tenant = tenants.get(csUserId)
      if (tenant !== undefined && tenant !== owner) continue
      const why = tenant === undefined ? 'is not a user of this service' : 'is of the tenant that owns it'
      throw badRequest('The sharing is not acceptable', `userPermissions[${index}].csUserId: ${csUserId} ${why}`)
    }
    transaction(() => {
      if (revokeAll === 'true') portfolios.revokeAll(id)
      for (const { csUserId, permissions } of userPermissions) {
        const words = permissions.split(/, ?/).filter(word => word !== '') as Permission[]
        portfolios.share(id, csUserId, [...new Set(words)])
      }
    })
    return { correlationId: call.request.id, data: { portfolioId: String(id), customerId: CUSTOMER.id, status: 'Success' } }
  })

  portfolioCompanyRoutes(app, deps)
  app.register(async scope => portfolioImportRoutes(scope, deps))
}
