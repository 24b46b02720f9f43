/** Starts a run in this process as the command line does, with a separate clock and separate connections. */

import { FettleError } from '../../../src/errors.ts'
import type { RunResult, RunSettings } from '../../../src/execution/run-settings.ts'
import { resumeRun, startRun } from '../../../src/execution/start.ts'
import type { RunEventInput } from '../../../src/journal/index.ts'
import { createDispatcher } from '../../../src/observe/reporters.ts'
import { prepare } from '../../../src/prepare/prepare.ts'
import { NO_OVERRIDES } from '../../../src/prepare/read-pipeline.ts'
import { findCurrentPipeline } from '../../../src/prepare/resume-context.ts'
import { listRunIds } from '../../../src/runs/run-directory.ts'
import { findRun } from '../../../src/runs/run-store.ts'
import type { FaultServer } from '../../../src/testing/fault-server.ts'
import { CellClock } from './clock.ts'
import { type BadConnections, type Connections, openConnections } from './connections.ts'
import type { Folder } from './scene.ts'

/** How a start ended. */
export interface Ended {
  /** The exit code, or the signal that ended it. */
  readonly exit: number | string
  readonly code: string | null
  /** The error with its cure. */
  readonly message: string
  /** Null when there was no run to tell of. */
  readonly result: RunResult | null
  /** Of a process: whether its result line is whole and says the same. */
  readonly hasLine?: boolean
}

/** One start. */
export interface Start {
  readonly clock: CellClock
  readonly connections: Connections
  readonly stop: AbortController
  /** Ends it as a signal would. */
  terminate(): void
  run(): Promise<Ended>
  resume(): Promise<Ended>
  close(): Promise<void>
}

/** What a start is given. */
export interface Conditions {
  readonly folder: Pick<Folder, 'path' | 'pipeline' | 'runsDir' | 'env'>
  readonly server: Pick<FaultServer, 'url' | 'pending'>
  readonly bad: BadConnections
  readonly isShort?: boolean
  readonly timeoutMs?: number | null
  readonly onFact?: (fact: RunEventInput) => void
  /** Called when the plan stands and nothing was sent. */
  readonly onPlanned?: () => void
}

/** Real limits of real sockets: generous, or so short that a drip ends soon. */
const LONG = {
  connectMs: 60_000,
  headersMs: 60_000,
  uploadHeadersMs: 60_000,
  bodyMs: 60_000,
  idleMs: 60_000,
  rateWindowMs: 60_000,
}
const SHORT = { ...LONG, headersMs: 1_500, uploadHeadersMs: 3_000, bodyMs: 1_500, idleMs: 300, rateWindowMs: 3_000 }

export function prepareStart({ folder, server, bad, isShort = false, timeoutMs = null, onFact, onPlanned }: Conditions): Start {
  const clock: CellClock = new CellClock(() => server.pending() === 0 && connections.pending() === 0, timeoutMs)
  const connections: Connections = openConnections(server.url, bad, clock.monotonic)
  const stop = new AbortController()
  const env = folder.env(server.url)
  const settings = (credentials: RunSettings['credentials']): RunSettings => ({
    env,
    cwd: folder.path,
    runsDir: folder.runsDir,
    credentials,
    args: {},
    timeoutMs,
    signal: stop.signal,
    runtime: { clock, connection: { dispatcher: connections.dispatcher, limits: isShort ? SHORT : LONG } },
    ...(onFact === undefined ? {} : { observers: createDispatcher([{ name: 'test', onEvent: onFact }]) }),
  })
  const run = async (): Promise<RunResult> => {
    const { plan, credentials, issues } = await prepare(folder.pipeline, { env, cwd: folder.path, ...NO_OVERRIDES })
    if (plan === null) throw new FettleError((issues[0]?.code ?? 'FETTLE_BUG') as 'FETTLE_BUG', issues[0]?.message)
    onPlanned?.()
    return startRun(plan, settings(credentials), false)
  }
  const resume = async (): Promise<RunResult> => {
    const state = findRun(folder.runsDir, listRunIds(folder.runsDir, 'conformance'), () => true)
    // Nothing was journalled: a scheduler's answer is the same command again.
    if (state === null) return run()
    if (state.finished)
      return resumeRun(
        state.runId,
        settings(() => ({ username: '', password: '' })),
      )
    const { credentials, live } = findCurrentPipeline(state, { env, cwd: folder.path })
    return resumeRun(state.runId, { ...settings(credentials), live })
  }
  return {
    clock,
    connections,
    stop,
    terminate: () => stop.abort(new FettleError('FETTLE_SIGTERM')),
    run: () => ended(run),
    resume: () => ended(resume),
    close: () => connections.close(),
  }
}

async function ended(act: () => Promise<RunResult>): Promise<Ended> {
  try {
    const result = await act()
    const { exitCode, error } = result.state
    return {
      exit: exitCode ?? 70,
      code: error?.code ?? null,
      message: error === null ? '' : `${error.message}\n${error.hint}`,
      result,
    }
  } catch (thrown) {
    if (!FettleError.is(thrown))
      return { exit: 70, code: 'not a FettleError', message: String((thrown as Error).stack ?? thrown), result: null }
    return { exit: thrown.exitCode, code: thrown.code, message: `${thrown.message}\n${thrown.hint}`, result: null }
  }
}
