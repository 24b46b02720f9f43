/**
 * Kills of a run with `screen.monitor`, `people` and `alerts`. Of the first night's two companies one leaves the list of the second, with its director,
 * and a listed one comes, with a listed director and the director of the company that stays. The second night is copied with its service for each kill; the same command goes on, or a new run follows; then another night.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll } from 'vitest'
import { connect } from '../../../src/client/index.ts'
import { type Service, serve } from '../../../src/service/index.ts'
import type { FaultInput, FaultyService } from '../../../src/testing/index.ts'
import { type Kill, killOnce } from './after.ts'
import { copyOf, nextCommand } from './copies.ts'
import { placeInRun, recorded } from './judge.ts'
import { CREDENTIALS, INPUT, makeData, makePlace, type Place, settled, start, startService } from './kit.ts'

const RUN = ['run', 'pipeline.yml', '--json']
const NEW = ['run', 'pipeline.yml', '--new', '--json']
const KEYS = 'screen: { datasets: [SAN], threshold: 85, people: directors, monitor: { remove: gone }, alerts: alerts.csv }\n'
const ENRICH =
  'enrich: { product: standard, tags: [general.connectId, general.companyName, directors.fullName, directors.birthDate] }'
const OFFICERS = `companyId,name,dateOfBirth
c0,Maribel Tronstad,1980-05-17
c2,Otto Quist Lind,
v0,Maribel Tronstad,1980-05-17
v0,Wenlith Arkadovna Prusk,1970
`
const [HEADER = '', STAYS = '', LEAVES = ''] = INPUT.split('\n')
const LISTED = 'v,Varnix Steel Ltd,11076475,GB'

interface Night {
  readonly data: string
  readonly service: FaultyService
  readonly prepared: Place
  readonly dataDir: string
  child: ReturnType<typeof start>['child'] | null
}

const open = (data: string, dataDir: string): Promise<Service> =>
  serve({ port: 0, dataDir, registerDir: join(data, 'registers'), registers: [], users: [CREDENTIALS] })

/** The night of a test file, from before its first test to after its last. */
export function monitoredNight(): () => Night {
  let night: Night
  beforeAll(async () => {
    const data = await makeData(OFFICERS)
    const service = await startService(data, 'monitor', () => void night?.child?.kill('SIGKILL'))
    const prepared = makePlace(data, service)
    const list = (...lines: readonly string[]): void =>
      writeFileSync(join(prepared.folder, 'in.csv'), [HEADER, ...lines].join('\n'))
    const pipeline = join(prepared.folder, 'pipeline.yml')
    writeFileSync(pipeline, `${readFileSync(pipeline, 'utf8').replace(/^enrich: .*$/m, ENRICH)}${KEYS}`)
    list(STAYS, LEAVES)
    const first = await start(prepared, RUN).ended
    if (first.code !== 0) throw new Error(`the first night: ${first.stderr}`)
    list(STAYS, LISTED)
    await service.service.close()
    night = { data, service, prepared, dataDir: join(data, 'monitor'), child: null }
  })
  afterAll(async () => {
    await night.service.server.close()
    for (const folder of [night.prepared.folder, night.data]) rmSync(folder, { recursive: true, force: true })
  })
  return () => night
}

/** The hits in the files of all runs, in the order of their names. */
const readAll = ({ folder }: Place): string[] =>
  readdirSync(folder)
    .filter(name => /^alerts\..+\.csv$/.test(name))
    .sort()
    .flatMap(name => parse(readFileSync(join(folder, name)), { columns: true }) as Record<string, string>[])
    .map(row => row.hit_id ?? '')

/** What is wrong about a place and its service. `searches`: for directors, two in each run that made its own; null where that is not known. */
async function violationsOf(
  place: Place,
  { url }: Service,
  { mayBeTwice, searches }: { readonly mayBeTwice: boolean; readonly searches: number | null },
): Promise<string[]> {
  const violations: string[] = []
  const client = connect({ url, ...CREDENTIALS })
  const names = (await client.listSchedules()).map(({ name }) => name)
  const hits = (await client.listAlerts()).map(({ id }) => id)
  const people = await client.api.listIndividualSearches.all().toArray({ limit: 100 })
  await client.close()
  const isThere = (start: string): boolean => names.some(name => name.toLowerCase().startsWith(start))
  if (names.length !== 4 || new Set(names).size !== 4 || !['varnix', 'maribel', 'wenlith'].every(isThere))
    violations.push(`under monitoring are ${names.join(', ')}`)
  if (searches !== null && people.length !== searches) violations.push(`${people.length} searches for directors, not ${searches}`)
  const seen = readAll(place)
  if (hits.length === 0 || hits.some(id => !seen.includes(id)))
    violations.push(`of ${hits.length} hits ${seen.length} are written`)
  if (new Set(seen).size !== seen.length && !mayBeTwice) violations.push(`a hit is in two files: ${seen.join(', ')}`)
  return violations
}

/** Works in a copy of the place before the second night, with a copy of its service. */
async function inCopy<T>(
  { data, service, prepared, dataDir }: Night,
  work: (place: Place, fresh: Service) => Promise<T>,
): Promise<T> {
  const place = copyOf(prepared)
  const copied = mkdtempSync(join(data, 'fresh-'))
  cpSync(dataDir, copied, { recursive: true })
  const fresh = await open(data, copied)
  service.server.retarget(fresh.url)
  try {
    return await work(place, fresh)
  } finally {
    await fresh.close()
    for (const folder of [place.folder, copied]) rmSync(folder, { recursive: true, force: true })
  }
}

/** Kills a process of the second night there, after one of an earlier kill. `follows`: the same command goes on, or a new run begins. */
export const endAt = (night: Night, kill: Kill, follows: 'resume' | 'new', earlier?: Kill) =>
  inCopy(night, async (place, fresh) => {
    if (earlier !== undefined) await killOnce(night, place, earlier, RUN)
    const isKilled = await killOnce(night, place, kill, earlier === undefined ? RUN : nextCommand(place, RUN))
    const stage = isKilled ? placeInRun(recorded(place)) : 'untouched'
    const violations: string[] = []
    for (const args of [follows === 'new' ? NEW : nextCommand(place, RUN), NEW]) {
      const { code, stderr } = await start(place, args).ended
      if (code !== 0) violations.push(`${args.join(' ')} ended ${code}: ${stderr}`)
    }
    // Between the file and its record nothing shows that it was written: the next run writes its alerts again.
    violations.push(
      ...(await violationsOf(place, fresh, {
        mayBeTwice: follows === 'new' && stage === 'monitor',
        searches: follows === 'new' ? null : 6,
      })),
    )
    return { isKilled, stage, violations: violations.map(why => `${JSON.stringify(kill)} (${stage}, ${follows}): ${why}`) }
  })

/** Lets the second night meet faults, and resumes it once without where it did not end with 0. `searches`: for directors, of both nights. */
export const disturb = (night: Night, faults: readonly FaultInput[], searches = 4) =>
  inCopy(night, async (place, fresh) => {
    const armed = night.service.server.arm(faults)
    const first = await start(place, RUN).ended
    await settled(night.service)
    const unmet = armed.unconsumed()
    armed.disarm()
    const next = first.code === 0 ? null : await start(place, nextCommand(place, RUN)).ended
    const codes = [first, ...(next === null ? [] : [next])].map(({ code }) => code)
    return { codes, unmet, violations: await violationsOf(place, fresh, { mayBeTwice: false, searches }) }
  })
