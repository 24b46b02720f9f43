/** Searches under monitoring are screened again once lists were imported: their hits equal a full screening, also after kills. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { importList } from '../../../../src/service/screening/index.ts'
import { rescreen } from '../../../../src/service/screening/rescreen.ts'
import { ScheduleStore } from '../../../../src/service/screening/schedules-store.ts'
import { type Question, Screener } from '../../../../src/service/screening/screener.ts'
import { type Hit, SearchStore } from '../../../../src/service/screening/searches-store.ts'
import { type Database, openDatabase } from '../../../../src/service/storage/database.ts'
import { eventually } from '../../../support/eventually.ts'
import { runs } from '../../../support/runs.ts'
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

/** Screens every search in full. */
class FullScreener extends Screener {
  override reverse(): Promise<null> {
    return Promise.resolve(null)
  }
}

class Killed extends Error {}

/** A database that ends its process at an operation: what is not committed by then is lost. */
function killable(database: Database, count: () => void): Database {
  const counted =
    <Args extends unknown[], Result>(work: (...args: Args) => Result) =>
    (...args: Args): Result => {
      count()
      return work(...args)
    }
  const { run, get, all, count: number } = database
  const calls = { run: counted(run), all: counted(all), count: counted(number), get: counted(get) as Database['get'] }
  return {
    ...database,
    ...(calls as Pick<Database, 'run' | 'all' | 'count' | 'get'>),
    transaction: work =>
      database.transaction(() => {
        const result = work()
        // Before the commit.
        count()
        return result
      }),
  }
}

async function machine(shared?: string, makeScreener: (dir: string) => Screener = at => new Screener(at)) {
  const [dir, dataDir] = [shared ?? (await temporaryFolder()), await temporaryFolder()]
  let database = openDatabase(dataDir)
  let now = 0
  let left = Number.POSITIVE_INFINITY
  let isDead = false
  const count = (): void => {
    if (isDead || --left < 0) {
      isDead = true
      throw new Killed()
    }
  }
  const open = () => {
    const counted = killable(database, count)
    const [searches, schedules] = [new SearchStore(counted, () => ++now), new ScheduleStore(counted, () => ++now)]
    return { searches, schedules, screener: makeScreener(dir), transaction: counted.transaction }
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
    /** Ends the process at the operation after so many. */
    killAfter(operations: number): void {
      left = operations
    },
    /** What a kill leaves: the database and the lists. */
    restart(): void {
      isDead = false
      left = Number.POSITIVE_INFINITY
      database.close()
      database = openDatabase(dataDir)
      parts = open()
    },
    /** Damages the record of the search of this name, or that of its hit. */
    damage(name: string, table: 'searches' | 'hits') {
      const search = parts.searches.list(1, 'business', { limit: 1000, offset: 0 }).items.find(one => one.name === name)!
      const where = `WHERE ${table === 'hits' ? 'search' : 'id'} = ?`
      const { record } = database.get<{ record: string }>(`SELECT record FROM ${table} ${where}`, [search.id])!
      const write = (text: string): void => database.run(`UPDATE ${table} SET record = ? ${where}`, [text, search.id])
      write(record.slice(1))
      return { id: search.id, repair: () => write(record) }
    },
    countHits: () => database.count('SELECT count(*) AS n FROM hits'),
    hits(name: string): Hit[] {
      const search = parts.searches.list(1, 'business', { limit: 1000, offset: 0 }).items.find(one => one.name === name)!
      return [...parts.searches.hits(search, null, { limit: 1000, offset: 0 }).items]
    },
    states: () =>
      parts.searches.list(1, 'business', { limit: 1000, offset: 0 }).items.map(({ name, hits }) => ({ name, counts: hits })),
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

/** All that a user sees of the hits, in the order in which they are listed. */
const listed = (hits: readonly Hit[]) =>
  hits.map(({ entry, score, match, decision, note }) => ({ entry, score, match, decision, note }))

const LISTS: readonly (readonly Row[])[] = [
  ['varnix steel', 'vornix steel', 'navix trust', 'feldmoor holding', 'steal navix'],
  ['varnix steel', 'varnix steal', 'navix trust', 'feldmor holding', 'steal navix'],
  ['varnix steal', 'vornix steel', 'trust navix', 'feldmor holding'],
].map((names, state) => names.map((name, at) => ({ id: at, name, note: at === 2 ? `${state}` : 'a' })))
const NAMES = ['varnix steel', 'varnix steal', 'vornix steel', 'navix trust', 'navix trusd', 'feldmoor holding', 'other company']

test('a kill at any operation leaves what is screened to the end by the next process, as a full screening does', async () => {
  const dir = await temporaryFolder()
  await importRows(dir, LISTS[0]!)
  let kills = 0
  /** Screens each state of the lists; a process ends after so many operations, and the next one as well. */
  const walk = async (operations: number, makeScreener?: (dir: string) => Screener) => {
    await importRows(dir, LISTS[0]!)
    const here = await machine(dir, makeScreener)
    for (const one of NAMES) await here.watch(one)
    here.decide(here.hits('varnix steel')[0]!)
    here.decide(here.hits('navix trust')[0]!)
    let added = 0
    for (const rows of LISTS.slice(1)) {
      await importRows(dir, rows)
      here.killAfter(operations)
      for (;;)
        try {
          added += await here.rescreen()
          break
        } catch (error) {
          if (!(error instanceof Killed)) throw error
          kills++
          here.restart()
          if (kills % 3 === 0) here.killAfter(operations)
        }
      here.restart()
    }
    return { added, hits: NAMES.map(one => listed(here.hits(one))), states: here.states().map(({ counts }) => counts) }
  }
  const { hits, states } = await walk(Number.POSITIVE_INFINITY, at => new FullScreener(at))
  expect(hits.flat().some(({ note }) => note?.includes('came back'))).toBe(true)
  expect(await walk(Number.POSITIVE_INFINITY)).toMatchObject({ hits, states })
  const most = runs(6, 500)
  for (let at = 0; at < most; at++) {
    const { hits: after, states: counts } = await walk(runs(at * 7, at % 45))
    expect({ after, counts }, `killed after ${at} operations`).toEqual({ after: hits, counts: states })
  }
  expect(kills).toBeGreaterThan(runs(6, 1000) - 1)
}, 3_600_000)

test.each(['searches', 'hits'] as const)('a damaged record in %s leaves no search behind it unscreened', async table => {
  const here = await machine()
  await importRows(here.dir, [{ id: 1, name: 'Varnix Steel', note: 'a' }])
  for (const one of ['Varnix Steel', 'Navix Trust']) await here.watch(one)
  const { id, repair } = here.damage('Varnix Steel', table)
  await importRows(here.dir, [
    { id: 1, name: 'Varnix Steel', note: 'b' },
    { id: 2, name: 'Navix Trust', note: 'a' },
  ])
  const failure = `Screening the monitored search ${id} again failed: `
  for (let round = 0; round < 2; round++) await expect(here.rescreen()).rejects.toThrow(failure)
  expect(here.countHits()).toBe(2)
  repair()
  await here.rescreen()
  for (const one of ['Varnix Steel', 'Navix Trust']) expect(shown(here.hits(one))).toEqual(shown(await here.full(one)))
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
  expect(here.hits('Varnix Steel').map(({ note }) => note)).toEqual([
    null,
    'Decided before as falsePositive, and came back: screeningNotes: a -> b',
  ])
})

test('a decision stays with the facts of its entry under another id, and holds for none of several entries with these facts', async () => {
  const here = await machine()
  const varnix = { id: 1, name: 'Varnix Steel', note: 'a' }
  await importRows(here.dir, [varnix])
  await here.watch('Varnix Steel')
  here.decide(here.hits('Varnix Steel')[0]!)
  const decided = () => here.hits('Varnix Steel').map(({ entry, decision }) => `${entry.id} ${decision}`)
  await importRows(here.dir, [{ ...varnix, id: 2 }])
  expect(await here.rescreen()).toBe(0)
  expect(decided()).toEqual(['E2 falsePositive'])
  // The entry goes, and comes back under a third id.
  await importRows(here.dir, [{ ...varnix, id: 2, name: 'Feldmoor Trust' }])
  expect(await here.rescreen()).toBe(0)
  await importRows(here.dir, [{ ...varnix, id: 3 }])
  expect(await here.rescreen()).toBe(0)
  expect(decided()).toEqual(['E3 falsePositive'])
  await importRows(here.dir, [
    { ...varnix, id: 4 },
    { ...varnix, id: 5 },
  ])
  expect(await here.rescreen()).toBe(2)
  expect(decided()).toEqual(['E3 falsePositive', 'E4 undecided', 'E5 undecided'])
  expect(here.hits('Varnix Steel')[1]?.note).toMatch(/several entries have these facts/)
})

test.each([true, false])('another version of the service makes every search again; an import meanwhile: %s', async isImported => {
  /** Finds nothing. */
  class OlderScreener extends Screener {
    override search(): [] {
      return []
    }
  }
  let isOlder = true
  const here = await machine(undefined, at => (isOlder ? new OlderScreener(at, '1') : new Screener(at, '2')))
  const rows = [{ id: 1, name: 'Varnix Steel', note: 'a' }]
  await importRows(here.dir, rows)
  await here.watch('Varnix Steel')
  expect(await here.rescreen()).toBe(0)
  if (isImported) await importRows(here.dir, [...rows, { id: 2, name: 'Feldmoor Trust', note: 'a' }])
  isOlder = false
  here.restart()
  expect(await here.rescreen()).toBe(1)
  expect(await here.rescreen()).toBe(0)
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
