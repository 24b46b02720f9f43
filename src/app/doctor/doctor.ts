/** Checks everything a run needs, in the order of a run. Secrets are not shown. */

import { realClock } from '../../client/clock.ts'
import { counted } from '../../counted.ts'
import { action, ERRORS, errorOfIssues } from '../../errors.ts'
import { isAddress, type Plan, type PlannedService } from '../../pipeline/index.ts'
import { testNotice } from '../../report/index.ts'
import type { QueueConnectionOptions } from '../distributed/connection.ts'
import { type Credentials, dataDirOf, type Env, passwordFileWarning, proxiesOf } from '../env/environment.ts'
import { assertKnownOrigin, credentialsOf, isUntrusted } from '../env/trust.ts'
import { deliver } from '../observe/notify/deliver.ts'
import type { Receiver } from '../observe/notify/receivers.ts'
import { checkOutputsWritable } from '../prepare/check-outputs.ts'
import { NO_OVERRIDES } from '../prepare/context.ts'
import { prepare } from '../prepare/prepare.ts'
import { resolveService } from '../prepare/resolve-service.ts'
import { createRemoteInputs } from '../staging/receive.ts'
import { attempt, type CheckResult, fail, ok, warn } from './check-result.ts'
import { checkDisk, checkRegister, checkRuns, checkVersion } from './machine.ts'
import { checkNetwork } from './network.ts'
import { checkRunKey, checkSettings } from './settings.ts'

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
  const found = [checkVersion(), ...(await checkSettings(env)), await checkRunKey(env)]
  const { plan, credentials, receivers, findings } = await pipelineFindings(options)
  const dataDir = dataDirOf(env)
  found.push(
    ...findings,
    ...(options.notify && !offline ? await checkReceivers(receivers, options) : []),
    await checkDisk('runs', runsDir, 3 * (plan?.input.bytes ?? 0)),
    await checkDisk('data', dataDir, 0),
    checkRuns(runsDir),
    ...(options.queue === null || offline ? [] : await checkQueueConnection(options.queue, env)),
  )
  let service: PlannedService | null = null
  const resolved = await attempt('service', () => {
    service = plan?.service ?? resolveService(options, { service: null })
    return ok('service', service.kind === 'embedded' ? 'embedded: needs neither login nor network' : service.url)
  })
  found.push(resolved)
  const reached = service as PlannedService | null
  if (reached?.kind === 'embedded')
    found.push(await attempt('register', () => checkRegister(env, plan?.register ?? null, realClock.now())))
  if (reached?.kind !== 'remote') return found
  const origin = await attempt('service', () => {
    assertKnownOrigin(reached, env, options.service)
    return ok('service', '')
  })
  if (origin.status === 'fail') return [...found, origin]
  let own: Credentials | null = null
  found.push(
    await attempt('credentials', () => {
      own = plan === null || credentials === null ? credentialsOf(env, reached, {}, options.service) : credentials()
      return ok('credentials', 'user name and password are set')
    }),
  )
  if (offline) return [...found, ok('network', 'left alone')]
  // An invalid proxy is already reported with the settings.
  const way = await attempt('proxy', () => {
    proxiesOf(env)
    return ok('proxy', '')
  })
  if (way.status === 'fail') return found
  return [
    ...found,
    ...(await checkNetwork({ service: reached, proxies: proxiesOf(env), credentials: own, signal: options.signal })),
  ]
}

/** One test message for each receiver, regardless of what it is sent messages about. */
async function checkReceivers(receivers: readonly Receiver[], { env, signal }: DoctorReport): Promise<CheckResult[]> {
  const name = 'notify'
  if (isUntrusted(env))
    return [warn(name, 'no test message was sent, because the pipeline is untrusted', ERRORS.FETTLE_UNTRUSTED.hint)]
  if (receivers.length === 0)
    return [
      warn(
        name,
        'the pipeline has no receiver with an address',
        'Write notify: [{ to: "${SLACK_URL}", as: slack }], and set the variable.',
      ),
    ]
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

interface OfPipeline {
  readonly plan: Plan | null
  /** For the service of the plan. */
  readonly credentials: (() => Credentials) | null
  readonly receivers: readonly Receiver[]
  readonly findings: readonly CheckResult[]
}

async function pipelineFindings({
  pipeline,
  env,
  cwd,
  runsDir,
  target,
  service,
  offline,
  signal,
}: DoctorReport): Promise<OfPipeline> {
  const none = { plan: null, credentials: null, receivers: [] }
  if (pipeline === null) return { ...none, findings: [] }
  let found: OfPipeline = { ...none, findings: [] }
  const finding = await attempt('pipeline', async () => {
    const { plan, issues, credentials, links, notify, release } = await prepare(pipeline, {
      ...NO_OVERRIDES,
      env,
      cwd,
      runsDir,
      target,
      service,
      isOffline: true,
      ...(offline ? {} : { elsewhere: createRemoteInputs({ env, keeps: false, signal }) }),
    })
    release()
    found = { plan, credentials, receivers: notify, findings: [] }
    const unread = plan === null ? issues.find(({ code }) => code === 'FETTLE_UNTRUSTED') : undefined
    if (unread !== undefined) return warn('pipeline', `${pipeline}: ${unread.message}`, unread.hint ?? '')
    if (offline && issues.every(one => one.severity !== 'error') && plan === null)
      return ok('pipeline', `${pipeline}: valid; its remote input was not read`)
    if (plan !== null && !offline && !isUntrusted(env) && hasFarOutput(plan))
      await checkOutputsWritable(plan, { env, cwd, links, signal })
    if (plan !== null) return ok('pipeline', `${pipeline}: ${counted(plan.rows, 'row')} of ${plan.input.path} can be sent`)
    const error = errorOfIssues(issues)
    const named = target === null ? [] : ['--target', target]
    return fail('pipeline', error.code, error.message, 'List all problems of the pipeline.', action('check', pipeline, ...named))
  })
  return { ...found, findings: [finding] }
}

/** Whether the Redis of a queue can be reached, and whether it keeps what it is given. */
async function checkQueueConnection(place: QueueConnectionOptions, env: Env): Promise<CheckResult[]> {
  const warning = passwordFileWarning(env, 'FETTLE_QUEUE_PASSWORD')
  const facts: CheckResult[] = warning === null ? [] : [warn('queue', warning, 'Only you should be able to read it.')]
  const reached = await attempt('queue', async () => {
    const { queueFacts } = await import('../../queue/index.ts')
    const { withQueue } = await import('../distributed/connection.ts')
    return withQueue(place, env, async connected => {
      for (const { status, text, hint } of await queueFacts(connected))
        facts.push(
          status === 'ok'
            ? ok('redis', text)
            : status === 'warn'
              ? warn('redis', text, hint)
              : fail('redis', 'FETTLE_QUEUE_SETTINGS', text, hint),
        )
      return ok('queue', `${place.name} at ${connected.address.url}`)
    })
  })
  return [reached, ...facts]
}
