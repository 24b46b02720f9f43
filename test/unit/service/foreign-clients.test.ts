/** What public clients of the interface send, and what they can read: media types, booleans, searches, unknown and null keys. */
import { expect, test } from 'vitest'
import { logIn, startService } from './kit.ts'

const SEARCHES = '/compliance/kyc-protect/searches/businesses'
const PORTFOLIOS = '/monitoring/portfolios'

test('requests of public clients are accepted, and keys that are ignored are named', async () => {
  const caller = await logIn(await startService())
  const misprint = { 'Content-Type': 'application:json' }
  const cases: [string, string, unknown, Record<string, string>, number, string | null][] = [
    ['POST', '/dataCleaning/jobs', { name: 'generated' }, misprint, 200, null],
    ['POST', '/dataCleaning/jobs', { name: 'a', country: 'GB', id: null }, {}, 200, 'country, id'],
    ['POST', '/dataCleaning/jobs', { name: null }, {}, 400, null],
    ['POST', '/dataCleaning/jobs', { name: 'a', 'ä "x"\n': 1 }, {}, 200, '*'],
    ['GET', '/dataCleaning/jobs?archived=False', undefined, {}, 200, null],
    ['GET', '/dataCleaning/jobs?archived=maybe', undefined, {}, 400, null],
    [
      'GET',
      '/companies?countries=GB&name=Acme&exact=True&pageSize=200&regNo=&city=&status=active&type=',
      undefined,
      {},
      200,
      null,
    ],
    ['GET', '/companies?countries=GB&name=Acme&status=alive', undefined, {}, 400, null],
    ['GET', '/companies?countries=GB&name=&regNo=', undefined, {}, 200, null],
    ['GET', '/companies?countries=GB&status=active', undefined, {}, 200, null],
    ['GET', '/companies?countries=GB&city=Leeds&page=&pageSize=200', undefined, {}, 200, null],
    ['GET', '/companies/global?name=', undefined, {}, 200, null],
    ['GET', '/reportcustomdata/%C3%9F', undefined, {}, 400, null],
    ['GET', '/companies?countries=&name=Acme', undefined, {}, 400, null],
    ['GET', '/companies?countries=GB&phoneNo=&phoneNo=', undefined, {}, 200, null],
    ['GET', '/monitoring/notificationEvents?startDate=&endDate=&page=&pageSize=&sortBy=', undefined, {}, 200, null],
    ['GET', '/dataCleaning/jobs?status=&fromDate=&archived=&userId=', undefined, {}, 200, null],
    ['POST', '/dataCleaning/jobs/none/archive', undefined, {}, 404, null],
    [
      'POST',
      PORTFOLIOS,
      { name: 'one', isDefault: null, emails: null, emailSubject: null },
      {},
      200,
      'isDefault, emails, emailSubject',
    ],
    ['POST', PORTFOLIOS, { name: 'one' }, {}, 409, null],
    ['POST', PORTFOLIOS, { name: 'two', emails: [{ firstName: 'Ann' }] }, {}, 200, null],
    ['GET', '/companies/searchCriteria?countries=GB', undefined, {}, 200, null],
    ['GET', '/people/SEARCHCRITERIA', undefined, {}, 200, null],
    ['GET', '/access/countries', undefined, {}, 200, null],
    ['QUERY', '/companies', undefined, {}, 405, null],
    ['QUERY', '/nothing', undefined, {}, 404, null],
    ['PATCH', '/monitoring/notificationEvents/1', { isProcessed: true }, {}, 404, null],
    ['PATCH', '/monitoring/notificationEvents/1.5', { isProcessed: true }, {}, 404, null],
    ['POST', PORTFOLIOS, { name: 'one more' }, {}, 200, null],
    [
      'POST',
      SEARCHES,
      { name: 'Varnix', threshold: 80, datasets: ['SAN'], registrationNumber: '1' },
      {},
      201,
      'registrationNumber',
    ],
  ]
  for (const [method, path, body, headers, status, ignored] of cases) {
    const reply = await caller.call(method, path, body, headers)
    expect([reply.status, reply.headers.get('x-ignored-keys')], `${method} ${path} ${JSON.stringify(body)}`).toEqual([
      status,
      ignored,
    ])
  }
})

test('the number of a portfolio may be written as a decimal, and an address of its mail may be missing', async () => {
  const caller = await logIn(await startService())
  const { body } = await caller.call('POST', PORTFOLIOS, { name: 'one', emails: [{ firstName: 'Ann' }] })
  const read = await caller.call('GET', `${PORTFOLIOS}/${body.portfolioId}.0`)
  expect(read.body).toMatchObject({ portfolioId: body.portfolioId, emails: [{ firstName: 'Ann' }] })
  expect((await caller.call('GET', `${PORTFOLIOS}/${body.portfolioId}.5`)).status).toBe(404)
  const change = { name: 'one', emails: [{ firstName: 'Ann' }] }
  expect((await caller.call('PATCH', `${PORTFOLIOS}/${body.portfolioId}`, change)).status).toBe(400)
})

test('/access shows monitoring with what is used of it', async () => {
  const caller = await logIn(await startService())
  const rowOf = async () => {
    const { body } = await caller.call('GET', '/access')
    return body.countryAccess.creditsafeConnectMonitoring.find((row: { countryIso2: string }) => row.countryIso2 === 'GB')
  }
  const before = await rowOf()
  expect(before).toMatchObject({ name: 'United Kingdom', countryName: 'United Kingdom', expireDate: '9999-12-31', used: 0 })
  const found = await caller.call('GET', '/companies?countries=GB&pageSize=1')
  const { body } = await caller.call('POST', PORTFOLIOS, { name: 'one' })
  const company = { id: found.body.companies[0].id, personalReference: '', freeText: '', personalLimit: '' }
  await caller.call('POST', `${PORTFOLIOS}/${body.portfolioId}/companies`, company)
  expect(await rowOf()).toEqual({ ...before, used: 1 })
})

test('what is not known of a search is null where the published description has null, and left out elsewhere', async () => {
  const caller = await logIn(await startService())
  const { body } = await caller.call('POST', SEARCHES, { name: 'Varnix', threshold: 80, datasets: ['SAN'] })
  expect(Object.entries(body).filter(([, value]) => value === null)).toEqual([])
  const unknown = { assignedToUserId: null, assignedUser: null, note: null, scheduleId: null }
  for (const key of Object.keys(unknown)) expect(body).not.toHaveProperty(key)
  expect((await caller.call('GET', SEARCHES)).body.items).toMatchObject([unknown])
  const individuals = SEARCHES.replace('businesses', 'individuals')
  const person = await caller.call('POST', individuals, { name: 'Zalmir Quorvath', threshold: 80, datasets: ['SAN'] })
  expect(person.body).toMatchObject(unknown)
  expect((await caller.call('GET', `${individuals}/${person.body.id}`)).body).toMatchObject(unknown)
  const changed = await caller.call('PUT', `${SEARCHES}/${body.id}`, { note: 'seen', riskRating: null })
  expect(changed.body).toMatchObject({ note: 'seen' })
})

test('a personal limit sent as a number is answered as text', async () => {
  const caller = await logIn(await startService())
  const { portfolioId } = (await caller.call('POST', PORTFOLIOS, { name: 'limits' })).body
  const companies = `${PORTFOLIOS}/${portfolioId}/companies`
  const body = { id: 'GB-X-01', personalReference: '', freeText: '', personalLimit: 0.5 }
  expect((await caller.call('POST', companies, body)).status).toBe(200)
  expect((await caller.call('GET', companies)).body.data[0].personalLimit).toBe('0.5')
  expect((await caller.call('GET', `${companies}/GB-X-01`)).body.personalLimit).toBe('0.5')
})

test('a country is two ASCII letters: ß, whose capitals are SS, is refused', async () => {
  const caller = await logIn(await startService())
  const { portfolioId } = (await caller.call('POST', PORTFOLIOS, { name: 'one' })).body
  const placed = (code: string): readonly [string, string, unknown?][] => [
    ['GET', `/companies?countries=${code}&name=a`],
    ['GET', `/companies/global?countries=${code}&name=a`],
    ['GET', `/companies/match?matchThreshold=893&name=a&country=${code}`],
    ['GET', `/companies/searchcriteria?countries=${code}`],
    ['GET', `/companies/schema/${code}`],
    ['GET', `/reportcustomdata/${code}`],
    ['GET', `/people?countries=${code}&lastName=a`],
    ['GET', `/people/searchcriteria?countries=${code}`],
    ['GET', `/dataCleaning/jobs?countries=${code}`],
    ['GET', `/monitoring/eventRules/${code}`],
    ['GET', `${PORTFOLIOS}/${portfolioId}/eventRules/${code}`],
    ['GET', `${PORTFOLIOS}/${portfolioId}/companies?countryCode=${code}`],
    ['POST', SEARCHES, { name: 'Varnix', threshold: 80, datasets: ['SAN'], countryCodes: [decodeURIComponent(code)] }],
  ]
  for (const [code, isRight] of [
    ['%C3%9F', false],
    ['%EF%AC%83', false],
    ['g%C4%B1', false],
    ['gb', true],
  ] as const)
    for (const [method, path, body] of placed(code)) {
      const { status } = await caller.call(method, path, body)
      expect([path, status < 300], `${path}: ${status}`).toEqual([path, isRight])
      if (!isRight) expect(status, path).toBe(400)
    }
})

test('a path with a slash at its end is the same path', async () => {
  const caller = await logIn(await startService())
  const plain = await caller.call('GET', '/companies?countries=GB&name=Acme')
  const slashed = await caller.call('GET', '/companies/?countries=GB&name=Acme')
  expect(slashed.status).toBe(200)
  expect(slashed.body.companies).toEqual(plain.body.companies)
  expect((await caller.call('GET', '/dataCleaning/jobs/')).body).toEqual([])
})
