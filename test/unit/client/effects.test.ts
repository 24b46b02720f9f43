/** The ports of a run over the client: the table of operations decides which requests are guarded, and each is counted at its stage. */
import { describe, expect, test } from 'vitest'
import { FettleError } from '../../../src/errors.ts'
import type { PortfolioService, ScreenService, Service } from '../../../src/run/ports.ts'
import { type Answer, clientOf, errorOf, fault, JOBS, job, LOGIN, reset, serveScript } from './kit.ts'

type RunPorts = Service & PortfolioService & ScreenService

const effect = { key: 'k', look: async () => undefined }
const file = {
  filename: 'a.csv',
  bytes: 2,
  hasHeader: true,
  async *open() {
    yield Buffer.from('a\n')
  },
}
const query = { name: 'A Ltd', threshold: 75, datasets: ['SAN'], countries: [] }

type Calls = { readonly [name in keyof RunPorts]: (ports: RunPorts) => Promise<unknown> }

const READING = {
  authenticate: (ports: RunPorts) => ports.authenticate({}),
  findJobs: (ports: RunPorts) => ports.findJobs('n', {}),
  readJob: (ports: RunPorts) => ports.readJob('7', {}),
  openEnrichedFile: (ports: RunPorts) => ports.openEnrichedFile('7', {}),
  findPortfolios: (ports: RunPorts) => ports.findPortfolios('n', {}),
  readPortfolio: (ports: RunPorts) => ports.readPortfolio(7, {}),
  readRules: (ports: RunPorts) => ports.readRules(7, 'XX', {}),
  countCompanies: (ports: RunPorts) => ports.countCompanies(7, {}),
  listCompanies: (ports: RunPorts) => ports.listCompanies(7, {}),
  listEvents: (ports: RunPorts) => ports.listEvents(7, null, {}),
  findScreening: (ports: RunPorts) => ports.findScreening(query, { at: '2026-01-01T00:00:00', other: null }, {}),
  readRisks: (ports: RunPorts) => ports.readRisks('7', {}, {}),
  readHits: (ports: RunPorts) => ports.readHits('7', {}, {}),
  listSchedules: (ports: RunPorts) => ports.listSchedules({}),
  listAlerts: (ports: RunPorts) => ports.listAlerts({}),
} satisfies Partial<Calls>

/** Every method of the ports: a new one does not compile until it is called here, or above if it only reads. */
const CALLS: Calls = {
  ...READING,
  createJob: ports => ports.createJob('n', effect),
  upload: ports => ports.upload('7', file, effect),
  setMappings: ports => ports.setMappings('7', [], {}),
  submit: ports => ports.submit('7', effect),
  setEnrichments: ports => ports.setEnrichments('7', [], {}),
  enrich: ports => ports.enrich('7', effect),
  archive: ports => ports.archive('7', {}),
  createPortfolio: ports => ports.createPortfolio('n', effect),
  setRules: ports => ports.setRules(7, 'XX', [], {}),
  sendCompanies: ports => ports.sendCompanies(7, 'import', [], {}),
  markEvent: ports => ports.markEvent(7, 1, {}),
  addCompany: ports => ports.addCompany(7, { id: 'c', reference: '' }, {}),
  startScreening: ports => ports.startScreening(query, effect),
  readListChanges: ports => ports.readListChanges('0', [], {}),
  createSchedules: ports => ports.createSchedules([{ searchId: '7', query }], effect),
  removeSchedule: ports => ports.removeSchedule('7', {}),
}

const isReading = (name: string): boolean => name in READING

describe('a guard that refuses', () => {
  test.each(Object.entries(CALLS))('%s sends nothing but readings', async (name, call) => {
    const server = await serveScript({})
    const beforeEffect = (): never => {
      throw new FettleError('FETTLE_LOCKED')
    }
    const client = clientOf(server, { beforeEffect, attempts: 1 })
    const error = await errorOf(call(client)).catch(() => null)
    expect(error?.code === 'FETTLE_LOCKED').toBe(!isReading(name))
    const sent = server.seen.filter(({ path }) => path !== '/v1/authenticate').map(({ method }) => method)
    expect(sent.filter(method => method !== 'GET')).toEqual([])
    expect(sent.length > 0).toBe(isReading(name) && name !== 'authenticate')
  })

  test('is asked again before an effect is repeated', async () => {
    const server = await serveScript({ [`POST ${JOBS}`]: [reset, { json: job('7') }] })
    let left = 1
    const client = clientOf(server, {
      beforeEffect: () => {
        if (left-- === 0) throw new FettleError('FETTLE_LOCKED')
      },
    })
    expect(await errorOf(client.createJob('n', effect))).toMatchObject({ code: 'FETTLE_LOCKED' })
    expect(server.of(`POST ${JOBS}`)).toHaveLength(1)
  })
})

describe('a meter', () => {
  const ok: Answer = { json: job('7') }
  const meterOf = () => ({ requests: 0, retries: 0, throttledMs: 0 })

  test('counts its own requests separately from the requests of others', async () => {
    const server = await serveScript({
      [`GET ${JOBS}/7`]: [fault(503), ok],
      [`GET ${JOBS}/8`]: [fault(429, { 'retry-after': '3' }), ok],
    })
    const client = clientOf(server)
    const [login, first, second] = [meterOf(), meterOf(), meterOf()]
    await client.authenticate({ meter: login })
    await client.readJob('7', { meter: first })
    await client.readJob('8', { meter: second })
    expect(login).toEqual({ requests: 1, retries: 0, throttledMs: 0 })
    expect(first).toEqual({ requests: 2, retries: 1, throttledMs: 0 })
    expect(second).toEqual({ requests: 2, retries: 1, throttledMs: 3_000 })
    expect(client.takeCounts()).toEqual({ requests: 5, retries: 2, throttledMs: 3_000 })
  })

  test('counts the login that its request needs, and the file behind a link', async () => {
    const server = await serveScript({
      [`GET ${JOBS}/7/enrichedFile`]: [{ json: { filePath: '/v1/files/7.csv' } }],
      'GET /files/7.csv': [{ text: 'a\n', headers: { 'content-type': 'text/csv' } }],
    })
    const [download, read] = [meterOf(), meterOf()]
    const client = clientOf(server)
    const { body } = await client.openEnrichedFile('7', { meter: download })
    for await (const _ of body);
    await errorOf(client.readJob('7', { meter: read }))
    expect(download.requests).toBe(3)
    expect(read.requests).toBe(1)
    expect(server.of(LOGIN)).toHaveLength(1)
  })
})

test.each([400, 409, 422])('a refusal (%i) without an earlier attempt is the answer', async status => {
  const server = await serveScript({ [`POST ${JOBS}/7/submit`]: [fault(status)] })
  const error = await errorOf(clientOf(server).api.submit({ id: '7', body: {} }))
  expect(error).toMatchObject({ code: 'FETTLE_REJECTED', kind: 'rejected', unanswered: false, status })
})

describe('a search that was paid, and whose answer was lost', () => {
  const SEARCHES = '/compliance/kyc-protect/searches/businesses'
  const ours = { id: 's1', name: 'A Ltd', threshold: 75, datasets: ['SAN'], status: 'new', createdAt: '2026-01-02T00:00:00Z' }
  const since = { at: '2026-01-01T00:00:00', other: null }
  const nameless = { ...ours, id: 's0', name: null }

  test('is found behind records without a name, with numbers that are texts', async () => {
    const page = { totalSize: '2', items: [nameless, { ...ours, threshold: '75' }] }
    const server = await serveScript({
      [`GET ${SEARCHES}`]: [{ json: page }],
      [`GET ${SEARCHES}/s0`]: [{ json: { ...nameless, name: 'B Ltd' } }],
    })
    expect(await clientOf(server).findScreening(query, since)).toMatchObject({ id: 's1' })
  })

  test('is read by itself where the list lacks what is compared, and is not ours if its name is another', async () => {
    const listed = [
      { ...ours, threshold: null },
      { ...nameless, id: 's2' },
    ]
    const server = await serveScript({
      [`GET ${SEARCHES}`]: [{ json: { totalSize: 2, items: listed } }],
      [`GET ${SEARCHES}/s1`]: [{ json: { ...ours, threshold: 80 } }],
      [`GET ${SEARCHES}/s2`]: [{ json: { ...ours, id: 's2' } }],
    })
    expect(await clientOf(server).findScreening(query, since)).toMatchObject({ id: 's2' })
    expect(server.of(`GET ${SEARCHES}/s1`)).toHaveLength(1)
  })
})

test('an event without a rule, a date or a company is an event', async () => {
  const EVENTS = '/monitoring/portfolios/7/notificationEvents'
  const events = [{ notificationEventId: 5 }, { notificationEventId: '6', ruleCode: '102', company: { id: 'GB-1' } }]
  const server = await serveScript({ [`GET ${EVENTS}`]: [{ json: { totalCount: 2, data: events } }] })
  expect(await clientOf(server).listEvents(7, null)).toMatchObject([
    { id: 5, at: '', company: { id: '' }, rule: { code: null } },
    { id: 6, company: { id: 'GB-1' }, rule: { code: 102 } },
  ])
})

test('an event is named with the values of its rule, and events are in the order of their dates', async () => {
  const EVENTS = '/monitoring/portfolios/7/notificationEvents'
  const event = (notificationEventId: number, eventDate: string, ruleName: string | null, ruleText: string | null) => ({
    ...{ notificationEventId, eventId: 1, ruleCode: 101, company: { id: 'GB-1', portfolioId: 7 } },
    ...{ eventDate, ruleName, ruleText },
  })
  const data = [
    event(1, '2026-01-03 00:00:00', 'Score | Reduce by {0}%', 'Score | Reduce by 20%'),
    event(2, '2026-01-02 00:00:00', 'Address', 'Address changed'),
    event(3, '2026-01-01T00:00:00Z', null, 'Company Name'),
    event(4, '2026-01-01 00:00:00', 'Limit {1}', null),
  ]
  const server = await serveScript({ [`GET ${EVENTS}`]: [{ json: { totalCount: 4, data } }] })
  expect((await clientOf(server).listEvents(7, null)).map(({ id, rule }) => [id, rule.name])).toEqual([
    [3, 'Company Name'],
    [4, 'Limit {1}'],
    [2, 'Address'],
    [1, 'Score | Reduce by 20%'],
  ])
})

test('a rule whose code is a text is a rule, and one without a state is not active', async () => {
  const rules = [
    { ruleCode: '102', isActive: '1' },
    { ruleCode: 103, isActive: null },
  ]
  const server = await serveScript({ 'GET /monitoring/portfolios/7/eventRules/GB': [{ json: rules }] })
  expect(await clientOf(server).readRules(7, 'GB')).toMatchObject([
    { code: 102, active: true },
    { code: 103, active: false },
  ])
})
