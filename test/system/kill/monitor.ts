/**
 * Kills of a run with `screen.monitor` and `alerts`. Of the first night's two companies one leaves the list of the second, and a listed one
 * comes. The second night is copied with its service for each kill; the same command goes on, or a new run follows; then another night.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll } from 'vitest'
import { connect } from '../../../src/client/index.ts'
import { type Service, serve } from '../../../src/service/index.ts'
import type { FaultyService } from '../../../src/testing/index.ts'
import { armedBy, diskFaultOf, type Kill } from './after.ts'
import { copyOf, nextCommand } from './copies.ts'
import { placeInRun, recorded } from './judge.ts'
import { CREDENTIALS, INPUT, makeData, makePlace, type Place, settled, start, startService } from './kit.ts'

const RUN = ['run', 'pipeline.yml', '--json']
const NEW = ['run', 'pipeline.yml', '--new', '--json']
const KEYS = 'screen: { datasets: [SAN], threshold: 85, monitor: { remove: gone }, alerts: alerts.csv }\n'
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
    const data = await makeData()
    const service = await startService(data, 'monitor', () => void night?.child?.kill('SIGKILL'))
    const prepared = makePlace(data, service)
    const list = (...lines: readonly string[]): void =>
      writeFileSync(join(prepared.folder, 'in.csv'), [HEADER, ...lines].join('\n'))
    const pipeline = join(prepared.folder, 'pipeline.yml')
    writeFileSync(pipeline, `${readFileSync(pipeline, 'utf8')}${KEYS}`)
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

/** Kills a process of the second night there. `follows`: the same command goes on, or a new run begins. */
export async function endAt(night: Night, kill: Kill, follows: 'resume' | 'new') {
  const { data, service } = night
  const place = copyOf(night.prepared)
  const dataDir = mkdtempSync(join(data, 'fresh-'))
  cpSync(night.dataDir, dataDir, { recursive: true })
  const fresh = await open(data, dataDir)
  service.server.retarget(fresh.url)
  const violations: string[] = []
  try {
    const log = join(data, 'log')
    rmSync(log, { force: true })
    const armed = armedBy(service.server, kill)
    const { child, ended } = start(place, RUN, 'request' in kill ? undefined : diskFaultOf(kill, log))
    night.child = child
    const isKilled = (await ended).signal === 'SIGKILL'
    night.child = null
    await settled(service)
    armed.disarm()
    const stage = isKilled ? placeInRun(recorded(place)) : 'untouched'
    for (const args of [follows === 'new' ? NEW : nextCommand(place, RUN), NEW]) {
      const { code, stderr } = await start(place, args).ended
      if (code !== 0) violations.push(`${args.join(' ')} ended ${code}: ${stderr}`)
    }
    const client = connect({ url: fresh.url, ...CREDENTIALS })
    const names = (await client.listSchedules()).map(({ name }) => name).sort()
    const hits = (await client.listAlerts()).map(({ id }) => id)
    await client.close()
    if (names.length !== 2 || new Set(names).size !== 2 || !names.some(name => name.toLowerCase().startsWith('varnix')))
      violations.push(`under monitoring are ${names.join(', ')}`)
    const seen = readAll(place)
    if (hits.length === 0 || hits.some(id => !seen.includes(id)))
      violations.push(`of ${hits.length} hits ${seen.length} are written`)
    // Between the file and its record nothing shows that it was written: the next run writes its alerts again.
    const isTwice = new Set(seen).size !== seen.length
    if (isTwice && !(follows === 'new' && stage === 'monitor')) violations.push(`a hit is in two files: ${seen.join(', ')}`)
    return { isKilled, stage, violations: violations.map(why => `${JSON.stringify(kill)} (${stage}, ${follows}): ${why}`) }
  } finally {
    await fresh.close()
    for (const folder of [place.folder, dataDir]) rmSync(folder, { recursive: true, force: true })
  }
}
