/**
 * Runs on disk: `<runs-dir>/<runId>/` with a journal and what is made from it. It knows names and places, not what a run does.
 * Folders are 0700 and files 0600, whatever the umask: journals hold paths and company names.
 */
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { action, FettleError } from '../../errors.ts'
import { writeAtomic } from '../../files/atomic-file.ts'
import { createFolders, syncFolderSync } from '../../files/durable.ts'
import { fold, type RunState, readJournal } from '../../journal/index.ts'
import { nearest } from '../../pipeline/index.ts'
import { explainUnread } from './lost-journal.ts'

const RUN_ID = /^\d{8}T\d{6}Z-([a-z0-9][a-z0-9-]*(?:\.\d+-of-\d+)?)-[0-9a-f]{6}$/

/** A run id that came from elsewhere, before a path is made of it. Throws FETTLE_JOURNAL_DAMAGED for what is none. */
export function checkRunId(id: unknown): string {
  if (typeof id === 'string' && RUN_ID.test(id)) return id
  throw new FettleError('FETTLE_JOURNAL_DAMAGED', 'the journal does not say of which run it is')
}

/** Whose run an id names: a pipeline, or a shard of one. Null for what is no id that a clock could give: others must still sort after it. */
export function lineOfRunId(id: string): string | null {
  const start = startOf(id)
  return RUN_ID.test(id) && start > 0 && start < FARTHEST ? (RUN_ID.exec(id)?.[1] ?? null) : null
}

/** The year 3000. */
const FARTHEST = Date.UTC(3000)

/**
 * A new run id: UTC start, pipeline, six random hex digits. `now` is milliseconds since 1970. Ids of a pipeline sort in the order
 * of their runs, whatever the clock does: one that would not come after the newest here is a second later than that.
 */
export function newRunId(runsDir: string, pipeline: string, now: number): string {
  const newest = listRunIds(runsDir, pipeline)[0]
  const start = Math.max(now, newest === undefined ? now : startOf(newest) + 1000)
  return `${new Date(start).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z-${pipeline}-${randomBytes(3).toString('hex')}`
}

/** The start that an id tells, in milliseconds since 1970. */
const startOf = (id: string): number =>
  Date.parse(id.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z.*$/, '$1-$2-$3T$4:$5:$6Z')) || 0

/** Makes a folder (0700) with those above it, to outlast a power cut. Throws FETTLE_OUTPUT_WRITE. */
export const makeFolder = (path: string): void => {
  try {
    const made = createFolders(resolve(path))
    // A folder that was there keeps the mode its owner gave it.
    if (made === undefined) return
    chmodSync(path, 0o700)
    for (let at = resolve(path); at.length >= made.length; at = dirname(at)) syncFolderSync(dirname(at))
  } catch (cause) {
    throw new FettleError('FETTLE_OUTPUT_WRITE', `cannot make the folder ${path}: ${(cause as Error).message}`, { cause })
  }
}

/** Removes what no run depends on; what stays harms nobody. */
export function removeIfPossible(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // The next resume, or a person, removes it.
  }
}

/** What is kept of a run for its review: the rows that came back, and those to decide about. */
const REVIEWED = /^(enriched-\d+\.csv|review\.jsonl)$/

/** Removes what earlier runs of the pipeline kept for their reviews: decisions are made about the newest, and hold for all. */
export function removeOldAnswers({ id, path }: RunDirectory, pipeline: string): void {
  const runsDir = dirname(path)
  for (const old of listRunIds(runsDir, pipeline).filter(one => one < id)) {
    const kept = readdirSync(join(runsDir, old)).filter(name => REVIEWED.test(name))
    if (kept.length > 0 && isOver(runsDir, old)) for (const name of kept) removeIfPossible(join(runsDir, old, name))
  }
}

/** At its end, and not by an error: then what it kept is evidence. */
function isOver(runsDir: string, id: string): boolean {
  try {
    const { finished, status } = readRun(runsDir, id)
    return finished && status !== 'error'
  } catch {
    return false
  }
}

/** Removes the temporary files that a kill left in the directory of a run; only for who carries it out, or when nobody does. */
export function removeStaleRunFiles({ path }: RunDirectory): void {
  const names = existsSync(path) ? readdirSync(path) : []
  for (const name of names) if (/^\..+\.tmp$/.test(name)) removeIfPossible(join(path, name))
}

/** The paths of one run. */
export interface RunDirectory {
  readonly id: string
  readonly path: string
  readonly journal: string
  /** State of the embedded service, when it carries out the run. */
  readonly service: string
}

/** The directory of a run, whether or not it is there. */
export const runDirectory = (runsDir: string, id: string): RunDirectory => {
  const path = join(runsDir, id)
  return { id, path, journal: join(path, 'journal.jsonl'), service: join(path, 'service') }
}

/** Makes the directory of a new run and points `latest` at it. Throws FETTLE_OUTPUT_WRITE. */
export async function makeRunDirectory(runsDir: string, id: string): Promise<RunDirectory> {
  const directory = runDirectory(runsDir, id)
  makeFolder(runsDir)
  // No id is given twice: whatever is there, a link above all, was put there by somebody else.
  if (lstatSync(directory.path, { throwIfNoEntry: false }) !== undefined)
    throw new FettleError('FETTLE_OUTPUT_WRITE', `cannot make the folder ${directory.path}: something of that name is there`)
  makeFolder(directory.path)
  await writeAtomic(join(runsDir, 'latest'), `${id}\n`)
  return directory
}

/** The lock that keeps two processes from carrying out one pipeline at once. */
export const lockPath = (runsDir: string, pipeline: string): string => join(runsDir, 'locks', pipeline)

/** Ids of the runs here, newest first; of one pipeline when it is named. */
export function listRunIds(runsDir: string, pipeline?: string): string[] {
  if (!existsSync(runsDir)) return []
  return readdirSync(runsDir)
    .filter(name => {
      const match = RUN_ID.exec(name)
      return match !== null && (pipeline === undefined || match[1] === pipeline)
    })
    .sort()
    .reverse()
}

/** The newest run of each shard of a pipeline, cut into as many as the newest of all; none where there are no shards. */
export function newestShards(runsDir: string, pipeline: string): string[] {
  const found = listRunIds(runsDir).flatMap(id => {
    const [, name, number, of] = /^\d{8}T\d{6}Z-([a-z0-9-]+)\.(\d+)-of-(\d+)-/.exec(id) ?? []
    return name === pipeline ? [{ id, number, of }] : []
  })
  const newest = new Map(
    found
      .filter(({ of }) => of === found[0]!.of)
      .map(({ number, id }) => [number, id] as const)
      .reverse(),
  )
  return [...newest.values()]
}

/**
 * The id that a person means: a whole id, the beginning of exactly one, or nothing for the latest. Throws FETTLE_RUN_UNKNOWN
 * for none, for several, and for anything that is not an id.
 */
export function findRunId(runsDir: string, wanted: string | undefined): string {
  const ids = listRunIds(runsDir)
  if (wanted === undefined || wanted === 'latest') {
    const latest = latestId(runsDir) ?? ids[0]
    if (latest === undefined || !ids.includes(latest)) throw new FettleError('FETTLE_RUN_UNKNOWN', `no run in ${runsDir}`)
    return latest
  }
  if (!/^[A-Za-z0-9.-]+$/.test(wanted)) throw new FettleError('FETTLE_RUN_UNKNOWN', `"${wanted}" is not a run id`)
  const found = ids.includes(wanted) ? [wanted] : ids.filter(id => id.startsWith(wanted) || RUN_ID.exec(id)?.[1] === wanted)
  const [id] = found
  if (id === undefined) {
    const names = new Set(ids.map(one => RUN_ID.exec(one)?.[1] ?? ''))
    const close = nearest(wanted, [...ids, ...names])
    const hint = close === null ? {} : { hint: `Did you mean ${close}? List the runs.`, action: action('runs') }
    throw new FettleError('FETTLE_RUN_UNKNOWN', `no run "${wanted}" in ${runsDir}`, hint)
  }
  // A pipeline's name means its newest run; the beginning of an id must fit one only.
  if (found.length > 1 && RUN_ID.exec(id)?.[1] !== wanted)
    throw new FettleError('FETTLE_RUN_UNKNOWN', `"${wanted}" is the beginning of several runs: ${found.slice(0, 5).join(', ')}`)
  return id
}

function latestId(runsDir: string): string | null {
  try {
    return readFileSync(join(runsDir, 'latest'), 'utf8').trim()
  } catch {
    return null
  }
}

/**
 * The state that the journal of a run tells. Throws FETTLE_RUN_EMPTY when nothing was recorded and nothing beside the journal
 * shows that the run began, and as readJournal does.
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

/**
 * The last run of a pipeline that recorded anything. Throws FETTLE_JOURNAL_DAMAGED, FETTLE_JOURNAL_NEWER: a run that cannot be
 * read may have a job, and must not be followed by a silent fresh start.
 */
export function lastRun(runsDir: string, pipeline: string): RunState | null {
  for (const id of listRunIds(runsDir, pipeline)) {
    try {
      return readRun(runsDir, id)
    } catch (error) {
      const recordedNothing = FettleError.is(error) && (error.code === 'FETTLE_RUN_EMPTY' || error.code === 'FETTLE_RUN_UNKNOWN')
      if (!recordedNothing) throw error
    }
  }
  return null
}

/** The newest run of a pipeline that fits; runs whose journal cannot be read are passed over. */
export function newestRun(runsDir: string, pipeline: string, fits: (state: RunState) => boolean): RunState | null {
  for (const id of listRunIds(runsDir, pipeline)) {
    try {
      const state = readRun(runsDir, id)
      if (fits(state)) return state
    } catch {
      // A damaged or empty journal is no run to compare or continue with; `fettle status` names it.
    }
  }
  return null
}
