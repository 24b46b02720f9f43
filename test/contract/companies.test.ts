/** Companies, people and access by HTTP alone: success, each documented error, paging. What a register holds is told exactly of ours only. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OPERATIONS, OTHER_GROUPS } from '../../src/contract/index.ts'
import { PLAYS } from '../../src/service/plays.ts'
import { type Call, caller } from './call.ts'
import { openTarget, type Target } from './target.ts'

let target: Target
let call: Call
let token: string

beforeAll(async () => {
  target = await openTarget()
  const { username, password } = target
  token = (await caller(target, null)('authenticate', { body: { username, password } })).body.token
  call = caller(target, token)
})

afterAll(() => target?.close())

const NORTHGATE = 'GB-X-01234567'
const ids = (found: { body: { companies: { id: string }[] } }): string[] => found.body.companies.map(one => one.id)
const search = (query: Record<string, string>) => call('searchCompanies', { query: { countries: 'GB,FR,NL,DE', ...query } })
const own = (): boolean => !target.isRemote

describe('search', () => {
  test('by name: the record with its address, and a correlationId', async () => {
    const found = await search({ name: 'northgate fasteners' })
    expect(found.body.correlationId).toBeTypeOf('string')
    if (!own()) return
    expect(found.body).toMatchObject({ totalSize: 1, messages: [] })
    expect(found.body.companies[0]).toMatchObject({
      id: NORTHGATE,
      country: 'GB',
      regNo: '01234567',
      safeNo: expect.stringMatching(new RegExp(`^UK\\d{${target.play.safeDigits}}$`)),
      idType: 'RegistrationNumber',
      name: 'NORTHGATE FASTENERS LIMITED',
      type: 'Ltd',
      officeType: 'registered',
      status: 'Active',
      vatNo: ['GB123456789'],
      address: {
        simpleValue: '1 Mill Lane, Leeds, LS1 4AP',
        street: 'Mill Lane',
        houseNumber: '1',
        city: 'Leeds',
        postalCode: 'LS1 4AP',
        telephone: '01130000001',
        country: 'GB',
      },
    })
  })

  test.each<[string, Record<string, string>]>([
    ['id', { id: NORTHGATE }],
    ['register number', { regNo: '1234567' }],
    ['VAT number', { vatNo: '123 4567 89' }],
    ['trading name', { tradeName: 'northgate' }],
    ['acronym', { acronym: 'NF', postCode: 'LS1 4AP' }],
    ['misspelt name', { name: 'Nortgate Fastners' }],
    ['exact name', { name: 'Northgate Fasteners Limited', exact: 'true' }],
    ['telephone', { phoneNo: '0113 000 0001' }],
    ['web address', { website: 'https://www.northgate.example/contact' }],
    ['postcode', { postCode: 'ls1 4ap' }],
    ['start of a postcode', { postCode: 'LS*' }],
    ['name and place', { name: 'Northgate', city: 'leeds', street: 'Mill', houseNo: '1', address: 'mill lane leeds' }],
    ['name, type and status', { name: 'Northgate', type: 'Ltd', status: 'Active', officeType: 'registered' }],
  ])('by %s', async (_, query) => {
    const found = await search(query)
    if (own()) expect(ids(found)).toEqual([NORTHGATE])
  })

  test('by Safe Number', async context => {
    if (!own()) context.skip('needs a register that is known')
    const { safeNo } = (await search({ id: NORTHGATE })).body.companies[0]
    expect(ids(await search({ safeNo }))).toEqual([NORTHGATE])
    expect(ids(await search({ safeNo: 'UK000000000000000' }))).toEqual([])
  })

  test.each<[string, Record<string, string>]>([
    ['another country', { name: 'Northgate', countries: 'FR' }],
    ['another town', { name: 'Northgate', city: 'Lyon' }],
    ['another province', { name: 'Northgate', province: 'Devon' }],
    ['another house', { name: 'Northgate', houseNo: '2' }],
    ['another status', { name: 'Northgate', status: 'NonActive' }],
    ['another type', { name: 'Northgate', type: 'NonLtd' }],
    ['another office', { name: 'Northgate', officeType: 'branch' }],
    ['another name', { regNo: '01234567', name: 'Bakery' }],
    ['a part of the name, exactly', { name: 'Northgate Fasteners', exact: 'true' }],
    ['public companies', { name: 'Northgate', countries: 'PLC' }],
    ['nothing like it', { name: 'Zzyzx Qqq' }],
  ])('%s finds nothing, and says so', async (_, query) => {
    const found = await search(query)
    if (!own()) return
    expect(found.body).toMatchObject({ totalSize: 0, companies: [], messages: [{ type: 'Information', code: 'NoResults' }] })
  })

  test('a previous name finds the company, and a status is read in its own words', async context => {
    if (!own()) context.skip('needs a register that is known')
    const found = await search({ name: 'Alte Giesserei' })
    expect(found.body.companies).toMatchObject([{ id: 'DE-X-HRB_4711', status: 'NonActive' }])
  })

  test('it is paged from 1', async () => {
    const pages = await Promise.all(['1', '2'].map(page => search({ website: 'northgate.example', page, pageSize: '1' })))
    if (own())
      expect(pages.map(page => [page.body.totalSize, page.body.companies.length])).toEqual([
        [1, 1],
        [1, 0],
      ])
  })

  test.each<[string, Record<string, string>]>([
    ['no country', { countries: '', name: 'x' }],
    ['a country that is none', { countries: 'ZZ', name: 'x' }],
    ['page 0', { name: 'x', page: '0' }],
    ['too large a page', { name: 'x', pageSize: '1001' }],
    ['an unknown status', { name: 'x', status: 'Sleeping' }],
  ])('%s is 400', async (_, query) => {
    expect((await search(query)).status).toBe(400)
  })

  test('globally it needs no country', async context => {
    if (!own()) context.skip('its parameters are not documented')
    expect(ids(await call('searchCompaniesGlobally', { query: { name: 'Van Dijk' } }))).toEqual(['NL-X-34567890'])
    expect((await call('searchCompaniesGlobally', { query: { status: 'NonActive' } })).body.totalSize).toBe(1)
  })
})

describe('match', () => {
  const match = (query: Record<string, string>) =>
    call('matchCompanies', { query: { matchThreshold: '893', country: 'GB', name: 'Northgate Fasteners Ltd', ...query } })

  test('a good name and number: a high confidence, explained by a letter per field', async () => {
    const { body } = await match({ regNo: '01234567', city: 'Leeds', street: 'Mill Ln', houseNo: '1', postCode: 'LS1 4AQ' })
    if (!own()) return
    const [best] = body.matchedCompanies
    expect(body.totalMatches).toBe(body.matchedCompanies.length)
    expect(best).toMatchObject({ id: NORTHGATE, regNo: '01234567', phoneNumber: 1130000001, status: 'Active', type: 'Ltd' })
    expect(best.address).toEqual({
      simpleValue: '1 Mill Lane, Leeds, LS1 4AP',
      street: '1 Mill Lane',
      city: 'Leeds',
      postcode: 'LS1 4AP',
      country: 'GB',
    })
    expect(best.matchScoreConfidence).toBeGreaterThan(990)
    expect(best.matchScoreExplainPlan).toEqual({
      matchScore: best.matchScoreConfidence,
      matchScoreAlpha: 'A',
      'matchScoreLocal Id': 'A',
      matchScoreName: 'B',
      matchScoreHouseNo: 'A',
      matchScoreStreet: 'D',
      matchScorePoBox: 'Z',
      matchScoreCity: 'A',
      matchScoreState: 'Z',
      matchScorePostCode: 'C',
      matchScoreCountry: 'A',
      matchScoreVatNo: 'Z',
      matchScoreRegNo: 'A',
      matchScorePhoneNo: 'Z',
      matchScoreSimpleValue: 'C',
      matchScoreNum: String(best.matchScoreConfidence),
    })
  })

  test('sorts the best first, leaves out scores below the threshold, and answers an empty list without a match', async () => {
    for (const matchThreshold of ['893', '900', '999']) {
      const { body } = await match({ matchThreshold })
      const scores: number[] = body.matchedCompanies.map((one: { matchScoreConfidence: number }) => one.matchScoreConfidence)
      expect(scores).toEqual([...scores].sort((a, b) => b - a))
      for (const score of scores) expect(score).toBeGreaterThanOrEqual(Number(matchThreshold))
    }
    if (own()) expect((await match({ name: 'Zzyzx Qqq' })).body).toEqual({ totalMatches: 0, matchedCompanies: [] })
  })

  test.each<[string, Record<string, string>]>([
    ['a threshold below 893', { matchThreshold: '892' }],
    ['a threshold above 999', { matchThreshold: '1000' }],
    ['a threshold that is none', { matchThreshold: 'high' }],
    ['a country of three letters', { country: 'GBR' }],
    ['a country that is none', { country: 'ZZ' }],
    ['no name', { name: '' }],
  ])('%s is 400', async (_, query) => {
    expect((await match(query)).status).toBe(400)
  })
})

describe('reports', () => {
  const report = (id: string, query: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    call('readReport', { id, query, headers })

  test('the sections that the register fills, by connectId and by Safe Number', async context => {
    if (!own()) context.skip('a report is ordered')
    const { body } = await report(NORTHGATE, { language: 'en', includeIndicators: 'true', callRef: 'a tag' })
    expect(body).toMatchObject({ correlationId: expect.any(String), failedSections: [], companyId: NORTHGATE, language: 'EN' })
    expect(body.dateOfOrder).toMatch(/^\d{4}-\d{2}-\d{2}T[\d:]{8}\.\d{3}Z$/)
    expect(body.userId).toBeTypeOf('number')
    expect(Object.keys(body.report)).toEqual([
      'companyId',
      'language',
      'companySummary',
      'companyIdentification',
      'contactInformation',
      'directors',
    ])
    expect(body.report.companySummary).toMatchObject({
      businessName: 'NORTHGATE FASTENERS LIMITED',
      companyRegistrationNumber: '01234567',
      companyStatus: { status: 'Active', description: 'active' },
    })
    expect(body.report.contactInformation).toMatchObject({
      emailAddresses: ['a@northgate.example'],
      websites: ['northgate.example'],
    })
    const { currentDirectors, previousDirectors } = body.report.directors
    expect(currentDirectors).toMatchObject([
      {
        id: 'GB-9001',
        firstName: 'Ann',
        surname: 'Sample',
        dateOfBirth: '1970-05-17T00:00:00Z',
        directorType: 'Person',
        positions: [{ dateAppointed: '2010-02-01T00:00:00Z', positionName: 'Director' }],
      },
      { name: 'NORTHGATE HOLDINGS LIMITED', positions: [{ positionName: 'Corporate director' }] },
    ])
    expect(previousDirectors).toMatchObject([{ name: 'Per Exempel', resignationDate: '2004-12-31T00:00:00Z' }])
    const again = await report(body.report.companySummary.companyNumber)
    expect(again.body.companyId).toBe(NORTHGATE)
  })

  test('with a PDF on request, which spells three keys differently', async context => {
    if (!own()) context.skip('a report is ordered')
    const { body, headers } = await report(NORTHGATE, {}, { Accept: 'application/json+pdf' })
    expect(headers.get('content-type')).toMatch(/^application\/json\+pdf(?:;|$)/)
    expect(body).toMatchObject({ companyID: NORTHGATE, correlationID: expect.any(String), userID: expect.any(Number) })
    for (const key of ['companyId', 'correlationId', 'userId']) expect(body).not.toHaveProperty(key)
    expect(Buffer.from(body.pdfReportStream, 'base64').subarray(0, 5).toString()).toBe('%PDF-')
  })

  test('a German one needs a reason', async context => {
    if (!own()) context.skip('a report is ordered')
    const id = 'DE-X-HRB_4711'
    for (const customData of [undefined, 'de_reason_code::0', 'de_reason_code::9', 'reason::1']) {
      const refused = await report(id, customData === undefined ? {} : { customData })
      expect([refused.status, refused.body.details]).toEqual([400, expect.stringContaining('de_reason_code')])
    }
    expect((await report(id, { customData: 'de_reason_code::1' })).body.report.companyIdentification).toMatchObject({
      previousNames: [{ name: 'Alte Gießerei GmbH' }],
    })
  })

  test('an unknown company is 404, an unknown template or language 400', async () => {
    expect([400, 404]).toContain((await report('GB-X-99999999')).status)
    if (!own()) return
    expect((await report('UK000000000000001')).status).toBe(404)
    expect((await report(NORTHGATE, { template: 'basic' })).status).toBe(400)
    expect((await report(NORTHGATE, { language: 'english' })).status).toBe(400)
  })
})

describe('what may be asked', () => {
  test('the criteria of a search, read from what checks it', async () => {
    const { body } = await call('companySearchCriteria', { query: { countries: 'GB,de' } })
    if (!own()) return
    expect(body).toMatchObject({ countries: ['GB', 'DE'], languages: ['EN'] })
    const byName = body.criteriaSets.find((set: { name: { required?: boolean } }) => set.name.required === true)
    expect(byName).toMatchObject({
      id: { optional: true, maxLength: 200 },
      status: { allowedValues: ['Active', 'NonActive', 'Pending', 'Other'] },
      address: {
        simpleValue: { optional: true },
        street: {},
        houseNo: {},
        city: {},
        postCode: { validationRegExp: expect.any(String) },
      },
      phoneNumber: { maxLength: 60 },
    })
    expect((await call('companySearchCriteria', { query: {} })).status).toBe(400)
    expect((await call('companySearchCriteria', { query: { countries: 'ZZ' } })).status).toBe(400)
  })

  test('the JSON schemas of reports', async () => {
    for (const section of ['CompanyReportResponse', 'DirectorReportResponse']) {
      const { body } = await call('reportSchema', { params: { countryCode: 'GB' }, query: { section } })
      if (own()) expect(body).toMatchObject({ type: 'object', properties: { report: { type: 'object' } } })
    }
    if (!own()) return
    expect((await call('reportSchema', { params: { countryCode: 'ZZ' } })).status).toBe(400)
    expect((await call('reportSchema', { params: { countryCode: 'GB' }, query: { section: 'No' } })).status).toBe(400)
  })

  test('the customData of a country', async () => {
    const { body } = await call('reportCustomData', { params: { country: 'DE' } })
    expect(body.customData[0]).toMatchObject({ key: 'de_reason_code', optional: false })
    if (!own()) return
    expect(body.customData[0].allowedValues).toEqual(['1', '2', '3', '4', '5', '6', '7', '8'])
    expect((await call('reportCustomData', { params: { country: 'gb' } })).body).toEqual({ country: 'GB', customData: [] })
    expect((await call('reportCustomData', { params: { country: 'Germany' } })).status).toBe(400)
  })
})

describe('people', () => {
  const find = (query: Record<string, string>) => call('searchPeople', { query: { countries: 'GB,SE,DE', ...query } })
  const told = (found: { body: { directors: { peopleId: string; company: { id: string } }[] } }) =>
    found.body.directors.map(({ peopleId, company }) => `${peopleId} in ${company.id}`)

  test.each<[string, Record<string, string>, string[]]>([
    ['last name', { lastName: 'sample' }, [`GB-9001 in ${NORTHGATE}`, 'GB-9001 in DE-X-HRB_4711']],
    ['number', { localDirectorNumber: '9002' }, [`SE-9002 in ${NORTHGATE}`]],
    ['first name', { firstName: 'Per' }, [`SE-9002 in ${NORTHGATE}`]],
    ['number of a company', { regNo: 'HRB 4711' }, ['GB-9001 in DE-X-HRB_4711']],
    ['name of a company', { companyName: 'Hartmann Druckguss' }, ['GB-9001 in DE-X-HRB_4711']],
    ['peopleId', { peopleId: 'SE-9002' }, [`SE-9002 in ${NORTHGATE}`]],
    ['names and month of birth', { lastName: 'Exempel', firstName: 'per', dateOfBirth: '1960-01' }, [`SE-9002 in ${NORTHGATE}`]],
  ])('by %s', async (_, query, expected) => {
    const found = await find(query)
    if (own()) expect(told(found)).toEqual(expected)
  })

  test('a month of birth is not a date-time: it is returned separately, as the register has it', async context => {
    if (!own()) context.skip('needs a register that is known')
    const [found] = (await find({ peopleId: 'SE-9002' })).body.directors
    const { report } = (await call('readPerson', { params: { peopleId: 'SE-9002' } })).body
    for (const person of [found, report.directorDetails]) {
      expect(person).not.toHaveProperty('dateOfBirth')
      expect(person.additionalData).toEqual({ dateOfBirth: '1960-01' })
    }
  })

  test('answers the record, pages, and a message without a person', async context => {
    if (!own()) context.skip('needs a register that is known')
    const first = await find({ lastName: 'Sample', pageSize: '1' })
    expect(first.body).toMatchObject({ totalSize: 2, messages: [] })
    expect(first.body.directors[0]).toMatchObject({
      peopleId: 'GB-9001',
      firstName: 'Ann',
      lastName: 'Sample',
      country: 'GB',
      companyName: 'NORTHGATE FASTENERS LIMITED',
      companyType: 'Ltd',
      companyRegistrationNumber: '01234567',
      status: 'Current',
    })
    expect((await find({ lastName: 'Sample', pageSize: '1', page: '2' })).body.directors).toMatchObject([{ status: 'Previous' }])
    for (const query of [
      { lastName: 'Nobody' },
      { lastName: 'Sample', firstName: 'Bo' },
      { lastName: 'Sample', countries: 'NL' },
    ] as Record<string, string>[]) {
      expect((await find(query)).body).toMatchObject({ totalSize: 0, directors: [], messages: [{ code: 'NoResults' }] })
    }
  })

  test.each<[string, Record<string, string>]>([
    ['a date that is none', { lastName: 'x', dateOfBirth: '17.5.1970' }],
    ['a country that is none', { lastName: 'x', countries: 'ZZ' }],
  ])('%s is 400', async (_, query) => {
    expect((await find(query)).status).toBe(400)
  })

  test('the report of a person counts and lists appointments', async context => {
    if (!own()) context.skip('a report is ordered')
    const { body } = await call('readPerson', { params: { peopleId: 'GB-9001' } })
    expect(body.report).toMatchObject({
      directorId: 'GB-9001',
      directorSummary: { currentAppointments: 1, inactiveAppointments: 0, previousAppointments: 1 },
      directorDetails: { name: 'Ann Sample', nationality: 'British' },
      directorships: {
        current: [{ id: NORTHGATE, position: { positionName: 'Director' } }],
        previous: [{ id: 'DE-X-HRB_4711', position: { resignationDate: '2015-06-30T00:00:00Z' } }],
      },
    })
    expect((await call('readPerson', { params: { peopleId: 'GB-0' } })).status).toBe(404)
    const criteria = await call('peopleSearchCriteria', { query: { countries: 'GB' } })
    expect(criteria.body.countriesCriteria[0]).toMatchObject({
      country: 'GB',
      schemas: [{ id: { required: true }, lastName: { optional: true } }, {}, {}],
    })
    expect((await call('peopleSearchCriteria', { query: { countries: 'ZZ' } })).status).toBe(400)
  })
})

describe('access', () => {
  test('the products and countries of the account, with what is used', async () => {
    const before = (await call('readAccess')).body.countryAccess
    if (!own()) return
    const used = (access: typeof before) =>
      access.creditsafeConnectOnlineReports.find((one: { countryIso2: string }) => one.countryIso2 === 'NL').used
    await call('readReport', { id: 'NL-X-34567890' })
    const after = (await call('readAccess')).body.countryAccess
    expect(used(after)).toBe(used(before) + 1)
    expect(Object.keys(after)).toHaveLength(7)
    expect(after.creditsafeConnectOnlineReports[1]).toMatchObject({
      countryName: 'France',
      countryIso2: 'FR',
      startDate: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
      paid: expect.any(Number),
    })
    expect(after.creditsafeConnectDirectorReports).toHaveLength(4)
  })

  test('who the caller is', async () => {
    expect((await call('readOwnUser')).body.username).toBe(target.username)
    const [details] = (await call('readUserDetails')).body
    const { items, totalSize } = (await call('listActiveUsers')).body
    expect(items).toHaveLength(totalSize)
    if (own()) {
      expect(items.map((one: { userId: number }) => one.userId)).toContain(details.userId)
      expect(details.createdDate).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/)
    }
  })
})

describe('the groups without a subscription', () => {
  const plain = (method: string, path: string, as: string | null) =>
    fetch(target.url + path.replaceAll(/\{\w+\}/g, 'x'), {
      method,
      redirect: 'manual',
      headers: as === null ? {} : { Authorization: `Bearer ${as}` },
      ...(method === 'GET' || method === 'DELETE' ? {} : { body: 'not even JSON' }),
    })

  test('every one is 403 with a token and 401 without, with any body', async context => {
    if (!own()) context.skip('another account may have subscribed')
    if (target.play !== PLAYS.own) context.skip('is the same in every play')
    for (const { method, path } of OTHER_GROUPS) {
      const reply = await plain(method, path, token)
      expect([reply.status, await reply.json()], `${method} ${path}`).toEqual([403, { message: 'Access forbidden' }])
      expect((await plain(method, path, null)).status, `${method} ${path}`).toBe(401)
    }
  })

  test('none is an operation that this version speaks', () => {
    const spoken = Object.values(OPERATIONS).map(({ method, path }) => `${method} ${path}`)
    const closed = OTHER_GROUPS.map(({ method, path }) => `${method} ${path}`)
    expect(closed.filter(one => spoken.includes(one))).toEqual([])
    expect(new Set(closed).size).toBe(closed.length)
  })

  test('another method is 405, an unknown path 404', async context => {
    if (!own()) context.skip('not documented')
    const wrong = await plain('DELETE', '/images/x', token)
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect((await plain('GET', '/localSolutions/GB/nothing', token)).status).toBe(404)
  })

  test.each(['GET', 'POST'])('the retired product is 301 to %s', async method => {
    for (const path of ['/protect/profiles', '/protect/idv/x/y']) {
      const reply = await plain(method, path, token)
      expect([reply.status, await reply.json()]).toEqual([301, { message: expect.any(String) }])
      if (own()) expect((await plain(method, path, null)).status).toBe(401)
    }
  })
})
