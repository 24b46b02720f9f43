/**
 * Kills in the stages after the outputs: a run stopped before its portfolio request is copied for each kill, with a new
 * service. In the end the service has one portfolio with each company once and one paid search for each company, and the
 * folder has the files of an undisturbed run.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Client, connect } from '../../../src/client/index.ts'
import { JOURNAL_FILE } from '../../../src/results/file-names.ts'
import { type Service, serve } from '../../../src/service/index.ts'
import type { FaultInput, FaultyService } from '../../../src/testing/index.ts'
import { copyOf, differences, halfWritten, type Left, leftIn, nextCommand } from './copies.ts'
import { placeInRun, recorded } from './judge.ts'
import { CREDENTIALS, type DiskFault, INPUT, makePlace, OUTPUTS, type Place, settled, start, startService } from './kit.ts'

/**
 * Where a process is killed: at a request, counted from where the run stands, before an operation on a file, or at a line of the journal,
 * before it is written (1, 3, …) and after it is (2, 4, …), or before a file gets its name.
 */
export type Kill =
  | { readonly request: number; readonly of?: FaultInput['operation']; readonly at: 'arrival' | 'carriedOut' | 'answered' }
  | { readonly disk: number }
  | { readonly line: number }
  | { readonly renamed: string }

/** What the disk of a killed process does. */
function diskFaultOf(kill: Exclude<Kill, { readonly request: number }>, log: string): DiskFault {
  if ('renamed' in kill) return { fault: 'SIGKILL@1', log, ops: 'rename', paths: `*${kill.renamed}` }
  if ('disk' in kill) return { fault: `SIGKILL@${kill.disk}`, log }
  return { fault: `SIGKILL@${kill.line}`, log, ops: 'write,fsync', paths: `*/${JOURNAL_FILE}` }
}

/** What the service has in the end. */
interface Account {
  readonly portfolios: readonly string[]
  readonly companies: readonly string[]
  readonly searches: readonly string[]
  /** Companies that a decision tree was run for. */
  readonly decided: readonly string[]
  readonly jobs: number
}

/** A service to kill runs at, with a run that stands before what follows its outputs. */
export interface Lane {
  readonly after: After
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

/** What follows the outputs. */
export interface After {
  readonly keys: string
  /** Of the output, more than those of every kill test. */
  readonly columns?: string
  /** The request before which the run stands; a portfolio is looked for unless there is another one. */
  readonly before?: FaultInput['operation']
  /** AML searches of an undisturbed run, and runs of a decision tree. */
  readonly searches: number
  readonly decided?: number
  /** What the account has before. */
  prepare?(client: Client): Promise<void>
}

const COMPANIES = 3

export const ADDED_AND_SCREENED: After = {
  keys: 'portfolio: { name: Watched, reference: ref }\nscreen: { datasets: [SAN], threshold: 85 }\n',
  searches: COMPANIES,
}

/** The portfolio is there, with a company of the list under another reference and one that is gone. */
export const KEPT_IN_STEP: After = {
  keys: 'portfolio: { name: Watched, reference: ref, rules: { XX: [105] }, sync: true, remove: gone }\n',
  searches: 0,
  async prepare(client) {
    const key = 'portfolio-before'
    const { value } = await client.createPortfolio('Watched', { look: async () => undefined, key })
    for (const id of ['GB-X-10000000', 'GB-X-10000039']) await client.addCompany(value.id, { id, reference: 'old' })
  },
}
/** A decision tree of the service decides about the companies. */
export const DECIDED: After = {
  keys: 'decide: { service: Check, fields: { Name: Company } }\n',
  columns: 'decision, decision.rule, decision.why, ',
  before: 'runDecision',
  searches: 0,
  decided: COMPANIES,
  async prepare({ api }) {
    const table = {
      rules: [{ name: 'foundry', when: { Name: 'Harrow Bellbrook Foundry Ltd' }, decision: 'decline' }],
      otherwise: 'accept',
    }
    const body = { templateId: 'table', guid: 'check', decisionTreeName: 'Check', configurationVariables: table }
    await api.changeDecisionInstance({ guid: 'check', body })
  },
}
/** Three companies, one of them found by two rows and one of them on a list; and a row that finds none. */
const LIST = [...INPUT.split('\n').slice(0, 3), INPUT.split('\n')[1]!.replace(/^0/, '1b'), 'v,Varnix Steel Ltd,11076475,GB']
/** The service that the fault server stands before is replaced by one on which nothing happened. */
async function freshService({ data, service, after }: Pick<Lane, 'data' | 'service' | 'after'>): Promise<Service> {
  const dataDir = mkdtempSync(join(data, 'fresh-'))
  const fresh = await serve({ port: 0, dataDir, registerDir: join(data, 'registers'), registers: [], users: [CREDENTIALS] })
  service.server.retarget(fresh.url)
  const client = connect({ url: fresh.url, ...CREDENTIALS })
  await after.prepare?.(client)
  await client.close()
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
  const logs = await client.api.listDecisionLogs.all().toArray({ limit: 100 })
  const jobs = await client.api.listJobs.all().toArray({ limit: 100 })
  return {
    portfolios: portfolios.map(({ name }) => name),
    companies: companies.sort(),
    searches: searches.map(({ name }) => name ?? '').sort(),
    decided: logs.map(({ companyId }) => companyId ?? '').sort(),
    jobs: jobs.length,
  }
}

/** Starts a service and carries a run to what follows its outputs. */
/** `without`: request headers that the service never gets. */
export async function openLane(
  data: string,
  name: string,
  after = ADDED_AND_SCREENED,
  without?: readonly string[],
): Promise<Lane> {
  let child: Lane['child'] = null
  const kill = (): void => void (lane?.child ?? child)?.kill('SIGKILL')
  let lane: Lane | null = null
  const service = await startService(data, name, kill, undefined, without)
  const prepared = makePlace(data, service)
  writeFileSync(join(prepared.folder, 'in.csv'), LIST.join('\n'))
  const pipeline = join(prepared.folder, 'pipeline.yml')
  const columns = `columns: [${after.columns ?? ''}`
  writeFileSync(pipeline, `${readFileSync(pipeline, 'utf8').replace('columns: [', columns)}${after.keys}`)
  if (after.before !== undefined) {
    const client = connect({ url: service.url, ...CREDENTIALS })
    await after.prepare?.(client)
    await client.close()
  }
  service.server.arm([{ operation: after.before ?? 'listPortfolios', effect: { kind: 'killClient', at: 'arrival' } }])
  const first = start(prepared, RUN)
  child = first.child
  const { signal, stderr } = await first.ended
  if (signal !== 'SIGKILL') throw new Error(`the run did not come to what follows its outputs: ${stderr}`)
  await settled(service)
  service.server.arm([])
  const undisturbed = copyOf(prepared)
  const fresh = await freshService({ data, service, after })
  const { code, stderr: why } = await start(undisturbed, RUN).ended
  const account = await accountAt(fresh)
  await fresh.close()
  const found = [
    account.portfolios.length,
    account.companies.length,
    account.searches.length,
    account.decided.length,
    account.jobs,
  ]
  const inPortfolio = after.before === undefined ? [1, COMPANIES] : [0, 0]
  if (code !== 0 || found.join() !== [...inPortfolio, after.searches, after.decided ?? 0, 0].join())
    throw new Error(`undisturbed: ${code}, ${found}: ${why}`)
  lane = {
    after,
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

/** The service of a process that is to be killed. */
const armedBy = (server: FaultyService['server'], kill: Kill) =>
  server.arm(
    'request' in kill ? [{ operation: kill.of ?? '*', nth: kill.request, effect: { kind: 'killClient', at: kill.at } }] : [],
  )

/** Starts a process of the run and kills it there; whether it was killed. */
export async function killOnce(
  lane: Pick<Lane, 'data' | 'service' | 'child'>,
  place: Place,
  kill: Kill,
  args: readonly string[] = nextCommand(place, RUN),
): Promise<boolean> {
  const { server } = lane.service
  const log = join(lane.data, `log-${new URL(lane.service.url).port}`)
  rmSync(log, { force: true })
  const armed = armedBy(server, kill)
  const { child, ended } = start(place, args, 'request' in kill ? undefined : diskFaultOf(kill, log))
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
    if (last.code === 0) violations.push(...differences(leftIn(place, OUTPUTS), lane.expected), ...told(place, lane.after))
    else violations.push(`${args.join(' ')} ended ${last.code ?? last.signal}: ${last.stderr}`)
    const account = await accountAt(fresh)
    for (const what of ['portfolios', 'companies', 'searches', 'decided', 'jobs'] as const)
      if (String(account[what]) !== String(lane.account[what])) violations.push(`${what}: ${account[what]}`)
  } finally {
    await fresh.close()
    rmSync(place.folder, { recursive: true, force: true })
  }
  return { isKilled, stage, violations: violations.map(why => `${JSON.stringify(kills)} (${stage}): ${why}`) }
}

/** Lets a run meet faults, resumes it once without them where it did not end with 0, and judges. */
export async function disturb(lane: Lane, faults: readonly FaultInput[]) {
  const { server } = lane.service
  const place = copyOf(lane.prepared)
  const fresh = await freshService(lane)
  try {
    const armed = server.arm([...faults])
    const first = await start(place, nextCommand(place, RUN)).ended
    await settled(lane.service)
    const unmet = armed.unconsumed()
    armed.disarm()
    const next = first.code === 0 ? null : await start(place, nextCommand(place, RUN)).ended
    const last = next ?? first
    const violations =
      last.code === 0 ? [...differences(leftIn(place, OUTPUTS), lane.expected), ...told(place, lane.after)] : [last.stderr]
    const account = await accountAt(fresh)
    if (String(account.decided) !== String(lane.account.decided)) violations.push(`decided: ${account.decided}`)
    return { codes: [first, ...(next === null ? [] : [next])].map(({ code }) => code), unmet, violations }
  } finally {
    await fresh.close()
    rmSync(place.folder, { recursive: true, force: true })
  }
}

/** The run reports each company once, as added or present and as screened. */
function told(place: Place, { searches, decided = 0, before }: After): string[] {
  const state = recorded(place)
  const { portfolio, screening, tree } = state ?? {}
  const inPortfolio = (portfolio?.added ?? 0) + (portfolio?.present ?? 0)
  const counts = [state?.status, inPortfolio, screening?.done ?? 0, screening?.searches ?? 0, tree?.done ?? 0, tree?.paid ?? 0]
  const expected = ['success', before === undefined ? COMPANIES : 0, searches, searches, decided, decided]
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

/** Ways to kill a stage at each point of one kind; of `every` operations on files one is taken. With the number of points there are at least. */
export const killsAtEveryPoint = (every: number): readonly (readonly [string, number, number, (point: number) => Kill])[] => [
  ['a line of the journal, before and after it is written', 20, 1, line => ({ line })],
  ['a request as it arrives', 10, 1, request => ({ request, at: 'arrival' })],
  ['a request that was carried out and not answered', 10, 1, request => ({ request, at: 'carriedOut' })],
  ['a request that was answered', 10, 1, request => ({ request, at: 'answered' })],
  ['an operation on a file', 10, every, disk => ({ disk })],
]

/** Prints the points of a walk by stage, and expects at least so many, and no violation. */
export function judgeWalk(name: string, { stages, violations }: Awaited<ReturnType<typeof pullEverywhere>>, least: number): void {
  const points = Object.values(stages).reduce((sum, one) => sum + one, 0)
  const parts = Object.entries(stages).map(([stage, count]) => `${stage} ${count}`)
  console.info(`${name}: ${points} points (${parts.join(', ')}), ${violations.length} violations`)
  expect(violations).toEqual([])
  expect(points).toBeGreaterThanOrEqual(least)
}
