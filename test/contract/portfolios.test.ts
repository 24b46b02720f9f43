/** Portfolios told by HTTP alone: contract §8. It runs against any service; what only ours promises is asked of ours only. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OPERATIONS, type OperationName, PORTFOLIOS, parseWireDate } from '../../src/contract/index.ts'
import { type Call, caller } from './call.ts'
import { openTarget, type Target } from './target.ts'

let target: Target
let call: Call
let stranger: Call
const made: string[] = []

beforeAll(async () => {
  target = await openTarget()
  const logIn = async (login: { username: string; password: string }): Promise<Call> => {
    const { username, password } = login
    return caller(target, (await caller(target, null)('authenticate', { body: { username, password } })).body.token)
  }
  call = await logIn(target)
  stranger = target.other === null ? call : await logIn(target.other)
})

afterAll(async () => {
  for (const portfolioId of made) await call('deletePortfolio', { params: { portfolioId } })
  await target?.close()
})

const EMAILS = [{ firstName: 'John', lastName: 'Doe', emailAddress: 'john.doe@example.com' }]
const NOTES = { personalReference: 'S-1', freeText: '', personalLimit: null }
const UNKNOWN = { portfolioId: '999999999' }

/** The path of a fresh portfolio. */
async function create(more: object = {}): Promise<{ portfolioId: string }> {
  const { body } = await call('createPortfolio', { body: { name: `contract ${crypto.randomUUID()}`, ...more } })
  made.push(String(body.portfolioId))
  return { portfolioId: String(body.portfolioId) }
}

async function holding(...companies: string[]): Promise<{ portfolioId: string }> {
  const params = await create()
  for (const id of companies) await call('addCompany', { params, body: { id, ...NOTES } })
  return params
}

const ids = async (params: { portfolioId: string }): Promise<string[]> =>
  (await call('listPortfolioCompanies', { params })).body.data.map((one: { id: string }) => one.id).sort()

describe('a portfolio', () => {
  test('is created, read, listed, changed and deleted', async () => {
    const name = `contract ${crypto.randomUUID()}`
    const settings = { emails: EMAILS, emailSubject: 'News', emailLanguage: 'en', frequency: '1' }
    const created = await call('createPortfolio', { body: { name, isDefault: false, ...settings } })
    expect(created.body).toMatchObject({ name, isDefault: false, portfolioId: expect.any(Number) })
    const params = { portfolioId: String(created.body.portfolioId) }
    const read = await call('readPortfolio', { params })
    expect(read.body).toMatchObject({ name, isDefault: false, emailSubject: 'News', emails: EMAILS })

    const list = await call('listPortfolios', { query: { searchQuery: name.toUpperCase() } })
    const { totalCount, data } = list.body
    expect(totalCount).toBe(1)
    const emails = [{ firstName: 'John', lastName: 'Doe', email: 'john.doe@example.com' }]
    expect(data.portfolios[0]).toMatchObject({ portfolioId: created.body.portfolioId, name, emails })
    expect(String(data.portfolios[0].isDefault)).toBe('false')

    expect((await call('changePortfolio', { params, body: { name: `${name} 2` } })).status).toBe(204)
    expect((await call('readPortfolio', { params })).body).toMatchObject({
      name: `${name} 2`,
      emailSubject: 'News',
      emails: EMAILS,
    })
    expect((await call('deletePortfolio', { params })).body.message).toMatch(/./)
    expect((await call('readPortfolio', { params })).status).toBe(404)
  })

  test('made the default ends the one before', async () => {
    const [first, second] = [await create({ isDefault: true }), await create()]
    expect((await call('readPortfolio', { params: first })).body.isDefault).toBe(true)
    await call('changePortfolio', { params: second, body: { name: 'second', isDefault: true } })
    expect((await call('readPortfolio', { params: second })).body.isDefault).toBe(true)
    expect((await call('readPortfolio', { params: first })).body.isDefault).toBe(false)
  })

  test('the list is paged from 0', async () => {
    const mark = crypto.randomUUID()
    for (const n of [1, 2, 3]) await create({ name: `${mark} ${n}` })
    const page = async (query: Record<string, string>) =>
      (await call('listPortfolios', { query: { searchQuery: mark, pageSize: '2', ...query } })).body
    const [first, second] = [await page({}), await page({ page: '1' })]
    expect(first.paging).toMatchObject({ size: 2, prev: null, next: 1, last: 1 })
    expect(second.paging).toMatchObject({ size: 2, prev: 0, next: null, last: 1 })
    const found = [first, second].flatMap(one => one.data.portfolios.map((portfolio: { name: string }) => portfolio.name))
    expect(found.sort()).toEqual([1, 2, 3].map(n => `${mark} ${n}`))
    expect([first.totalCount, second.totalCount]).toEqual([3, 3])
    expect((await page({ page: '' })).paging).toEqual(first.paging)
  })

  test.each([[{}], [{ name: '' }], [{ name: 7 }], [{ name: 'a', emails: [{ emailAddress: '' }] }]])(
    'with %j is 400',
    async body => {
      expect((await call('createPortfolio', { body })).status).toBe(400)
      expect((await call('changePortfolio', { params: await create(), body })).status).toBe(400)
    },
  )

  test.each([[{ page: '-1' }], [{ page: 'one' }], [{ pageSize: '0' }], [{ pageSize: '1001' }]])('page %j is 400', async query => {
    expect((await call('listPortfolios', { query })).status).toBe(400)
  })
})

describe('its companies', () => {
  test('one is added, read, changed and removed', async () => {
    const [id] = target.companies
    const params = await create()
    expect((await call('addCompany', { params, body: { id, ...NOTES } })).body.message).toBe('Company Added')
    const { body } = await call('readPortfolioCompany', { params: { ...params, companyId: id } })
    expect(body).toMatchObject({ connectId: id, portfolioId: Number(params.portfolioId), personalReference: 'S-1' })
    expect(parseWireDate(body.dateAdded)).toBeGreaterThan(0)

    const again = await call('addCompany', { params, body: { id: body.safeNumber, ...NOTES } })
    expect(again.status).toBe(409)
    const other = { personalReference: 'S-2', freeText: 'by post', personalLimit: '500' }
    await call('changeCompany', { params: { ...params, companyId: id }, body: other })
    const changed = await call('readPortfolioCompany', { params: { ...params, companyId: body.safeNumber } })
    expect(changed.body).toMatchObject({ ...other, personalLimit: expect.anything() })
    expect(String(changed.body.personalLimit)).toBe('500')

    const removed = await call('removeCompany', { params: { ...params, companyId: id } })
    expect(removed.body.message).toBe('Company removed')
    expect((await call('removeCompany', { params: { ...params, companyId: id } })).status).toBe(404)
    expect(await ids(params)).toEqual([])
  })

  test('the list is filtered and paged from 0, countries and risk are counted', async () => {
    const [first, second] = target.companies
    const params = await holding(first, second)
    const list = async (query: Record<string, string>) => (await call('listPortfolioCompanies', { params, query })).body
    const all = await list({})
    expect(all).toMatchObject({ totalCount: 2, paging: { prev: null, next: null, last: 0 } })
    const one = all.data.find((found: { id: string }) => found.id === first)
    expect(await list({ searchQuery: one.name.toLowerCase() })).toMatchObject({ totalCount: 1, data: [{ id: first }] })
    expect(await list({ countryCode: one.countryCode })).toMatchObject({ totalCount: 1, data: [{ id: first }] })
    const pages = await Promise.all(['0', '1'].map(page => list({ page, pageSize: '1' })))
    expect(new Set(pages.flatMap(page => page.data.map((found: { id: string }) => found.id)))).toEqual(new Set([first, second]))
    expect(pages[0].paging).toMatchObject({ next: 1, last: 1 })
    expect((await call('listPortfolioCompanies', { params, query: { countryCode: 'GBR' } })).status).toBe(400)

    const countries = all.data.map((found: { countryCode: string }) => found.countryCode).sort()
    expect((await call('listPortfolioCountries', { params })).body.sort()).toEqual(countries)
    expect((await call('readRiskSummary', { params })).body.totalCompanies).toBe(2)
  })

  test('are copied, moved and cleared', async () => {
    const [first, second] = target.companies
    const [from, to] = [await holding(first, second), await create()]
    const portfolios = [Number(to.portfolioId)]
    const copy = async (companies: string[]) =>
      (await call('copyCompanies', { params: from, body: { portfolios, companies: companies.map(id => ({ id })) } })).body.data
    expect(await copy([first])).toMatchObject({
      ...{ totalPortfoliosCompanies: 1, successfulPortfoliosCompanies: 1, failedPortfoliosCompanies: 0 },
    })
    expect(await ids(to)).toEqual([first])
    expect(await copy([first])).toMatchObject({ successfulPortfoliosCompanies: 0, failedPortfoliosCompanies: 1 })

    const query = { removeAll: 'true' }
    const moved = await call('moveCompanies', { params: from, query, body: { portfolios, companies: [] } })
    expect(moved.body.data.totalPortfoliosCompanies).toBe(2)
    expect(await ids(from)).toEqual([])
    expect(await ids(to)).toEqual([first, second].sort())

    expect((await call('clearCompanies', { params: to, body: { companies: [first] } })).body.message).toMatch(/./)
    expect(await ids(to)).toEqual([second])
    await call('clearCompanies', { params: to, query: { clearAll: 'true' }, body: { companies: [] } })
    expect(await ids(to)).toEqual([])
  })

  test('invalid bodies are 400, unknown companies 404', async () => {
    const params = await create()
    const [id] = target.companies
    for (const body of [{}, { id }, { ...NOTES }, { id, ...NOTES, freeText: undefined }]) {
      expect((await call('addCompany', { params, body })).status).toBe(400)
    }
    expect((await call('addCompany', { params, body: { id: 'XX-X-NOBODY', ...NOTES } })).status).toBe(404)
    for (const name of ['readPortfolioCompany', 'removeCompany', 'listCompanyNotificationEvents'] as const) {
      expect((await call(name, { params: { ...params, companyId: id } })).status).toBe(404)
    }
    expect((await call('changeCompany', { params: { ...params, companyId: id }, body: NOTES })).status).toBe(404)
    expect((await call('changeCompany', { params: { ...params, companyId: id }, body: {} })).status).toBe(400)
    expect((await call('copyCompanies', { params, body: {} })).status).toBe(400)
    expect((await call('moveCompanies', { params, body: { portfolios: ['a'] } })).status).toBe(400)
    expect((await call('clearCompanies', { params, body: { companies: 'all' } })).status).toBe(400)
  })
})

describe('import and sync', () => {
  const HEADER = 'Safe Number,Local Org No.,Country Code,Reference,Free Text,Personal Limit'
  const form = (lines: string[], name = 'importcsv'): FormData => {
    const data = new FormData()
    data.append(name, new Blob([[HEADER, ...lines].join('\n')], { type: 'text/csv' }), 'portfolio.csv')
    data.append('email', 'john.doe@example.com')
    return data
  }
  const reach = async (params: { portfolioId: string }, wanted: string[]): Promise<void> => {
    while ((await ids(params)).join() !== [...wanted].sort().join()) await target.pause()
  }

  test.each(['importcsv', 'importCsv'])('%s adds what is not there', async name => {
    const [first, second] = target.companies
    const params = await holding(first)
    const { body } = await call('importCompanies', { params, form: form([`${first},,,R,F,1`, `${second},,,R2,,5`], name) })
    expect(body.status).toMatch(/^Accepted for processing\. Import Id \d+$/)
    await reach(params, [first, second])
    if (target.isRemote) return
    const companies = (await call('listPortfolioCompanies', { params })).body.data
    const references = Object.fromEntries(companies.map((one: Record<string, string>) => [one.id, one.personalReference]))
    expect(references).toEqual({ [first]: 'S-1', [second]: 'R2' })
  })

  test('sync leaves what the file names and no other', async () => {
    const [first, second] = target.companies
    const params = await holding(first)
    const { body } = await call('syncCompanies', { params, form: form([`${second},,,R2,,`]) })
    expect(body.status).toMatch(/^Accepted for processing\. Import Id \d+$/)
    await reach(params, [second])
  })

  test('without its file, or with one that names no company, it is 400', async () => {
    const params = await create()
    expect((await call('importCompanies', { params, form: new FormData() })).status).toBe(400)
    if (target.isRemote) return
    const data = new FormData()
    data.append('importcsv', new Blob(['a,b\n1,2\n']), 'portfolio.csv')
    expect((await call('syncCompanies', { params, form: data })).body.details).toContain('Safe Number')
  })
})

describe('rules', () => {
  test('are all off, set, and reset', async () => {
    const params = await create()
    const all = (await call('listPortfolioEventRules', { params })).body
    expect(all.length).toBeGreaterThan(0)
    for (const rule of all) expect(Number(rule.isActive)).toBe(0)
    const inXx = { ...params, countryCode: 'XX' }
    const set = [{ ruleCode: 101, isActive: 1, param0: '1', param1: 'A' }]
    expect((await call('setEventRules', { params: inXx, body: set })).status).toBe(204)
    const find = async () =>
      (await call('listPortfolioCountryEventRules', { params: inXx })).body.find(
        (one: { ruleCode: number }) => one.ruleCode === 101,
      )
    const found = await find()
    expect(found).toMatchObject({ ruleCountryCode: 'XX', param0: '1', param1: 'A' })
    expect(Number(found.isActive)).toBe(1)
    expect((await call('resetEventRules', { params })).status).toBe(204)
    expect(Number((await find()).isActive)).toBe(0)
    expect((await call('listPortfolioCountryEventRules', { params: { ...params, countryCode: 'PLC' } })).status).toBe(200)
  })

  test('that cannot be are 400', async () => {
    const params = { ...(await create()), countryCode: 'XX' }
    for (const body of [{}, [{}], [{ ruleCode: 101 }], [{ ruleCode: 'a', isActive: 1 }], [{ ruleCode: 101, isActive: 2 }]]) {
      expect((await call('setEventRules', { params, body })).status).toBe(400)
    }
    const long = { ...params, countryCode: 'GBR' }
    expect((await call('listPortfolioCountryEventRules', { params: long })).status).toBe(400)
    if (target.isRemote) return
    const twice = [
      { ruleCode: 105, isActive: 1 },
      { ruleCode: 105, isActive: 0 },
    ]
    expect((await call('setEventRules', { params, body: twice })).body.details).toBe('[1].ruleCode: 105 occurs twice')
    const param = [{ ruleCode: 101, isActive: 1, param1: 'Z' }]
    expect((await call('setEventRules', { params, body: param })).body.details).toBe(
      '[0].param1: is not a valid parameter of rule 101',
    )
  })
})

describe('no other user', () => {
  /** What each operation of a portfolio is sent. */
  const bodies: Partial<Record<OperationName, unknown>> = {
    changePortfolio: { name: 'mine' },
    copyCompanies: { portfolios: [1], companies: [{ id: 'a' }] },
    moveCompanies: { portfolios: [1], companies: [{ id: 'a' }] },
    clearCompanies: { companies: ['a'] },
    addCompany: { id: 'a', ...NOTES },
    changeCompany: NOTES,
    setEventRules: [],
    markNotificationEvent: { isProcessed: true },
    changeSharing: { revokeAll: 'true' },
  }
  const ofOne = Object.keys(PORTFOLIOS).filter(name => OPERATIONS[name as OperationName].path.includes('{portfolioId}'))

  test.each(ofOne as OperationName[])('may %s: the portfolio of another user is as unknown as a missing one', async name => {
    const own = await create()
    for (const params of target.other === null ? [UNKNOWN] : [UNKNOWN, own]) {
      const form = new FormData()
      form.append('importcsv', new Blob(['Safe Number\n']), 'a.csv')
      const given = OPERATIONS[name].request === 'multipart' ? { form } : name in bodies ? { body: bodies[name] } : {}
      const all = { companyId: target.companies[0], countryCode: 'XX', notificationEventId: '1', ...params }
      expect((await stranger(name, { params: all, ...given })).status).toBe(404)
    }
    expect((await call('readPortfolio', { params: own })).status).toBe(200)
  })

  test('unless it is shared with them, and then only what they may', async context => {
    if (target.isRemote) context.skip('numbers of users are not to be had by these operations')
    const [first, second] = target.companies
    const params = await holding(first)
    const [{ csUserId }] = (await stranger('readUserDetails')).body
    const share = (permissions: string) =>
      call('changeSharing', { params, body: { userPermissions: [{ csUserId, permissions }] } })
    expect((await share('View')).body.data).toMatchObject({ portfolioId: String(Number(params.portfolioId)), status: 'Success' })
    const { data } = (await call('readSharing', { params })).body
    expect(data.userPermission).toEqual([{ csUserId, userName: target.other?.username, permission: 'View' }])
    expect((await stranger('listPortfolioCompanies', { params })).body.totalCount).toBe(1)
    const shared = (await stranger('listPortfolios')).body.data.sharedPortfolios
    expect(shared.map((one: { portfolioId: number }) => String(one.portfolioId))).toContain(params.portfolioId)
    expect((await stranger('addCompany', { params, body: { id: second, ...NOTES } })).status).toBe(403)
    await share('View,Add')
    expect((await stranger('addCompany', { params, body: { id: second, ...NOTES } })).status).toBe(200)
    expect((await stranger('deletePortfolio', { params })).status).toBe(403)
    expect((await stranger('readSharing', { params })).status).toBe(403)
    await call('changeSharing', { params, body: { revokeAll: 'true' } })
    expect((await stranger('readPortfolio', { params })).status).toBe(404)
    const bad = { userPermissions: [{ csUserId: 1, permissions: 'View' }] }
    expect((await call('changeSharing', { params, body: bad })).body.details).toContain('userPermissions[0].csUserId')
  })
})
