/** Schedules beyond the contract suite: credits, repeats, restarts, and the searches under monitoring of all tenants. */
import { expect, onTestFinished, test } from 'vitest'
import { ScheduleStore } from '../../../../src/service/screening/schedules-store.ts'
import { SearchStore } from '../../../../src/service/screening/searches-store.ts'
import { openDatabase } from '../../../../src/service/storage/database.ts'
import { logIn, startService, temporaryFolder } from '../kit.ts'

const BUSINESSES = '/compliance/kyc-protect/searches/businesses'
const SCHEDULES = '/compliance/kyc-protect/schedules'
const BODY = { name: 'Varnix Steel', threshold: 75, datasets: ['SAN'] }

test('without credits other terms are refused, each element alone, and neither hits nor schedules change', async () => {
  const caller = await logIn(await startService({ credits: 3 }))
  const ids: string[] = []
  for (let made = 0; made < 2; made++) ids.push((await caller.call('POST', BUSINESSES, BODY)).body.id)
  const hits = await caller.call('GET', `${BUSINESSES}/${ids[1]}/hits`)
  const items = ids.map(searchId => ({ searchId, threshold: 80 }))
  const added = await caller.call('POST', SCHEDULES, { items })
  expect([added.body.successful.length, added.headers.get('x-credits-used')]).toEqual([1, '3'])
  expect(added.body.failed).toMatchObject([{ failedItem: items[1], error: { status: 403 } }])
  expect((await caller.call('GET', SCHEDULES)).body.totalSize).toBe(1)
  expect((await caller.call('GET', `${BUSINESSES}/${ids[1]}/hits`)).body.items).toEqual(hits.body.items)
})

test('a repeated request has one effect and one price, and a restart keeps everything', async () => {
  const dataDir = await temporaryFolder()
  const first = await startService({ dataDir })
  const caller = await logIn(first)
  const searchId = (await caller.call('POST', BUSINESSES, BODY)).body.id
  const body = { items: [{ searchId, threshold: 80, emailRecipients: ['ann@example.com'] }] }
  const answers = [1, 2].map(() => caller.call('POST', SCHEDULES, body, { 'Idempotency-Key': 'once' }))
  const [one, other] = await Promise.all(answers)
  expect(other?.body).toEqual(one?.body)
  expect(other?.headers.get('x-credits-used')).toBe('2')
  await first.close()
  const later = await logIn(await startService({ dataDir }))
  expect((await later.call('GET', SCHEDULES)).body.items).toEqual(one?.body.successful)
  expect((await later.call('GET', `${BUSINESSES}/${searchId}`)).body.scheduleId).toBe(one?.body.successful[0].id)
})

function* dueSearches(schedules: ScheduleStore) {
  for (const batch of schedules.due('lists')) yield* batch
}

test('the searches under monitoring of all tenants are walked, while schedules come and go', async () => {
  const database = openDatabase(await temporaryFolder())
  onTestFinished(() => database.close())
  const [searches, schedules] = [new SearchStore(database, () => 1), new ScheduleStore(database, () => 1)]
  const question = {
    ...{ type: 'business' as const, person: null, threshold: 75, datasets: ['SAN' as const], countryCodes: [] },
    ...{ dateOfBirth: null, isDobRequired: false, gender: null, pepTiers: [] },
  }
  const made = Array.from({ length: 1_100 }, (_, at) =>
    searches.create({ id: at % 2, person: at % 2 }, { ...question, name: `search ${at}` }, []),
  )
  const scheduled = made.slice(1).map(search => schedules.create(search, 1, {}))
  const names: string[] = []
  for (const { search } of dueSearches(schedules)) {
    const { name, scheduleId, threshold } = search!
    expect([typeof scheduleId, threshold]).toEqual(['string', 75])
    names.push(name)
    // One that was walked, and one that is to come in a later batch.
    if (name === 'search 3') for (const at of [1, 900]) schedules.remove(scheduled[at - 1]!)
  }
  expect(names).toEqual(made.map(({ name }) => name).filter(name => name !== 'search 0' && name !== 'search 900'))
})
