/** AML screening over HTTP beyond the contract suite: credits, owners, repeats, snapshots, links, time. */
import { describe, expect, test } from 'vitest'
import { openDatabase } from '../../../../src/service/storage/database.ts'
import { type Caller, HandClock, logIn, send, startService, temporaryFolder } from '../kit.ts'

const BUSINESSES = '/compliance/kyc-protect/searches/businesses'
const INDIVIDUALS = '/compliance/kyc-protect/searches/individuals'
const BODY = { name: 'Varnix Steel', threshold: 75, datasets: ['SAN'] }
const PERSON = { firstName: 'Zalmir', lastName: 'Quorvath', threshold: 75, datasets: ['SAN'] }
const USERS = [
  { username: 'ann', password: 'ann-secret' },
  { username: 'bob', password: 'bob-secret' },
]

const hitIn = async (caller: Caller, path: string, body: object): Promise<string> => {
  const { id } = (await caller.call('POST', path, body)).body
  const hits = await caller.call('GET', `${path}/${id}/hits`)
  return `${path}/${id}/hits/${hits.body.items[0].id}`
}

describe('credits', () => {
  test('are counted per user; 403 without a search when they are exhausted', async () => {
    const service = await startService({ users: USERS, credits: 2 })
    const ann = await logIn(service)
    const bob = await logIn({ ...service, ...USERS[1]! })
    const first = await ann.call('POST', BUSINESSES, BODY)
    expect([first.headers.get('x-credits-used'), first.headers.get('x-credits-limit')]).toEqual(['1', '2'])
    expect((await ann.call('POST', INDIVIDUALS, PERSON)).headers.get('x-credits-used')).toBe('2')
    const third = await ann.call('POST', BUSINESSES, BODY)
    expect(third.status).toBe(403)
    expect(third.body).toEqual({ message: expect.stringContaining('2 of 2 credits') })
    expect((await ann.call('GET', BUSINESSES)).body.totalSize).toBe(1)
    expect((await bob.call('POST', BUSINESSES, BODY)).headers.get('x-credits-used')).toBe('1')
  })

  test('are not spent by refused requests, and once by a repeated request', async () => {
    const caller = await logIn(await startService())
    expect((await caller.call('POST', BUSINESSES, { ...BODY, threshold: 1 })).status).toBe(400)
    // No hits for a name in which nothing can be searched would read as clean.
    const nothing = await caller.call('POST', BUSINESSES, { ...BODY, name: '— !' })
    expect([nothing.status, nothing.body.details]).toEqual([400, expect.stringContaining('no letter and no digit')])
    expect((await caller.call('POST', INDIVIDUALS, { ...PERSON, firstName: '-', lastName: '!' })).status).toBe(400)
    const key = { 'Idempotency-Key': 'once' }
    const first = await caller.call('POST', BUSINESSES, BODY, key)
    const second = await caller.call('POST', BUSINESSES, BODY, key)
    expect(second.body).toEqual(first.body)
    expect([first, second].map(answer => answer.status)).toEqual([201, 201])
    expect(second.headers.get('x-credits-used')).toBe('1')
    expect(first.headers.get('x-credits-limit')).toBeNull()
  })

  test('and searches survive a restart', async () => {
    const dataDir = await temporaryFolder()
    const first = await startService({ dataDir })
    const path = await hitIn(await logIn(first), BUSINESSES, BODY)
    await first.close()
    const caller = await logIn(await startService({ dataDir }))
    expect((await caller.call('GET', path)).body.name).toBe('Varnix Steel Ltd')
    expect((await caller.call('POST', BUSINESSES, BODY)).headers.get('x-credits-used')).toBe('2')
  })
})

test("another user's searches and hits are unknown", async () => {
  const service = await startService({ users: USERS })
  const ann = await logIn(service)
  const bob = await logIn({ ...service, ...USERS[1]! })
  const path = await hitIn(ann, INDIVIDUALS, PERSON)
  const search = path.slice(0, path.indexOf('/hits'))
  for (const [method, at, body] of [
    ['GET', search],
    ['PUT', search, { status: 'closed', riskRating: 'low' }],
    ['GET', `${search}/hits`],
    ['PUT', `${search}/hits`, { items: [] }],
    ['GET', path],
    ['PUT', path, { decision: 'trueMatch' }],
    ['PUT', `${path}/note`, { note: 'x' }],
    ['GET', `${path}/download`],
  ] as [string, string, object?][]) {
    expect((await bob.call(method, at, body)).status, `${method} ${at}`).toBe(404)
  }
  const id = search.slice(search.lastIndexOf('/') + 1)
  const batch = await bob.call('PUT', INDIVIDUALS, { items: [{ searchId: id, riskRating: 'low' }] })
  expect(batch.body.failed[0].error.status).toBe(404)
  expect((await bob.call('GET', INDIVIDUALS)).body).toMatchObject({ items: [], totalSize: 0 })
  expect((await ann.call('GET', search)).body).toMatchObject({ status: 'new', undecidedHitsCount: 1 })
})

test('searches are listed last modified first', async () => {
  const clock = new HandClock()
  const caller = await logIn(await startService({ clock }))
  const made: string[] = []
  for (let n = 0; n < 3; n++) {
    made.push((await caller.call('POST', BUSINESSES, BODY)).body.id)
    clock.move(1_000)
  }
  const listed = async (): Promise<string[]> =>
    (await caller.call('GET', BUSINESSES)).body.items.map((item: { id: string }) => item.id)
  expect(await listed()).toEqual([...made].reverse())
  await caller.call('PUT', `${BUSINESSES}/${made[0]}`, { note: 'again' })
  expect(await listed()).toEqual([made[0], made[2], made[1]])
})

test('stores each reading of a full record with its time', async () => {
  const clock = new HandClock()
  const dataDir = await temporaryFolder()
  const service = await startService({ clock, dataDir })
  const caller = await logIn(service)
  const path = await hitIn(caller, INDIVIDUALS, PERSON)
  const first = await caller.call('GET', path)
  clock.move(60_000)
  await caller.call('PUT', path, { decision: 'trueMatch', note: 'it is' })
  await caller.call('GET', path)
  await service.close()
  const database = openDatabase(dataDir)
  const kept = database.all<{ at: number; body: string }>('SELECT at, body FROM snapshots ORDER BY seq')
  expect(kept.map(({ at }) => at)).toEqual([Date.UTC(2026, 0, 15), Date.UTC(2026, 0, 15) + 60_000])
  expect(JSON.parse(kept[0]?.body ?? '')).toEqual(first.body)
  expect(kept.map(({ body }) => JSON.parse(body).decision)).toEqual(['undecided', 'trueMatch'])
  database.close()
})

test('the link to a PDF works until it expires, and only unchanged', async () => {
  const clock = new HandClock()
  const caller = await logIn(await startService({ clock }))
  const path = await hitIn(caller, INDIVIDUALS, PERSON)
  const { downloadUrl, expiresAt, fileName } = (await caller.call('GET', `${path}/download`)).body
  const left = Date.parse(expiresAt) - clock.now()
  expect(left).toBe(15 * 60_000)
  clock.move(left - 1)
  const file = await fetch(downloadUrl)
  expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/pdf'])
  expect(file.headers.get('content-disposition')).toBe(`attachment; filename="${fileName}"`)
  expect(Number(file.headers.get('content-length'))).toBe((await file.arrayBuffer()).byteLength)
  const url = new URL(downloadUrl)
  const foreign = downloadUrl.replace(url.pathname, url.pathname.replace(/[0-9a-f]{8}-/, '00000000-'))
  for (const wrong of [`${downloadUrl}A`, downloadUrl.split('?')[0], foreign]) expect((await send(wrong)).status).toBe(403)
  clock.move(1)
  expect((await send(downloadUrl)).status).toBe(403)
})

test('a decision repeated with its key is the same decision', async () => {
  const caller = await logIn(await startService())
  const path = await hitIn(caller, INDIVIDUALS, PERSON)
  const key = { 'Idempotency-Key': 'decide' }
  const first = await caller.call('PUT', path, { decision: 'TRUEMATCH' }, key)
  const second = await caller.call('PUT', path, { decision: 'TRUEMATCH' }, key)
  expect(second.body).toEqual(first.body)
  expect((await caller.call('PUT', path, { decision: 'trueMatch' })).status).toBe(409)
  expect((await caller.call('PUT', path, { note: 'later' })).status).toBe(200)
})
