/**
 * Run directories: `<runs-dir>/<runId>/` with a journal and the files of the run. Folders are 0700 and files 0600 regardless of
 * the umask, because journals contain paths and company names.
 */

import { randomBytes } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { action, FettleError } from '../errors.ts'
import { writeAtomic } from '../files/atomic-file.ts'
import { makeFolder } from '../files/durable.ts'
import { readKeptText } from '../files/kept-files.ts'
import { fold, type RunState, readJournal } from '../journal/index.ts'
import { isDeviceName, nearest, type ShardChoice } from '../pipeline/index.ts'
import { isBeforeJournal, JOURNAL_FILE, QUEUE_FILE } from '../results/file-names.ts'
import { findPruned, type RunSpending } from './pruned-runs.ts'

export { makeFolder } from '../files/durable.ts'

/** Checks a run id from a journal before it becomes part of a path. Throws FETTLE_JOURNAL_DAMAGED. */
export function checkRunId(id: unknown): string {
  if (typeof id === 'string' && parseRunId(id) !== null) return id
  throw new FettleError('FETTLE_JOURNAL_DAMAGED', 'the journal has no valid run id')
}

/**
 * A new run id: UTC start, pipeline, six random hex digits. `now` is milliseconds since 1970. Ids of a pipeline sort by start even
 * if the clock steps back: the start is at least one second after the newest id here.
 */
export function newRunId(runsDir: string, pipeline: string, now: number): string {
  const newest = parseRunId(listRunIds(runsDir, pipeline)[0] ?? '')
  const start = Math.max(now, newest === null ? now : newest.start + 1000)
  return `${new Date(start).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z-${pipeline}-${randomBytes(3).toString('hex')}`
}

/** Makes the folder of the runs, with a `.gitignore` for all of it: runs contain names and addresses. */
export function makeRunsFolder(runsDir: string): void {
  makeFolder(runsDir, { ignored: 'itself' })
}

/** Removes a file or folder that no run needs; one that stays is harmless. */
export function removeIfPossible(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // The next resume, or a person, removes it.
  }
}

/** Whether the run finished with success, or with warnings only. */
export function isGoodRun(runsDir: string, id: string): boolean {
  try {
    const { finished, status } = readRun(runsDir, id)
    return finished && (status === 'success' || status === 'warn')
  } catch {
    return false
  }
}

/** Removes temporary files that a kill left in a run directory. Call it while holding the lock, or when no process runs the pipeline. */
export function removeStaleRunFiles({ path }: RunDirectory): void {
  const names = existsSync(path) ? readdirSync(path) : []
  for (const name of names) if (/^\..+\.tmp$/.test(name)) removeIfPossible(join(path, name))
}

export interface RunDirectory {
  readonly id: string
  readonly path: string
  readonly journal: string
  readonly service: string
}

export const runDirectory = (runsDir: string, id: string): RunDirectory => {
  const path = join(runsDir, id)
  return { id, path, journal: join(path, JOURNAL_FILE), service: join(path, 'service') }
}

/** Makes the directory of a new run and points `latest` at it. Throws FETTLE_OUTPUT_WRITE. */
export async function makeRunDirectory(runsDir: string, id: string): Promise<RunDirectory> {
  const directory = runDirectory(runsDir, id)
  makeRunsFolder(runsDir)
  // Ids are unique: an existing entry, above all a link, was made by another program.
  if (lstatSync(directory.path, { throwIfNoEntry: false }) !== undefined)
    throw new FettleError('FETTLE_OUTPUT_WRITE', `cannot make the folder ${directory.path}: something of that name is there`)
  makeFolder(directory.path)
  await writeAtomic(join(runsDir, 'latest'), `${id}\n`)
  return directory
}

/**
 * The lock file of a pipeline: one process runs it at a time. No pipeline is named with an underscore; Windows has no file named as a
 * device, such as `aux`.
 */
export const lockPath = (runsDir: string, pipeline: string): string =>
  join(runsDir, 'locks', isDeviceName(pipeline) ? `_${pipeline}` : pipeline)

/** Ids of the runs here, newest first; of one pipeline when it is named. */
export function listRunIds(runsDir: string, pipeline?: string): string[] {
  if (!existsSync(runsDir)) return []
  return readdirSync(runsDir)
    .filter(name => RUN_ID.test(name) && (pipeline === undefined || name.slice(17, -7) === pipeline))
    .sort()
    .reverse()
}

/** The newest run of each shard of a pipeline, cut into as many as the newest of all; none where there are no shards. */
export function newestShards(runsDir: string, pipeline: string): string[] {
  const found = listRunIds(runsDir).flatMap(id => {
    const { pipeline: name, shard } = parseRunId(id)!
    return shard === null || name !== pipeline ? [] : [{ id, ...shard }]
  })
  const ofNewest = found.filter(({ of }) => of === found[0]!.of)
  const newest = new Map(ofNewest.reverse().map(({ number, id }) => [number, id]))
  return [...newest.values()]
}

/**
 * The id of the run named: a whole id, the start of exactly one, a pipeline, or the latest if absent. `advice` precedes the hint where
 * there is no such run. Throws FETTLE_RUN_UNKNOWN.
 */
export function findRunId(runsDir: string, wanted: string | undefined, advice: string | null = null): string {
  const ids = listRunIds(runsDir)
  const unknown = (message: string, hint: string): FettleError =>
    new FettleError('FETTLE_RUN_UNKNOWN', message, {
      hint: advice === null ? hint : `${advice} ${hint}`,
      action: action('runs'),
    })
  if (wanted === undefined || wanted === 'latest') {
    const latest = latestId(runsDir) ?? ids[0]
    if (latest === undefined || !ids.includes(latest)) throw unknown(`no run in ${runsDir}`, 'List the runs.')
    return latest
  }
  if (!/^[A-Za-z0-9.-]+$/.test(wanted)) throw new FettleError('FETTLE_RUN_UNKNOWN', `"${wanted}" is not a run id`)
  const found = ids.includes(wanted) ? [wanted] : ids.filter(id => id.startsWith(wanted) || parseRunId(id)?.line === wanted)
  const [id] = found
  if (id === undefined) {
    const removed = findPruned(runsDir, wanted)
    if (removed !== null) throw wasRemoved(removed)
    const names = new Set(ids.map(one => parseRunId(one)!.line))
    const close = nearest(wanted, [...ids, ...names])
    throw unknown(`no run "${wanted}" in ${runsDir}`, close === null ? 'List the runs.' : `Did you mean ${close}? List the runs.`)
  }
  // A pipeline's name means its newest run; the beginning of an id must fit one only.
  if (found.length > 1 && parseRunId(id)?.line !== wanted)
    throw new FettleError('FETTLE_RUN_UNKNOWN', `"${wanted}" is the beginning of several runs: ${found.slice(0, 5).join(', ')}`)
  return id
}

const wasRemoved = ({ runId, prunedAt }: RunSpending): FettleError =>
  new FettleError('FETTLE_RUN_UNKNOWN', `the run ${runId} was removed on ${prunedAt?.slice(0, 10)}`, {
    hint: 'Its credits and jobs are known still. Compare its outputs with its record.',
    action: action('verify', runId),
  })

function latestId(runsDir: string): string | null {
  try {
    return readKeptText(join(runsDir, 'latest'))?.trim() ?? null
  } catch {
    return null
  }
}

/**
 * The state in the journal of a run. Throws as readJournal does, and FETTLE_RUN_EMPTY when the run recorded nothing and left no
 * other file.
 */
export function readRun(runsDir: string, id: string): RunState {
  const directory = runDirectory(runsDir, id)
  try {
    const state = fold(readJournal(directory.journal).events)
    if (state === null) throw new FettleError('FETTLE_RUN_EMPTY', `the run ${id} recorded nothing`)
    return state
  } catch (error) {
    throw explainUnread(error, directory)
  }
}

/** The state of a run; null when it recorded nothing. Throws FETTLE_JOURNAL_DAMAGED, FETTLE_JOURNAL_NEWER. */
export function readRecorded(runsDir: string, id: string): RunState | null {
  try {
    return readRun(runsDir, id)
  } catch (error) {
    if (FettleError.is(error) && (error.code === 'FETTLE_RUN_EMPTY' || error.code === 'FETTLE_RUN_UNKNOWN')) return null
    throw error
  }
}

export interface RunId {
  /** Milliseconds since 1970; 0 for a time that does not exist. */
  readonly start: number
  /** The pipeline, with the shard: `suppliers`, `suppliers.3-of-8`. */
  readonly line: string
  readonly pipeline: string
  readonly shard: ShardChoice | null
}

const RUN_ID = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-(([a-z0-9][a-z0-9-]*)(?:\.(\d+)-of-(\d+))?)-[0-9a-f]{6}$/

/** The parts of a run id, null for any other text. */
export function parseRunId(id: string): RunId | null {
  const match = RUN_ID.exec(id)
  if (match === null) return null
  const [, year, month, day, hour, minute, second, line = '', pipeline = '', number, of] = match
  return {
    start: Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) || 0,
    line,
    pipeline,
    shard: number === undefined ? null : { number: Number(number), of: Number(of) },
  }
}

/** Files that may be there before the journal is: the files of a list in a queue, and the results that a merge starts from. */
const isEarlyFile = (name: string): boolean => name === QUEUE_FILE || isBeforeJournal(name)

/** Whether a run without a journal has rows already: a list in a queue, or a merge that was interrupted. */
export const hasEarlyFiles = ({ path }: Pick<RunDirectory, 'path'>): boolean =>
  existsSync(path) && readdirSync(path).some(isEarlyFile)

/** Files that are written only after the journal has its first line; temporary files prove nothing. */
const signsIn = (path: string): string[] =>
  existsSync(path)
    ? readdirSync(path)
        .filter(name => name !== JOURNAL_FILE && !name.startsWith('.') && !isEarlyFile(name))
        .sort()
    : []

/** A run that cannot be read, as files of its directory. */
interface Unread {
  readonly id: string
  readonly path: string
  readonly journal: string
}

/**
 * Explains why the journal of a run cannot be read: FETTLE_JOURNAL_DAMAGED, with the way out, also for an empty or missing journal
 * beside files of a started run; any other error unchanged.
 */
function explainUnread(error: unknown, { id, path, journal }: Unread): unknown {
  if (!FettleError.is(error)) return error
  const isEmpty = error.code === 'FETTLE_RUN_EMPTY'
  const signs = isEmpty || error.code === 'FETTLE_RUN_UNKNOWN' ? signsIn(path) : []
  if (error.code !== 'FETTLE_JOURNAL_DAMAGED' && signs.length === 0) return error
  const lost = `the journal ${journal} ${isEmpty ? 'has no whole line' : 'is missing'}, but the run began: its directory has ${signs.join(', ')}`
  return new FettleError('FETTLE_JOURNAL_DAMAGED', signs.length === 0 ? error.message : lost, {
    hint: `Without a backup, look for the job fettle-${id} at the service: a new run would create another, charged job. With a backup, restore ${journal}, then resume the run.`,
    action: action('resume', id),
    at: error.at ?? { file: journal, line: 1, column: 1 },
    cause: error,
  })
}
