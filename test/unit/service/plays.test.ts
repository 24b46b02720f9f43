/** What each play changes, over HTTP. The contract suite runs against every play besides. */
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../../../src/cli/commands/index.ts'
import { ALONE } from '../../../src/service/matching/index.ts'
import { PLAY_NAMES, type PlayName } from '../../../src/service/plays.ts'
import { type Caller, logIn, startService } from './kit.ts'

/** Matched, in review, matched again, unmatched. */
const CSV = 'Supplier\nAcme Ltd\nCork plc\nAcme Ltd\nZ\n'
const UNKNOWN = { countryCode: null, portfolioId: null, jobSummary: null, jobEnrichmentSettings: null }

const callerOf = async (play: PlayName): Promise<Caller> => logIn(await startService({ play }))

/** A mapped job, in a play with submit submitted; gives its id. */
async function started(caller: Caller, body: object = {}): Promise<string> {
  const { id } = (await caller.call('POST', '/dataCleaning/jobs', { name: 'a job', ...body })).body
  await caller.upload(id, CSV)
  const mappings = [{ mapping: 'name', value: '0' }]
  expect((await caller.call('PUT', `/dataCleaning/jobs/${id}/mappings`, { mappings })).status).toBe(200)
  await caller.call('POST', `/dataCleaning/jobs/${id}/submit`, {})
  return id
}

/** Enriches a started job up to a status; gives its record. */
async function enriched(caller: Caller, id: string, last = 'enrichmentComplete') {
  await caller.reach(id, 'jobMatchingComplete')
  const enrichments = ['connectId', 'safeNumber', 'banding', 'pattern'].map(tag => ({ enrichment: `general.${tag}` }))
  await caller.call('PUT', `/dataCleaning/jobs/${id}/enrichments`, { enrichments })
  await caller.call('POST', `/dataCleaning/jobs/${id}/enrich`, {})
  return (await caller.reach(id, last)).body
}

async function fileOf(caller: Caller, id: string): Promise<Record<string, string>[]> {
  const { filePath } = (await caller.call('GET', `/dataCleaning/jobs/${id}/enrichedFile`)).body
  return parse(await (await fetch(filePath)).text(), { columns: true, bom: true }) as Record<string, string>[]
}

const companiesOf = async (caller: Caller, portfolio: string): Promise<string[]> =>
  (await caller.call('GET', `/monitoring/portfolios/${portfolio}/companies`)).body.data.map((one: { id: string }) => one.id)

test('the command line offers every play', () => {
  const serveCommand = COMMANDS.find(({ usage }) => usage.startsWith('serve '))!
  expect(serveCommand.options.find(({ name }) => name === 'play')?.choices).toEqual(PLAY_NAMES)
})

describe('vendor', () => {
  test('fields are null before enrichment, rows in review are matched by hand, and the file has tags alone', async () => {
    const caller = await callerOf('vendor')
    const id = await started(caller)
    const matched = (await caller.reach(id, 'jobMatchingComplete')).body
    expect(matched).toMatchObject({ ...UNKNOWN, source: 'dataCleaning' })
    const done = await enriched(caller, id)
    expect(done).toMatchObject({
      countryCode: null,
      portfolioId: null,
      jobSummary: { totalRows: 4, matched: 1, manualMatched: 1, unmatched: 1, duplicates: 1 },
      jobEnrichmentSettings: { creditType: 'basic' },
    })
    expect(done.createdAt).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{7}$/)
    const [GB, FR] = [/^GB-X-01$/, /^FR-X-03$/].map(form => expect.stringMatching(form))
    const [UK8, FR8] = [/^UK\d{8}$/, /^FR\d{8}$/].map(form => expect.stringMatching(form))
    const row = (Supplier: string, connectId: unknown, safeNumber: unknown, banding: string) => ({
      ...{ Supplier, 'general.safeNumber': safeNumber, 'general.connectId': connectId },
      ...{ 'general.pattern': expect.any(String), 'general.banding': banding },
    })
    expect(await fileOf(caller, id)).toEqual([
      row('Acme Ltd', GB, UK8, 'A'),
      row('Cork plc', FR, FR8, 'D'),
      row('Acme Ltd', GB, UK8, 'A'),
      row('Z', '', '', 'F'),
    ])
  })

  test('a company is found by its Safe Number of eight digits', async () => {
    const caller = await callerOf('vendor')
    const { safeNo } = (await caller.call('GET', '/companies?countries=GB&id=GB-X-01')).body.companies[0]
    expect(safeNo).toMatch(/^UK\d{8}$/)
    expect((await caller.call('GET', `/companies/${safeNo}`)).body.companyId).toBe('GB-X-01')
  })
})

describe('seed', () => {
  test('a mapped job starts by itself, and its companies are added to a portfolio', async () => {
    const caller = await callerOf('seed')
    const id = await started(caller)
    const late = ['addingToPortfolio', 'addedToPortfolio'] as const
    const matched = (await caller.reach(id, 'matched')).body
    expect(matched).toMatchObject({ jobSummary: { totalRows: 4, matched: 1, manualMatched: 1, unmatched: 1, duplicates: 1 } })
    expect((await caller.reach(id, late[0])).body.jobSummary).toEqual(matched.jobSummary)
    const added = (await caller.reach(id, late[1])).body
    expect(added).toMatchObject({ source: 'prospects', portfolioId: expect.stringMatching(/^\d+$/) })
    expect(added.createdAt).toMatch(/Z$/)
    const { portfolios } = (await caller.call('GET', '/monitoring/portfolios')).body.data
    expect(portfolios).toMatchObject([{ name: 'Data cleaning', portfolioId: Number(added.portfolioId) }])
    // The next job is added to the same one.
    expect((await caller.reach(await started(caller), 'addedToPortfolio')).body.portfolioId).toBe(added.portfolioId)
  })

  test('a failure has one of its ten statuses, for any file that cannot be read', async () => {
    const TEN = ['created', 'uploading', 'uploadError', 'uploaded', 'ready', 'matching', 'matchingError', 'matched']
    const caller = await callerOf('seed')
    for (const file of ['', 'a\0b\nx\n', 'a,b\nx\n', 'a\n"x\n']) {
      const { id } = (await caller.call('POST', '/dataCleaning/jobs', { name: 'a job' })).body
      await caller.upload(id, file)
      await caller.call('PUT', `/dataCleaning/jobs/${id}/mappings`, { mappings: [{ mapping: 'name', value: '0' }] })
      const seen = new Set<string>()
      const read = async () => (await caller.call('GET', `/dataCleaning/jobs/${id}`)).body.status
      for (let status = await read(); !seen.has('matchingError'); status = await read()) seen.add(status)
      expect([...seen].filter(status => !TEN.includes(status))).toEqual([])
    }
  })

  test('the mappings may be replaced while the job is ready, and nothing is known before it is matched', async () => {
    const caller = await callerOf('seed')
    const { id } = (await caller.call('POST', '/dataCleaning/jobs', { name: 'a job' })).body
    await caller.upload(id, CSV)
    const map = (mappings: object[]) => caller.call('PUT', `/dataCleaning/jobs/${id}/mappings`, { mappings })
    expect((await map([{ mapping: 'email', value: '0' }])).status).toBe(200)
    expect((await map([])).status).toBe(200)
    expect((await caller.call('GET', `/dataCleaning/jobs/${id}`)).body).toMatchObject({ ...UNKNOWN, status: 'uploaded' })
    expect((await map([{ mapping: 'name', value: '0' }])).status).toBe(200)
    expect((await caller.reach(id, 'addedToPortfolio')).body.jobSummary.matched).toBe(1)
  })

  test('operations that the specification does not detail are 404 with a token and 401 without', async () => {
    const service = await startService({ play: 'seed' })
    const caller = await logIn(service)
    const id = await caller.create()
    for (const [method, path] of [
      ['POST', `/dataCleaning/jobs/${id}/submit`],
      ['PUT', `/dataCleaning/jobs/${id}/enrichments`],
      ['POST', `/dataCleaning/jobs/${id}/enrich`],
      ['GET', `/dataCleaning/jobs/${id}/enrichedFile`],
      ['POST', `/dataCleaning/jobs/${id}/archive`],
      ['GET', '/access'],
    ] as const) {
      expect((await caller.call(method, path)).status, path).toBe(404)
      expect((await caller.call(method, path, undefined, { Authorization: 'Bearer x' })).status, path).toBe(401)
    }
  })
})

test.each([
  ['own', 'GET, HEAD, PUT'],
  ['seed', 'GET, HEAD'],
] as const)('%s: a path names the methods of the play', async (play, allow) => {
  const caller = await callerOf(play)
  const reply = await caller.call('OPTIONS', '/compliance/kyc-protect/searches/businesses/1/hits/1')
  expect(reply.headers.get('allow')).toBe(allow)
})

describe('a job that names a portfolio', () => {
  test.each(['own', 'vendor'] as const)('%s: its companies are added after enrichment', async play => {
    const caller = await callerOf(play)
    const { portfolioId } = (await caller.call('POST', '/monitoring/portfolios', { name: 'Suppliers' })).body
    const id = await started(caller, { addToPortfolio: portfolioId })
    const done = await enriched(caller, id, 'addedToPortfolio')
    expect(done).toMatchObject({ portfolioId: String(portfolioId) })
    const expected = play === 'own' ? ['GB-X-01'] : ['FR-X-03', 'GB-X-01']
    expect((await companiesOf(caller, portfolioId)).sort()).toEqual(expected)
    expect(await fileOf(caller, id)).toHaveLength(4)
  })

  test.each(['own', 'vendor', 'seed'] as const)('%s: a portfolio that does not exist is an error of its play', async play => {
    const caller = await callerOf(play)
    const id = await started(caller, { addToPortfolio: '404' })
    if (play !== 'seed') await enriched(caller, id, 'addingToPortfolio')
    let job = (await caller.call('GET', `/dataCleaning/jobs/${id}`)).body
    while (!job.status.endsWith('Error')) job = (await caller.call('GET', `/dataCleaning/jobs/${id}`)).body
    const status = play === 'seed' ? 'matchingError' : 'addedToPortfolioError'
    expect(job).toMatchObject({ status, details: 'Portfolio resource not found' })
    expect(job.portfolioId ?? null).toBeNull()
  })
})

describe('how much of a list is in the register', () => {
  const rows = CSV.trim().split('\n').length - 1

  test.each(['own', 'vendor'] as const)('%s: is estimated from the list, and shown by our own service only', async play => {
    const caller = await callerOf(play)
    const id = await started(caller, {})
    const done = await enriched(caller, id, 'enrichmentComplete')
    expect(done.jobSummary.totalRows).toBe(rows)
    // So few rows are decided as a row alone.
    expect(done.jobSummary.inRegister).toEqual(play === 'own' ? ALONE.inRegister : undefined)
  })

  test('that a client names is used unchanged, and anything but a share is refused', async () => {
    const caller = await callerOf('own')
    const named = { from: 0.2, to: 0.4, startingOdds: -0.8, matchingOdds: 0.5 }
    const id = await started(caller, { inRegister: named })
    const { jobSummary } = await enriched(caller, id, 'enrichmentComplete')
    expect([jobSummary.inRegister, jobSummary.companyNumbers]).toEqual([named, 'reliable'])
    for (const inRegister of [0.5, { ...named, from: -0.1 }, { ...named, to: '1' }, { ...named, matchingOdds: undefined }, true])
      expect(
        (await caller.call('POST', '/dataCleaning/jobs', { name: 'a list', inRegister })).status,
        JSON.stringify(inRegister),
      ).toBe(400)
  })

  test('stands beside whether its company numbers are relied on, which a client may name as well', async () => {
    const caller = await callerOf('own')
    const id = await started(caller, { companyNumbers: 'unreliable' })
    const { jobSummary } = await enriched(caller, id, 'enrichmentComplete')
    expect([jobSummary.inRegister, jobSummary.companyNumbers]).toEqual([ALONE.inRegister, 'unreliable'])
    expect((await caller.call('POST', '/dataCleaning/jobs', { name: 'a list', companyNumbers: 'good' })).status).toBe(400)
  })
})
