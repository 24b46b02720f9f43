/**
 * The status of a run: from its journal, and for a detached run from one query to the service. It changes nothing, so any number
 * of processes may call it.
 */

import { type Env, findProxies, traceOf } from '../env/environment.ts'
import { DEFAULT_RUNTIME } from '../env/runtime.ts'
import { EXIT, FettleError } from '../errors.ts'
import type { RunState } from '../journal/index.ts'
import { credentialsOfRun } from '../prepare/resume-context.ts'
import { fetchJobStatuses, growInterval, type JobStatusEntry, withJitter } from '../run/index.ts'
import { readRun, runDirectory } from '../runs/run-directory.ts'
import { readStoredStatus } from '../runs/run-queries.ts'
import { createDeadline } from './deadline.ts'
import { openService } from './service-connection.ts'

export interface StatusOptions {
  readonly env: Env
  readonly cwd: string
  readonly runsDir: string
  readonly signal: AbortSignal
}

/** The status of a run. `code` is its exit code: 0 done, 75 in progress, otherwise the code of the run. */
export interface CurrentRunStatus {
  readonly state: RunState
  readonly code: number
  /** `finished`; `running` in a process; `waiting` for the service; `ready` to collect; `failed` at the service; or `stopped`, to be resumed. */
  readonly status: 'finished' | 'running' | 'waiting' | 'ready' | 'failed' | 'stopped'
  /** The process that runs it. */
  readonly carrier: { readonly pid: number; readonly host: string } | null
  /** The status of its jobs at the service, if it was queried. */
  readonly jobs: readonly JobStatusEntry[]
}

/** The status of a run now. Throws service errors. */
export async function getRunStatus(id: string, place: StatusOptions): Promise<CurrentRunStatus> {
  const state = readRun(place.runsDir, id)
  const { status, code, carrier } = readStoredStatus(place.runsDir, state)
  if (status !== 'detached') return { state, status, code: code ?? EXIT.retryable, carrier, jobs: [] }
  // The embedded service runs inside of `collect`: there is nothing to wait for.
  if (state.plan.service.kind === 'embedded') return { state, status: 'ready', code: EXIT.ok, carrier: null, jobs: [] }
  const found = await queryService(state, place)
  return { state, ...AT_SERVICE[found.status], carrier: null, jobs: found.jobs }
}

const AT_SERVICE = {
  going: { status: 'waiting', code: EXIT.retryable },
  failed: { status: 'failed', code: EXIT.rejected },
  ready: { status: 'ready', code: EXIT.ok },
} as const

async function queryService(state: RunState, { env, cwd, runsDir, signal }: StatusOptions) {
  const { plan, runId } = state
  const limit = createDeadline(signal, null, DEFAULT_RUNTIME.clock)
  try {
    const ready = await openService({
      service: plan.service,
      runtime: DEFAULT_RUNTIME,
      credentials: credentialsOfRun(state, { env, cwd }),
      env,
      register: plan.register ?? null,
      stateDir: runDirectory(runsDir, runId).service,
      attempts: plan.retry.attempts,
      traceparent: traceOf(env).traceparent,
      proxies: () => findProxies(env),
      onRetry: () => {},
      beforeEffect: () => {
        throw new FettleError('FETTLE_BUG', 'looking at a run must not change anything')
      },
      deadline: () => plan.poll.maxMs,
      stop: limit.signal,
    })
    const { service } = ready
    return await fetchJobStatuses(state, { service, clock: DEFAULT_RUNTIME.clock, ...limit }).finally(() => ready.close())
  } finally {
    limit.clear()
  }
}

/**
 * Reads the status until the run is no longer in progress, or for `timeoutMs` (the poll timeout of the pipeline if absent), and
 * returns it. `onLook` receives each status, and each error that a retry may fix.
 */
export async function watchRun(
  id: string,
  place: StatusOptions,
  timeoutMs: number | null,
  onLook: (look: CurrentRunStatus | FettleError) => void,
): Promise<CurrentRunStatus> {
  const { clock } = DEFAULT_RUNTIME
  const { plan } = readRun(place.runsDir, id)
  const until = clock.monotonic() + (timeoutMs ?? plan.poll.timeoutMs)
  let interval = plan.poll.everyMs
  for (;;) {
    const look = await getRunStatus(id, place).catch((error: unknown) => {
      place.signal.throwIfAborted()
      if (!FettleError.is(error) || error.kind !== 'retryable' || clock.monotonic() >= until) throw error
      return error
    })
    onLook(look)
    const isGoing = FettleError.is(look) || look.status === 'running' || look.status === 'waiting'
    if (!FettleError.is(look) && (!isGoing || clock.monotonic() >= until)) return look
    await clock.sleep(Math.max(0, Math.min(withJitter(interval, clock.random()), until - clock.monotonic())), place.signal)
    interval = growInterval(interval, plan.poll)
  }
}
