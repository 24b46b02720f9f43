/** Events of register imports, on real files through the whole service. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ChangeSet, ChangeSource } from '../../../../src/service/monitoring/changes.ts'
import { importRegister, registerInfo } from '../../../../src/service/registers/index.ts'
import { type ServeOptions, serve } from '../../../../src/service/serve.ts'
import { start } from '../../../../src/service/server.ts'
import { eventually } from '../../../support/eventually.ts'
import { engine } from '../engine.ts'
import { type Caller, HandClock, logIn, temporaryFolder } from '../kit.ts'

const USERS = [
  { username: 'ann', password: 'the password of ann' },
  { username: 'bob', password: 'the password of bob' },
]
const HEADER = 'id,name,country,orgNumber,address1,town,status'
const FIRST = [
  '1,NORTHGATE FASTENERS LIMITED,GB,01234567,1 Mill Lane,Leeds,active',
  '2,BAKERY LUMIERE SARL,FR,552100554,2 rue Haute,Lyon,active',
  '3,VAN DIJK LOGISTIEK BV,NL,34567890,3 Kade,Rotterdam,active',
]
const SECOND = [
  '1,NORTHGATE FASTENERS LIMITED,GB,01234567,9 Canal Street,Leeds,active',
  '2,BAKERY LUMIERE SA,FR,552100554,2 rue Haute,Lyon,liquidation',
]

/** A register folder, and a service on it that can be stopped and started again. */
async function world(options: Partial<ServeOptions> = {}) {
  const [registerDir, dataDir, files] = [await temporaryFolder(), await temporaryFolder(), await temporaryFolder()]
  let imports = 0
  const importLines = async (lines: string[], name = 'one', header = HEADER): Promise<void> => {
    imports += 1
    const file = join(files, `${imports}.csv`)
    await writeFile(file, [header, ...lines, ''].join('\n'))
    await importRegister({
      file,
      name,
      dir: registerDir,
      now: new Date(Date.UTC(2026, 0, imports)),
      snapshotDate: `2026-01-0${imports}`,
    })
  }
  const open = async () => {
    const service = await serve({ dataDir, registerDir, registers: [], users: USERS, ...options })
    onTestFinished(() => service.close())
    return { service, caller: await logIn(service), bob: await logIn({ ...service, ...USERS[1]! }) }
  }
  return { importLines, open, registerDir }
}

/** A portfolio with these companies and active rules; gives its id. */
async function watch(caller: Caller, companies: string[], rules: Record<string, number[]>, name = 'Suppliers'): Promise<number> {
  const { portfolioId } = (await caller.call('POST', '/monitoring/portfolios', { name })).body
  for (const [country, codes] of Object.entries(rules)) {
    const body = codes.map(ruleCode => ({ ruleCode, isActive: 1 }))
    const { status } = await caller.call('PUT', `/monitoring/portfolios/${portfolioId}/eventRules/${country}`, body)
    expect(status).toBe(204)
  }
  for (const id of companies) {
    const body = { id, personalReference: '', freeText: '', personalLimit: '' }
    expect((await caller.call('POST', `/monitoring/portfolios/${portfolioId}/companies`, body)).status).toBe(200)
  }
  return portfolioId
}

const events = async (caller: Caller, query = '') => (await caller.call('GET', `/monitoring/notificationEvents${query}`)).body
const told = (body: { data: { ruleCode: number; company: { id: string }; oldValue: string; newValue: string }[] }) =>
  body.data.map(({ ruleCode, company, oldValue, newValue }) => [ruleCode, company.id, oldValue, newValue])
const [GB, FR, NL] = ['GB-X-01234567', 'FR-X-552100554', 'NL-X-34567890'] as const
const CEASED_FR = 910_000 + Number.parseInt('FR', 36)

test('ratings, limits, figures and industry codes of a register raise the events of their rules', async () => {
  const { importLines, open } = await world()
  const columns = 'rating,limit,score,turnover,employees,activities,currency'
  const importFigures = (lines: string[]) => importLines(lines, 'one', `${HEADER},${columns}`)
  const [, french, dutch] = FIRST
  const BELGIAN = '4,BROUWERIJ PEETERS NV,BE,0400123456,4 Markt,Gent,active'
  await importFigures([
    `${FIRST[0]},A,10000,80,500000,12,46740 Wholesale of hardware,GBP`,
    `${french},B,,,,,,`,
    `${BELGIAN},C,,60,,,,`,
  ])
  const before = await open()
  const rules = { XX: [101, 102, 900_108, 900_109, 900_112], BE: [1703] }
  const portfolio = await watch(before.caller, [GB, FR, 'BE-X-0400123456'], rules)
  const { data } = (await before.caller.call('GET', `/monitoring/portfolios/${portfolio}/companies?searchQuery=NORTHGATE`)).body
  expect(data).toMatchObject([{ creditLimit: 10000, ratingCommon: 'A', ratingLocal: '80' }])
  const { report } = (await before.caller.call('GET', `/companies/${GB}`)).body
  expect(report.creditScore).toEqual({
    currentCreditRating: { commonValue: 'A', providerValue: { value: '80' }, creditLimit: { value: '10000', currency: 'GBP' } },
  })
  expect(report.companySummary).toMatchObject({ latestTurnoverFigure: { value: 500000, currency: 'GBP' } })
  expect(report.financialStatements).toEqual([{ currency: 'GBP', profitAndLoss: { revenue: 500000 }, balanceSheet: {} }])
  expect(report.otherInformation).toEqual({ employeesInformation: [{ numberOfEmployees: '12' }] })
  const bands = async () => (await before.caller.call('GET', `/monitoring/portfolios/${portfolio}/riskSummary`)).body
  expect(await bands()).toMatchObject({ totalCompanies: 3, bandACount: 1, bandBCount: 1, bandCCount: 1, bandDCount: 0 })
  expect(await bands()).toMatchObject({ bandApc: 33.33, bandDpc: 0 })
  const limits = [{ ruleCode: 101, isActive: 1, param0: '2', param1: '' }]
  const rulesPath = `/monitoring/portfolios/${portfolio}/eventRules`
  expect((await before.caller.call('PUT', `${rulesPath}/XX`, limits)).status).toBe(204)
  await before.service.close()

  await importFigures([
    `${FIRST[0]},C,2500,70,500000,9,46900 Other wholesale,EUR`,
    // A rating that the register has for the first time is no change of the company, nor is one that it drops.
    `${french},,9000,,,,,`,
    `${BELGIAN},C,,55,,,,`,
    `${dutch},A,1,1,1,1,,`,
  ])
  const { caller } = await open()
  const told = (await events(caller)).data
  const named = told.flatMap((event: { ruleName: string; ruleText: string }) => [event.ruleName, event.ruleText])
  expect(new Set(named.filter((name: string) => /^(?:International Rating|Credit Score)/.test(name)))).toEqual(
    new Set(['International Rating | Reduce by 2 Band(s)', 'Credit Score']),
  )
  expect(named.filter((name: string) => /[{}]|Any/.test(name))).toEqual([])
  expect(
    told
      .map((one: Record<string, unknown>) => [one.ruleCode, (one.company as { id: string }).id, one.oldValue, one.newValue])
      .sort(),
  ).toEqual(
    [
      [101, GB, 'A', 'C'],
      [102, GB, '10000', '2500'],
      [900_108, GB, '46740 Wholesale of hardware', '46900 Other wholesale'],
      [900_112, GB, '12', '9'],
      [1703, 'BE-X-0400123456', '60', '55'],
    ].sort(),
  )
})

test('a new import creates the events of the active rules exactly once', async () => {
  const { importLines, open } = await world()
  await importLines(FIRST)
  const before = await open()
  const suppliers = await watch(before.caller, [GB, FR, NL], { XX: [900_103, 900_104, 105], FR: [CEASED_FR] })
  await watch(before.caller, [GB], { XX: [105] }, 'British')
  await watch(before.caller, [GB, FR, NL], {}, 'Nothing active')
  await watch(before.bob, [FR], { XX: [900_104] }, 'Of bob')
  expect((await events(before.caller)).totalCount).toBe(0)
  await before.service.close()

  await importLines(SECOND)
  const { service, caller, bob } = await open()
  const body = await events(caller)
  expect(told(body)).toEqual([
    [900_103, FR, 'active', 'liquidation'],
    [CEASED_FR, FR, 'active', 'liquidation'],
    [900_104, FR, 'BAKERY LUMIERE SARL', 'BAKERY LUMIERE SA'],
    [105, GB, '1 Mill Lane, Leeds', '9 Canal Street, Leeds'],
    [105, GB, '1 Mill Lane, Leeds', '9 Canal Street, Leeds'],
    [900_103, NL, 'active', 'not in the register'],
  ])
  expect(told(await events(bob))).toEqual([[900_104, FR, 'BAKERY LUMIERE SARL', 'BAKERY LUMIERE SA']])

  const [first, second] = body.data.filter((one: { ruleCode: number }) => one.ruleCode === 105)
  expect(first.eventId).toBe(second.eventId)
  expect(first.notificationEventId).not.toBe(second.notificationEventId)
  expect(first).toMatchObject({
    company: { id: GB, name: 'NORTHGATE FASTENERS LIMITED', countryCode: 'GB', safeNumber: expect.stringMatching(/^UK\d{15}$/) },
    eventDate: '2026-01-02 00:00:00',
    notificationId: null,
    processedDate: null,
    isProcessed: false,
    summary: 'Address Change reported',
    localEventCode: 'LI2013',
  })
  expect(first.company.portfolioName).toBe('Suppliers')

  const company = await caller.call('GET', `/monitoring/portfolios/${suppliers}/companies/${GB}`)
  expect(company.body).toMatchObject({ address: '9 Canal Street, Leeds', dateLastEvent: '2026-01-02 00:00:00' })
  const gone = await caller.call('GET', `/monitoring/portfolios/${suppliers}/companies/${NL}`)
  expect(gone.body).toMatchObject({ name: 'VAN DIJK LOGISTIEK BV', companyStatus: 'not in the register' })
  await service.close()

  // Neither another start nor the same register once more makes them again.
  const again = await open()
  expect((await events(again.caller)).totalCount).toBe(6)
  await again.service.close()
  await importLines(SECOND)
  expect((await events((await open()).caller)).totalCount).toBe(6)
})

test('reports a company that leaves the register and returns', async () => {
  const { importLines, open } = await world()
  await importLines(FIRST)
  const { caller, service } = await open()
  await watch(caller, [NL], { XX: [900_103] })
  await service.close()
  for (const lines of [SECOND, SECOND, FIRST]) {
    await importLines(lines)
    await (await open()).service.close()
  }
  expect(told(await events((await open()).caller, '?sortBy=eventDate'))).toEqual([
    [900_103, NL, 'active', 'not in the register'],
    [900_103, NL, 'not in the register', 'active'],
  ])
})

describe('an import while the service runs', () => {
  /** Everything that a client can read of the two companies. */
  async function readAll(caller: Caller) {
    const job = await caller.submitted('Supplier\nNorthgate Fasteners Limited\nBakery Lumiere SA\n')
    await caller.reach(job, 'jobMatchingComplete')
    await caller.call('PUT', `/dataCleaning/jobs/${job}/enrichments`, { enrichments: [{ enrichment: 'contact.city' }] })
    await caller.call('POST', `/dataCleaning/jobs/${job}/enrich`, {})
    await caller.reach(job, 'enrichmentComplete')
    const { filePath } = (await caller.call('GET', `/dataCleaning/jobs/${job}/enrichedFile`)).body
    const found = (await caller.call('GET', '/companies?countries=GB&name=Northgate+Fasteners+Limited')).body.companies
    const matched = (await caller.call('GET', '/companies/match?matchThreshold=893&country=GB&name=Northgate+Fasteners+Limited'))
      .body
    const { report } = (await caller.call('GET', `/companies/${GB}`)).body
    return {
      search: found.map((one: { address: { simpleValue: string } }) => one.address.simpleValue),
      match: matched.matchedCompanies.map((one: { address: { simpleValue: string } }) => one.address.simpleValue),
      report: report.contactInformation.mainAddress.simpleValue,
      cleaning: (await (await fetch(filePath)).text())
        .trimEnd()
        .split('\n')
        .slice(1)
        .map(line => line.split(',')[1]),
    }
  }

  test('reaches events, search, match, reports and data cleaning alike', async () => {
    const clock = new HandClock()
    const { importLines, open } = await world({ clock })
    await importLines(FIRST)
    const { caller, service } = await open()
    await watch(caller, [GB], { XX: [105] })
    const old = '1 Mill Lane, Leeds'
    expect(await readAll(caller)).toMatchObject({ search: [old], match: [old], report: old })
    expect(service.registers).toMatchObject([{ name: 'one', companies: 3, snapshotDate: '2026-01-01' }])

    await importLines(['1,NORTHGATE FASTENERS LIMITED,GB,01234567,9 Canal Street,York,active', ...FIRST.slice(2)])
    clock.move(60_000)
    await eventually(async () => expect((await events(caller)).totalCount).toBe(1))
    const now = '9 Canal Street, York'
    expect(await readAll(caller)).toEqual({ search: [now], match: [now], report: now, cleaning: ['York', ''] })
    expect(service.registers).toMatchObject([{ name: 'one', companies: 2, snapshotDate: '2026-01-02' }])
  })

  test('a register that cannot be opened leaves the earlier one, and its events wait', async () => {
    const clock = new HandClock()
    const log: string[] = []
    const { importLines, open, registerDir } = await world({ clock, log: line => void log.push(line) })
    await importLines(FIRST)
    const { caller } = await open()
    await watch(caller, [GB], { XX: [105] })
    await importLines(SECOND)
    const info = await registerInfo(registerDir, 'one')
    const path = join(registerDir, 'one', info.file)
    const whole = await readFile(path)
    await writeFile(path, '')
    clock.move(60_000)
    await eventually(() => expect(log.join('\n')).toMatch(/Opening the register .* failed/))
    const { report } = (await caller.call('GET', `/companies/${GB}`)).body
    expect(report.contactInformation.mainAddress.simpleValue).toBe('1 Mill Lane, Leeds')
    expect((await events(caller)).totalCount).toBe(0)

    await writeFile(path, whole)
    clock.move(60_000)
    await eventually(async () => expect((await events(caller)).totalCount).toBe(1))
  })
})

test('the first of two registers with a company decides', async () => {
  const { importLines, open } = await world({ registers: ['one', 'two'] })
  await importLines(FIRST)
  await importLines(['9,NORTHGATE FASTENERS,GB,01234567,Elsewhere,York,active'], 'two')
  const { caller, service } = await open()
  await watch(caller, [GB], { XX: [900_103, 900_104, 105] })
  await service.close()
  await importLines(['9,NORTHGATE FASTENERS,GB,01234567,Elsewhere again,York,active'], 'two')
  const second = await open()
  expect((await events(second.caller)).totalCount).toBe(0)
  await second.service.close()
  // The first one drops it: now the second's word holds.
  await importLines(FIRST.slice(1))
  expect(told(await events((await open()).caller, '?sortBy=eventDate'))).toEqual([
    [900_104, GB, 'NORTHGATE FASTENERS LIMITED', 'NORTHGATE FASTENERS'],
    [105, GB, '1 Mill Lane, Leeds', 'Elsewhere again, York'],
  ])
})

describe('stored events', () => {
  /** Events of three companies, made by change sets of our own. */
  async function given() {
    const sets: ChangeSet[] = []
    const changes: ChangeSource = {
      async *after({ sequences }) {
        for (const set of sets) if (set.sequence > (sequences.get(set.register) ?? 0)) yield set
      },
    }
    const clock = new HandClock()
    const dataDir = await temporaryFolder()
    const service = await start({ users: USERS, dataDir, clock }, engine, [], { changes })
    onTestFinished(() => service.close())
    const caller = await logIn(service)
    const portfolio = await watch(caller, ['GB-X-01', 'GB-X-02', 'FR-X-03'], { XX: [900_103, 900_104, 105] })
    const change = async (connectId: string, field: 'name' | 'address' | 'status', now: string, snapshotDate: string) => {
      const sequence = sets.length + 1
      sets.push({ register: 'r', sequence, snapshotDate, changes: [{ connectId, field, old: '', new: now }] })
      clock.move(60_000)
      await eventually(async () => expect((await events(caller)).totalCount).toBe(sequence))
    }
    await change('GB-X-02', 'address', '7 Low Road', '2026-01-10')
    await change('FR-X-03', 'name', 'CORK ET FILS', '2026-01-12')
    await change('GB-X-01', 'status', 'liquidation', '2026-01-11')
    const ids = async (query: string, path = '/monitoring/notificationEvents') =>
      (await caller.call('GET', `${path}${query}`)).body.data.map((one: { company: { id: string } }) => one.company.id)
    return { caller, portfolio, ids, service, clock }
  }
  const [acme, bolt, cork] = ['GB-X-01', 'GB-X-02', 'FR-X-03'] as const

  test('are sorted, filtered by date, searched, paged and marked', async () => {
    const { caller, portfolio, ids, clock } = await given()
    expect(await ids('')).toEqual([acme, bolt, cork])
    expect(await ids('?sortDir=desc')).toEqual([cork, bolt, acme])
    const byNumber = (await events(caller, '?sortBy=eventId')).data.map((event: { eventId: number }) => event.eventId)
    expect(byNumber).toEqual(byNumber.toSorted((a: number, b: number) => a - b))
    expect(await ids('?sortBy=eventDate&sortDir=desc')).toEqual([cork, acme, bolt])
    expect(await ids('?sortBy=countryCode')).toEqual([cork, bolt, acme].sort((a, b) => (a === cork ? -1 : b === cork ? 1 : 0)))

    expect(await ids('?startDate=2026-01-11')).toEqual([acme, cork])
    expect(await ids('?startDate=2026-01-11&endDate=2026-01-11')).toEqual([acme])
    expect(await ids('?endDate=2026-01-10T00:00:00Z')).toEqual([bolt])
    expect(await ids('?startDate=2026-01-11&filterByCreatedDate=true')).toEqual([acme, bolt, cork])
    expect(await ids('?endDate=2026-01-11&filterByCreatedDate=true')).toEqual([])

    expect(await ids('?searchQuery=low%20ROAD')).toEqual([bolt])
    expect(await ids('?searchQuery=et%20fils')).toEqual([cork])
    expect(await ids('?searchQuery=company%20status')).toEqual([acme])
    expect(await ids('?searchQuery=suppliers')).toEqual([acme, bolt, cork])
    expect(await ids('?searchQuery=%25')).toEqual([])

    const page = await events(caller, '?page=1&pageSize=2')
    expect(page).toMatchObject({ totalCount: 3, paging: { size: 2, prev: 0, next: null, last: 1 } })
    expect(page.data).toHaveLength(1)

    const path = `/monitoring/portfolios/${portfolio}`
    const [event] = (await events(caller)).data
    const mark = async (isProcessed: boolean) =>
      (await caller.call('PATCH', `${path}/notificationEvents/${event.notificationEventId}`, { isProcessed })).status
    const ofAcme = `${path}/companies/${acme}/notificationEvents`
    expect(await mark(true)).toBe(204)
    expect(await ids('?isProcessed=true', ofAcme)).toEqual([acme])
    expect(await ids('?isProcessed=false', ofAcme)).toEqual([])
    const processedDate = new Date(clock.now()).toISOString().slice(0, 19).replace('T', ' ')
    expect((await events(caller)).data[0]).toMatchObject({ isProcessed: true, processedDate })
    expect(await mark(false)).toBe(204)
    expect(await ids('?isProcessed=false', ofAcme)).toEqual([acme])
    expect(await ids('', `${path}/notificationEvents`)).toEqual([acme, bolt, cork])
  })

  test('of a company are visible as long as a portfolio has it', async () => {
    const { caller, portfolio, service } = await given()
    const { body } = await caller.call('GET', `/monitoring/companies/${bolt}/events?startDate=2026-01-10`)
    expect(body).toMatchObject({ totalCount: 1, paging: { size: 50, prev: null, next: null, last: 0 } })
    const { eventId, companyId, createdDate, ...rest } = body.data[0]
    expect([typeof eventId, companyId, createdDate]).toEqual([
      'number',
      expect.stringMatching(/^UK\d{15}$/),
      '2026-01-15 00:01:00',
    ])
    expect(rest).toEqual({
      portfolioId: portfolio,
      ruleName: 'Address',
      localEventCode: 'LI2013',
      globalEventCode: 'AD',
      newValue: '7 Low Road',
      oldValue: '1 High Street, Leeds, LS1 1AA',
      eventDate: '2026-01-10 00:00:00',
    })
    const bob = await logIn({ ...service, ...USERS[1]! })
    expect((await bob.call('GET', `/monitoring/companies/${bolt}/events`)).body.totalCount).toBe(0)
    expect((await events(bob)).totalCount).toBe(0)
    await caller.call('DELETE', `/monitoring/portfolios/${portfolio}/companies/${bolt}`)
    expect((await caller.call('GET', `/monitoring/companies/${bolt}/events`)).body.totalCount).toBe(0)
    expect((await events(caller)).totalCount).toBe(3)
    await caller.call('DELETE', `/monitoring/portfolios/${portfolio}`)
    expect((await events(caller)).totalCount).toBe(0)
  })

  test('are refused to an expired token', async () => {
    const { caller, portfolio, clock } = await given()
    clock.move(3_600_000)
    for (const path of ['/monitoring/notificationEvents', `/monitoring/portfolios/${portfolio}`, '/monitoring/eventRules']) {
      expect((await caller.call('GET', path)).status).toBe(401)
    }
  })
})
