/** Who the caller is and what the account may use: contract §4.3, §8 row 30, §11.1. */
import type { FastifyInstance } from 'fastify'
import type { Allowance } from '../../contract/index.ts'
import type { Product } from '../auth/usage.ts'
import type { Context } from '../context.ts'
import { CUSTOMER } from '../data-cleaning/job-record.ts'
import { route } from '../http/route.ts'
import { countryName } from '../registers/countries.ts'

/** Nothing here ends by itself. */
const NO_END = '9999-12-31'

/** Registers the operations. */
export function accessRoutes(app: FastifyInstance, context: Context): void {
  const { engine, officers, usage, users, limits } = context

  const allowances = (owner: number, product: Product): Allowance[] => {
    const startDate = new Date(usage.created(owner)).toISOString().slice(0, 10)
    const common = { startDate, expireDate: NO_END, paid: limits.reports }
    return engine.countries.map(code => ({
      countryName: countryName(code),
      countryIso2: code,
      ...common,
      used: usage.used(owner, product, code),
      ...(product === 'company' ? { templateName: 'full' } : {}),
    }))
  }

  route(app, context, 'readAccess', ({ user, request }) => ({
    correlationId: request.id,
    countryAccess: {
      creditsafeConnectOnlineReports: allowances(user.id, 'company'),
      creditsafeConnectOfflineReports: [],
      creditsafeConnectMonitoring: engine.countries.map(code => ({ countryName: countryName(code), countryIso2: code })),
      creditsafeConnectDirectorReports: officers.size === 0 ? [] : allowances(user.id, 'person'),
      creditsafeConnectImageDocuments: [],
      creditsafeConnectBankValidation: [],
      creditsafeConnectBankVerification: [],
    },
  }))

  route(app, context, 'listActiveUsers', () => {
    const items = [...users.values()].map(({ id, username }) => ({ firstName: username, surname: '', userId: id }))
    return { items, totalSize: items.length }
  })

  route(app, context, 'readOwnUser', ({ user: { username }, request }) => ({
    username,
    emailAddress: username.includes('@') ? username : '',
    owningEntity: CUSTOMER.name,
    defaultLanguage: 'EN',
    primaryContact: { title: '', firstName: username, surname: '' },
    ietfLanguage: 'en-GB',
    countryCode: 'GB',
    isActive: true,
    correlationId: request.id,
  }))

  route(app, context, 'readUserDetails', ({ user }) => {
    const createdDate = new Date(usage.created(user.id)).toISOString().slice(0, 19).replace('T', ' ')
    return [
      {
        countryCode: 'GB',
        createdDate,
        csCustomerId: CUSTOMER.id,
        csUserId: user.id,
        isAutoTracker: false,
        languageCode: 'EN',
        lastAccessDate: null,
        modifiedDate: null,
        contractEndDate: null,
        userId: user.id,
      },
    ]
  })
}
