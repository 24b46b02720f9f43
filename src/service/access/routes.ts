/** The caller's user record and what the account may use (contract §4.3, §8 row 30, §11.1). */
import type { FastifyInstance } from 'fastify'
import type { Allowance } from '../../contract/index.ts'
import type { Product } from '../auth/usage.ts'
import { CUSTOMER } from '../data-cleaning/job-record.ts'
import type { AppDeps } from '../deps.ts'
import { createRouter } from '../http/route.ts'
import { countryName } from '../registers/countries.ts'

/** Access never expires. */
const NO_END = '9999-12-31'

/** Portfolios may have any number of companies: the largest number that every reader takes. */
const NO_LIMIT = 2 ** 31 - 1

export function accessRoutes(app: FastifyInstance, deps: AppDeps): void {
  const route = createRouter(app, deps)
  const { engine, officers, usage, users, holdings, limits } = deps

  const makeRow = (owner: number, code: string, paid: number, used: number): Allowance => {
    const startDate = new Date(usage.created(owner)).toISOString().slice(0, 10)
    return { countryName: countryName(code), countryIso2: code, startDate, expireDate: NO_END, paid, used }
  }
  const allowances = (owner: number, product: Product): Allowance[] =>
    engine.countries.map(code => ({
      ...makeRow(owner, code, limits.reports, usage.used(owner, product, code)),
      templateName: product === 'company' ? 'full' : undefined,
    }))
  const monitored = (owner: number): Allowance[] =>
    engine.countries.map(code => ({ name: countryName(code), ...makeRow(owner, code, NO_LIMIT, holdings.countIn(owner, code)) }))

  route('readAccess', ({ user, request }) => ({
    correlationId: request.id,
    countryAccess: {
      creditsafeConnectOnlineReports: allowances(user.id, 'company'),
      creditsafeConnectOfflineReports: [],
      creditsafeConnectMonitoring: monitored(user.id),
      creditsafeConnectDirectorReports: officers.size === 0 ? [] : allowances(user.id, 'person'),
      creditsafeConnectImageDocuments: [],
      creditsafeConnectBankValidation: [],
      creditsafeConnectBankVerification: [],
    },
  }))

  route('listActiveUsers', () => {
    const items = [...users.values()].map(({ person, username }) => ({ firstName: username, surname: '', userId: person }))
    return { items, totalSize: items.length }
  })

  route('readOwnUser', ({ user: { username }, request }) => ({
    username,
    emailAddress: username.includes('@') ? username : '',
    owningEntity: CUSTOMER.name,
    defaultLanguage: 'EN',
    primaryContact: { title: '', firstName: username, surname: '' },
    ietfLanguage: 'en-GB',
    countryCode: 'GB',
    isActive: 'true',
    correlationId: request.id,
  }))

  route('readUserDetails', ({ user }) => {
    const createdDate = new Date(usage.created(user.id)).toISOString().slice(0, 19).replace('T', ' ')
    return [
      {
        countryCode: 'GB',
        createdDate,
        csCustomerId: CUSTOMER.id,
        csUserId: user.person,
        isAutoTracker: false,
        languageCode: 'EN',
        lastAccessDate: null,
        modifiedDate: null,
        contractEndDate: null,
        userId: user.person,
      },
    ]
  })
}
