/**
 * What a run does first about unfinished runs of its series, which have a different list: it receives and keeps what they have paid, and takes
 * the place of those that have not paid for all their rows. It needs neither their lists nor their outputs.
 */
import { hostname } from 'node:os'
import { counted } from '../counted.ts'
import { type ErrorCode, FettleError, type Issue, issue } from '../errors.ts'
import { type Journal, openJournal, type RunState, UNKNOWN } from '../journal/index.ts'
import { describeSeries } from '../pipeline/index.ts'
import { lostParts } from '../results/index.ts'
import { type AnswerFolder, askedIn, scopeFolders, settleIn, type Waiting } from '../reuse/answer-folder.ts'
import { AnswerSink, addProved, draftPaths } from '../reuse/answer-sink.ts'
import { readChoice } from '../reuse/files/choice.ts'
import { keepSearches } from '../reuse/searches.ts'
import { answersFolder, findFit, foldersOfRun, keepFit, SEARCH_KINDS } from '../reuse/settings.ts'
import { answeredJobs, checkAgainstSummary, isPaid, isUnpaid, receivePaid, recordError } from '../run/index.ts'
import { writeReports } from '../runs/report-files.ts'
import { type RunDirectory, readRun, removeStaleRunFiles, runDirectory } from '../runs/run-directory.ts'
import { lacksReports, reportOfRun } from '../runs/run-queries.ts'
import { settleCredits } from '../spending/spending.ts'
import { openRunPorts } from './ports.ts'
import { connectRun } from './run-connection.ts'
import { createRecord } from './run-recorder.ts'
import type { Attempt } from './run-settings.ts'

export interface Received {
  readonly issues: readonly Issue[]
  /** Runs whose paid answers are not those to their rows, or are gone, and why. */
  readonly refused: ReadonlyMap<string, string>
  /** Gives up what they have paid, once that is named. */
  readonly giveUp: () => Promise<void>
}

/** Throws what stops the run: a signal, its time limit, an error of the disk, and a service that cannot be reached: nothing is asked twice then. */
export async function settleEarlierRuns(attempt: Attempt): Promise<Received> {
  const { settings } = attempt
  const { state } = attempt.record
  const answers = answersFolder(settings, state.args)
  const asked = new Set(scopeFolders(answers).flatMap(askedIn))
  asked.delete(state.runId)
  const issues: Issue[] = []
  const refused = new Map<string, string>()
  for (const id of [...asked].sort()) {
    const earlier = readOfSeries(id, attempt)
    if (earlier === null) continue
    const { answers: count, why } = await settleRun(earlier, attempt, answers)
    if (why !== null) refused.set(id, why)
    if (count > 0)
      issues.push(
        issue('FETTLE_ANSWERS_FETCHED', `${counted(count, 'answer')} that the run ${id} had paid: fetched from its jobs`, {
          severity: 'info',
        }),
      )
  }
  const giveUp = async (): Promise<void> => {
    for (const id of refused.keys()) for (const folder of scopeFolders(answers)) await settleIn(folder, [id])
  }
  return { issues, refused, giveUp }
}

/** An earlier run of the series that chose its rows; null for any other, for one that `collect` finishes, and for one that cannot be read. */
function readOfSeries(id: string, { record: { state }, settings }: Attempt): RunState | null {
  try {
    const earlier = readRun(settings.runsDir, id)
    const isOfSeries = describeSeries(earlier.plan, earlier.identity).name === describeSeries(state.plan, state.identity).name
    return isOfSeries && earlier.plan.known !== undefined && !earlier.detached ? earlier : null
  } catch (error) {
    if (FettleError.is(error)) return null
    throw error
  }
}

interface Settled {
  readonly answers: number
  /** Why what it has paid is not used; null where it is, and where it has paid nothing. */
  readonly why: string | null
}

async function settleRun(earlier: RunState, attempt: Attempt, answers: string): Promise<Settled> {
  const { settings, waiting, now } = attempt
  const directory = runDirectory(settings.runsDir, earlier.runId)
  const { asked } = foldersOfRun(answers, earlier, now)
  for (const kind of SEARCH_KINDS) await keepSearches(kind, earlier, directory, { answers, now, waiting })
  // A shard has kept its answers once it is merged.
  const isOver = (earlier.finished && earlier.plan.shard === undefined) || earlier.reuse?.isKept === true
  if (isOver) {
    // A kill may have come between the end of the run and its reports.
    if (earlier.finished && lacksReports(earlier, settings.runsDir)) await conclude(earlier.runId, directory, attempt)
    await asked.settle([earlier.runId])
    return { answers: 0, why: earlier.reuse?.refused ?? null }
  }
  const { jobs, plan } = earlier
  const paid = jobs.filter(isPaid)
  const found = paid.length === 0 ? { answers: 0, why: null } : await adopt(earlier, directory, attempt, answers)
  if (!earlier.finished && plan.enrich !== null && jobs.some(isUnpaid)) await supersede(earlier, directory, attempt)
  // What is refused is named once the rows are chosen.
  if (found.why === null) await asked.settle([earlier.runId])
  return found
}

async function adopt(earlier: RunState, directory: RunDirectory, attempt: Attempt, answers: string): Promise<Settled> {
  const { settings, waiting, now } = attempt
  const note = (text: string): void => settings.observers?.emit('onNote', text)
  const before = earlier.reuse?.refused ?? findRefusal(earlier)
  if (before !== null) return { answers: 0, why: before }
  note(`fetching the answers that the run ${earlier.runId} has paid`)
  let refusal: string | null = null
  let count = 0
  let isReceived = false
  try {
    const state = await receive(earlier, directory, attempt)
    isReceived = true
    const { kept } = foldersOfRun(answers, state, now)
    count = await keepPaid(state, directory, kept, waiting)
    await keepFit(answers, state)
  } catch (error) {
    if (!FettleError.is(error) || settings.signal.aborted) throw error
    if (!OF_THAT_JOB.has(error.code) && !(isReceived && error.kind === 'rejected')) throw explained(error, earlier, directory)
    refusal = `${namePaid(earlier)}: ${error.message}`
  }
  if (refusal !== null) {
    record(directory, attempt, journal => journal.append({ type: 'answers.refused', why: refusal }))
    return { answers: 0, why: refusal }
  }
  note(`${counted(count, 'answer')} of the run ${earlier.runId} ${count === 1 ? 'is' : 'are'} known now`)
  return { answers: count, why: null }
}

/**
 * The job is gone or failed, or its file proves nothing: another attempt would end the same way. Anything else, such as a wrong password or
 * a slow job, stops the run: the rows would be paid again.
 */
const OF_THAT_JOB: ReadonlySet<string> = new Set<ErrorCode>([
  ...(['FETTLE_NOT_FOUND', 'FETTLE_JOB_FAILED', 'FETTLE_JOB_STEP'] as const),
  ...(['FETTLE_FILE_FORM', 'FETTLE_FILE_COLUMNS', 'FETTLE_LEDGER', 'FETTLE_ROW_ORDER', 'FETTLE_JOURNAL_DAMAGED'] as const),
])

/** A job that is slow or cannot be fetched may stay so: the way out is named. An outage passes, and a setting can be corrected. */
function explained(error: FettleError, earlier: RunState, { path }: RunDirectory): FettleError {
  if (error.kind !== 'rejected' && error.code !== 'FETTLE_DEADLINE') return error
  const { code, message, hint, status, correlationId, unanswered, cause } = error
  return new FettleError(code, `fetching what the run ${earlier.runId} has paid (${namePaid(earlier)}): ${message}`, {
    ...{ status: status ?? undefined, correlationId: correlationId ?? undefined, unanswered, cause },
    hint: `${hint} To give its answers up and pay for them again, remove ${path}.`,
  })
}

/** What the run itself refused, no other run adopts: the files are there, and their join ended the run. */
function findRefusal(state: RunState): string | null {
  const { error, jobs, outcomes } = state
  if (error?.kind !== 'rejected' || outcomes !== null) return null
  return jobs.every(({ received, failure }) => received !== null || failure !== null)
    ? `${namePaid(state)}: the run refused what came back: ${error.message}`
    : null
}

const namePaid = ({ jobs }: RunState): string =>
  jobs.flatMap(job => (isPaid(job) && job.id !== null ? [`job ${job.id}`] : [])).join(', ')

function record<T>({ journal: path }: RunDirectory, { guard, now }: Attempt, write: (journal: Journal) => T): T {
  guard()
  const journal = openJournal(path, now, 'existing')
  try {
    return write(journal)
  } finally {
    journal.close()
  }
}

/** Waits for the jobs that are paid, and receives their files. Returns the state of the run then. */
async function receive(before: RunState, directory: RunDirectory, attempt: Attempt): Promise<RunState> {
  const paid = before.jobs.filter(isPaid)
  const lost = await lostParts(paid, directory.path)
  if (lost.length === 0 && paid.every(({ received }) => received !== null)) return before
  const { settings, storage, guard, limit, trace, now } = attempt
  const { plan } = before
  removeStaleRunFiles(directory)
  const journal = openJournal(directory.journal, now, 'existing')
  try {
    const recorder = createRecord(journal, guard, now)
    recorder.append({ type: 'run.resumed', pid: process.pid, host: hostname() })
    for (const part of lost) recorder.append({ type: 'file.lost', part })
    const { source, results } = openRunPorts(plan, directory, { root: settings.cwd }, storage)
    const connection = await connectRun({
      ...{ plan, directory, settings, limit, trace, source, results, isNeeded: true },
      fit: findFit(before) ?? {},
      onProgress: () => {},
      beforeEffect: async () => guard(),
      fetchByJob: () => Promise.reject(new TypeError('no company is fetched')),
    })
    try {
      await receivePaid({ recorder, ports: connection.ports })
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
function endAsBefore(journal: Journal, { finished, status, exitCode, error }: RunState): void {
  if (!finished && error !== null && exitCode !== null && status !== 'running')
    journal.append({ type: 'run.paused', status, exitCode, error })
}

/** Keeps the answers of the jobs that are paid: all of them or none. Returns their number. */
async function keepPaid(state: RunState, directory: RunDirectory, folder: AnswerFolder, waiting: Waiting): Promise<number> {
  const { plan, runId, jobs } = state
  const keys = readChoice(directory.path, plan.known!.choice, choice => choice.keys())
  const sink = new AnswerSink(plan, { runId, folder, workDir: directory.path }, answeredJobs(state))
  let answers = 0
  try {
    for (const job of jobs.filter(isPaid)) {
      const { part } = job
      const { rows } = plan.parts[part]!
      const ofJob = { ...state, jobs: [job], plan: { ...plan, sent: rows } }
      await addProved(sink, plan, directory.path, {
        ...{ part, keys },
        accept: outcomes => checkAgainstSummary(outcomes, ofJob),
      })
      answers += rows
    }
    await sink.publish()
  } finally {
    await sink.discard()
  }
  await folder.keep(runId, draftPaths(plan, directory.path), waiting)
  return answers
}

/** A resume of the run ends with this error, and names the run that took its place. */
async function supersede(earlier: RunState, directory: RunDirectory, attempt: Attempt): Promise<void> {
  const { runId } = attempt.record.state
  const message = `the run ${earlier.runId} had not paid for all its rows when the run ${runId} took its place`
  const error = new FettleError('FETTLE_SUPERSEDED', message)
  const ended = { outcomes: UNKNOWN, checks: [], error: recordError(error) }
  record(directory, attempt, journal =>
    journal.append({ type: 'run.finished', status: 'cancelled', exitCode: error.exitCode, ...ended }),
  )
  await conclude(earlier.runId, directory, attempt)
}

/** Settles what a run that has finished cost, and writes its reports. */
async function conclude(runId: string, directory: RunDirectory, { settings: { runsDir, runtime } }: Attempt): Promise<void> {
  const state = readRun(runsDir, runId)
  await settleCredits(runsDir, state, runtime.clock)
  await writeReports(directory, reportOfRun(runsDir, runId), state)
}
