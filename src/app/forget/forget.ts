/**
 * Removes what is kept about a key: from finished runs, the folder of answers, decisions files and tables of reviews. What will be
 * removed is recorded first, so that the same command completes it after a kill. Facts about money stay.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { realClock } from '../../client/clock.ts'
import { action, FettleError } from '../../errors.ts'
import { removeFile, writeAtomic } from '../../files/atomic-file.ts'
import { fileDigest } from '../../files/file-chunks.ts'
import { type Lock, takeLock } from '../../files/process-lock.ts'
import type { RunState } from '../../journal/index.ts'
import { decisionsFileOf, isAddress, lineOf } from '../../pipeline/index.ts'
import { companiesInAnswers, forgetAnswers, type SearchedAbout } from '../../results/reuse/forget-answers.ts'
import { listRunIds, lockPath, readRun, runDirectory } from '../runs/run-directory.ts'
import { withRemovalLock } from '../runs/spending.ts'
import { forgetInRun } from './forget-run.ts'
import { type FoundEntries, hasCell, type RunRows, rowsInRun } from './forget-scan.ts'
import { fingerprintsOfKey, forgetInTable, openRowTable, type RowTable } from './forget-table.ts'

export interface ForgetOptions {
  readonly runsDir: string
  readonly cwd: string
  readonly key: string
  /** Only rows of this pipeline: another one may use the same keys for other rows. */
  readonly pipeline: string | null
  readonly answersDir: string | null
  /** Tables of reviews, besides the decisions files of the pipelines. */
  readonly tables: readonly string[]
  readonly dryRun: boolean
}

export interface Forgotten {
  readonly found: readonly FoundEntries[]
  /** Files and remote jobs that have the row and are not changed, because they are not fettle's. */
  readonly kept: readonly { readonly what: 'output' | 'job'; readonly name: string; readonly runId: string }[]
  /** A removal that was interrupted before is complete now. */
  readonly completed: boolean
  /** Runs that were searched, and those of pipelines without `input.key`, which were not. */
  readonly runs: { readonly searched: number; readonly withoutKey: number }
}

/** What is being removed: a file of the runs folder while it is. */
interface Intent {
  readonly id: string
  readonly at: string
  readonly key: string
  readonly pipeline: string | null
  readonly runs: readonly RunRows[]
  /** Companies of answers, whose searches go. */
  readonly companies?: readonly string[]
  readonly lines: readonly string[]
  readonly answers: readonly string[]
  readonly tables: readonly string[]
}

const intentPath = (runsDir: string): string => join(runsDir, 'forget.json')

/** Whether a removal was interrupted. */
export const isForgetting = (runsDir: string): boolean => existsSync(intentPath(runsDir))

/**
 * Throws FETTLE_RUN_UNKNOWN without a folder of runs, FETTLE_LOCKED while a process uses the runs, FETTLE_FORGET while a run that may have the key is not finished,
 * FETTLE_JOURNAL_DAMAGED, FETTLE_DECISIONS for a table that cannot be changed, all before anything is removed; FETTLE_OUTPUT_WRITE.
 */
export async function forgetKey(options: ForgetOptions): Promise<Forgotten> {
  const { runsDir, cwd, key, pipeline, dryRun } = options
  if (!existsSync(runsDir))
    throw new FettleError('FETTLE_RUN_UNKNOWN', `there is no folder ${runsDir}`, {
      hint: 'Run it in the folder in which the runs were started, or name the folder of the runs.',
    })
  return withRemovalLock(runsDir, realClock, async () => {
    const completed = !dryRun && isForgetting(runsDir)
    if (completed) await perform(JSON.parse(readFileSync(intentPath(runsDir), 'utf8')) as Intent, runsDir)
    const states = statesOf(options)
    const keyed = states.filter(({ plan }) => plan.key !== null)
    const scan = await scanRuns(keyed, options)
    const runFiles = scan.flatMap(({ files }) => files)
    const answerFolders = foldersOf(options)
    const companies: string[] = []
    for (const folder of answerFolders) companies.push(...(await companiesInAnswers(folder, key, pipeline)))
    const about = searchedAbout({ runs: scan.map(one => one.found), companies })
    const answers: FoundEntries[] = []
    for (const folder of answerFolders)
      for (const one of await forgetAnswers(folder, key, about, { pipeline, dryRun: true }))
        answers.push({ file: one.path, entries: one.answers })
    const tables = await scanTables(options, scan)
    const found = [...runFiles, ...answers, ...tables].map(one => ({ ...one, file: relative(cwd, one.file) || one.file }))
    const kept = await keptOf(scan, cwd, key)
    if (!dryRun && found.length > 0) {
      const intent: Intent = {
        ...{ id: randomBytes(8).toString('hex'), at: new Date(realClock.now()).toISOString(), key, pipeline },
        runs: scan.map(({ found: one }) => one),
        companies,
        lines: [...new Set(scan.map(({ state }) => lineOf(state.plan)))],
        answers: answerFolders,
        tables: tables.map(({ file }) => file),
      }
      await perform(intent, runsDir, () => writeAtomic(intentPath(runsDir), `${JSON.stringify(intent)}\n`))
    }
    return { found, kept, completed, runs: { searched: keyed.length, withoutKey: states.length - keyed.length } }
  })
}

/** Holds the locks of the pipelines while it removes: no run of them may read or write the files meanwhile. */
async function perform(intent: Intent, runsDir: string, record = async (): Promise<void> => {}): Promise<void> {
  const locks: Lock[] = []
  try {
    for (const line of intent.lines) locks.push(takeLock(lockPath(runsDir, line), realClock.now))
    await record()
    for (const run of intent.runs)
      if (existsSync(runDirectory(runsDir, run.runId).journal)) await forgetInRun(runsDir, run, intent)
    for (const folder of intent.answers)
      await forgetAnswers(folder, intent.key, searchedAbout(intent), { pipeline: intent.pipeline, dryRun: false })
    const fingerprints = new Set(intent.runs.flatMap(run => run.fingerprints))
    for (const path of intent.tables) {
      const table = await openRowTable(path, '')
      if (table !== null) await forgetInTable(table, { key: intent.key, fingerprints }, true)
    }
    await removeFile(intentPath(runsDir))
  } finally {
    for (const lock of locks) lock.release()
  }
}

const searchedAbout = ({ runs, companies = [] }: Pick<Intent, 'runs' | 'companies'>): SearchedAbout => ({
  companies: [...companies, ...runs.flatMap(one => one.companies)],
  names: runs.flatMap(({ cells }) => cells),
})

interface ScannedRun {
  readonly state: RunState
  readonly found: RunRows
  readonly files: readonly FoundEntries[]
}

function statesOf({ runsDir, pipeline }: ForgetOptions): RunState[] {
  return listRunIds(runsDir).flatMap(id => {
    try {
      const state = readRun(runsDir, id)
      return pipeline === null || state.plan.name === pipeline ? [state] : []
    } catch (error) {
      if (FettleError.is(error) && error.code === 'FETTLE_RUN_EMPTY') return []
      throw error
    }
  })
}

async function scanRuns(states: readonly RunState[], { runsDir, cwd, key, tables }: ForgetOptions): Promise<ScannedRun[]> {
  const open = states.find(({ finished }) => !finished)
  if (open !== undefined)
    throw new FettleError('FETTLE_FORGET', `the run ${open.runId} is not finished, and may have the key`, {
      hint: 'Finish it first. A run that is never to be finished: remove its folder.',
      action: action('resume', open.runId),
    })
  const known = new Set<string>()
  for (const path of tables) {
    const table = await openRowTable(path, cwd)
    for (const fingerprint of table === null ? [] : await fingerprintsOfKey(table, key)) known.add(fingerprint)
  }
  const scan = async (): Promise<ScannedRun[]> => {
    const runs: ScannedRun[] = []
    for (const state of states) {
      const one = await rowsInRun(state, runDirectory(runsDir, state.runId), key, known)
      if (one !== null) runs.push({ state, ...one })
    }
    return runs
  }
  const first = await scan()
  const before = known.size
  for (const { found } of first) for (const fingerprint of found.fingerprints) known.add(fingerprint)
  // A run that masks its keys is recognised by the fingerprints of others.
  return known.size > before && first.length < states.length ? scan() : first
}

/** The folders of answers of the runs, or the one that was named. */
function foldersOf(options: ForgetOptions): string[] {
  const { runsDir, cwd, answersDir } = options
  if (answersDir !== null) return [resolve(cwd, answersDir)]
  const named = statesOf(options).flatMap(({ args }) => (typeof args['answers-dir'] === 'string' ? [args['answers-dir']] : []))
  return [...new Set([join(runsDir, 'answers'), ...named].map(folder => resolve(cwd, folder)))]
}

/** The decisions files of the pipelines, and the tables that were named. */
async function scanTables(options: ForgetOptions, scan: readonly ScannedRun[]): Promise<FoundEntries[]> {
  const { cwd, key, tables } = options
  for (const path of tables)
    if (!existsSync(resolve(cwd, path))) throw new FettleError('FETTLE_USAGE', `there is no file ${path}`)
  const fingerprints = new Set(scan.flatMap(({ found }) => found.fingerprints))
  const decisions = scan.map(({ state: { plan } }) => plan.decisions ?? decisionsFileOf(plan.name))
  const found: FoundEntries[] = []
  for (const path of new Set([...decisions, ...tables].map(one => resolve(cwd, one)))) {
    const table: RowTable | null = await openRowTable(path, cwd)
    const entries = table === null ? 0 : await forgetInTable(table, { key, fingerprints }, false)
    if (entries > 0) found.push({ file: path, entries })
  }
  return found
}

/** Outputs that are still as a run with the row wrote them, and the jobs of the runs. */
async function keptOf(scan: readonly ScannedRun[], cwd: string, key: string): Promise<Forgotten['kept']> {
  const kept: Forgotten['kept'][number][] = []
  for (const { state } of scan) {
    const { runId } = state
    const keep = (path: string): void => {
      if (!kept.some(({ what, name }) => what === 'output' && name === path)) kept.push({ what: 'output', name: path, runId })
    }
    for (const { kind, path, sha256 } of state.outputs) {
      const file = resolve(cwd, path)
      if (isAddress(path) || (await fileDigest(file)) !== sha256) continue
      // Only some rows are in a file of unmatched rows or of those to review.
      if (kind === 'output' || !path.endsWith('.csv') || (await hasCell(file, key))) keep(path)
    }
    const events = state.plan.events?.output
    if (events !== undefined && (await hasCell(resolve(cwd, events), key))) keep(events)
    // The jobs of the embedded service end with the run.
    const jobs = state.plan.service.kind === 'embedded' ? [] : [...(state.reuse?.left ?? []), ...state.jobs]
    for (const { id } of jobs) if (id !== null) kept.push({ what: 'job', name: id, runId })
  }
  return kept
}
