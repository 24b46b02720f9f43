/**
 * Kills of a run with `events`: a portfolio of three companies, each with an event, is copied with its service for each kill. A process of the
 * night is killed; the same command goes on, or a new run follows; then another night. A reader takes the file of every run.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll } from 'vitest'
import { connect } from '../../../src/client/index.ts'
import { type Service, serve } from '../../../src/service/index.ts'
import { importRegister } from '../../../src/service/registers/index.ts'
import type { FaultyService } from '../../../src/testing/index.ts'
import { type Kill, killOnce } from './after.ts'
import { copyOf, nextCommand } from './copies.ts'
import { placeInRun, recorded } from './judge.ts'
import { CREDENTIALS, INPUT, makeData, makePlace, type Place, start, startService } from './kit.ts'

export interface Night {
  readonly data: string
  readonly service: FaultyService
  readonly prepared: Place
  /** The data of the service, with events that no run has read. */
  readonly dataDir: string
  child: ReturnType<typeof start>['child'] | null
  close(): Promise<void>
}

const RUN = ['run', 'pipeline.yml', '--json']
const NEW = ['run', 'pipeline.yml', '--new', '--json']
const KEYS = `portfolio: { name: Watched, reference: ref, sync: true, rules: { XX: [105] } }
events: { output: events.csv, mark: true }
decide: moved.yml
`
const TABLE = `
fields: { events.address: { type: number } }
rules: [{ name: moved, when: { events.address: { ">": 0 } }, decision: decline }]
otherwise: accept
`
const COMPANIES = 3
const LIST = INPUT.split('\n').slice(0, COMPANIES + 1)

const open = (data: string, dataDir: string): Promise<Service> =>
  serve({ port: 0, dataDir, registerDir: join(data, 'registers'), registers: [], users: [CREDENTIALS] })

/** The night of a test file, from before its first test to after its last. */
export function nightOfFile(): () => Night {
  let data: string
  let night: Night
  beforeAll(async () => {
    data = await makeData()
    night = await openNight(data)
  })
  afterAll(async () => {
    await night.close()
    rmSync(data, { recursive: true, force: true })
  })
  return () => night
}

/** Has a first night, after which every company moves. `data` is of `makeData`, for this night alone. */
async function openNight(data: string): Promise<Night> {
  let night: Night | null = null
  const service = await startService(data, 'events', () => void night?.child?.kill('SIGKILL'))
  const prepared = makePlace(data, service)
  writeFileSync(join(prepared.folder, 'in.csv'), LIST.join('\n'))
  const pipeline = join(prepared.folder, 'pipeline.yml')
  const text = readFileSync(pipeline, 'utf8').replace('match.score]', 'match.score, decision, decision.why]')
  writeFileSync(pipeline, `${text}${KEYS}`)
  writeFileSync(join(prepared.folder, 'moved.yml'), TABLE)
  const first = await start(prepared, RUN).ended
  if (first.code !== 0) throw new Error(`the first night: ${first.stderr}`)
  await service.service.close()
  const file = join(data, 'moved.csv')
  writeFileSync(file, readFileSync(join(data, 'register.csv'), 'utf8').replaceAll(',Leeds,', ',York,'))
  await importRegister({ file, name: 'small', dir: join(data, 'registers'), now: new Date('2026-02-01T00:00:00Z') })
  const dataDir = join(data, 'events')
  const moved = await open(data, dataDir)
  await moved.close()
  night = {
    ...{ data, service, prepared, dataDir, child: null },
    close: async () => {
      await service.server.close()
      rmSync(prepared.folder, { recursive: true, force: true })
    },
  }
  return night
}

const rowsOf = ({ folder }: Place, name: string) =>
  parse(readFileSync(join(folder, name)), { columns: true }) as Record<string, string>[]

/** What a reader of the files of all runs finds, in the order of their names. */
const readAll = (place: Place): string[] =>
  readdirSync(place.folder)
    .filter(name => /^events\..+\.csv$/.test(name))
    .sort()
    .flatMap(name => rowsOf(place, name))
    .map(row => row.company_id ?? '')

/** Rows that are not decided about by the events that the run has written. */
function misjudged(place: Place): string[] {
  const moved = new Set(rowsOf(place, 'events.csv').map(row => row.company_id))
  return rowsOf(place, 'out.csv')
    .filter(row => row.decision !== (moved.has(row['general.connectId']) ? 'decline' : 'accept'))
    .map(row => `${row.decision} of ${row['general.connectId']}: ${row['decision.why']}`)
}

export interface Ended {
  readonly isKilled: boolean
  readonly stage: string
  readonly violations: readonly string[]
}

/** Kills a process of the second night there. `follows`: the same command goes on, or a new run begins. */
export async function endAt(night: Night, kill: Kill, follows: 'resume' | 'new'): Promise<Ended> {
  const { data, service } = night
  const place = copyOf(night.prepared)
  const dataDir = mkdtempSync(join(data, 'fresh-'))
  cpSync(night.dataDir, dataDir, { recursive: true })
  const fresh = await open(data, dataDir)
  service.server.retarget(fresh.url)
  const violations: string[] = []
  try {
    const isKilled = await killOnce(night, place, kill, RUN)
    const stage = isKilled ? placeInRun(recorded(place)) : 'untouched'
    for (const args of [follows === 'new' ? NEW : nextCommand(place, RUN), NEW]) {
      const { code, stderr } = await start(place, args).ended
      if (code !== 0) violations.push(`${args.join(' ')} ended ${code}: ${stderr}`)
      // Killed before its first line, a run left the outputs of the night before.
      if (recorded(place)?.runId !== recorded(night.prepared)?.runId) violations.push(...misjudged(place))
    }
    const seen = readAll(place)
    // Between the file and its record nothing shows that the run was at its end: the next run has its events as well.
    const isLeft = follows === 'new' && stage === 'deliver'
    if (new Set(seen).size !== COMPANIES || (seen.length !== COMPANIES && !isLeft))
      violations.push(`the files had ${seen.join(', ') || 'nothing'}`)
    violations.push(...(await unmarked(fresh)))
    return { isKilled, stage, violations: violations.map(why => `${JSON.stringify(kill)} (${stage}, ${follows}): ${why}`) }
  } finally {
    await fresh.close()
    for (const folder of [place.folder, dataDir]) rmSync(folder, { recursive: true, force: true })
  }
}

/** One portfolio with its companies, and the events marked. */
async function unmarked({ url }: Service): Promise<string[]> {
  const client = connect({ url, ...CREDENTIALS })
  try {
    const [portfolio, ...others] = await client.findPortfolios('Watched')
    const companies = await client.listCompanies(portfolio!.id)
    const left = (await client.listEvents(portfolio!.id, null)).filter(({ processed }) => !processed)
    return [
      ...(left.length === 0 ? [] : [`${left.length} events are not marked`]),
      ...(others.length === 0 ? [] : [`${others.length + 1} portfolios`]),
      ...(companies.length === COMPANIES ? [] : [`${companies.length} companies`]),
    ]
  } finally {
    await client.close()
  }
}
