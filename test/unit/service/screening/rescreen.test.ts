/** Searches under monitoring are screened again once lists were imported: their hits equal a full screening. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { importList } from '../../../../src/service/screening/index.ts'
import { rescreen } from '../../../../src/service/screening/rescreen.ts'
import { ScheduleStore } from '../../../../src/service/screening/schedules-store.ts'
import { type Question, Screener } from '../../../../src/service/screening/screener.ts'
import { type Hit, SearchStore } from '../../../../src/service/screening/searches-store.ts'
import { openDatabase } from '../../../../src/service/storage/database.ts'
import { eventually } from '../../../support/eventually.ts'
import { logIn, startService, temporaryFolder } from '../kit.ts'

interface Row {
  readonly id: number
  readonly name: string
  readonly note: string
}

async function importRows(dir: string, rows: readonly Row[]): Promise<void> {
  const file = join(await temporaryFolder(), 'list.csv')
  const lines = rows.map(({ id, name, note }) => `E${id},business,${name},SAN,${note}`)
  await writeFile(file, ['id,type,name,datasets,notes', ...lines, ''].join('\n'))
  await importList({ kind: 'csv', file, name: 'ours', dir, now: new Date(0), force: true })
}

const question = (name: string, threshold = 75): Question => ({
  ...{ type: 'business', name, person: null, threshold, datasets: ['SAN'], countryCodes: [] },
  ...{ dateOfBirth: null, isDobRequired: false, gender: null, pepTiers: [] },
})

async function machine() {
  const [dir, dataDir] = [await temporaryFolder(), await temporaryFolder()]
  let database = openDatabase(dataDir)
  let now = 0
  const open = () => {
    const [searches, schedules] = [new SearchStore(database, () => ++now), new ScheduleStore(database, () => ++now)]
    return { searches, schedules, screener: new Screener(dir), transaction: database.transaction }
  }
  let parts = open()
  onTestFinished(() => database.close())
  const live = new AbortController().signal
  return {
    dir,
    rescreen: (signal = live) => rescreen(parts, signal),
    async watch(name: string): Promise<void> {
      const { searches, schedules, screener } = parts
      await screener.ready()
      const search = searches.create({ id: 1, person: 1 }, question(name), screener.search(question(name)))
      schedules.create(search, 1, {})
    },
    /** What a kill leaves: the database and the lists. */
    restart(): void {
      database.close()
      database = openDatabase(dataDir)
      parts = open()
    },
    hits(name: string): Hit[] {
      const search = parts.searches.list(1, 'business', { limit: 1000, offset: 0 }).items.find(one => one.name === name)!
      return [...parts.searches.hits(search, null, { limit: 1000, offset: 0 }).items]
    },
    decide: (hit: Hit) => parts.searches.changeHit(hit, 1, { decision: 'falsePositive' }),
    async full(name: string) {
      const screener = new Screener(dir)
      await screener.ready()
      const found = screener.search(question(name))
      screener.close()
      return found
    },
  }
}

const shown = (hits: readonly Pick<Hit, 'entry' | 'score'>[]) =>
  hits.map(({ entry, score }) => `${score} ${entry.id} ${entry.name} ${entry.notes}`).sort()

const WORDS = ['varnix', 'vornix', 'steel', 'steal', 'navix', 'trust', 'feldmoor', 'feldmor', 'holding']
const name = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }).map(words => words.join(' '))
const list = fc.uniqueArray(fc.record({ id: fc.nat({ max: 9 }), name, note: fc.constantFrom('a', 'b') }), {
  selector: ({ id }) => id,
  minLength: 1,
  maxLength: 8,
})

test('after any imports and restarts the hits equal a full screening', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(list, { minLength: 1, maxLength: 4 }),
      fc.uniqueArray(name, { minLength: 1, maxLength: 4 }),
      fc.nat({ max: 3 }),
      async (imports, names, stops) => {
        const here = await machine()
        await importRows(here.dir, imports[0]!)
        for (const one of names) await here.watch(one)
        for (const rows of imports) {
          await importRows(here.dir, rows)
          // A round that was stopped, and one that begins again from the files.
          const stop = new AbortController()
          if (stops === 0) stop.abort()
          await here.rescreen(stop.signal)
          if (stops % 2 === 0) here.restart()
          await here.rescreen()
          expect(await here.rescreen()).toBe(0)
          for (const one of names) expect(shown(here.hits(one))).toEqual(shown(await here.full(one)))
        }
      },
    ),
    { numRuns: 25 },
  )
})

test('a decision stays while the facts of its entry do, and a changed entry is a new hit beside it', async () => {
  const here = await machine()
  await importRows(here.dir, [{ id: 1, name: 'Varnix Steel', note: 'a' }])
  await here.watch('Varnix Steel')
  here.decide(here.hits('Varnix Steel')[0]!)
  await importRows(here.dir, [
    { id: 1, name: 'Varnix Steel', note: 'a' },
    { id: 2, name: 'Varnix Steel', note: 'a' },
  ])
  expect(await here.rescreen()).toBe(1)
  const decided = () => here.hits('Varnix Steel').map(({ entry, decision }) => `${entry.id} ${entry.notes} ${decision}`)
  expect(decided()).toEqual(['E1 a falsePositive', 'E2 a undecided'])
  await importRows(here.dir, [{ id: 1, name: 'Varnix Steel', note: 'b' }])
  expect(await here.rescreen()).toBe(1)
  expect(decided()).toEqual(['E1 a falsePositive', 'E1 b undecided'])
})

test('an entry of another company changes the score of a decided hit, and brings no alert back', async () => {
  const here = await machine()
  const listed = { id: 1, name: 'Northgate Shipping', note: 'a' }
  await importRows(here.dir, [listed])
  await here.watch('Northgade Shipping')
  const [cleared] = here.hits('Northgade Shipping')
  here.decide(cleared!)
  await importRows(here.dir, [listed, { id: 2, name: 'Northgade Bank', note: 'a' }])
  expect(await here.rescreen()).toBe(0)
  const [hit, ...others] = here.hits('Northgade Shipping')
  expect(others).toEqual([])
  expect(hit).toEqual({ ...cleared, decision: 'falsePositive', score: 86, modifiedAt: expect.any(Number) })
  expect(cleared?.score).toBe(94)
})

test('a running service lists the hits of a new import as alerts, once, and the best hit first', async () => {
  const screeningDir = await temporaryFolder()
  await importRows(screeningDir, [{ id: 1, name: 'Varnix Steal', note: 'a' }])
  const caller = await logIn(await startService({ screeningDir, limits: { monitorMs: 20 } }))
  const { id: searchId } = (await caller.call('POST', '/compliance/kyc-protect/searches/businesses', BODY)).body
  await caller.call('POST', '/compliance/kyc-protect/schedules', { items: [{ searchId }] })
  const alerts = async () => (await caller.call('GET', '/compliance/kyc-protect/schedules/amlAlerts')).body.items
  const before = (await alerts()).length
  await importRows(screeningDir, [
    { id: 1, name: 'Varnix Steal', note: 'a' },
    { id: 2, name: 'Varnix Steel', note: 'a' },
  ])
  await eventually(async () => expect(await alerts()).toHaveLength(before + 1))
  await new Promise(done => setTimeout(done, 100))
  expect(await alerts()).toHaveLength(before + 1)
  const { items } = (await caller.call('GET', `/compliance/kyc-protect/searches/businesses/${searchId}/hits`)).body
  expect(items.map((hit: { name: string }) => hit.name)).toEqual(['Varnix Steel', 'Varnix Steal'])
})

const BODY = { name: 'Varnix Steel', threshold: 75, datasets: ['SAN'] }
