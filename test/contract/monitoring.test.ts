/** Rules and events told by HTTP alone: contract §7. What makes events is told in test/unit/service/monitoring, where registers change. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OperationName } from '../../src/contract/index.ts'
import { type Call, caller } from './call.ts'
import { openTarget, type Target } from './target.ts'

let target: Target
let call: Call

beforeAll(async () => {
  target = await openTarget()
  const { username, password } = target
  call = caller(target, (await caller(target, null)('authenticate', { body: { username, password } })).body.token)
})

afterAll(() => target?.close())

describe('the rules there are', () => {
  test('are listed whole, by country, and as XX for all countries', async () => {
    const all = (await call('listEventRules')).body
    const codes = all.map((rule: { ruleCode: number }) => rule.ruleCode)
    expect(new Set(codes).size).toBe(codes.length)
    expect(codes).toEqual(expect.arrayContaining([101, 102, 105, 1703]))
    for (const countryCode of ['XX', 'BE', 'GB']) {
      const rules = (await call('listCountryEventRules', { params: { countryCode } })).body
      expect(rules.length).toBeGreaterThan(0)
      for (const rule of rules) {
        expect(rule.ruleCountryCode).toBe(countryCode)
        expect(codes).toContain(rule.ruleCode)
      }
    }
  })

  test.each(['G', 'GBR', 'PLC', '12'])('%s is no country code: 400', async countryCode => {
    expect((await call('listCountryEventRules', { params: { countryCode } })).status).toBe(400)
  })

  test('an unknown country is 404', async context => {
    if (target.isRemote) context.skip('which countries have rules is the service’s affair')
    expect((await call('listCountryEventRules', { params: { countryCode: 'ZZ' } })).status).toBe(404)
  })
})

describe('events', () => {
  test('of a company in no portfolio there are none', async context => {
    if (target.isRemote) context.skip('whether the account holds the company is not known')
    const { body } = await call('listCompanyEvents', { id: target.companies[0] })
    expect(body).toMatchObject({ totalCount: 0, data: [], paging: { prev: null, next: null, last: 0 } })
  })

  const LISTS = ['listNotificationEvents', 'listCompanyEvents'] as const
  test.each(LISTS)('%s is paged from 0 and dated', async name => {
    const id = target.companies[0]
    const query = { page: '0', pageSize: '10', startDate: '2020-01-01', endDate: '2019-01-01T00:00:00Z' }
    expect((await call(name, { id, query })).body).toMatchObject({ totalCount: 0, data: [] })
    for (const bad of [{ page: '-1' }, { pageSize: '1001' }, { startDate: 'yesterday' }, { endDate: '2026-02-30' }] as Record<
      string,
      string
    >[]) {
      expect((await call(name, { id, query: bad })).status).toBe(400)
    }
  })

  test.each([[{ sortBy: 'mood' }], [{ sortDir: 'up' }], [{ filterByCreatedDate: 'maybe' }]])(
    'notification events with %j are 400',
    async query => {
      expect((await call('listNotificationEvents', { query })).status).toBe(400)
    },
  )

  test('events of a portfolio, and of a company in it, can be listed and marked', async () => {
    const created = await call('createPortfolio', { body: { name: `contract ${crypto.randomUUID()}` } })
    const params = {
      portfolioId: String(created.body.portfolioId),
      companyId: target.companies[0],
      notificationEventId: '999999999',
    }
    const body = { id: target.companies[0], personalReference: '', freeText: null, personalLimit: '' }
    await call('addCompany', { params, body })
    const query = { searchQuery: 'x', sortBy: 'eventDate', sortDir: 'desc', pageSize: '5' }
    for (const name of ['listPortfolioNotificationEvents', 'listCompanyNotificationEvents'] as OperationName[]) {
      expect((await call(name, { params, query })).body).toMatchObject({ totalCount: 0, data: [] })
    }
    expect((await call('listCompanyNotificationEvents', { params, query: { isProcessed: 'perhaps' } })).status).toBe(400)
    expect((await call('markNotificationEvent', { params, body: { isProcessed: true } })).status).toBe(404)
    expect((await call('markNotificationEvent', { params, body: {} })).status).toBe(400)
    await call('deletePortfolio', { params })
  })
})
