/** Calls every operation of the table through `client.api` against the embedded service, and every list over all its pages. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type Client, connect } from '../../../src/client/index.ts'
import { OPERATIONS, type Operation, type OperationName } from '../../../src/contract/index.ts'
import type { PlayName } from '../../../src/service/plays.ts'
import { importRegister } from '../../../src/service/registers/index.ts'
import { serve } from '../../../src/service/serve.ts'
import { temporaryFolder } from '../service/kit.ts'

type Input = Record<string, unknown>
// biome-ignore lint/suspicious/noExplicitAny: the client has held it against the operation's schema.
type Reply = any

const COMPANIES = [
  '1,NORTHGATE FASTENERS LIMITED,GB,01234567,1 Mill Lane,Leeds,active',
  '2,NORTHGATE FOODS LIMITED,GB,07654321,2 Mill Lane,Leeds,active',
  '3,NORTHGATE TOOLS LIMITED,GB,07654322,3 Mill Lane,Leeds,active',
]
const OFFICERS = 'companyId,personId,firstName,lastName,position\n1,9001,Ann,Sample,Director\n2,9002,Bo,Sample,Director\n'
const [ID, OTHER] = ['GB-X-01234567', 'GB-X-07654321'] as const
const PERSONAL = { personalReference: 'S-1', freeText: '', personalLimit: '' }

const fileOf = (text: string) => {
  const bytes = Buffer.from(text)
  return {
    filename: 'a.csv',
    bytes: bytes.length,
    async *open() {
      yield bytes
    },
  }
}

/** The address through which the client reaches a service. */
type Front = (url: string) => Promise<string>

/** A service that can be started again on the same state after its register has changed. */
async function world(play: PlayName, front: Front) {
  const [folder, registerDir, dataDir] = [await temporaryFolder(), await temporaryFolder(), await temporaryFolder()]
  const [file, officers] = [join(folder, 'companies.csv'), join(folder, 'officers.csv')]
  await writeFile(officers, OFFICERS)
  let imports = 0
  const guarded = new Set<OperationName | 'request'>()
  return {
    guarded,
    async take(lines: readonly string[]) {
      await writeFile(file, ['id,name,country,orgNumber,address1,town,status', ...lines, ''].join('\n'))
      imports += 1
      await importRegister({ file, officers, name: 'one', dir: registerDir, now: new Date(Date.UTC(2026, 0, imports)) })
    },
    async open() {
      const service = await serve({ dataDir, registerDir, registers: [], users: [], play })
      onTestFinished(() => service.close())
      const { username, password } = service
      const url = await front(service.url)
      const beforeEffect = (operation: OperationName | 'request') => void guarded.add(operation)
      const client = connect({ url, username, password, beforeEffect })
      onTestFinished(() => client.close())
      return { service, client }
    },
  }
}

/** Returns the operations that the client guards. `front` stands before the service; none by default. */
export async function everyOperation(play: PlayName = 'own', front: Front = async url => url): Promise<ReadonlySet<string>> {
  const asked = new Map<OperationName, Input>()
  let client: Client
  const go = async (name: OperationName, input: Input = {}): Promise<Reply> => {
    asked.set(name, input)
    return Reflect.get(client.api, name)(input)
  }
  const { take, open, guarded } = await world(play, front)
  await take(COMPANIES)
  const first = await open()
  client = first.client

  for (const name of ['readAccess', 'listActiveUsers', 'readOwnUser', 'readUserDetails'] as const) await go(name)

  const countries = 'GB'
  expect((await go('searchCompanies', { query: { countries, name: 'northgate' } })).totalSize).toBe(3)
  await go('searchCompaniesGlobally', { query: { name: 'northgate' } })
  const match = await go('matchCompanies', { query: { matchThreshold: 900, country: 'GB', name: 'Northgate Fasteners Ltd' } })
  expect(match.matchedCompanies[0].id).toBe(ID)
  await go('companySearchCriteria', { query: { countries } })
  await go('reportSchema', { countryCode: 'GB' })
  await go('reportCustomData', { country: 'DE' })
  expect((await go('readReport', { id: ID })).report.directors.currentDirectors[0].name).toBe('Ann Sample')
  await go('peopleSearchCriteria', { query: { countries } })
  const people = await go('searchPeople', { query: { countries, lastName: 'Sample' } })
  expect(people.directors).toHaveLength(2)
  await go('readPerson', { peopleId: people.directors[0].peopleId })

  const { id } = await go('createJob', { body: { name: 'one' } })
  for (const name of ['two', 'three']) await go('createJob', { body: { name } })
  const reach = (status: string) =>
    expect.poll(async () => (await go('readJob', { id })).status, { timeout: 30_000, interval: 20 }).toBe(status)
  await go('listJobs')
  await go('upload', { id, file: fileOf('name\nNorthgate Fasteners Ltd\n'), fields: { hasHeader: 'true' } })
  await go('setMappings', { id, body: { mappings: [{ mapping: 'name', value: '0' }] } })
  await go('submit', { id })
  await reach('jobMatchingComplete')
  await go('setEnrichments', { id, body: { enrichments: [{ enrichment: 'general.connectId' }] } })
  await go('enrich', { id })
  await reach('enrichmentComplete')
  expect((await go('enrichedFile', { id, query: { fileType: 'csv' } })).filePath).toMatch(/^\/files\//)
  await go('archive', { id })

  const made: string[] = []
  for (const name of ['Suppliers', 'Customers', 'Others'])
    made.push(String((await go('createPortfolio', { body: { name } })).portfolioId))
  const [portfolioId = '', second = '', third = ''] = made
  await go('readPortfolio', { portfolioId })
  expect(await go('changePortfolio', { portfolioId, body: { name: 'Suppliers 2' } })).toBeNull()
  await go('listPortfolios')
  for (const company of [ID, OTHER]) await go('addCompany', { portfolioId, body: { id: company, ...PERSONAL } })
  await go('readPortfolioCompany', { portfolioId, companyId: ID })
  await go('changeCompany', { portfolioId, companyId: ID, body: PERSONAL })
  await go('listPortfolioCompanies', { portfolioId })
  expect(await go('listPortfolioCountries', { portfolioId })).toEqual(['GB'])
  const companies = [{ id: ID }]
  await go('copyCompanies', { portfolioId, body: { portfolios: [Number(second)], companies } })
  await go('moveCompanies', { portfolioId: second, body: { portfolios: [Number(third)], companies } })
  expect(await go('listPortfolioCountries', { portfolioId: second })).toEqual([])
  await go('clearCompanies', { portfolioId: third, body: { companies: [ID] } })
  const list = fileOf(`Safe Number,Local Org No.,Country Code,Reference,Free Text,Personal Limit\n${ID},,,,,\n`)
  for (const name of ['importCompanies', 'syncCompanies'] as const)
    expect((await go(name, { portfolioId: second, file: list })).status).toMatch(/^Accepted/)
  await go('listEventRules')
  await go('listCountryEventRules', { countryCode: 'XX' })
  await go('listPortfolioEventRules', { portfolioId })
  await go('resetEventRules', { portfolioId })
  const rules = [900104, 105].map(ruleCode => ({ ruleCode, isActive: 1 }))
  await go('setEventRules', { portfolioId, countryCode: 'XX', body: rules })
  const active = await go('listPortfolioCountryEventRules', { portfolioId, countryCode: 'XX' })
  expect(active.filter((one: Reply) => one.isActive === true)).toHaveLength(2)
  await go('readRiskSummary', { portfolioId })
  await go('changeSharing', { portfolioId, body: { revokeAll: 'true' } })
  await go('readSharing', { portfolioId })

  const subjects = {
    Business: { name: 'Varnix Steel Limited', threshold: 75, datasets: ['SAN'] },
    Individual: { firstName: 'Zalmir', lastName: 'Quorvath', threshold: 75, datasets: ['SAN', 'PEP'] },
  }
  for (const [kind, body] of Object.entries(subjects)) {
    const name = (words: string): OperationName => words.replace('#', kind) as OperationName
    const search = await go(name('create#Search'), { body })
    const searchId: string = search.id
    await go(name('create#Search'), { body })
    await go(name('list#Searches'))
    await go(name('update#Searches'), { body: { items: [{ searchId, riskRating: 'low' }] } })
    await go(name('read#Search'), { searchId })
    await go(name('update#Search'), { searchId, body: { status: 'pending', riskRating: 'low' } })
    const { items } = await go(name('list#Hits'), { searchId })
    const hitId: string = items[0].id
    await go(name('read#Hit'), { searchId, hitId })
    await go(name('note#Hit'), { searchId, hitId, body: { note: 'seen' } })
    expect((await go(name('decide#Hit'), { searchId, hitId, body: { decision: 'trueMatch' } })).decision).toBe('trueMatch')
    const many = await go(name('decide#Hits'), {
      searchId,
      body: { items: [{ hitId: crypto.randomUUID(), decision: 'trueMatch' }] },
    })
    expect(many.failed).toHaveLength(1)
    const pdf = await fetch((await go(name('download#Hit'), { searchId, hitId })).downloadUrl)
    expect(Buffer.from(await pdf.arrayBuffer()).toString('latin1', 0, 5)).toBe('%PDF-')
  }

  const [one, other] = (await go('listBusinessSearches')).items.map((search: Reply) => search.id)
  const added = await go('createSchedules', { body: { items: [{ searchId: one }, { searchId: other }, { searchId: one }] } })
  expect([added.successful.length, added.failed.length]).toEqual([2, 1])
  const scheduleId: string = added.successful[0].id
  expect((await go('listSchedules')).totalSize).toBe(2)
  expect((await go('updateSchedules', { body: { items: [{ scheduleId, threshold: 80 }] } })).successful).toHaveLength(1)
  await go('updateSchedule', { scheduleId, body: { isEmailRequired: true, emailRecipients: ['ann@example.com'] } })
  expect((await go('readSchedule', { scheduleId })).threshold).toBe(80)
  expect((await go('listScheduleAlerts')).items[0]).toMatchObject({ searchType: 'business', profileId: null })
  expect((await go('deleteSchedules', { body: { items: [other] } })).successful).toEqual([other])
  await go('deleteSchedule', { scheduleId })
  expect((await go('listSchedules')).totalSize).toBe(0)
  // For the pages below.
  await go('createSchedules', { body: { items: [{ searchId: one }, { searchId: other }] } })

  const guid = 'limits'
  const instance = { guid, templateId: 'table', decisionTreeName: 'Limits' }
  const large = { name: 'large', when: { amount: { '>': 5000 } }, decision: 'refer' }
  const table = { fields: { amount: { type: 'number' } }, rules: [large], otherwise: 'accept' }
  expect((await go('changeDecisionInstance', { guid, body: { ...instance, configurationVariables: table } })).version).toBe(1)
  await go('readDecisionInstance', { guid })
  expect((await go('listDecisionInstances')).instances).toHaveLength(1)
  expect((await go('listDecisionTrees')).GUIDList[0].GUID).toBe(guid)
  expect((await go('listDecisionFields', { provenirId: guid })).fields[0].paramName).toBe('amount')
  for (const amount of [1, 6000]) {
    const made = await go('runDecision', { provenirId: guid, query: { companyId: ID }, body: { amount } })
    expect(made.statusCode).toBe(amount === 1 ? '1' : '2')
  }
  const log = (await go('listDecisionLogs')).usageLog[0]
  const decisionLogId = String(log.decisionLogId)
  expect((await go('readDecisionLog', { decisionLogId })).rule).toBe('large')
  expect((await go('changeDecisionLog', { decisionLogId, body: { statusCode: 5 } })).status).toBe(5)
  await go('changeDecisionOutcome', { guid, body: { decisionOutcomes: [{ status: 1, label: 'Yes' }] } })
  expect((await go('readDecisionOutcome', { guid })).decisionOutcomes.items[0].label).toBe('Yes')

  await first.service.close()
  await take([
    COMPANIES[0]!.replace('1 Mill Lane', '9 Canal Street').replace('FASTENERS', 'SCREWS'),
    COMPANIES[1]!.replace('2 Mill Lane', '8 Canal Street'),
    COMPANIES[2]!,
  ])
  client = (await open()).client
  expect((await go('listNotificationEvents')).totalCount).toBe(3)
  const events = await go('listPortfolioNotificationEvents', { portfolioId })
  const notificationEventId = String(events.data[0].notificationEventId)
  expect(await go('markNotificationEvent', { portfolioId, notificationEventId, body: { isProcessed: true } })).toBeNull()
  expect(await go('markAnyNotificationEvent', { notificationEventId, body: { isProcessed: false } })).toBeNull()
  expect((await go('listCompanyNotificationEvents', { portfolioId, companyId: ID })).totalCount).toBe(2)
  expect((await go('listCompanyEvents', { id: ID })).totalCount).toBe(2)

  for (const [name, { pages }] of Object.entries(OPERATIONS) as [OperationName, Operation][]) {
    if (pages === undefined) continue
    const input = asked.get(name) ?? {}
    const all = (more: object): Promise<Reply[]> =>
      Reflect.get(client.api, name)
        .all({ ...input, query: { ...(input.query as object), ...more } })
        .toArray({ limit: 1_000 })
    const whole = await all({})
    expect(whole.length, name).toBeGreaterThan(0)
    expect(await all({ pageSize: 1 }), name).toEqual(whole)
  }

  await go('removeCompany', { portfolioId, companyId: ID })
  await go('deletePortfolio', { portfolioId })
  const missing = Object.keys(OPERATIONS).filter(name => name !== 'authenticate' && !asked.has(name as OperationName))
  expect(missing).toEqual([])
  return guarded
}
