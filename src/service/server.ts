/**
 * Starts the embedded service around an engine: data directory, background work, HTTP server. Closing ends them in reverse
 * order.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { action, FettleError } from '../errors.ts'
import { inOwnTurn } from '../loop-turns.ts'
import { packageFile } from '../package-file.ts'
import { buildApp } from './app.ts'
import { makeRates, makeThrottle } from './auth/throttle.ts'
import { makeLinks, makeTokens } from './auth/tokens.ts'
import { openCredits, openUsage } from './auth/usage.ts'
import { type AccountFile, type Login, openAccounts, openUsers } from './auth/users.ts'
import { openSnapshotRequests, takeSnapshot } from './backup/backup.ts'
import { type Clock, systemClock } from './clock.ts'
import { JobStore } from './data-cleaning/jobs-store.ts'
import { JobWorker, jobFilesIn } from './data-cleaning/processing/worker.ts'
import { startRetention } from './data-cleaning/retention.ts'
import { DecisionStore } from './decisions/store.ts'
import { makeMetrics } from './health/metrics.ts'
import { openAnswers } from './http/idempotency.ts'
import { openPublicAddress } from './http/public-address.ts'
import { LIMITS, type Limits } from './limits.ts'
import { type ChangeSource, UNCHANGING } from './monitoring/changes.ts'
import { openMonitoring } from './monitoring/monitor.ts'
import { createObjectAccess } from './object-access.ts'
import { engineIn, PLAYS, type Play } from './plays.ts'
import { addResultsTo } from './portfolios/add-results.ts'
import { type CurrentRegisters, makeCurrent, type OpenedRegisters, type OpenRegister, type Reopen } from './registers/current.ts'
import type { Engine } from './registers/engine.ts'
import { NO_OFFICERS } from './registers/index.ts'
import { startRescreening } from './screening/rescreen.ts'
import { ScheduleStore } from './screening/schedules-store.ts'
import { Screener } from './screening/screener.ts'
import { SearchStore } from './screening/searches-store.ts'
import type { StartOptions } from './start-options.ts'
import { makeFolder } from './storage/atomic-file.ts'
import { type Database, isDiskTrouble, openDatabase, openOwnerNumbers } from './storage/database.ts'
import { lockDirectory } from './storage/lock.ts'
import { asideMessage, tidy } from './storage/unnamed-files.ts'

export interface RegisterExtras extends Partial<Pick<OpenedRegisters, 'officers' | 'close'>> {
  readonly changes?: ChangeSource
  readonly reopen?: Reopen
}

/** Registers what closes a resource; closed last to first. */
type OnClose = (closer: () => unknown) => unknown

/** What work without a request needs. */
interface BackgroundParts {
  readonly database: Database
  readonly clock: Clock
  readonly limits: Limits
  readonly current: CurrentRegisters
  readonly play: Play
  readonly changes: ChangeSource
}

/** A running service. */
export interface Service {
  /** Base address, `http://127.0.0.1:PORT/v1`. */
  readonly url: string
  /** A valid login: the first of `users`, or the created one; '' where only users of the data directory may log in. */
  readonly username: string
  readonly password: string
  /** The opened registers, as `GET /health` reports them. */
  readonly registers: readonly OpenRegister[]
  /** Waits up to 10 s for requests in flight, then stops. Unfinished jobs continue at the next start. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const LOOPBACK = ['127.0.0.1', 'localhost', '::1']

const packageVersion = (): string =>
  (JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string }).version

function listLogins({ users = [], host = '127.0.0.1' }: StartOptions, accounts: AccountFile): readonly Login[] {
  if (users.length > 0 || accounts.all().size > 0) return users
  if (!LOOPBACK.includes(host)) {
    const message = `Cannot listen on ${host}: without users the service is limited to loopback addresses.`
    throw new FettleError('FETTLE_CREDENTIALS', message)
  }
  // The same name every time: jobs belong to a user, and the next start must still find them.
  return [{ username: 'embedded', password: randomBytes(24).toString('base64url'), isGenerated: true }]
}

/** Repairs what a kill during a request left behind; returns how many files were moved aside. */
async function recover(dataDir: string, jobs: JobStore, now: number): Promise<number> {
  for (const job of jobs.withStatus(['uploading'])) {
    jobs.change(job.id, { status: 'uploadError', details: 'the service stopped while the file was arriving' })
  }
  const [kept, fileless] = [jobs.keptIds(), jobs.fileless()]
  const idOf = (name: string): string => name.split('.')[0] ?? ''
  const common = { directory: dataDir, now, isNeeded: (name: string): boolean => kept.has(idOf(name)) }
  const uploads = await tidy({ ...common, folder: 'uploads' })
  return uploads + (await tidy({ ...common, folder: 'files', isSpent: name => fileless.has(idOf(name)) }))
}

async function openDataDir(options: StartOptions, onClose: OnClose) {
  const { dataDir } = options
  for (const folder of [dataDir, join(dataDir, 'uploads'), join(dataDir, 'files')]) await makeFolder(folder)
  onClose(lockDirectory(dataDir))
  await inOwnTurn()
  const accounts = openAccounts(dataDir)
  const logins = listLogins(options, accounts)
  const database = openDatabase(dataDir)
  onClose(() => database.close())
  return { accounts, logins, database }
}

/** Starts everything that runs without a request: worker, retention, monitoring, screening lists, snapshots. */
async function startBackground(options: StartOptions, parts: BackgroundParts, onClose: OnClose) {
  const { dataDir, log = () => {}, stopAt = null, rowPauseMs = 0 } = options
  const { database, current, play, changes, clock, limits } = parts
  const now = (): number => clock.now()
  const writeLog = (line: object): void => log(JSON.stringify({ time: new Date(now()).toISOString(), ...line }))
  const logFailure = (job: string | null, error: unknown): void =>
    writeLog({ job, error: error instanceof Error ? error.message : 'unknown' })
  const onError = (error: unknown): void => logFailure(null, error)

  const jobs = new JobStore(database, now)
  const files = jobFilesIn(dataDir)
  const moved = await recover(dataDir, jobs, now())

  const monitoring = await openMonitoring({ database, current, changes, dataDir, clock, limits, writeLog, onError })
  onClose(() => monitoring.close())
  const { portfolios, holdings, events, imports, importer, folder: importDir, transaction } = monitoring
  const searches = new SearchStore(database, now)
  const schedules = new ScheduleStore(database, now)
  const decisions = new DecisionStore(database, now)
  const objects = createObjectAccess({ jobs, searches, schedules, portfolios, holdings, events, decisions })

  const worker = new JobWorker({
    ...{ jobs, using: current.using, files, play, clock, limits, rowPauseMs, stopAt, onError: logFailure },
    addResults: addResultsTo(objects, portfolios, holdings),
  })
  worker.resume()
  onClose(() => worker.close())
  const retention = startRetention({ jobs, files, dataDir, clock, limits, onError })
  onClose(() => retention.close())

  const aside = moved + monitoring.moved
  if (aside > 0) options.onWarning?.(asideMessage(dataDir, aside))

  const screener = new Screener(options.screeningDir ?? null, packageVersion())
  onClose(() => screener.close())
  if (options.screensAtOnce === true) await screener.warm()
  const { transaction: inTransaction } = database
  const rescreening = startRescreening({
    ...{ schedules, searches, screener, transaction: inTransaction, clock, everyMs: limits.monitorMs, onError },
  })
  onClose(() => rescreening.close())

  const take = (folder: string): void => takeSnapshot(database, dataDir, folder)
  const snapshots = openSnapshotRequests({ dataDir, clock, everyMs: limits.checkMs, take })
  onClose(() => snapshots.close())
  const stores = { jobs, files, searches, schedules, decisions, portfolios, holdings, events, imports, transaction }
  return { ...stores, objects, worker, screener, importer, importDir }
}

/** Lets requests in flight finish for a limited time, then closes their connections. */
async function closeApp(app: FastifyInstance, clock: Clock, closeMs: number): Promise<void> {
  const closed = new AbortController()
  void clock.sleep(closeMs, closed.signal).then(() => app.server.closeAllConnections())
  await app.close()
  closed.abort()
}

/** `/reconcile` needs no login, so only this machine may reach it. */
function requireLoopbackFor({ host = '127.0.0.1', reconcile = false, publicUrl }: StartOptions): void {
  if (!reconcile || (LOOPBACK.includes(host) && publicUrl === undefined)) return
  const where = LOOPBACK.includes(host) ? 'under a public address' : `on ${host}`
  const limit = LOOPBACK.includes(host) ? 'this machine' : 'loopback addresses'
  throw new FettleError('FETTLE_SETTINGS', `Cannot serve /reconcile ${where}: it needs no login, so it is limited to ${limit}.`)
}

function describeFailure(error: unknown, { dataDir, host = '127.0.0.1', port = 0 }: StartOptions): FettleError {
  if (FettleError.is(error)) return error
  const message = `Cannot start the service on ${host}:${port} with ${dataDir}: ${(error as Error).message}`
  if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
    return new FettleError('FETTLE_SETTINGS', message, {
      cause: error,
      hint: 'Stop the process that uses the port, or choose another port; 0 takes a free one.',
      action: action('serve', '--port', '0'),
    })
  return new FettleError(isDiskTrouble(error) ? 'FETTLE_OUTPUT_WRITE' : 'FETTLE_SETTINGS', message, { cause: error })
}

/** Throws FETTLE_LOCKED when another service uses the data directory, FETTLE_SETTINGS when it cannot listen. */
export async function start(
  options: StartOptions,
  engine: Engine,
  registers: readonly OpenRegister[],
  { changes = UNCHANGING, officers = NO_OFFICERS, reopen, close }: RegisterExtras = {},
): Promise<Service> {
  const { host = '127.0.0.1', port = 0, clock = systemClock, hosts = [], reconcile = false } = options
  const limits: Limits = { ...LIMITS, ...options.limits }
  requireLoopbackFor(options)
  const address = openPublicAddress(options)
  const publicHost = options.publicUrl === undefined ? [] : [new URL(options.publicUrl).hostname]
  const closers: (() => unknown)[] = []
  const onClose: OnClose = closer => closers.push(closer)
  const closeAll = async (): Promise<void> => {
    for (let last = closers.pop(); last !== undefined; last = closers.pop()) await last()
  }

  try {
    const play = PLAYS[options.play ?? 'own']
    const current = makeCurrent({ engine, officers, registers, close }, reopen, reopened => engineIn(play, reopened))
    onClose(() => current.close())
    const { accounts, logins, database } = await openDataDir(options, onClose)
    const background = await startBackground(options, { database, current, play, changes, clock, limits }, onClose)
    const now = (): number => clock.now()
    const users = await openUsers(logins, accounts, openOwnerNumbers(database))
    let origin = ''
    let closing: Promise<void> | null = null
    const deps = {
      ...{ engine: current.engine, officers: current.officers, search: current.search, registers: current.registers },
      ...{ clock, limits, play, users, startedAt: now(), ...background },
      usage: openUsage(database, users.values(), now),
      throttle: makeThrottle(limits, now),
      rates: makeRates(options.rates ?? {}, now, limits.loginKeys),
      tokens: makeTokens(limits.tokenMs, now),
      links: makeLinks(limits.linkMs, now, users),
      answers: openAnswers(database, now, limits.idempotencyMs),
      credits: openCredits(database, options.credits ?? null),
      addressOf: (request: IncomingMessage) => address.of(request, origin),
    }
    const app = buildApp(deps, {
      hosts: [host.includes(':') ? `[${host}]` : host, ...publicHost, ...hosts].map(name => name.toLowerCase()),
      forwarded: address.forwarded,
      version: packageVersion(),
      log: options.log ?? (() => {}),
      metrics: makeMetrics(),
      reconcile,
      isClosing: () => closing !== null,
    })
    onClose(() => closeApp(app, clock, limits.closeMs))
    origin = await app.listen({ host, port, backlog: limits.connections })

    const { username, password } = logins[0] ?? { username: '', password: '' }
    const closeOnce = (): Promise<void> => {
      closing ??= closeAll()
      return closing
    }
    return {
      url: `${origin}/v1`,
      username,
      password,
      get registers() {
        return current.registers()
      },
      close: closeOnce,
      [Symbol.asyncDispose]: closeOnce,
    }
  } catch (error) {
    await closeAll()
    throw describeFailure(error, options)
  }
}
