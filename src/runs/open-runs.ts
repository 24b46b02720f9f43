/** Open runs of one name: which of them `status`, `resume`, `collect` and `review` mean, and which one the same command continues. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { action, FettleError } from '../errors.ts'
import { readKeptText } from '../files/kept-files.ts'
import { type RunState, readStart } from '../journal/index.ts'
import { describeSeries, isSameWork, type Plan } from '../pipeline/index.ts'
import { QUEUE_FILE } from '../results/file-names.ts'
import { shellCommand } from '../shell-command.ts'
import { findRunId, listRunIds, parseRunId, readRun, runDirectory } from './run-directory.ts'
import { knownRuns, runToContinue } from './run-store.ts'

/** As in a line of the journal; quotes inside of a value are escaped there. */
const DETACHED = '"type":"run.detached"'

const journalText = (runsDir: string, id: string): string => readKeptText(runDirectory(runsDir, id).journal) ?? ''

/** Whether the list of the run is in a queue, without a journal here. */
const isQueued = (runsDir: string, id: string): boolean =>
  !existsSync(runDirectory(runsDir, id).journal) && existsSync(join(runsDir, id, QUEUE_FILE))

/** What every record of a list in a queue has. */
export interface QueueRecord {
  readonly version: 1
  readonly identity: string
  /** Of the whole list. */
  readonly fingerprint: string
  /** The jobs of its shards, in their order. */
  readonly jobs: readonly string[]
}

/** The record of the run `id`, which exists until its shards are removed from the queue; null otherwise. Throws FETTLE_JOURNAL_DAMAGED. */
export function readQueueRecord(runsDir: string, id: string): QueueRecord | null {
  const file = join(runsDir, id, QUEUE_FILE)
  if (!existsSync(file)) return null
  try {
    const record = JSON.parse(readKeptText(file) ?? 'null') as QueueRecord
    if (record.version === 1 && Array.isArray(record.jobs)) return record
  } catch {}
  throw new FettleError('FETTLE_JOURNAL_DAMAGED', `cannot read ${file}: it does not name the shards in the queue`, {
    hint: 'Remove the folder and run the same command again: it finds the shards in the queue.',
  })
}

/**
 * Throws FETTLE_QUEUE where the rows of a plan are in a queue and not merged, as another run, or as shards of another number: they would be
 * paid again. Throws FETTLE_JOURNAL_DAMAGED for a record that cannot be read.
 */
export function assertNotQueued({ name, fingerprint }: Plan, identity: string, runsDir: string): void {
  const knownRun = knownRuns(runsDir)
  for (const id of listRunIds(runsDir, name)) {
    // A run that has finished is merged.
    if (knownRun(id) !== null) continue
    const record = readQueueRecord(runsDir, id)
    if (record?.fingerprint !== fingerprint || record.identity !== identity) continue
    if (isOpen(runsDir, id, ({ finished }) => !finished))
      throw openElsewhere(`the list is in a queue as the run ${id}`, 'collect', id)
  }
}

/** Throws FETTLE_QUEUE where a run of this machine has not finished the plan: its rows would be paid again by workers. */
export function assertNotStarted(plan: Plan, identity: string, runsDir: string): void {
  const last = runToContinue(plan, identity, runsDir)
  if (last !== null && !last.finished && isSameWork(last.plan, plan))
    throw openElsewhere(`the run ${last.runId} of the same list is not finished`, 'resume', last.runId)
}

const openElsewhere = (why: string, command: 'collect' | 'resume', id: string): FettleError =>
  new FettleError('FETTLE_QUEUE', `${why}: another run would pay for its rows again`, {
    hint: `${command === 'collect' ? 'Collect' : 'Resume'} it, or start a new run, which pays again.`,
    action: action(command, id),
  })

/** Whether `collect` finishes the run: it was detached, or its list is in a queue. */
export const isCollected = (runsDir: string, id: string): boolean =>
  isQueued(runsDir, id) || (existsSync(runDirectory(runsDir, id).journal) && journalText(runsDir, id).includes(DETACHED))

/**
 * The unfinished runs of a pipeline or shard, newest first: of each series the newest run, and each one that was detached or put into a
 * queue. One that was stopped and followed by another of its series is not among them.
 */
export function openRunIds(runsDir: string, line: string): string[] {
  const isNewest = newestOfSeries(runsDir)
  return listRunIds(runsDir, line).filter((id, at) => {
    if (isQueued(runsDir, id)) return true
    if (!existsSync(runDirectory(runsDir, id).journal)) return false
    return (isNewest(id, at) || journalText(runsDir, id).includes(DETACHED)) && isOpen(runsDir, id, ({ finished }) => !finished)
  })
}

/** Whether a run is the newest of its series, asked for runs of one name from the newest on. */
function newestOfSeries(runsDir: string): (id: string, at: number) => boolean {
  const followed = new Set<string>()
  return (id, at) => {
    const start = readStart(runDirectory(runsDir, id).journal)
    if (start === null) return at === 0
    const series = describeSeries(start.plan, start.identity).name
    return !followed.has(series) && followed.add(series) !== null
  }
}

/** A run that cannot be read is open: its name must not mean an earlier one. */
function isOpen(runsDir: string, id: string, fits: (state: RunState) => boolean): boolean {
  try {
    return fits(readRun(runsDir, id))
  } catch (error) {
    if (FettleError.is(error)) return error.code !== 'FETTLE_RUN_EMPTY'
    throw error
  }
}

const SUBMIT = shellCommand(action('run', 'PIPELINE', '--queue', 'URL'))
const ELSEWHERE = `A list that another folder put into a queue is known there only: repeat its command here (${SUBMIT} …).`

/**
 * The id of the run to look at or to finish: as findRunId, but the name of a pipeline means its unfinished run. Throws
 * FETTLE_RUN_UNKNOWN, and FETTLE_RUN_AMBIGUOUS when several are unfinished.
 */
export function findOpenRunId(runsDir: string, wanted: string | undefined): string {
  const id = findRunId(runsDir, wanted, ELSEWHERE)
  return parseRunId(id)?.line === wanted ? onlyOpen(wanted!, openRunIds(runsDir, wanted!), 'unfinished', id) : id
}

/**
 * The id of the run to review: as findRunId, but the name of a pipeline means the newest run of any series, if it is unfinished or
 * `hasReview`. Throws as findOpenRunId.
 */
export function findReviewId(runsDir: string, wanted: string | undefined, hasReview: (state: RunState) => boolean): string {
  const id = findRunId(runsDir, wanted)
  if (wanted === undefined || parseRunId(id)?.line !== wanted) return id
  const isNewest = newestOfSeries(runsDir)
  const open = listRunIds(runsDir, wanted)
    .filter((run, at) => existsSync(runDirectory(runsDir, run).journal) && isNewest(run, at))
    .filter(run => isOpen(runsDir, run, state => !state.finished || hasReview(state)))
  return onlyOpen(wanted, open, 'unfinished or have rows to review', id)
}

function onlyOpen(name: string, open: readonly string[], what: string, id: string): string {
  if (open.length < 2) return open[0] ?? id
  throw new FettleError('FETTLE_RUN_AMBIGUOUS', `${open.length} runs of ${name} are ${what}: ${open.join(', ')}`)
}
