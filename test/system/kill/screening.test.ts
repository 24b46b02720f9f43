/** An import of a screening list and the screening after it, killed at operations on files: the next process ends with the hits of a full screening. */
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { importList } from '../../../src/service/screening/index.ts'
import { rescreen } from '../../../src/service/screening/rescreen.ts'
import { ScheduleStore } from '../../../src/service/screening/schedules-store.ts'
import { type Question, Screener } from '../../../src/service/screening/screener.ts'
import { SearchStore } from '../../../src/service/screening/searches-store.ts'
import { openDatabase } from '../../../src/service/storage/database.ts'
import { openHost } from '../../support/crash/host.ts'
import { Disk } from '../../support/disk/operations.mjs'
import { sampled } from '../../support/runs.ts'
import { temporaryFolder } from '../../unit/service/kit.ts'

const STATES = [
  ['1,varnix steel,a', '2,vornix steel,a', '3,navix trust,a', '4,feldmoor holding,a'],
  ['10,varnix steel,a', '2,vornix steel,b', '4,feldmor holding,a', '5,steal navix,a'],
]
const NAMES = ['varnix steel', 'vornix steal', 'navix trust', 'feldmoor holding', 'navix steal', 'other company']

const question = (name: string): Question => ({
  ...{ type: 'business', name, person: null, threshold: 75, datasets: ['SAN'], countryCodes: [] },
  ...{ dateOfBirth: null, isDobRequired: false, gender: null, pepTiers: [] },
})

const importState = (folder: string, state: number) =>
  importList({ kind: 'csv', file: join(folder, `${state}.csv`), name: 'ours', dir: join(folder, 'lists'), now: new Date(0) })

/** A process of a service: it screens what is due, and returns what it found. */
async function screenAll(folder: string) {
  const database = openDatabase(folder)
  const [searches, schedules] = [new SearchStore(database, () => 1), new ScheduleStore(database, () => 1)]
  const screener = new Screener(join(folder, 'lists'))
  await screener.ready()
  if (schedules.isEmpty())
    for (const name of NAMES) {
      const search = searches.create({ id: 1, person: 1 }, question(name), screener.search(question(name)))
      const [hit] = searches.hits(search, null, { limit: 1, offset: 0 }).items
      if (hit !== undefined) searches.changeHit(hit, 1, { decision: 'falsePositive' })
      schedules.create(search, 1, {})
    }
  await rescreen({ searches, schedules, screener, transaction: database.transaction }, new AbortController().signal)
  const stored = searches.list(1, 'business', { limit: 100, offset: 0 }).items
  const found = stored.map(search => ({
    name: search.name,
    counts: search.hits,
    hits: searches
      .hits(search, null, { limit: 100, offset: 0 })
      .items.map(({ entry, score, match, decision, note }) => ({ entry, score, match, decision, note })),
    // What a decision keeps is not in the lists any more.
    full: screener.search(question(search.name)).map(({ entry, score }) => ({ id: entry.id, score })),
  }))
  screener.close()
  database.close()
  return found
}

test.each(['SIGKILL', 'killed', 'cut'])('after %s at an operation the next process ends with the same hits', async effect => {
  const base = await temporaryFolder()
  for (const [at, rows] of STATES.entries())
    await writeFile(
      join(base, `${at}.csv`),
      ['id,name,notes,type,datasets', ...rows.map(row => `${row},business,SAN`), ''].join('\n'),
    )
  await importState(base, 0)
  await screenAll(base)
  const copy = async (): Promise<string> => {
    const folder = join(await temporaryFolder(), 'copy')
    await cp(base, folder, { recursive: true })
    return folder
  }
  /** Returns whether the process was killed, after so many operations. */
  const runKilled = async (folder: string, at: number) => {
    const operations: string[] = []
    const log = (text: string): void => void operations.push(text)
    const host = await openHost({
      cwd: folder,
      makeDisk: hooks => new Disk({ fault: at === 0 ? '' : `${effect}@${at}`, paths: [folder], log, ...hooks }),
    })
    const work = async (): Promise<void> => {
      await importState(folder, 1)
      await screenAll(folder)
      host.end(0, null)
    }
    void host.run(work).catch(error => {
      if (!host.isGone) throw error
    })
    return { isKilled: (await host.ended).signal === 'SIGKILL', operations: operations.length }
  }
  const undisturbed = await copy()
  const { operations } = await runKilled(undisturbed, 0)
  const expected = await screenAll(undisturbed)
  for (const { hits, full } of expected)
    for (const { id, score } of full)
      expect(hits).toContainEqual(expect.objectContaining({ entry: expect.objectContaining({ id }), score }))
  expect(expected.some(({ hits }) => hits.some(({ note }) => note !== null))).toBe(true)
  let kills = 0
  const points = sampled(
    Array.from({ length: operations }, (_, at) => at + 1),
    6,
  )
  for (const at of points) {
    const folder = await copy()
    if ((await runKilled(folder, at)).isKilled) kills++
    // What is there is one of the two states, and can be screened.
    await screenAll(folder)
    await importState(folder, 1)
    expect(await screenAll(folder), `${effect} at operation ${at}`).toEqual(expected)
  }
  // In the middle of a write there is no other operation.
  expect(kills).toBeGreaterThan(effect === 'cut' ? 0 : points.length * 0.9)
})
