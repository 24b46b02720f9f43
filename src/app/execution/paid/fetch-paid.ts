/**
 * Fetches the answers that an unfinished run has paid: from its jobs into the folder of answers. It needs neither the list of that run
 * nor its outputs. The run is as unfinished afterwards as before, and a kill meanwhile leaves it resumable.
 */
import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { counted } from '../../../counted.ts'
import { type ErrorCode, FettleError } from '../../../errors.ts'
import { takeLock } from '../../../files/process-lock.ts'
import { type Journal, openJournal, type RunState } from '../../../journal/index.ts'
import type { Clock } from '../../../model/requests.ts'
import { lineOf, type Plan } from '../../../pipeline/index.ts'
import { receivedPath } from '../../../results/file-names.ts'
import { isAsReceived } from '../../../results/index.ts'
import { keptAnswersPaths } from '../../../results/reuse/answer-keeper.ts'
import { keepPaidAnswers } from '../../../results/reuse/paid-answers.ts'
import { answeredJobs, checkAgainstSummary, isPaid, receivePaid } from '../../../run/index.ts'
import { dropClaims, type HeldLock, resumeClaim, sentQuestions, settleQuestions, withBeat } from '../../answers/claims.ts'
import { addToFolder, keepAnswers, scopeOf } from '../../answers/folder.ts'
import { DEFAULT_RUNTIME } from '../../env/runtime.ts'
import { lockPath, type RunDirectory, readRun, removeStaleRunFiles, runDirectory } from '../../runs/run-directory.ts'
import type { StorageOptions } from '../../staging/remote-files.ts'
import { createTakeoverGuard, type TakeoverGuard } from '../guard.ts'
import { openRunPorts } from '../ports.ts'
import { connectRun } from '../run-connection.ts'
import { recordOf } from '../run-recorder.ts'
import type { RunSettings } from '../run-settings.ts'

/** The run that wants the answers. */
export interface Fetching {
  readonly plan: Plan
  readonly settings: RunSettings
  readonly storage: StorageOptions
  /** The folder of answers. */
  readonly folder: string
  /** Of the lock of its pipeline. */
  readonly guard: TakeoverGuard
  readonly grace: AbortSignal
  readonly left: () => number
}

/** Answers that are stored now; or why there are none, null for a run that has paid nothing. */
export type Fetched = { readonly answers: number } | { readonly why: string | null }

/**
 * Throws what stops the run that wants the answers: a signal, its time limit, an error of the disk, and a service that cannot be
 * reached: nothing is asked of it twice then.
 */
export async function fetchPaid(runId: string, fetching: Fetching): Promise<Fetched> {
  const { settings, plan } = fetching
  const { clock } = settings.world ?? DEFAULT_RUNTIME
  const held: HeldLock[] = []
  try {
    const line = lineOf(readRun(settings.runsDir, runId).plan)
    let { guard } = fetching
    if (line !== lineOf(plan)) {
      const lock = takeLock(lockPath(settings.runsDir, line), clock.now.bind(clock))
      held.push(withBeat(lock))
      guard = createTakeoverGuard(lock, runId, clock.now.bind(clock))
    }
    // Others that ask the same wait for these answers.
    const claim = resumeClaim(fetching.folder, runId, { clock })
    if (claim !== null) held.push({ release: () => void claim.release(false) })
    const state = readRun(settings.runsDir, runId)
    if (!hasPaid(state)) return { why: null }
    const refused = state.reuse?.refused ?? refusalOf(state)
    if (refused !== null) return { why: refused }
    settings.observers?.emit('onNote', `fetching the answers that the run ${runId} has paid`)
    const directory = runDirectory(settings.runsDir, runId)
    const { answers, refusal } = await receiveAndStore(state, directory, { ...fetching, guard })
    if (refusal !== null) {
      const why = `${namePaid(state)}: ${refusal}`
      recordRefusal(directory, why, clock)
      return { why }
    }
    // What it has paid was stored before; the rest it has not paid.
    if (answers === 0) return { why: null }
    settings.observers?.emit(
      'onNote',
      `${counted(answers, 'answer')} of the run ${runId} ${answers === 1 ? 'is' : 'are'} known now`,
    )
    return { answers }
  } catch (error) {
    if (!FettleError.is(error) || settings.signal.aborted || !isOfThatRun(error)) throw error
    return { why: error.message }
  } finally {
    for (const one of held) one.release()
  }
}

/** A shard has stored its answers once it is merged. */
const hasPaid = ({ finished, plan, jobs }: RunState): boolean => (!finished || plan.shard !== undefined) && jobs.some(isPaid)

/** Whether an unfinished run of this folder has paid answers that it did not store. */
export function isFetchable(runsDir: string, runId: string): boolean {
  try {
    return hasPaid(readRun(runsDir, runId))
  } catch {
    return false
  }
}

/** The job, the directory or the lock of the other run: another attempt would end the same way, and a night must not depend on it. */
const isOfThatRun = ({ kind, code }: FettleError): boolean =>
  kind === 'rejected' || kind === 'denied' || kind === 'usage' || OF_THAT_RUN.has(code)

const OF_THAT_RUN: ReadonlySet<string> = new Set<ErrorCode>([
  'FETTLE_DEADLINE',
  'FETTLE_UNANSWERED',
  'FETTLE_DOWNLOAD_CUT',
  'FETTLE_LOCKED',
  'FETTLE_JOURNAL_DAMAGED',
  'FETTLE_RUN_EMPTY',
])

/** What the run itself refused, no other run adopts: the files are there, and their join ended the run. */
function refusalOf(state: RunState): string | null {
  const { error, jobs, outcomes } = state
  if (error?.kind !== 'rejected' || outcomes !== null) return null
  return jobs.every(({ received, failure }) => received !== null || failure !== null)
    ? `${namePaid(state)}: the run refused what came back: ${error.message}`
    : null
}

const namePaid = ({ jobs }: RunState): string =>
  jobs.flatMap(job => (isPaid(job) && job.id !== null ? [`job ${job.id}`] : [])).join(', ')

/** A refusal of the received file is one of its answers as well: a later attempt would end the same way. */
async function receiveAndStore(state: RunState, directory: RunDirectory, fetching: Fetching): Promise<Stored> {
  try {
    return await storePaid(await receive(state, directory, fetching), directory, fetching)
  } catch (error) {
    if (!FettleError.is(error) || (error.code !== 'FETTLE_LEDGER' && error.code !== 'FETTLE_CONTRACT')) throw error
    return { answers: 0, refusal: error.message }
  }
}

/** So that it is not fetched and judged again by every run. */
function recordRefusal(directory: RunDirectory, why: string, { now }: Pick<Clock, 'now'>): void {
  const journal = openJournal(directory.journal, now, 'existing')
  try {
    journal.append({ type: 'answers.refused', why })
  } finally {
    journal.close()
  }
}

/** Waits for the jobs that are paid, and receives their files. Returns the state of the run then. */
async function receive(
  before: RunState,
  directory: RunDirectory,
  { settings, storage, guard, grace, left }: Fetching,
): Promise<RunState> {
  if (before.jobs.filter(isPaid).every(({ received }) => received !== null)) return before
  const { plan, reuse } = before
  const { clock } = settings.world ?? DEFAULT_RUNTIME
  const now = clock.now.bind(clock)
  removeStaleRunFiles(directory)
  const journal = openJournal(directory.journal, now, 'existing')
  try {
    const record = recordOf(journal, guard, now)
    record.append({ type: 'run.resumed', pid: process.pid, host: hostname() })
    const { source, results } = openRunPorts(plan, directory, { root: settings.cwd }, storage)
    const connection = await connectRun({
      ...{ plan, directory, settings, source, results, grace, left, signal: settings.signal, isNeeded: true },
      facts: reuse?.list ?? {},
      onProgress: () => {},
      beforeEffect: async () => guard(),
      fetchByJob: () => Promise.reject(new TypeError('no company is fetched')),
    })
    try {
      const [changed] = connection.issues
      if (changed !== undefined) throw new FettleError('FETTLE_REJECTED', changed.message)
      await receivePaid({ recorder: record, ports: connection.ports })
    } finally {
      await connection.close().catch(() => {})
      endAsBefore(journal, before)
    }
    return readRun(settings.runsDir, before.runId)
  } finally {
    journal.close()
  }
}

/** What stopped the run is still the reason for which it is not finished. */
function endAsBefore(journal: Journal, { detached, status, exitCode, error }: RunState): void {
  if (detached) journal.append({ type: 'run.detached' })
  else if (error !== null && exitCode !== null && status !== 'running')
    journal.append({ type: 'run.paused', status, exitCode, error })
}

/** What was stored, and why the answers of a job were not: null where all are. */
interface Stored {
  readonly answers: number
  readonly refusal: string | null
}

/** Stores the answers of the files that were received, of each job all that it answered or none. */
export async function storePaid(
  state: RunState,
  directory: RunDirectory,
  { settings, folder }: Pick<Fetching, 'settings' | 'folder'>,
): Promise<Stored> {
  const { plan, identity, runId, jobName, jobs } = state
  // Jobs after the first choice of a run must not replace what those before it answered.
  const choice = jobName.slice(`fettle-${runId}`.length)
  const { clock } = settings.world ?? DEFAULT_RUNTIME
  if (state.outcomes !== null && plan.shard === undefined) {
    await keepAnswers(directory, folder, clock.now())
    await dropClaims(folder, [runId])
    return { answers: plan.sent, refusal: null }
  }
  const scope = scopeOf(plan, identity)
  const answered = answeredJobs(state)
  const sent = sentQuestions(folder, runId, scope, plan.known?.bits ?? '')
  if (sent?.length !== plan.sent) return { answers: 0, refusal: 'which rows were sent, and in which order, is not recorded' }
  let answers = 0
  for (const job of jobs.filter(isPaid)) {
    const { part, received } = job
    const { from, rows } = plan.parts[part]!
    const questions = sent.slice(from, from + rows).filter(question => question !== null)
    if (questions.length === 0) continue
    const path = receivedPath(directory.path, part)
    if (received === null || !(await isAsReceived(path, received)))
      throw new FettleError('FETTLE_LEDGER', `the rows that came back are not there as they came: ${path}`)
    const ofJob = { ...state, jobs: [job], plan: { ...plan, sent: rows } }
    try {
      await keepPaidAnswers(plan, directory.path, {
        ...{ part, job: answered[part]!, scope, questions },
        accept: outcomes => checkAgainstSummary(outcomes, ofJob),
      })
    } catch (error) {
      if (!FettleError.is(error) || error.kind !== 'rejected') throw error
      return { answers, refusal: error.message }
    }
    const files = keptAnswersPaths(directory.path).map(({ kind, path }) => ({ kind: `${kind}${choice}-${part + 1}`, path }))
    await addToFolder(
      directory,
      folder,
      files.filter(({ path }) => existsSync(path)),
      clock.now(),
    )
    await settleQuestions(folder, runId, from, rows)
    answers += rows
  }
  return { answers, refusal: null }
}
