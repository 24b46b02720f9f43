/**
 * Finds runs among many: the runs of a series, the unfinished run, the last good run, the run of a run key. The folder shows which runs exist, the
 * journals how they are. `runs.jsonl` is a hint, so that a run costs the same with five kept runs and with thousands: a run writes a line for
 * each finished run that it has read. A line can exclude a run; one that fits is read. Readers never write it.
 */
import { appendFileSync, existsSync, readdirSync, type Stats, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { FettleError } from '../errors.ts'
import { writeAtomic } from '../files/atomic-file.ts'
import { readKeptText } from '../files/kept-files.ts'
import { sweepFolder } from '../files/stale-temp-files.ts'
import { type RunState, readStart } from '../journal/index.ts'
import { describeSeries, isMerge, isSameWork, nameLine, type Plan, type SeriesPlan } from '../pipeline/index.ts'
import {
  isBeforeJournal,
  isEnrichedFile,
  JOURNAL_FILE,
  PLAN_FILE,
  REVIEW_FILE,
  STAGE_FILES,
  STATES_FILE,
} from '../results/file-names.ts'
import {
  listRunIds,
  parseRunId,
  type RunDirectory,
  readRecorded,
  readRun,
  removeIfPossible,
  runDirectory,
} from './run-directory.ts'

/** What is known of a finished run without its journal. */
interface Known {
  readonly run: string
  /** Size and time of the journal. */
  readonly bytes: number
  readonly changedMs: number
  /** The names of its series, without and with the account. */
  readonly series: readonly [string, string]
  readonly fingerprint: string
  readonly status: string
  readonly runKeys: readonly string[]
  /** Its rows are kept, to compare others with. */
  readonly hasRows: boolean
  /** A later run has removed everything else that may go. */
  readonly isTidy: boolean
}

const indexPath = (runsDir: string): string => join(runsDir, 'runs.jsonl')

interface Index {
  readonly path: string
  readonly stats: Stats | undefined
  readonly lines: number
  readonly runs: ReadonlyMap<string, Known>
}

/** Of the last folder: one run looks several times. */
let last: Index | null = null

function readIndex(runsDir: string): Index {
  const path = indexPath(runsDir)
  const stats = statSync(path, { throwIfNoEntry: false })
  const isRead =
    last?.path === path && ['ino', 'size', 'mtimeMs'].every(key => last?.stats?.[key as 'ino'] === stats?.[key as 'ino'])
  if (!isRead) {
    const lines = readLines(path)
    last = { path, stats, lines: lines.length, runs: new Map(lines.flatMap(parseLine)) }
  }
  return last!
}

/** None where the file cannot be read: it is a hint. */
function readLines(path: string): string[] {
  try {
    return (readKeptText(path) ?? '').split('\n').filter(text => text !== '')
  } catch {
    return []
  }
}

/** None for a line that a kill has torn. */
function parseLine(text: string): [string, Known][] {
  try {
    const known = JSON.parse(text) as Known
    return [[known.run, known]]
  } catch {
    return []
  }
}

/** What is known of each run that has finished; null for any other, and for one whose end may have changed. */
export function knownRuns(runsDir: string): (id: string) => Known | null {
  const { runs } = readIndex(runsDir)
  return id => {
    const known = runs.get(id)
    if (known === undefined) return null
    // A review changes how a run ended, as long as what came back is kept.
    if (known.isTidy && known.status !== 'error') return known
    const found = statSync(runDirectory(runsDir, id).journal, { throwIfNoEntry: false })
    return found?.size === known.bytes && found.mtimeMs === known.changedMs ? known : null
  }
}

/** The runs that may have this run key, newest first. */
function runsOfKey(runsDir: string, runKey: string, isOfPipeline: (id: string) => boolean): string[] {
  const knownRun = knownRuns(runsDir)
  const quoted = JSON.stringify(runKey)
  return listRunIds(runsDir).filter(id => {
    const known = knownRun(id)
    if (known !== null) return known.runKeys.includes(runKey) && isOfPipeline(id)
    return isOfPipeline(id) && readKeptText(runDirectory(runsDir, id).journal)?.includes(quoted)
  })
}

/** Lines beyond one for each run, before the file is written again. */
const MOST_REPLACED = 1000

/** Adds what is known of finished runs; `ids`: all that are there. A hint that cannot be written is found again in the journals. */
async function remember(runsDir: string, added: readonly Known[], ids: readonly string[]): Promise<void> {
  const toText = (known: readonly Known[]): string => known.map(one => `${JSON.stringify(one)}\n`).join('')
  try {
    const { stats, lines } = readIndex(runsDir)
    // Opening a FIFO would never end.
    if (stats?.isFile() === false) return
    appendFileSync(indexPath(runsDir), `\n${toText(added)}`, { mode: 0o600 })
    if (lines <= ids.length + MOST_REPLACED) return
    const { runs } = readIndex(runsDir)
    await writeAtomic(indexPath(runsDir), toText(ids.flatMap(id => runs.get(id) ?? [])))
  } catch {
    // Other commands read the journals.
  }
}

/** A run of a series, with what is known of it; `fingerprint` is null for a journal without a readable first line, which may be of any series. */
interface SeriesRun {
  readonly id: string
  readonly fingerprint: string | null
  readonly known: Known | null
}

/** What runs are found by: a plan, and the account that it runs for, null where it is not known. */
export interface SeriesOwner {
  readonly plan: SeriesPlan
  readonly identity: string | null
}

/** The runs of a series, newest first. */
function* runsOfSeries(runsDir: string, { plan, identity }: SeriesOwner): Generator<SeriesRun> {
  const wanted = describeSeries(plan, identity).name
  const knownRun = knownRuns(runsDir)
  for (const id of listRunIds(runsDir, nameLine(plan))) {
    const known = knownRun(id)
    const start = known === null ? readStart(runDirectory(runsDir, id).journal) : null
    const series =
      start === null ? known?.series[identity === null ? 0 : 1] : describeSeries(start.plan, identity && start.identity).name
    if (series === undefined || series === wanted)
      yield { id, known, fingerprint: known?.fingerprint ?? start?.plan.fingerprint ?? null }
  }
}

/** The ids of the runs of a series that recorded a beginning, newest first, of those before the run `before`. */
export function* idsOfSeries(runsDir: string, owner: SeriesOwner, before?: string): Generator<string> {
  for (const { id, fingerprint } of runsOfSeries(runsDir, owner))
    if (fingerprint !== null && (before === undefined || id < before)) yield id
}

/** Reads the series of a run; null where its journal does not show it. */
export function seriesReader(runsDir: string): (id: string) => string | null {
  const knownRun = knownRuns(runsDir)
  return id => {
    const known = knownRun(id)
    const start = known === null ? readStart(runDirectory(runsDir, id).journal) : null
    return known?.series[1] ?? (start && describeSeries(start.plan, start.identity).name)
  }
}

/** The first of these runs that fits; runs whose journal cannot be read are passed over. */
export function findRun(runsDir: string, ids: Iterable<string>, fits: (state: RunState) => boolean): RunState | null {
  for (const id of ids) {
    try {
      const state = readRun(runsDir, id)
      if (fits(state)) return state
    } catch {
      // A damaged or empty journal is not a run to compare or continue with; `fettle status` names it.
    }
  }
  return null
}

const isGood = (status: string | undefined): boolean => status === 'success' || status === 'warn'

/** The last run of a series before `runId`, or of all, that came to a good end: what drift and changes are measured against. */
export function lastGoodRun(runsDir: string, owner: SeriesOwner, runId?: string): RunState | null {
  const mayBeGood = function* (): Generator<string> {
    for (const { id, known, fingerprint } of runsOfSeries(runsDir, owner))
      if (fingerprint !== null && (runId === undefined || id < runId) && (known === null || isGood(known.status))) yield id
  }
  return findRun(runsDir, mayBeGood(), ({ finished, status }) => finished && isGood(status))
}

/**
 * The run that decides whether a plan continues: the newest run of its series that does the same work, if it is unfinished; otherwise the
 * last run of the series. Throws FETTLE_JOURNAL_DAMAGED, FETTLE_JOURNAL_NEWER: a run that cannot be read may have a job, and must not be
 * followed by a silent fresh start.
 */
export function runToContinue(plan: Plan, identity: string | null, runsDir: string): RunState | null {
  let last: RunState | null = null
  for (const { id, fingerprint } of runsOfSeries(runsDir, { plan, identity })) {
    if (last !== null && fingerprint !== plan.fingerprint) continue
    const state = readRecorded(runsDir, id)
    if (state === null) continue
    if (isSameWork(state.plan, plan)) return last !== null && state.finished ? last : state
    last ??= state
  }
  return last
}

/** When the newest run of a pipeline with this run key started, in UTC; null without one. */
export function findStart(runsDir: string, pipeline: string, runKey: string): string | null {
  for (const id of runsOfKey(runsDir, runKey, name => parseRunId(name)?.pipeline === pipeline)) {
    const start = readStart(runDirectory(runsDir, id).journal)
    if (start?.runKey === runKey) return start.at
  }
  return null
}

/** Ends that another attempt of the same task does not change: after an error it starts again. */
const ENDED_WELL: readonly string[] = ['success', 'warn', 'fail', 'skipped']

/** The newest run of this key and account that has finished the same work, and that `isAlso` is true for; null for none. */
export function runOfKey(
  runsDir: string,
  { plan, identity, runKey }: { readonly plan: Plan; readonly identity: string; readonly runKey: string },
  isAlso: (state: RunState) => boolean = () => true,
): RunState | null {
  const fits = (state: RunState): boolean =>
    state.runKeys.includes(runKey) &&
    state.finished &&
    ENDED_WELL.includes(state.status) &&
    (isSameWork(state.plan, plan) || isMerge(state.plan, plan)) &&
    state.identity === identity &&
    isAlso(state)
  return findRun(
    runsDir,
    runsOfKey(runsDir, runKey, id => parseRunId(id)?.line === nameLine(plan)),
    fits,
  )
}

/** Files kept for a review: received rows, and rows to review. */
const isKeptForReview = (name: string): boolean => isEnrichedFile(name) || name === REVIEW_FILE || STAGE_FILES.includes(name)

/**
 * Removes what earlier runs of a pipeline left: files for a review, since only the newest run of a series is reviewed; rows, but for the
 * last good run before it, to compare with (`keepsRows`: for all); what killed processes left. The lock of the pipeline passed from each of
 * them to this run, so no process makes an earlier directory any more.
 */
export async function tidyRuns({ id, path }: RunDirectory, state: RunState, keepsRows: boolean): Promise<void> {
  const runsDir = dirname(path)
  const { plan, identity } = state
  const series = describeSeries(plan, identity).name
  const seen = [summariseRun(runsDir, state, false)]
  const knownRun = knownRuns(runsDir)
  const ids = listRunIds(runsDir)
  let needsRows = true
  for (const older of ids.filter(one => one < id)) {
    const known = knownRun(older)
    if (known?.isTidy && (!known.hasRows || keepsRows)) continue
    if (parseRunId(older)?.line !== nameLine(plan)) continue
    const directory = runDirectory(runsDir, older)
    if (known === null && recordedNothing(directory)) {
      removeIfPossible(directory.path)
      continue
    }
    const run = known ?? knowIfFinished(runsDir, older)
    if (run === null || !run.isTidy) await sweepFolder(directory.path)
    if ((run?.series[1] ?? seriesIn(directory)) !== series) {
      if (run !== null && known === null) seen.push(run)
      continue
    }
    const rows = join(directory.path, STATES_FILE)
    if (!keepsRows && existsSync(rows)) {
      if (!needsRows) removeIfPossible(rows)
      needsRows &&= !isGood(run?.status)
    }
    if (run === null) continue
    // After an error its files are evidence.
    const kept = run.status === 'error' ? [] : readdirSync(directory.path).filter(isKeptForReview)
    for (const name of kept) removeIfPossible(join(directory.path, name))
    const now = { ...run, hasRows: existsSync(rows), isTidy: kept.every(name => !existsSync(join(directory.path, name))) }
    if (run !== known || run.isTidy !== now.isTidy || run.hasRows !== now.hasRows) seen.push(now)
  }
  await remember(runsDir, seen, ids)
}

function summariseRun(runsDir: string, { runId, plan, identity, status, runKeys }: RunState, isTidy: boolean): Known {
  const { path, journal } = runDirectory(runsDir, runId)
  const { size = 0, mtimeMs = 0 } = statSync(journal, { throwIfNoEntry: false }) ?? {}
  return {
    ...{ run: runId, bytes: size, changedMs: mtimeMs, status, runKeys: [...runKeys], fingerprint: plan.fingerprint },
    series: [describeSeries(plan, null).name, describeSeries(plan, identity).name],
    hasRows: existsSync(join(path, STATES_FILE)),
    isTidy,
  }
}

/** Null for a run that has not finished, and for one that cannot be read. */
function knowIfFinished(runsDir: string, id: string): Known | null {
  const state = findRun(runsDir, [id], ({ finished, runId }) => finished && runId === id)
  return state === null ? null : summariseRun(runsDir, state, false)
}

function seriesIn({ journal }: RunDirectory): string | null {
  const start = readStart(journal)
  return start === null ? null : describeSeries(start.plan, start.identity).name
}

/** What a run makes before its first line is recorded; nothing was sent until then. A journal on its way is of one restored. */
const isFirstFile = (name: string): boolean =>
  name === JOURNAL_FILE ||
  name === PLAN_FILE ||
  isBeforeJournal(name) ||
  (name.startsWith(`.${PLAN_FILE}.`) && name.endsWith('.tmp'))

/** Not a line, and no file that comes after the first one: a journal that was lost since leaves those behind. */
function recordedNothing({ id, path }: RunDirectory): boolean {
  try {
    if (!readdirSync(path).every(isFirstFile)) return false
    readRun(dirname(path), id)
    return false
  } catch (error) {
    return FettleError.is(error) && (error.code === 'FETTLE_RUN_EMPTY' || error.code === 'FETTLE_RUN_UNKNOWN')
  }
}
