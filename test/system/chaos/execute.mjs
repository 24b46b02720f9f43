/** Executes one command of a run with the modules of a build. Each run has its own clock with shortened waits. */
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

/** Real limits in place of a minute: a silence must not last longer than the rest of a run. */
const LIMITS = { connectMs: 1500, headersMs: 1500, uploadHeadersMs: 1500, bodyMs: 1500, idleMs: 1500, rateWindowMs: 1500 }

/** A clock that reads as if every sleep had lasted; really it lasts a hundredth, or a tenth for the patient. */
function clockOf(seed, isPatient) {
  const start = Date.now()
  let slept = 0
  let state = seed
  const longest = isPatient ? 400 : 25
  return {
    now: () => start + slept,
    monotonic: () => slept,
    async sleep(ms, signal) {
      await wait(Math.min(longest, ms / (isPatient ? 10 : 100)), undefined, { signal })
      slept += ms
    },
    // mulberry32
    random() {
      state = (state + 0x6d2b79f5) | 0
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
    },
  }
}

/** Loads a build; the result executes tasks, and never throws. */
export async function loadExecute(product) {
  const load = name => import(pathToFileURL(join(product, 'build', name)).href)
  const { listRunIds } = await load('runs/run-directory.js')
  const { loadRun } = await load('runs/run-queries.js')
  const { NO_OVERRIDES } = await load('prepare/read-pipeline.js')
  const { prepare } = await load('prepare/prepare.js')
  const { resumeRun, startRun } = await load('execution/start.js')
  const parts = { listRunIds, loadRun, NO_OVERRIDES, prepare, resumeRun, startRun }
  return task => execute(task, parts).catch(failed)
}

/** The newest run here that recorded anything. */
function lastState(runsDir, { listRunIds, loadRun }) {
  for (const id of listRunIds(runsDir)) {
    try {
      return loadRun(runsDir, id).state
    } catch (error) {
      if (error.code !== 'FETTLE_RUN_EMPTY' && error.code !== 'FETTLE_RUN_UNKNOWN') throw error
    }
  }
  return null
}

async function planOf(folder, env, { NO_OVERRIDES, prepare }) {
  const surroundings = { ...NO_OVERRIDES, env, cwd: folder, input: join(folder, 'in.csv') }
  const { plan, issues } = await prepare(join(folder, 'pipeline.yml'), surroundings)
  if (plan === null) throw new Error(issues.map(issue => issue.message).join('; '))
  return plan
}

async function execute({ folder, env, seed, isPatient, again }, parts) {
  const runsDir = join(folder, 'fettle-runs')
  const settings = {
    env,
    cwd: folder,
    runsDir,
    credentials: () => ({ username: env.FETTLE_USERNAME, password: env.FETTLE_PASSWORD }),
    args: { command: again, var: [] },
    timeoutMs: null,
    signal: new AbortController().signal,
    runtime: { clock: clockOf(seed, isPatient), connection: { limits: LIMITS } },
  }
  const last = lastState(runsDir, parts)
  // Nobody repeats the command of a run that came to its end: that would be a new one.
  const isResumed = last !== null && (again === 'resume' || last.finished)
  const { state, report } = isResumed
    ? await parts.resumeRun(last.runId, settings)
    : await parts.startRun(await planOf(folder, env, parts), settings, false)
  const { runId, finished, exitCode, error, jobs, issues: raised } = state
  return {
    runId,
    finished,
    exitCode: exitCode ?? -1,
    error: error === null ? null : `${error.code}: ${error.message}`,
    issues: raised.map(({ code, message }) => `${code}: ${message}`),
    jobId: jobs[0]?.id ?? null,
    totals: report.totals,
  }
}

const failed = error => ({ exitCode: error.exitCode ?? 70, error: `${error.code ?? 'unexpected'}: ${error.stack}` })
