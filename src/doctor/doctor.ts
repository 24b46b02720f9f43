/** Checks everything a run needs, in the order of a run. Secrets are not shown. */

import { constants, existsSync, readdirSync, statSync } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { arch, platform } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { realClock } from '../client/clock.ts'
import { counted } from '../counted.ts'
import type { QueueConnectionOptions } from '../distributed/connection.ts'
import { type Env, findDataDir, findProxies, passwordFileWarning, readServiceUrl, traceWarning } from '../env/environment.ts'
import { bundledPackages, packageInfo } from '../env/package-info.ts'
import { findRunKey } from '../env/run-key.ts'
import { assertKnownOrigin, isUntrusted, listServiceOrigins, readCredentials } from '../env/trust.ts'
import { action, ERRORS, errorOfIssues, FettleError } from '../errors.ts'
import { deliver, type Receiver } from '../observe/notify.ts'
import { isAddress, nearest, type Plan, type PlannedRegister } from '../pipeline/index.ts'
import { checkOutputsWritable } from '../prepare/check-outputs.ts'
import { type Prepared, prepare } from '../prepare/prepare.ts'
import { NO_OVERRIDES } from '../prepare/read-pipeline.ts'
import { findRegisterDir, findRegisters, wantedRegisters } from '../prepare/registers.ts'
import { resolveService } from '../prepare/resolve-service.ts'
import { testNotice } from '../report/index.ts'
import { isCollected, openRunIds } from '../runs/open-runs.ts'
import { listRunIds, parseRunId } from '../runs/run-directory.ts'
import { createRemoteInputs } from '../staging/receive.ts'
import { attempt, type CheckResult, fail, ok, warn } from './check-result.ts'
import { checkNetwork } from './network.ts'

export interface DoctorReport {
  readonly env: Env
  readonly cwd: string
  readonly runsDir: string
  readonly pipeline: string | null
  /** Of the project file. */
  readonly target: string | null
  readonly service: string | null
  readonly queue: QueueConnectionOptions | null
  readonly offline: boolean
  /** Send a test message to the receivers of the pipeline. */
  readonly notify: boolean
  readonly signal: AbortSignal
}

export async function runDoctor(options: DoctorReport): Promise<CheckResult[]> {
  const { env, runsDir, offline } = options
  const found = [checkVersion(), listBundled(), ...(await checkSettings(env)), await checkRunKey(env)]
  const prepared = options.pipeline === null ? null : await checkPipeline(options.pipeline, options, found)
  const plan = prepared?.plan ?? null
  found.push(
    ...(options.notify && !offline ? await checkReceivers(prepared?.notify ?? [], options) : []),
    await checkDisk('runs', runsDir, 3 * (plan?.input.bytes ?? 0)),
    await checkDisk('data', findDataDir(env), 0),
    checkRuns(runsDir),
    ...(options.queue === null || offline ? [] : await checkQueueConnection(options.queue, env)),
  )
  const service = await attempt('service', () => plan?.service ?? resolveService(options, { service: null }))
  if ('status' in service) return [...found, service]
  if (service.kind === 'embedded') {
    found.push(ok('service', 'embedded: needs neither login nor network'))
    return [...found, await attempt('register', () => checkRegister(env, plan?.register ?? null, realClock.now()))]
  }
  found.push(ok('service', service.url))
  const unknown = await attempt('service', () => assertKnownOrigin(service, env, options.service))
  if (unknown !== undefined) return [...found, unknown]
  const read = plan === null ? null : prepared?.credentials
  const credentials = await attempt('credentials', () => read?.() ?? readCredentials(env, service, {}, options.service))
  const areRead = !('status' in credentials)
  found.push(areRead ? ok('credentials', 'user name and password are set') : credentials)
  if (offline) return [...found, ok('network', 'left alone')]
  const proxies = await attempt('proxy', () => findProxies(env))
  // An invalid proxy is already reported with the settings.
  if ('status' in proxies) return found
  const way = { service, proxies, credentials: areRead ? credentials : null, signal: options.signal }
  return [...found, ...(await checkNetwork(way))]
}

const HOW_TO_NOTIFY = 'Write notify: [{ to: "${SLACK_URL}", as: slack }], and set the variable.'

/** One test message for each receiver, regardless of what it is sent messages about. */
async function checkReceivers(receivers: readonly Receiver[], { env, signal }: DoctorReport): Promise<CheckResult[]> {
  const name = 'notify'
  if (isUntrusted(env))
    return [warn(name, 'no test message was sent, because the pipeline is untrusted', ERRORS.FETTLE_UNTRUSTED.hint)]
  if (receivers.length === 0) return [warn(name, 'the pipeline has no receiver with an address', HOW_TO_NOTIFY)]
  const at = new Date(realClock.now()).toISOString()
  return Promise.all(
    receivers.map(async receiver => {
      const why = await deliver(receiver, testNotice(receiver.pipeline, at), { env, signal, clock: realClock })
      if (why === null) return ok(name, `${receiver.shown} accepted a test message`)
      return fail(name, 'FETTLE_NOTIFY', `${receiver.shown} did not accept a test message: ${why}`)
    }),
  )
}

const hasFarOutput = ({ output }: Plan): boolean =>
  [output?.path, output?.unmatched, output?.review].some(path => path != null && isAddress(path))

/** The prepared pipeline, null where that throws; its result is added to `found`. */
async function checkPipeline(pipeline: string, options: DoctorReport, found: CheckResult[]): Promise<Prepared | null> {
  const { env, cwd, runsDir, target, service, offline, signal } = options
  const elsewhere = offline ? undefined : createRemoteInputs({ env, keeps: false, signal })
  const context = { ...NO_OVERRIDES, env, cwd, runsDir, target, service, isOffline: true, elsewhere }
  const prepared = await attempt('pipeline', () => prepare(pipeline, context))
  if ('status' in prepared) {
    found.push(prepared)
    return null
  }
  const { plan, issues, links, release } = prepared
  release()
  const judge = async (): Promise<CheckResult> => {
    const unread = plan === null ? issues.find(({ code }) => code === 'FETTLE_UNTRUSTED') : undefined
    if (unread !== undefined) return warn('pipeline', `${pipeline}: ${unread.message}`, unread.hint ?? '')
    if (offline && issues.every(({ severity }) => severity !== 'error') && plan === null)
      return ok('pipeline', `${pipeline}: valid; its remote input was not read`)
    if (plan !== null && !offline && !isUntrusted(env) && hasFarOutput(plan))
      await checkOutputsWritable(plan, { env, cwd, links, signal })
    if (plan !== null) return ok('pipeline', `${pipeline}: ${counted(plan.rows, 'row')} of ${plan.input.path} can be sent`)
    const error = errorOfIssues(issues)
    const named = target === null ? [] : ['--target', target]
    return fail('pipeline', error.code, error.message, {
      hint: 'List all problems of the pipeline.',
      action: action('check', pipeline, ...named),
    })
  }
  found.push(await attempt('pipeline', judge))
  return prepared
}

/** Whether the Redis of a queue can be reached, and whether it keeps what it is given. */
async function checkQueueConnection(place: QueueConnectionOptions, env: Env): Promise<CheckResult[]> {
  const warning = passwordFileWarning(env, 'FETTLE_QUEUE_PASSWORD')
  const facts: CheckResult[] = warning === null ? [] : [warn('queue', warning, 'Only you should be able to read it.')]
  const reached = await attempt('queue', async () => {
    const { queueFacts } = await import('../queue/index.ts')
    const { withQueue } = await import('../distributed/connection.ts')
    return withQueue(place, env, async connected => {
      for (const { status, text, hint } of await queueFacts(connected)) {
        if (status === 'ok') facts.push(ok('redis', text))
        else facts.push(status === 'warn' ? warn('redis', text, hint) : fail('redis', 'FETTLE_QUEUE_SETTINGS', text, { hint }))
      }
      return ok('queue', `${place.name} at ${connected.address.url}`)
    })
  })
  return [reached, ...facts]
}

const READ = [
  'FETTLE_URL',
  'FETTLE_SERVICE_ORIGINS',
  'FETTLE_USERNAME',
  'FETTLE_PASSWORD',
  'FETTLE_PASSWORD_FILE',
  'FETTLE_QUEUE_PASSWORD',
  'FETTLE_QUEUE_PASSWORD_FILE',
  'FETTLE_QUEUE_KEY',
  'FETTLE_QUEUE_KEY_FILE',
  'FETTLE_DATA',
  'FETTLE_EMBEDDED',
  'FETTLE_OUTPUT_ROOT',
  'FETTLE_REGISTER',
  'FETTLE_RUNS_DIR',
  'FETTLE_SUMMARY_ROWS',
  'FETTLE_RUN_KEY',
  'FETTLE_UNTRUSTED',
]
const NAME = 'settings'

/** Problems of the settings, or one line that they are in order. */
async function checkSettings(env: Env): Promise<CheckResult[]> {
  const set = READ.filter(name => (env[name] ?? '') !== '')
  const fine = ok(NAME, set.length === 0 ? 'none set: the embedded service, the usual folders' : `set: ${set.join(', ')}`)
  const read = await attempt(NAME, () => {
    readServiceUrl(env)
    listServiceOrigins(env)
    isUntrusted(env)
    findProxies(env)
    return fine
  })
  const oddities = [...findMisspelled(env), ...findUnsafe(env)]
  return read.status === 'ok' && oddities.length > 0 ? oddities : [read, ...oddities]
}

/** The run key that `run` would have. */
const checkRunKey = (env: Env): Promise<CheckResult> =>
  attempt('run key', () => {
    const found = findRunKey(env, null)
    return ok('run key', found ? `${found.key} (${found.from})` : 'none: the command of a finished run starts a new one')
  })

function findMisspelled(env: Env): CheckResult[] {
  return Object.keys(env).flatMap(name => {
    const close = /^FETTLE_/i.test(name) && !READ.includes(name) ? nearest(name, READ) : null
    return close === null ? [] : [warn(NAME, `${name} is set but not used`, `Did you mean ${close}?`)]
  })
}

function findUnsafe(env: Env): CheckResult[] {
  const certificates = env.NODE_EXTRA_CA_CERTS ?? ''
  const warnings: [string | null, string][] = [
    [passwordFileWarning(env), 'Only you should be able to read it.'],
    [traceWarning(env), 'Unset it, or give a W3C trace context.'],
    [
      env.NODE_TLS_REJECT_UNAUTHORIZED === '0' ? 'NODE_TLS_REJECT_UNAUTHORIZED=0: server certificates are not verified' : null,
      'Unset it; for a private authority set NODE_EXTRA_CA_CERTS.',
    ],
    [
      certificates !== '' && !existsSync(certificates) ? 'NODE_EXTRA_CA_CERTS names a file that is not there' : null,
      'Node ignores it silently: fix the path.',
    ],
  ]
  return warnings.flatMap(([message, hint]) => (message === null ? [] : [warn(NAME, message, hint)]))
}

const checkVersion = (): CheckResult => {
  const { name, version } = packageInfo()
  return ok('versions', `${name} ${version}, Node ${process.version}, ${platform()} ${arch()}`)
}

function listBundled(): CheckResult {
  const all = bundledPackages()
  const own = all.filter(({ imported }) => imported).map(({ name, version }) => `${name} ${version}`)
  return ok('bundled', `${own.join(', ')}; all ${all.length} are in THIRD-PARTY-NOTICES.md`)
}

const MB = 1024 ** 2
const LITTLE = 1024 * MB
const NONE = 50 * MB

/** Whether a folder can be written, or made, and how much room there is; `need` are the bytes that a run will want. */
async function checkDisk(what: string, path: string, need: number): Promise<CheckResult> {
  let there = resolve(path)
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there)
  const name = 'disk'
  try {
    await access(there, constants.W_OK | constants.X_OK)
    const { bavail, bsize } = await statfs(there)
    const free = bavail * bsize
    const text = `${what} ${path}: ${Math.floor(free / MB)} MB free`
    if (free < Math.max(NONE, need))
      return fail(name, 'FETTLE_OUTPUT_WRITE', text, { hint: 'Make room, or name another folder.' })
    return free < LITTLE ? warn(name, text, 'Make room before a long list.') : ok(name, text)
  } catch (error) {
    const text = `${what} ${path}: ${(error as Error).message}`
    return fail(name, 'FETTLE_OUTPUT_WRITE', text, { hint: 'Check permissions, or name another folder.' })
  }
}

const OLD_DAYS = 365
const DAY_MS = 86_400_000

/** What the embedded service would match against: the registers of the pipeline, or what a run without any uses. */
async function checkRegister(env: Env, planned: readonly PlannedRegister[] | null, now: number): Promise<CheckResult> {
  const name = 'register'
  const { listRegisters } = await import('../service/registers/index.ts')
  const infos = await listRegisters(findRegisterDir(findDataDir(env)))
  let registers = planned
  try {
    registers ??= (await findRegisters(env, wantedRegisters({ env, register: null }, null))).registers
  } catch (error) {
    if (!FettleError.is(error) || error.code !== 'FETTLE_REGISTER_NONE') throw error
    return warn(name, error.message, error.hint, error.action)
  }
  const own = infos.filter(info => registers.some(({ name, sha256 }) => name === info.name && sha256 !== null))
  if (own.length === 0) return ok(name, 'sample: invented companies')
  const text = own
    .map(info => `${info.name}: ${counted(info.companies, 'company', 'companies')} of ${info.snapshotDate}`)
    .join('; ')
  const isOld = own.some(({ snapshotDate }) => now - Date.parse(snapshotDate) > OLD_DAYS * DAY_MS)
  return isOld ? warn(name, text, 'More than a year old: import a newer one.') : ok(name, text)
}

function checkRuns(runsDir: string): CheckResult {
  const name = 'runs'
  const ids = listRunIds(runsDir)
  const lines = new Set(ids.map(id => parseRunId(id)!.line))
  const open = new Set([...lines].flatMap(line => openRunIds(runsDir, line)))
  const unfinished = ids.filter(id => open.has(id))
  const [newest] = unfinished
  if (newest === undefined)
    return ok(name, ids.length === 0 ? `none in ${runsDir}` : `${sizeWords(runsDir, ids)}, none unfinished`)
  const isDetached = isCollected(runsDir, newest)
  return warn(
    name,
    `${sizeWords(runsDir, ids)}, ${unfinished.length} unfinished: ${unfinished.slice(0, 5).join(', ')}`,
    `${isDetached ? 'Collect' : 'Resume'} the newest.`,
    action(isDetached ? 'collect' : 'resume', newest),
  )
}

/** `12 in fettle-runs with 3 MB, the oldest of 2026-01-31`: what `fettle runs prune` would have to remove. */
function sizeWords(runsDir: string, ids: readonly string[]): string {
  let size = 0
  for (const id of ids)
    for (const file of readdirSync(join(runsDir, id)))
      size += statSync(join(runsDir, id, file), { throwIfNoEntry: false })?.size ?? 0
  const oldest = new Date(Math.min(...ids.map(id => parseRunId(id)!.start))).toISOString().slice(0, 10)
  return `${ids.length} in ${runsDir} with ${Math.ceil(size / MB)} MB, the oldest of ${oldest}`
}
