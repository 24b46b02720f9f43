/**
 * Kills in the stages after the outputs: a run stopped before its portfolio request is copied for each kill, with a new
 * service. In the end the service has one portfolio with each company once and one paid search for each company, and the
 * folder has the files of an undisturbed run.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../../../src/client/index.ts'
import { type Service, serve } from '../../../src/service/index.ts'
import type { FaultInput, FaultyService } from '../../../src/testing/index.ts'
import { copyOf, differences, halfWritten, type Left, leftIn, nextCommand } from './copies.ts'
import { placeInRun, recorded } from './judge.ts'
import { CREDENTIALS, INPUT, makePlace, OUTPUTS, type Place, settled, start, startService } from './kit.ts'

/** Where a process is killed: at a request, counted from where the run stands, or before an operation on a file. */
export type Kill =
  | { readonly request: number; readonly of?: FaultInput['operation']; readonly at: 'arrival' | 'carriedOut' | 'answered' }
  | { readonly disk: number }

/** What the service has in the end. */
interface Account {
  readonly portfolios: readonly string[]
  readonly companies: readonly string[]
  readonly searches: readonly string[]
  readonly jobs: number
}

/** A service to kill runs at, with a run that stands before its portfolio. */
export interface Lane {
  readonly data: string
  readonly service: FaultyService
  readonly prepared: Place
  readonly before: Left
  readonly expected: Left
  readonly account: Account
  child: ReturnType<typeof start>['child'] | null
  close(): Promise<void>
}

const RUN = ['run', 'pipeline.yml', '--json']
const AFTER = 'portfolio: { name: Watched, reference: ref }\nscreen: { datasets: [SAN], threshold: 85 }\n'
/** Three companies, one of them found by two rows and one of them on a list; and a row that finds none. */
const LIST = [...INPUT.split('\n').slice(0, 3), INPUT.split('\n')[1]!.replace(/^0/, '1b'), 'v,Varnix Steel Ltd,11076475,GB']
const COMPANIES = 3

/** The service that the fault server stands before is replaced by one on which nothing happened. */
async function freshService({ data, service }: Pick<Lane, 'data' | 'service'>): Promise<Service> {
  const dataDir = mkdtempSync(join(data, 'fresh-'))
  const fresh = await serve({ port: 0, dataDir, registerDir: join(data, 'registers'), registers: [], users: [CREDENTIALS] })
  service.server.retarget(fresh.url)
  return fresh
}

/** What there is at a service. */
async function accountAt({ url }: Service): Promise<Account> {
  const client = connect({ url, ...CREDENTIALS })
  const portfolios = await client.api.listPortfolios.all().toArray({ limit: 100 })
  const companies: string[] = []
  // Ids differ from service to service: a portfolio is known by its place.
  for (const [place, { portfolioId }] of portfolios.entries())
    for await (const { id, personalReference } of client.api.listPortfolioCompanies.all({ portfolioId: String(portfolioId) }))
      companies.push(`${place} ${id} ${personalReference}`)
  const searches = await client.api.listBusinessSearches.all().toArray({ limit: 100 })
  const jobs = await client.api.listJobs.all().toArray({ limit: 100 })
  return {
    portfolios: portfolios.map(({ name }) => name),
    companies: companies.sort(),
    searches: searches.map(({ name }) => name).sort(),
    jobs: jobs.length,
  }
}

/** Starts a service and carries a run to its portfolio. */
export async function openLane(data: string, name: string): Promise<Lane> {
  let child: Lane['child'] = null
  const kill = (): void => void (lane?.child ?? child)?.kill('SIGKILL')
  let lane: Lane | null = null
  const service = await startService(data, name, kill)
  const prepared = makePlace(data, service)
  writeFileSync(join(prepared.folder, 'in.csv'), LIST.join('\n'))
  const pipeline = join(prepared.folder, 'pipeline.yml')
  writeFileSync(pipeline, `${readFileSync(pipeline, 'utf8')}${AFTER}`)
  service.server.arm([{ operation: 'listPortfolios', effect: { kind: 'killClient', at: 'arrival' } }])
  const first = start(prepared, RUN)
  child = first.child
  const { signal, stderr } = await first.ended
  if (signal !== 'SIGKILL') throw new Error(`the run did not come to its portfolio: ${stderr}`)
  await settled(service)
  service.server.arm([])
  const undisturbed = copyOf(prepared)
  const fresh = await freshService({ data, service })
  const { code, stderr: why } = await start(undisturbed, RUN).ended
  const account = await accountAt(fresh)
  await fresh.close()
  const found = [account.portfolios.length, account.companies.length, account.searches.length, account.jobs]
  if (code !== 0 || found.join() !== [1, COMPANIES, COMPANIES, 0].join())
    throw new Error(`undisturbed: ${code}, ${found}: ${why}`)
  lane = {
    data,
    service,
    prepared,
    before: leftIn(prepared, OUTPUTS),
    expected: leftIn(undisturbed, OUTPUTS),
    account,
    child: null,
    close: async () => {
      await service.close()
      for (const { folder } of [prepared, undisturbed]) rmSync(folder, { recursive: true, force: true })
    },
  }
  return lane
}

/** What became of a run that was killed. */
export interface Pulled {
  /** Whether every kill took place. */
  readonly isKilled: boolean
  /** The stage in which the last kill found it. */
  readonly stage: string
  readonly violations: readonly string[]
}

/** Starts a process of the run and kills it there; whether it was killed. */
async function killOnce(lane: Lane, place: Place, kill: Kill): Promise<boolean> {
  const { server } = lane.service
  const log = join(lane.data, `log-${new URL(lane.service.url).port}`)
  rmSync(log, { force: true })
  const isRequest = 'request' in kill
  const armed = isRequest
    ? server.arm([{ operation: kill.of ?? '*', nth: kill.request, effect: { kind: 'killClient', at: kill.at } }])
    : server.arm([])
  const { child, ended } = start(place, nextCommand(place, RUN), isRequest ? undefined : { fault: `SIGKILL@${kill.disk}`, log })
  lane.child = child
  const { signal } = await ended
  lane.child = null
  await settled(lane.service)
  armed.disarm()
  return signal === 'SIGKILL'
}

/** Kills one process of the run after the other, lets the next command finish it, and judges. */
export async function pull(lane: Lane, kills: readonly Kill[]): Promise<Pulled> {
  const place = copyOf(lane.prepared)
  const fresh = await freshService(lane)
  const violations: string[] = []
  let isKilled = true
  let stage = 'untouched'
  try {
    for (const kill of kills) {
      isKilled = isKilled && (await killOnce(lane, place, kill))
      if (isKilled) stage = placeInRun(recorded(place))
      violations.push(...halfWritten(leftIn(place, OUTPUTS), lane.before, lane.expected))
    }
    const args = nextCommand(place, RUN)
    const last = await start(place, args).ended
    if (last.code === 0) violations.push(...differences(leftIn(place, OUTPUTS), lane.expected), ...told(place))
    else violations.push(`${args.join(' ')} ended ${last.code ?? last.signal}: ${last.stderr}`)
    const account = await accountAt(fresh)
    for (const what of ['portfolios', 'companies', 'searches', 'jobs'] as const)
      if (String(account[what]) !== String(lane.account[what])) violations.push(`${what}: ${account[what]}`)
  } finally {
    await fresh.close()
    rmSync(place.folder, { recursive: true, force: true })
  }
  return { isKilled, stage, violations: violations.map(why => `${JSON.stringify(kills)} (${stage}): ${why}`) }
}

/** The run tells each company once, as added or present and as screened. */
function told(place: Place): string[] {
  const state = recorded(place)
  const { portfolio, screening } = state ?? {}
  const counts = [state?.status, (portfolio?.added ?? 0) + (portfolio?.present ?? 0), screening?.done, screening?.searches]
  const expected = ['success', COMPANIES, COMPANIES, COMPANIES]
  return counts.join() === expected.join() ? [] : [`the run tells ${counts.join(', ')}`]
}

/** Kills at one point after the other, on all lanes, until a run ends untouched. */
export async function pullEverywhere(
  lanes: readonly Lane[],
  killsAt: (point: number) => readonly Kill[],
  { first, step }: { readonly first: number; readonly step: number },
): Promise<{ readonly stages: Readonly<Record<string, number>>; readonly violations: readonly string[] }> {
  const stages: Record<string, number> = {}
  const violations: string[] = []
  let next = first
  let isOver = false
  const walk = async (lane: Lane): Promise<void> => {
    while (!isOver) {
      const at = next
      next += step
      const found = await pull(lane, killsAt(at))
      violations.push(...found.violations)
      if (found.isKilled) stages[found.stage] = (stages[found.stage] ?? 0) + 1
      else isOver = true
    }
  }
  await Promise.all(lanes.map(walk))
  return { stages, violations }
}
