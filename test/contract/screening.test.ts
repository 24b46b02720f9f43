/** AML screening, told by HTTP alone: searches, hits, decisions, PDFs (contract §6), against the target and the made-up sample list. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BUSINESSES, INDIVIDUALS, OPERATIONS, type OperationName, parseWireDate, SCHEDULES } from '../../src/contract/index.ts'
import { type Call, caller } from './call.ts'
import { openTarget, type Target } from './target.ts'

const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

interface Kind {
  readonly type: 'business' | 'individual'
  /** What the sample list has. */
  readonly body: Record<string, unknown>
  /** Has another word for the singular or plural of a row of the table. */
  name(words: string): OperationName
}

const kind = (type: 'business' | 'individual', body: Record<string, unknown>): Kind => ({
  type,
  body,
  name: words => words.replace('#', type === 'business' ? 'Business' : 'Individual') as OperationName,
})

const KINDS = [
  kind('business', { name: 'Varnix Steel Limited', threshold: 75, datasets: ['SAN'] }),
  kind('individual', { firstName: 'Zalmir', lastName: 'Quorvath', threshold: 75, datasets: ['SAN', 'PEP'] }),
]

let target: Target
let call: Call

beforeAll(async () => {
  target = await openTarget()
  const { username, password } = target
  const login = await caller(target, null)('authenticate', { body: { username, password } })
  call = caller(target, login.body.token)
})

afterAll(() => target?.close())

/** A search that has a hit, and the hit. */
async function searched({ name, body }: Kind): Promise<{ searchId: string; hitId: string }> {
  const search = await call(name('create#Search'), { body })
  expect(search.status).toBe(201)
  const hits = await call(name('list#Hits'), { params: { searchId: search.body.id } })
  expect(hits.body.totalSize).toBe(search.body.totalHitCount)
  expect(hits.body.totalSize).toBeGreaterThan(0)
  return { searchId: search.body.id, hitId: hits.body.items[0].id }
}

describe.each(KINDS)('$type searches', one => {
  const { name, body, type } = one

  test('are made, read again, and listed last modified first', async () => {
    const made = [await call(name('create#Search'), { body }), await call(name('create#Search'), { body })]
    const [{ listsKey: _, ...first }, second] = made.map(answer => answer.body)
    expect(first).toMatchObject({ type, threshold: 75, status: 'new', riskRating: 'notApplicable', datasets: body.datasets })
    expect(first.id).toMatch(UUID)
    expect(first.correlationId).not.toBe(second.correlationId)
    expect(parseWireDate(first.createdAt)).toBeGreaterThan(0)
    const read = await call(name('read#Search'), { params: { searchId: first.id } })
    expect(read.body).toEqual({ ...first, correlationId: read.body.correlationId })

    await target.pause()
    await call(name('update#Search'), {
      params: { searchId: first.id },
      body: { status: 'pending', riskRating: 'low' },
    })
    const list = await call(name('list#Searches'), { query: { pageSize: '2' } })
    expect(list.body.items.map((item: { id: string }) => item.id)).toContain(first.id)
    expect(list.body.totalSize).toBeGreaterThanOrEqual(2)
    expect(list.body.items[0].correlationId).toBeUndefined()
    const dates = list.body.items.map((item: { modifiedAt: string }) => parseWireDate(item.modifiedAt))
    expect(dates).toEqual([...dates].sort((a, b) => b - a))
  })

  test('are paged from 1, and no search is on two pages', async () => {
    for (let n = 0; n < 3; n++) await call(name('create#Search'), { body })
    const list = name('list#Searches')
    const pages = [await call(list, { query: { pageSize: '2' } }), await call(list, { query: { page: '2', pageSize: '2' } })]
    const ids = pages.flatMap(page => page.body.items.map((item: { id: string }) => item.id))
    expect(new Set(ids).size).toBe(4)
    expect((await call(list, { query: { page: '1000000', pageSize: '100' } })).body.items).toEqual([])
    for (const query of [
      { page: '0' },
      { pageSize: '0' },
      { pageSize: '1001' },
      { page: 'one' },
      { isScheduled: 'maybe' },
    ] as Record<string, string>[]) {
      expect((await call(list, { query })).status).toBe(400)
    }
  })

  test('are under monitoring while they have a schedule', async () => {
    const search = async () => (await call(name('read#Search'), { params: { searchId: id } })).body
    const scheduled = async (isScheduled: string): Promise<string[]> =>
      (await call(name('list#Searches'), { query: { isScheduled, pageSize: '100' } })).body.items.map(
        ({ id }: { id: string }) => id,
      )
    const { id } = (await call(name('create#Search'), { body })).body
    expect((await search()).scheduleId ?? null).toBeNull()
    expect([(await scheduled('true')).includes(id), (await scheduled('false')).includes(id)]).toEqual([false, true])
    const { successful } = (await call('createSchedules', { body: { items: [{ searchId: id }] } })).body
    const { id: scheduleId } = successful[0]
    expect(successful[0]).toMatchObject({ searchId: id, type, threshold: 75, datasets: body.datasets })
    expect((await search()).scheduleId).toBe(scheduleId)
    expect([(await scheduled('true')).includes(id), (await scheduled('false')).includes(id)]).toEqual([true, false])
    expect((await call('deleteSchedule', { params: { scheduleId } })).status).toBe(204)
    expect((await search()).scheduleId ?? null).toBeNull()
    expect(await scheduled('true')).not.toContain(id)
  })

  test.each([
    [{ threshold: 101 }],
    [{ threshold: '75' }],
    [{ datasets: [] }],
    [{ datasets: ['NONE'] }],
    [{ datasets: undefined }],
    [{ countryCodes: ['GBR'] }],
    [{ countryCodes: ['ZZ'] }],
    [{ name: '', firstName: undefined }],
    [{ name: 'x'.repeat(201), firstName: undefined, lastName: undefined }],
  ])('with %j are 400', async wrong => {
    const answer = await call(name('create#Search'), { body: { ...body, ...wrong } })
    expect(answer.status).toBe(400)
    expect(answer.body.details).not.toBe('')
  })

  test('change one by one, and in a batch each element alone', async () => {
    const { searchId } = await searched(one)
    const params = { searchId }
    const me = (await call(name('read#Search'), { params })).body.createdById
    const changes = { status: 'referred', riskRating: 'high', note: 'look again', assignedToUserId: me }
    const changed = await call(name('update#Search'), { params, body: changes })
    expect(changed.body).toMatchObject({ ...changes, id: searchId, assignedUser: target.username, modifiedBy: target.username })
    expect((await call(name('update#Search'), { params, body: { ...changes, status: 'done' } })).status).toBe(400)
    expect((await call(name('update#Search'), { params: { searchId: UNKNOWN }, body: changes })).status).toBe(404)

    const items = [
      { searchId, riskRating: 'low', status: 'approved' },
      { searchId: UNKNOWN, riskRating: 'low' },
      { searchId, riskRating: 'none' },
      { searchId, riskRating: null, status: 'done' },
      { searchId, riskRating: null, assignedToUserId: 1 },
    ]
    const { body: answer } = await call(name('update#Searches'), { body: { items } })
    expect(answer.successful).toHaveLength(1)
    expect(answer.successful[0]).toMatchObject({ id: searchId, riskRating: 'low', status: 'approved', note: 'look again' })
    expect(answer.failed.map((failed: { failedItem: unknown }) => failed.failedItem)).toEqual(items.slice(1))
    expect(answer.failed.map((failed: { error: { status: number } }) => failed.error.status)).toEqual([404, 400, 400, 400])
    for (const { error } of answer.failed) {
      expect(error).toMatchObject({ type: expect.any(String), title: expect.any(String), instance: expect.any(String) })
      expect(error.detail).not.toBe('')
    }
    const odd = [
      { riskRating: 'low' },
      { searchId: 7 },
      { searchId, note: 7 },
      { searchId, assignedToUserId: 'me' },
      { searchId, status: 'pending' },
    ]
    const judged = await call(name('update#Searches'), { body: { items: odd } })
    if (target.isRemote) expect([200, 400]).toContain(judged.status)
    else {
      expect(judged.body.failed.map((failed: { error: { status: number } }) => failed.error.status)).toEqual([400, 400, 400, 400])
      expect(judged.body.successful).toMatchObject([{ id: searchId, status: 'pending' }])
    }
    expect((await call(name('update#Searches'), { body: { items: [7] } })).status).toBe(400)
  })
})

describe.each(KINDS)('$type hits', one => {
  const { name, type } = one
  const spelled = (decision: 'trueMatch' | 'falsePositive'): string => (type === 'business' ? decision.toLowerCase() : decision)

  test('score at least the threshold, and name what matched', async () => {
    const { searchId } = await searched(one)
    const { body } = await call(name('list#Hits'), { params: { searchId } })
    for (const hit of body.items) {
      expect(hit.hitScore).toBeGreaterThanOrEqual(75)
      expect(hit.hitScore).toBeLessThanOrEqual(100)
      expect(hit).toMatchObject({ decision: 'undecided', match: expect.any(String) })
    }
    for (const query of [{ page: '0' }, { pageSize: '1001' }, { hitDecisions: 'perhaps' }] as Record<string, string>[]) {
      expect((await call(name('list#Hits'), { params: { searchId }, query })).status).toBe(400)
    }
  })

  test('are read whole', async () => {
    const params = await searched(one)
    const { body } = await call(name('read#Hit'), { params })
    expect(body).toMatchObject({ id: params.hitId, decision: 'undecided', datasets: expect.arrayContaining(['SAN']) })
    expect(body.amlResults.SAN.CURRENT[0]).toMatchObject({ type: 'sanction', value: { regime: expect.any(String) } })
    expect(body.correlationId).toBeTruthy()
    if (type === 'business') expect(body).not.toHaveProperty('firstName')
    else expect(body).toMatchObject({ firstName: 'Zalmir', lastName: 'Quorvath', isDeceased: false })
  })

  test('are decided, with the state before', async () => {
    const params = await searched(one)
    const body = { decision: spelled('falsePositive'), note: 'another company' }
    const decided = await call(name('decide#Hit'), { params, body })
    expect(decided.body).toMatchObject({ id: params.hitId, decision: 'falsePositive', note: 'another company' })
    expect(decided.body.supersededHit).toMatchObject({ id: params.hitId, decision: 'undecided' })
    expect(decided.body.supersededHit).not.toHaveProperty('supersededHit')
    const { body: search } = await call(name('read#Search'), { params })
    expect(search.falsePositiveHitsCount).toBe(1)
    expect(search.undecidedHitsCount).toBe(search.totalHitCount - 1)
    const under = async (hitDecisions: string): Promise<string[]> =>
      (await call(name('list#Hits'), { params, query: { hitDecisions } })).body.items.map((hit: { id: string }) => hit.id)
    expect(await under('falsepositive')).toEqual([params.hitId])
    expect(await under('undecided')).not.toContain(params.hitId)
    expect((await call(name('decide#Hit'), { params, body: { decision: 'perhaps' } })).status).toBe(400)
    if (!target.isRemote) expect((await call(name('decide#Hit'), { params, body: { decision: 'discarded' } })).status).toBe(400)
    expect((await call(name('decide#Hit'), { params, body: {} })).status).toBe(400)
  })

  test('are decided once where they are persons', async () => {
    const params = await searched(one)
    await call(name('decide#Hit'), { params, body: { decision: spelled('trueMatch') } })
    const again = await call(name('decide#Hit'), { params, body: { decision: spelled('falsePositive') } })
    const { body } = await call(name('read#Hit'), { params })
    if (type === 'individual') {
      expect(again.status).toBe(409)
      expect(again.body.correlationId).toBeTruthy()
      expect(body.decision).toBe('trueMatch')
    } else expect(body.decision).toBe('falsePositive')
  })

  test('take a note at any time', async () => {
    const params = await searched(one)
    await call(name('decide#Hit'), { params, body: { decision: spelled('trueMatch') } })
    const noted = await call(name('note#Hit'), { params, body: { note: 'seen by two' } })
    expect(noted.body).toMatchObject({ decision: 'trueMatch', note: 'seen by two' })
    expect((await call(name('note#Hit'), { params, body: {} })).status).toBe(400)
  })

  test('are decided in a batch, each alone', async () => {
    const { searchId, hitId } = await searched(one)
    const items = [
      { hitId, decision: spelled('trueMatch'), note: 'it is' },
      { hitId: UNKNOWN, decision: spelled('trueMatch') },
      { hitId, decision: 'perhaps' },
      { hitId },
    ]
    const { body } = await call(name('decide#Hits'), { params: { searchId }, body: { items } })
    expect(body.successful).toHaveLength(1)
    expect(body.successful[0]).toMatchObject({ id: hitId, decision: 'trueMatch', note: 'it is' })
    expect(body.failed.map((failed: { error: { status: number } }) => failed.error.status)).toEqual([404, 400, 400])
    const again = await call(name('decide#Hits'), { params: { searchId }, body: { items: items.slice(0, 1) } })
    expect(again.body.failed.map((failed: { error: { status: number } }) => failed.error.status)).toEqual(
      type === 'individual' ? [409] : [],
    )
    const odd = await call(name('decide#Hits'), { params: { searchId }, body: { items: [{}, { hitId: 7 }] } })
    if (target.isRemote) expect([200, 400]).toContain(odd.status)
    else expect(odd.body.failed.map((failed: { error: { status: number } }) => failed.error.status)).toEqual([400, 400])
  })

  test('have a PDF behind a link that needs no token', async () => {
    const params = await searched(one)
    const { body } = await call(name('download#Hit'), { params })
    expect(body).toMatchObject({ searchId: params.searchId, hitId: params.hitId })
    expect(body.fileName).toMatch(/^[\w.-]+\.pdf$/)
    expect(parseWireDate(body.expiresAt)).toBeGreaterThan(0)
    const file = await fetch(body.downloadUrl)
    expect(file.status).toBe(200)
    expect(file.headers.get('content-type')).toContain('application/pdf')
    const bytes = Buffer.from(await file.arrayBuffer())
    expect(bytes.subarray(0, 5).toString('latin1')).toBe('%PDF-')
    expect(bytes.subarray(-6).toString('latin1')).toContain('%%EOF')
    expect((await fetch(`${body.downloadUrl}x`)).status).toBe(403)
  })

  test('that are unknown are 404 everywhere', async () => {
    const { searchId } = await searched(one)
    const body = { decision: spelled('trueMatch') }
    const rows: [string, object][] = [
      ['read#Hit', {}],
      ['decide#Hit', { body }],
      ['note#Hit', { body: { note: 'x' } }],
      ['download#Hit', {}],
    ]
    for (const [words, given] of rows) {
      for (const params of [
        { searchId, hitId: UNKNOWN },
        { searchId: UNKNOWN, hitId: UNKNOWN },
      ]) {
        expect((await call(name(words), { params, ...given })).status, words).toBe(404)
      }
    }
    for (const words of ['list#Hits', 'read#Search']) {
      expect((await call(name(words), { params: { searchId: UNKNOWN } })).status).toBe(404)
    }
    const empty = { params: { searchId: UNKNOWN }, body: { items: [] } }
    expect((await call(name('decide#Hits'), empty)).status).toBe(404)
  })
})

describe('schedules', () => {
  const [business, individual] = KINDS as [Kind, Kind]
  const add = async (...items: object[]) => (await call('createSchedules', { body: { items } })).body
  const statuses = (answer: { failed: { error: { status: number } }[] }): number[] => answer.failed.map(one => one.error.status)
  const hitsOf = async (searchId: string) => (await call('listBusinessHits', { params: { searchId } })).body.items

  test('are added one by one, and once for each search', async () => {
    const { searchId } = await searched(business)
    const items = [{ searchId }, { searchId }, { searchId: UNKNOWN }, { searchId, threshold: 77 }, { searchId: 7 }]
    const answer = await add(...items)
    expect(answer.successful).toMatchObject([{ searchId, createdBy: target.username, isEmailRequired: false }])
    if (target.isRemote) return
    expect(statuses(answer)).toEqual([409, 404, 400, 400])
    expect(answer.failed.map((one: { failedItem: unknown }) => one.failedItem)).toEqual(items.slice(1))
    expect(answer.failed[0].error.detail).toContain(answer.successful[0].id)
  })

  test('are read, listed last modified first, and changed', async () => {
    const ids = [(await searched(business)).searchId, (await searched(individual)).searchId]
    const [first, second] = (await add(...ids.map(searchId => ({ searchId })))).successful
    expect(second).toMatchObject({ type: 'individual', lastName: 'Quorvath', firstName: 'Zalmir' })
    const params = { scheduleId: first.id }
    expect((await call('readSchedule', { params })).body).toMatchObject(first)
    await target.pause()
    const mail = { isEmailRequired: true, emailRecipients: ['ann@example.com'] }
    expect((await call('updateSchedule', { params, body: mail })).body).toMatchObject({ id: first.id, ...mail, threshold: 75 })
    const { items } = (await call('listSchedules', { query: { pageSize: '2' } })).body
    expect(items.map((one: { id: string }) => one.id)).toEqual([first.id, second.id])
    const changes = [{ scheduleId: first.id, isEmailRequired: false }, { scheduleId: UNKNOWN }, { threshold: 80 }]
    const changed = (await call('updateSchedules', { body: { items: changes } })).body
    expect(changed.successful).toMatchObject([
      { ...first, isEmailRequired: false, ...{ modifiedAt: expect.any(String) }, emailRecipients: mail.emailRecipients },
    ])
    if (!target.isRemote) expect(statuses(changed)).toEqual([404, 400])
    for (const wrong of [{ threshold: 77 }, { datasets: ['NONE'] }, { emailRecipients: 'ann' }]) {
      expect((await call('updateSchedule', { params, body: wrong })).status).toBe(400)
    }
  })

  test('screen again on other terms, for a credit: the hits are new and undecided', async () => {
    const { searchId, hitId } = await searched(business)
    await call('decideBusinessHit', { params: { searchId, hitId }, body: { decision: 'trueMatch' } })
    const [{ id: scheduleId }] = (await add({ searchId, threshold: 75, datasets: ['SAN'] })).successful
    const params = { scheduleId }
    const spent = async (body: object) => Number((await call('updateSchedule', { params, body })).headers.get('x-credits-used'))
    const before = await spent({ threshold: 75, datasets: ['SAN'], isEmailRequired: true })
    expect(await hitsOf(searchId)).toMatchObject([{ id: hitId, decision: 'trueMatch' }])
    const after = await spent({ threshold: 80 })
    if (!target.isRemote) expect(after - before).toBe(1)
    const [hit] = await hitsOf(searchId)
    expect(hit.decision).toBe('undecided')
    expect(hit.id).not.toBe(hitId)
    const search = (await call('readBusinessSearch', { params: { searchId } })).body
    expect(search).toMatchObject({ threshold: 80, undecidedHitsCount: 1, truePositiveHitsCount: 0, scheduleId })
    await call('updateSchedule', { params, body: { datasets: ['INS'] } })
    expect(await hitsOf(searchId)).toEqual([])
  })

  test('alert of the hits of their searches, first created first, by decision', async () => {
    const [one, other] = [await searched(business), await searched(individual)]
    await add({ searchId: other.searchId }, { searchId: one.searchId })
    const alerts = async (query: Record<string, string> = {}) =>
      (await call('listScheduleAlerts', { query: { pageSize: '1000', ...query } })).body.items as Record<string, string>[]
    const mine = (await alerts()).filter(({ searchId }) => searchId === one.searchId || searchId === other.searchId)
    expect(mine.map(({ id, searchType, profileId }) => [id, searchType, profileId])).toEqual([
      [one.hitId, 'business', null],
      [other.hitId, 'individual', null],
    ])
    await call('decideBusinessHit', { params: one, body: { decision: 'falsePositive' } })
    const ids = async (hitDecisions: string) => (await alerts({ hitDecisions })).map(({ id }) => id)
    expect(await ids('falsepositive')).toContain(one.hitId)
    expect(await ids('undecided,truematch')).not.toContain(one.hitId)
    expect((await call('listScheduleAlerts', { query: { hitDecisions: 'perhaps' } })).status).toBe(400)
  })

  test('end in a batch, by the ids of schedules or of searches, each alone', async () => {
    const ids = [(await searched(business)).searchId, (await searched(business)).searchId]
    const [first, second] = (await add(...ids.map(searchId => ({ searchId })))).successful
    const { body } = await call('deleteSchedules', { body: { items: [first.id, second.searchId, UNKNOWN] } })
    if (!target.isRemote) expect([body.successful, statuses(body)]).toEqual([[first.id, second.searchId], [404]])
    expect((await call('readSchedule', { params: { scheduleId: first.id } })).status).toBe(404)
  })

  test.each(['readSchedule', 'updateSchedule', 'deleteSchedule'] as const)('%s of none is 404', async name => {
    const body = name === 'updateSchedule' ? {} : undefined
    expect((await call(name, { params: { scheduleId: UNKNOWN }, body })).status).toBe(404)
  })
})

test('a search of one type does not exist as the other type', async () => {
  const { searchId } = await searched(KINDS[0]!)
  expect((await call('readIndividualSearch', { params: { searchId } })).status).toBe(404)
})

test('every operation is answered under both prefixes, and needs a token', async () => {
  for (const [name, operation] of Object.entries({ ...BUSINESSES, ...INDIVIDUALS, ...SCHEDULES })) {
    const path = operation.path.replaceAll(/\{\w+\}/g, UNKNOWN)
    for (const prefix of ['/compliance/kyc-protect', '/kyc-protect']) {
      const url = target.url + path.replace('/compliance/kyc-protect', prefix)
      const answer = await fetch(url, { method: operation.method })
      expect(answer.status, `${name} ${prefix}`).toBe(401)
    }
  }
})

test.each([
  [{ pepTiers: ['tier1'] }],
  [{ gender: 'other' }],
  [{ dateOfBirth: '1961-4' }],
  [{ isDobRequired: true }],
  [{ lastName: undefined }],
  [{ lastName: 'x'.repeat(195) }],
])('a search for a person with %j is 400', async wrong => {
  const body = { ...KINDS[1]?.body, ...wrong }
  expect((await call('createIndividualSearch', { body })).status).toBe(400)
})

test.each([[74], [76], [99], [0], [75.5]])('a business search at %d is 400', async threshold => {
  expect((await call('createBusinessSearch', { body: { ...KINDS[0]?.body, threshold } })).status).toBe(400)
})

test('the table has the documented repeat rules', () => {
  const never = Object.entries(OPERATIONS).filter(([, one]) => (one.repeat as string) === 'never')
  expect(never.map(([name]) => name)).toEqual(expect.arrayContaining(['createBusinessSearch', 'createIndividualSearch']))
})
