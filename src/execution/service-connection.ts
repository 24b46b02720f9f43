/**
 * The service of a run: a remote one, or the embedded one started here on a free port with new credentials. The compiler checks
 * here that the client implements the ports of the run.
 */
import { createHash } from 'node:crypto'
import type { ConnectOptions, Proxies, Shared } from '../client/index.ts'
import { type Credentials, type Env, findDataDir, registersOf } from '../env/environment.ts'
import { type ClientState, createClientState, type RetryBudget, type Runtime } from '../env/runtime.ts'
import { FettleError, type Issue, issue } from '../errors.ts'
import type { PlannedRegister, PlannedService } from '../pipeline/index.ts'
import { findRegisterDir, findRegisters, findScreeningDir } from '../prepare/registers.ts'
import { snapshotText } from '../report/service-words.ts'
import type { CandidateService, PortfolioService, ReportService, ScreenService, Service, TreeService } from '../run/index.ts'

export interface ServiceNeeds {
  readonly service: PlannedService
  readonly runtime: Runtime
  /** Called only for a remote service. */
  readonly credentials: () => Credentials
  readonly env: Env
  /** Of the plan; null for one of an earlier version, which did not record them. */
  readonly register: readonly PlannedRegister[] | null
  /** Where the embedded service keeps its state: the run's own folder, so that a resume finds the job again. */
  readonly stateDir: string
  readonly attempts: number
  readonly outage?: ConnectOptions['outage'] | undefined
  readonly traceparent: string | null
  /** Called only for a remote service. */
  readonly proxies: () => Proxies
  readonly onRetry: (message: string) => void
  /** Called with the warning about each field of an answer that could not be read. */
  readonly onWarning?: ((warning: Issue) => void) | undefined
  readonly recorder?: ConnectOptions['recorder'] | undefined
  /** Milliseconds left before the run's time limit. */
  readonly deadline: () => number
  /** Facts of the whole list; its rows where it is sent in several parts, which are matched by the same facts then. */
  readonly list?: ConnectOptions['list']
  /** Awaited before everything that may change something at the service. */
  readonly beforeEffect: () => void | Promise<void>
  readonly stop: AbortSignal
}

export interface ReadyService {
  readonly service: Service & PortfolioService & ScreenService & CandidateService & ReportService & TreeService
  readonly issues: readonly Issue[]
  close(): Promise<void>
}

const unreadable = ({ operation, path }: { readonly operation: string; readonly path: string }): Issue =>
  issue('FETTLE_ANSWER', `${operation}: ${path} of the answer cannot be read, and was left out`, { severity: 'warn' })

/** Loaded on use: `check` starts a third sooner without it. */
type Client = typeof import('../client/index.ts')

/** The retry budget of a process, made when its first client is. */
function createBudget(state: ClientState, { createRetryBudget }: Client): RetryBudget {
  state.budget ??= createRetryBudget()
  return state.budget
}

/** The shared state of an account. The password is part of the key: after a correction, the earlier failed login must not count. */
function openAccount(
  state: ClientState,
  { runtime }: ServiceNeeds,
  account: Credentials & { url: string },
  client: Client,
): Shared {
  const { url, username, password } = account
  const key = createHash('sha256')
    .update(JSON.stringify([url, username, password]))
    .digest('hex')
  const shared = state.accounts.get(key) ?? client.createShared(runtime.clock, createBudget(state, client))
  state.accounts.set(key, shared)
  return shared
}

/** A stub for a run whose remaining stages need no service; every call throws FETTLE_BUG. */
export function offline(): ReadyService {
  const refuse = (): Promise<never> => Promise.reject(new FettleError('FETTLE_BUG', 'a service is asked that was not needed'))
  const service = new Proxy({} as ReadyService['service'], { get: () => refuse })
  return { service, issues: [], close: async () => {} }
}

/** Connects to the service of a plan, starting it first when it is the embedded one. */
export async function openService(needs: ServiceNeeds): Promise<ReadyService> {
  const made = await import('../client/index.ts')
  const state = needs.runtime.clients ?? createClientState()
  const common = {
    ...needs.runtime.connection,
    clock: needs.runtime.clock,
    attempts: needs.attempts,
    outage: needs.outage,
    onRetry: needs.onRetry,
    onDropped: (field: { readonly operation: string; readonly path: string }) => needs.onWarning?.(unreadable(field)),
    deadline: needs.deadline,
    list: needs.list,
    beforeEffect: needs.beforeEffect,
    stop: needs.stop,
    traceparent: needs.traceparent ?? undefined,
    recorder: needs.recorder,
  }
  if (needs.service.kind === 'remote') {
    const { url, rate, fileHosts, insecure } = needs.service
    const credentials = needs.credentials()
    const own = openAccount(state, needs, { ...credentials, url }, made)
    const shared = { ...own, pace: needs.runtime.pace?.(own.pace, rate) ?? own.pace }
    const place = { url, rate, fileHosts, insecure, proxies: needs.proxies() }
    const client = made.connect({ ...common, ...credentials, shared, ...place })
    return { service: client, issues: [], close: () => client.close() }
  }
  const { server, issues } = await startEmbedded(needs)
  const shared = made.createShared(needs.runtime.clock, createBudget(state, made))
  const { url, username, password } = server
  const client = made.connect({ ...common, shared, url, username, password })
  const close = async (): Promise<void> => {
    await client.close()
    await server.close()
  }
  return { service: client, issues, close }
}

/** A note when the sample list is used because no screening list was imported. */
export async function screeningIssues(dataDir: string): Promise<readonly Issue[]> {
  const { readLists } = await import('../service/screening/index.ts')
  if ((await readLists(findScreeningDir(dataDir))).length > 0) return []
  const message = 'no screening list was imported: AML searches look in the made-up sample'
  return [issue('FETTLE_SCREENING_SAMPLE', message, { severity: 'info' })]
}

async function startEmbedded({ env, stateDir, register: planned }: ServiceNeeds) {
  const { serve } = await import('../service/index.ts')
  const dataDir = findDataDir(env)
  const { registers } = await findRegisters(env, planned?.map(one => one.name) ?? registersOf(env))
  const server = await serve({
    dataDir: stateDir,
    registerDir: findRegisterDir(dataDir),
    screeningDir: findScreeningDir(dataDir),
    registers: registers.map(one => one.name),
    keepRegisters: true,
    users: [],
  }).catch(error => {
    throw onDisk(error) ?? error
  })
  return { server, issues: changedRegisters(planned ?? [], registers) }
}

/** A warning for each register that was imported again since the run was planned: its rows may be matched against two states of it. */
export const changedRegisters = (planned: readonly PlannedRegister[], now: readonly PlannedRegister[]): Issue[] =>
  now.flatMap(register => {
    const { name, sha256 } = register
    const then = planned.find(one => one.name === name)
    if (then === undefined || then.sha256 === sha256) return []
    const message = `the register ${name} was imported again since the run was planned: its snapshot was of ${snapshotText(then, register)} and is of ${snapshotText(register, then)}`
    return [issue('FETTLE_REGISTER_CHANGED', message, { severity: 'warn' })]
  })

/** Messages of SQLite about a disk, which come without a code (sqlite.org/rescode.html: IOERR, FULL, READONLY, CANTOPEN). */
const SQLITE_ON_DISK = /disk I\/O error|disk is full|readonly database|unable to open database/

/** A failed start that was caused by the disk, as an output error; null for any other. */
function onDisk(error: unknown): FettleError | null {
  for (let one = error; one instanceof Error; one = one.cause as unknown) {
    const code = 'code' in one ? String(one.code) : ''
    if (/^(ENOSPC|EDQUOT|EROFS|EACCES|EPERM|EIO|EFBIG)$/.test(code) || SQLITE_ON_DISK.test(one.message))
      return new FettleError('FETTLE_OUTPUT_WRITE', `cannot start the embedded service: ${one.message}`, { cause: error })
  }
  return null
}
