/**
 * A run that uses searches of an earlier one, killed after the lists were imported: the resume, and a run after one more import, find what a
 * run finds that searches everything, and no search is paid twice.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../../../src/client/index.ts'
import { serve } from '../../../src/service/index.ts'
import { importList } from '../../../src/service/screening/index.ts'
import type { FaultyService } from '../../../src/testing/index.ts'
import { type Kill, killOnce } from './after.ts'
import { copyOf, nextCommand } from './copies.ts'
import { CREDENTIALS, INPUT, makeData, makePlace, type Place, start, startService } from './kit.ts'

const RUN = ['run', 'pipeline.yml', '--json']
const ROWS = 5
const KEYS = `screen: { datasets: [SAN], threshold: 85, decisions: hits.csv }
reuse: { matched: 20d, unmatched: 20d, review: 20d, screen: 1d }
`
const NAMES = INPUT.split('\n')
  .slice(1, ROWS + 1)
  .map(line => line.split(',')[1]!.replace(/ Ltd$/, ' Limited'))

interface Day {
  readonly data: string
  readonly service: FaultyService
  readonly prepared: Place
  child: ReturnType<typeof start>['child'] | null
}

let day: Day

async function importNames(dir: string, names: readonly string[]): Promise<void> {
  const file = join(day.data, 'list.csv')
  writeFileSync(file, ['id,type,name,datasets', ...names.map((name, at) => `${at},business,${name},SAN`), ''].join('\n'))
  await importList({ kind: 'csv', file, name: 'ours', dir, now: new Date(0), force: true })
}

/** A service with the content of a folder. */
const open = (folder: string) =>
  serve({
    ...{ port: 0, dataDir: join(folder, 'service'), screeningDir: join(folder, 'lists') },
    ...{ registerDir: join(day.data, 'registers'), registers: [], users: [CREDENTIALS] },
  })

beforeAll(async () => {
  const data = await makeData()
  const service = await startService(data, 'unused', () => void day.child?.kill('SIGKILL'))
  const prepared = makePlace(data, service)
  day = { data, service, prepared, child: null }
  const pipeline = join(prepared.folder, 'pipeline.yml')
  const text = readFileSync(pipeline, 'utf8').replace('match.score]', 'match.score, screen.hits]')
  writeFileSync(pipeline, `${text}${KEYS}`)
  writeFileSync(
    join(prepared.folder, 'in.csv'),
    INPUT.split('\n')
      .slice(0, ROWS + 1)
      .join('\n'),
  )
  await importNames(join(data, 'lists'), NAMES.slice(0, 1))
  await service.service.close()
  const first = await open(data)
  service.server.retarget(first.url)
  const { code, stderr } = await start(prepared, RUN).ended
  if (code !== 0) throw new Error(`the first run: ${stderr}`)
  await importNames(join(data, 'lists'), NAMES.slice(1, 3))
  await first.close()
})
afterAll(async () => {
  await day.service.server.close()
  for (const folder of [day.prepared.folder, day.data]) rmSync(folder, { recursive: true, force: true })
})

const hitsIn = ({ folder }: Place): readonly (string | undefined)[] =>
  (parse(readFileSync(join(folder, 'out.csv')), { columns: true }) as Record<string, string>[]).map(row => row['screen.hits'])

/** Kills the second run there, imports the lists again or not, and lets the same command go on. */
async function endAt(kill: Kill, isImported: boolean) {
  const place = copyOf(day.prepared)
  const folder = mkdtempSync(join(day.data, 'fresh-'))
  for (const name of ['service', 'lists']) cpSync(join(day.data, name), join(folder, name), { recursive: true })
  const fresh = await open(folder)
  day.service.server.retarget(fresh.url)
  try {
    const isKilled = await killOnce(day, place, kill, RUN)
    if (isImported) await importNames(join(folder, 'lists'), NAMES.slice(1, 4))
    const codes: (number | null)[] = []
    for (const args of [nextCommand(place, RUN), [...RUN, '--new']]) codes.push((await start(place, args).ended).code)
    const client = connect({ url: fresh.url, ...CREDENTIALS })
    const searches = await client.api.listBusinessSearches.all().toArray({ limit: 100 })
    await client.close()
    return { isKilled, codes, hits: hitsIn(place), searches: searches.length }
  } finally {
    await fresh.close()
    for (const path of [place.folder, folder]) rmSync(path, { recursive: true, force: true })
  }
}

test.each<readonly [string, Kill]>([
  ['it had logged in', { request: 1, at: 'answered' }],
  ['the service was asked what changed', { request: 2, at: 'arrival' }],
  ['the service had answered it', { request: 3, at: 'answered' }],
  ['a search was about to be made again', { request: 1, of: 'createBusinessSearch', at: 'arrival' }],
  ['its answer did not come', { request: 1, of: 'createBusinessSearch', at: 'carriedOut' }],
  ['the second one was made', { request: 2, of: 'createBusinessSearch', at: 'answered' }],
  ['the searches were about to be kept', { renamed: '.answers' }],
])('a run killed when %s finds what a full search finds', async (_, kill) => {
  for (const isImported of [false, true]) {
    const { isKilled, codes, hits, searches } = await endAt(kill, isImported)
    expect([isKilled, codes, hits]).toEqual([true, [0, 0], ['0', '1', '1', isImported ? '1' : '0', '0']])
    // Five of the first run, three that an import concerns, and the one of the import after the kill. A lost answer proves no lists.
    const least = ROWS + 3 + (isImported ? 1 : 0)
    expect([least, least + 1]).toContain(searches)
  }
})
