/**
 * The service a run talks to: a remote one, or the embedded one started here on a free port with fresh credentials. This is
 * where the compiler proves that the client fits the run's port.
 */
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { realClock } from '../../client/clock.ts'
import type { Proxies, Shared } from '../../client/index.ts'
import { FettleError, type Issue, issue } from '../../errors.ts'
import { type Lock, takeLock } from '../../files/process-lock.ts'
import type { PlannedService } from '../../pipeline/index.ts'
import type { PortfolioService, ScreenService, Service } from '../../run/index.ts'
import type { Credentials } from '../env/environment.ts'
import type { Runtime } from '../env/runtime.ts'
import { makeFolder } from '../runs/run-directory.ts'

/** What it takes to reach a service. */
export interface ServiceNeeds {
  readonly service: PlannedService
  readonly world: Runtime
  /** Called only for a remote service. */
  readonly credentials: () => Credentials
  readonly dataDir: string
  /** Where the embedded service keeps its state: the run's own folder, so that a resume finds the job again. */
  readonly stateDir: string
  readonly attempts: number
  readonly traceparent: string | null
  /** Called only for a remote service. */
  readonly proxies: () => Proxies
  readonly onRetry: (message: string) => void
  /** Milliseconds left before the run's time limit. */
  readonly deadline: () => number
  /** Awaited before everything that may change something at the service. */
  readonly beforeEffect: () => void | Promise<void>
  readonly stop: AbortSignal
}

/** A service ready to be asked. */
export interface ReadyService {
  readonly service: Service & PortfolioService & ScreenService
  /** Things a person should know about it, such as the made-up register in use. */
  readonly issues: readonly Issue[]
  close(): Promise<void>
}

/** Loaded by whoever connects: `check` starts a third sooner without it. */
type Client = typeof import('../../client/index.ts')

/**
 * What all runs of this process have in common, so that an outage is not multiplied by the number of pipelines: one purse of
 * repeats, and for each account one token and one pace. One such office per clock: the process's own, or a test's.
 */
interface Office {
  readonly quota: ReturnType<Client['createRetryBudget']>
  readonly accounts: Map<string, Shared>
}

const offices = new WeakMap<Runtime['clock'], Office>()

function officeOf({ clock }: Runtime, { createRetryBudget }: Client): Office {
  const office = offices.get(clock) ?? { quota: createRetryBudget(), accounts: new Map() }
  offices.set(clock, office)
  return office
}

/** The password belongs to the account: a corrected one must not find the refusal of a wrong one. */
function accountOf(url: string, { username, password }: Credentials, world: Runtime, client: Client): Shared {
  const { quota, accounts } = officeOf(world, client)
  const key = createHash('sha256')
    .update(JSON.stringify([url, username, password]))
    .digest('hex')
  const account = accounts.get(key) ?? client.createShared(world.clock, quota)
  accounts.set(key, account)
  return account
}

/** In place of a service where nothing is left to ask of one; whoever asks all the same has made a mistake. */
export function offline(): ReadyService {
  const refuse = (): Promise<never> => Promise.reject(new FettleError('FETTLE_BUG', 'a service is asked that was not needed'))
  const service: ReadyService['service'] = {
    findPortfolios: refuse,
    readPortfolio: refuse,
    createPortfolio: refuse,
    addCompany: refuse,
    screenBusiness: refuse,
    findScreening: refuse,
    readRisks: refuse,
    authenticate: refuse,
    createJob: refuse,
    findJobs: refuse,
    readJob: refuse,
    upload: refuse,
    setMappings: refuse,
    submit: refuse,
    setEnrichments: refuse,
    enrich: refuse,
    openEnrichedFile: refuse,
  }
  return { service, issues: [], close: async () => {} }
}

/** Connects to the service of a plan, starting it first when it is the embedded one. */
export async function openService(needs: ServiceNeeds): Promise<ReadyService> {
  const made = await import('../../client/index.ts')
  const common = {
    ...needs.world.connection,
    clock: needs.world.clock,
    attempts: needs.attempts,
    onRetry: needs.onRetry,
    deadline: needs.deadline,
    beforeEffect: needs.beforeEffect,
    stop: needs.stop,
    ...(needs.traceparent === null ? {} : { traceparent: needs.traceparent }),
  }
  if (needs.service.kind === 'remote') {
    const { url, rate, fileHosts, insecure } = needs.service
    const credentials = needs.credentials()
    const own = accountOf(url, credentials, needs.world, made)
    const shared = { ...own, pace: needs.world.pace?.(own.pace, rate) ?? own.pace }
    const client = made.connect({ ...common, ...credentials, shared, url, rate, fileHosts, insecure, proxies: needs.proxies() })
    return { service: client, issues: [], close: () => client.close() }
  }
  const { server, issues } = await startEmbedded(needs.dataDir, needs.stateDir)
  const shared = made.createShared(needs.world.clock, officeOf(needs.world, made).quota)
  const client = made.connect({ ...common, shared, url: server.url, username: server.username, password: server.password })
  const close = async (): Promise<void> => {
    await client.close()
    await server.close()
  }
  return { service: client, issues, close }
}

/** The register that comes with fettle, for a machine that has none. */
const SAMPLE_REGISTER = fileURLToPath(new URL('../../../samples/register.csv', import.meta.url))

/** Where registers are kept inside the data folder. */
export const registerDirOf = (dataDir: string): string => join(dataDir, 'registers')

/** Where screening lists are kept inside the data folder. */
export const screeningDirOf = (dataDir: string): string => join(dataDir, 'screening')

/** What a person should know about the lists that are searched: that they are the made-up sample while none was imported. */
export async function screeningIssues(dataDir: string): Promise<readonly Issue[]> {
  const { readLists } = await import('../../service/screening/index.ts')
  if ((await readLists(screeningDirOf(dataDir))).length > 0) return []
  const message = 'no screening list was imported: AML searches look in the made-up sample'
  return [issue('FETTLE_SCREENING_SAMPLE', message, { severity: 'info' })]
}

/**
 * Makes sure that there is a register, importing the made-up sample under the name `sample` when there is none. Gives the
 * names to use: all that were imported, the sample only while it is alone.
 */
export async function ensureRegister(dataDir: string): Promise<{ names: readonly string[]; issues: readonly Issue[] }> {
  const { listRegisters } = await import('../../service/registers/index.ts')
  const dir = registerDirOf(dataDir)
  const names = (await listRegisters(dir)).map(register => register.name)
  const own = names.filter(name => name !== 'sample')
  if (own.length > 0) return { names: own, issues: [] }
  if (names.length === 0) await importSample(dir)
  const message = 'no register was imported: the made-up sample register is in use'
  return { names: ['sample'], issues: [issue('FETTLE_REGISTER_SAMPLE', message, { severity: 'info' })] }
}

/** Imports the sample; processes and runs that find no register at the same moment do so one after the other. */
async function importSample(dir: string): Promise<void> {
  const { importRegister, listRegisters } = await import('../../service/registers/index.ts')
  makeFolder(dirname(dir))
  const lock = await waitForLock(`${dir}.lock`)
  try {
    if ((await listRegisters(dir)).length === 0)
      await importRegister({ file: SAMPLE_REGISTER, name: 'sample', dir, now: new Date(realClock.now()) })
  } finally {
    lock.release()
  }
}

async function waitForLock(path: string): Promise<Lock> {
  for (;;) {
    try {
      return takeLock(path, realClock.now)
    } catch (error) {
      if (!FettleError.is(error) || error.code !== 'FETTLE_LOCKED') throw error
      await realClock.sleep(100)
    }
  }
}

async function startEmbedded(dataDir: string, stateDir: string) {
  const { serve } = await import('../../service/index.ts')
  const { names, issues } = await ensureRegister(dataDir)
  const server = await serve({
    dataDir: stateDir,
    registerDir: registerDirOf(dataDir),
    screeningDir: screeningDirOf(dataDir),
    registers: [...names],
    users: [],
  }).catch(error => {
    throw onDisk(error) ?? error
  })
  return { server, issues }
}

/** What SQLite says of a disk, which gives no code (sqlite.org/rescode.html: IOERR, FULL, READONLY, CANTOPEN). */
const SQLITE_ON_DISK = /disk I\/O error|disk is full|readonly database|unable to open database/

/** A start that failed for want of room or rights is trouble with our disk, not with the settings; null for any other. */
function onDisk(error: unknown): FettleError | null {
  for (let one = error; one instanceof Error; one = one.cause as unknown) {
    const code = 'code' in one ? String(one.code) : ''
    if (/^(ENOSPC|EDQUOT|EROFS|EACCES|EPERM|EIO|EFBIG)$/.test(code) || SQLITE_ON_DISK.test(one.message))
      return new FettleError('FETTLE_OUTPUT_WRITE', `cannot start the embedded service: ${one.message}`, { cause: error })
  }
  return null
}
