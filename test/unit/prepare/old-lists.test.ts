/** Screening lists that are too old for a pipeline refuse its run. */
import { utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findScreeningDir, oldLists } from '../../../src/prepare/registers.ts'
import { importList } from '../../../src/service/screening/index.ts'
import { temporaryFolder } from '../service/kit.ts'

const DAY = 86_400_000
const NOW = Date.parse('2026-06-10T12:00:00Z')

test('a list counts as old as its file or its import, and no list is refused too', async () => {
  const data = await temporaryFolder()
  const env = { FETTLE_DATA: data }
  const find = async (age: number) => (await oldLists(age, env, NOW, null)).map(({ code, message }) => `${code} ${message}`)
  expect(await find(DAY)).toEqual(['FETTLE_SCREENING_OLD no screening list was imported'])
  const add = async (name: string, changed: string, imported: string) => {
    const file = join(await temporaryFolder(), 'list.csv')
    await writeFile(file, 'name,datasets\nVarnix,SAN\n')
    await utimes(file, new Date(changed), new Date(changed))
    await importList({ kind: 'csv', file, name, dir: findScreeningDir(data), now: new Date(imported) })
  }
  await add('fresh', '2026-06-10T01:00:00Z', '2026-06-10T02:00:00Z')
  await add('imported-long-ago', '2026-06-06T01:00:00Z', '2026-06-06T02:00:00Z')
  await add('old-file', '2026-06-01T01:00:00Z', '2026-06-10T02:00:00Z')
  expect(await find(2 * DAY)).toEqual([
    'FETTLE_SCREENING_OLD the screening list "imported-long-ago" is of 2026-06-06, imported 2026-06-06: older than screen.lists.age',
    'FETTLE_SCREENING_OLD the screening list "old-file" is of 2026-06-01, imported 2026-06-10: older than screen.lists.age',
  ])
  expect(await find(5 * DAY)).toHaveLength(1)
  expect(await find(10 * DAY)).toEqual([])
  await add('by-a-wrong-clock', '2026-07-10T01:00:00Z', '2026-07-10T02:00:00Z')
  expect(await find(10 * DAY)).toEqual([
    'FETTLE_SCREENING_OLD the screening list "by-a-wrong-clock" was imported 2026-07-10T02:00:00.000Z, in the future',
  ])
})
