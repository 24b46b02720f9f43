/**
 * Removes what is kept about a key: from finished runs, the folder of answers, decisions files and tables of reviews. What will be
 * removed is recorded first, so that the same command completes it after a kill. Facts about money stay.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { realClock } from '../client/clock.ts'
import { counted } from '../counted.ts'
import { action, FettleError } from '../errors.ts'
import { removeFile, writeAtomic } from '../files/atomic-file.ts'
import { fileDigest } from '../files/file-chunks.ts'
import { readKeptText } from '../files/kept-files.ts'
import { type Lock, takeLock } from '../files/process-lock.ts'
import { csvText } from '../formats/text-formats.ts'
import { AS_FOUND, inspect } from '../input/table/inspect.ts'
import { readRows } from '../input/table/records.ts'
import { digestContent, openJournal, type RunState, writeContents } from '../journal/index.ts'
import { isAddress, nameDecisionsFile, nameLine } from '../pipeline/index.ts'
import type { InputFacts } from '../pipeline/model/types.ts'
import { removeStates } from '../results/changes/row-states.ts'
import { APPLIED_FILE } from '../results/file-names.ts'
import { requireDecisions, writeDecisions } from '../results/index.ts'
import { removeReviewRows } from '../results/output/report-row.ts'
import { keyFingerprint, rowDigest } from '../results/row-fingerprint.ts'
import { lockIn, runsIn, scopeFolders } from '../reuse/answer-folder.ts'
import { companiesInAnswers, forgetAnswers, type IsOfRun, rowsInAnswers, type SearchedAbout } from '../reuse/forget-answers.ts'
import { ownEventsFile } from '../runs/event-store.ts'
import { withFolderLock } from '../runs/folder-lock.ts'
import { intentPath, isForgetting } from '../runs/forget-intent.ts'
import { writeReports } from '../runs/report-files.ts'
import { hasEarlyFiles, listRunIds, lockPath, parseRunId, readRecorded, readRun, runDirectory } from '../runs/run-directory.ts'
import { reportOfRun } from '../runs/run-queries.ts'
import { assertGone, traceRows } from './forget-check.ts'
import { forgetInContents, isOfRows } from './forget-contents.ts'
import {
  type FoundEntries,
  forgottenRows,
  hasCell,
  type Intent,
  isOfState,
  isWholeFile,
  type RunRows,
  rowsInRun,
} from './forget-scan.ts'

export interface ForgetOptions {
  readonly runsDir: string
  readonly cwd: string
  readonly key: string
  /** Only rows of this pipeline: another pipeline may use the same keys for other rows. */
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
  /** Runs that were searched, and runs of pipelines without `input.key`, which were not. */
  readonly runs: { readonly searched: number; readonly withoutKey: number }
}

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
  return withFolderLock(runsDir, '.removal', realClock, async () => {
    const locks: Lock[] = []
    try {
      if (!dryRun) lockRuns(options, locks)
      const completed = !dryRun && isForgetting(runsDir)
      if (completed) await perform(JSON.parse(readKeptText(intentPath(runsDir)) ?? 'null') as Intent, runsDir)
      const states = readStates(options)
      const folders = listAnswerFolders(options)
      // No run may choose rows by the answers or add some, also none of a different folder of runs.
      for (const folder of dryRun ? [] : folders) locks.push(takeLock(lockIn(folder), realClock.now))
      assertFinished(states, folders, options)
      const { scan, rows } = await scanRuns(states, folders, options)
      const runFiles = scan.flatMap(({ files }) => files)
      const companies = await companiesInAnswers(folders, { key, rows }, isOfPipeline(pipeline))
      const about = listSearches({ runs: scan.map(({ found }) => found), companies })
      const inAnswers = await forgetAnswers(folders, { key, rows }, about, { isOfRun: isOfPipeline(pipeline), dryRun: true })
      const answers = inAnswers.map((file): FoundEntries => ({ file: file.path, entries: file.answers }))
      const tables = await scanTables(options, scan)
      const all = [...runFiles, ...answers, ...tables]
      const found = all.map(({ file, entries }) => ({ file: relative(cwd, file) || file, entries }))
      const kept = [...(await listKept(scan, cwd, key)), ...(await listRejected(states, cwd, key))]
      const runs = { searched: states.length, withoutKey: states.filter(({ plan }) => plan.key === null).length }
      if (dryRun) return { found, kept, completed, runs }
      const intent: Intent = {
        ...{ id: randomBytes(8).toString('hex'), at: new Date(realClock.now()).toISOString(), key, pipeline },
        runs: scan.map(({ found }) => found),
        ...{ companies, rows: [...rows], answers: folders },
        tables: tables.map(({ file }) => file),
      }
      const traces = await traceRows(intent, states, runsDir)
      if (found.length > 0) {
        await writeAtomic(intentPath(runsDir), `${JSON.stringify(intent)}\n`)
        await perform(intent, runsDir)
      }
      await assertGone(traces, intent, states, runsDir)
      return { found, kept, completed, runs }
    } finally {
      for (const lock of locks) lock.release()
    }
  })
}

/** Takes the locks of all pipelines that have runs here: none of them may read or write its files meanwhile. */
function lockRuns(options: ForgetOptions, locks: Lock[]): void {
  const taken = new Set<string>()
  // A run may have started before its lock was taken.
  for (;;) {
    const lines = readStates({ ...options, pipeline: null }).map(({ plan }) => nameLine(plan))
    const line = lines.find(name => !taken.has(name))
    if (line === undefined) return
    locks.push(takeLock(lockPath(options.runsDir, line), realClock.now))
    taken.add(line)
  }
}

/** Throws FETTLE_FORGET for a run that may bring the row back: one that is not finished, and one of a different folder that has asked. */
function assertFinished(states: readonly RunState[], folders: readonly string[], { runsDir, pipeline }: ForgetOptions): void {
  const open = states.find(({ finished }) => !finished)
  if (open !== undefined)
    throw new FettleError('FETTLE_FORGET', `the run ${open.runId} is not finished, and may have the key`, {
      hint: 'Finish it first. A run that is never to be finished: remove its folder.',
      action: action('resume', open.runId),
    })
  const own = new Set(listRunIds(runsDir))
  for (const folder of folders)
    for (const { runId, path, isAtWork } of runsIn(folder, realClock.now)) {
      const isOther = pipeline !== null && parseRunId(runId)?.pipeline !== pipeline
      if (isOther || (own.has(runId) && !isAtWork)) continue
      throw new FettleError(
        'FETTLE_FORGET',
        `the run ${runId}, which shares the answers in ${folder}, is not finished, and may have the key`,
        { hint: `Finish it first, in its folder of runs. A run that is never to be finished: remove ${path ?? folder}.` },
      )
    }
}

/** The caller holds all locks. */
async function perform(intent: Intent, runsDir: string): Promise<void> {
  for (const run of intent.runs) if (existsSync(runDirectory(runsDir, run.runId).journal)) await forgetInRun(runsDir, run, intent)
  const row = { key: intent.key, rows: new Set(intent.rows) }
  await forgetAnswers(intent.answers, row, listSearches(intent), { isOfRun: isOfPipeline(intent.pipeline), dryRun: false })
  const about = linesAbout(intent.key, intent.runs)
  for (const path of intent.tables) {
    const table = await openRowTable(path, '')
    if (table !== null) await forgetInTable(table, about, true)
  }
  await removeFile(intentPath(runsDir))
}

/** Removes the rows of a key from the files of one finished run; repeating it after a kill completes it. `id` marks this removal in the journal. */
async function forgetInRun(runsDir: string, run: RunRows, { id, at, key }: Pick<Intent, 'id' | 'at' | 'key'>): Promise<void> {
  const directory = runDirectory(runsDir, run.runId)
  const { path } = directory
  const forgotten = forgottenRows(key, run)
  const { contents } = forgetInContents(directory.journal, forgotten)
  if (!readRun(runsDir, run.runId).forgotten.some(before => before.id === id)) {
    const journal = openJournal(directory.journal, () => Date.parse(at), 'existing')
    const digests = Object.fromEntries([...contents].map(([line, content]) => [line, digestContent(content)]))
    journal.append({ type: 'rows.forgotten', id, contents: digests })
    journal.close()
  }
  // A kill before this leaves the contents as they were, whose digests are in the journal as well.
  await writeContents(directory.journal, contents)
  await removeStates(path, state => isOfState(state, key, forgotten.fingerprints))
  await removeReviewRows(path, row => isOfRows(row, forgotten))
  const decisions = join(path, APPLIED_FILE)
  if (existsSync(decisions)) {
    const lines = (await requireDecisions(decisions)).filter(({ fingerprint }) => !forgotten.fingerprints.has(fingerprint))
    await writeDecisions(decisions, lines, { isShared: false })
  }
  for (const name of readdirSync(path).filter(isWholeFile)) await removeFile(join(path, name))
  // They are made from the journal, report.json last.
  await writeReports(directory, reportOfRun(runsDir, run.runId), readRun(runsDir, run.runId))
}

const listSearches = ({ runs, companies }: Pick<Intent, 'runs' | 'companies'>): SearchedAbout => ({
  companies: [...companies, ...runs.flatMap(run => run.companies)],
  names: runs.flatMap(({ cells }) => cells),
})

interface ScannedRun {
  readonly state: RunState
  readonly found: RunRows
  readonly files: readonly FoundEntries[]
}

/** A run that is just beginning has recorded nothing: it has asked nothing yet. Throws FETTLE_FORGET for one that has rows without a journal. */
const readStates = ({ runsDir, pipeline }: ForgetOptions): RunState[] =>
  listRunIds(runsDir).flatMap(id => {
    const state = readRecorded(runsDir, id)
    const name = state?.plan.name ?? parseRunId(id)?.pipeline
    if (pipeline !== null && name !== pipeline) return []
    if (state === null && hasEarlyFiles(runDirectory(runsDir, id)))
      throw new FettleError(
        'FETTLE_FORGET',
        `${id} is just beginning, a list in a queue, or a merge that did not end, and may have the key`,
        {
          hint: 'Collect it, or run the same command again, first. A list that is never to be collected: remove its folder.',
          action: action('collect', id),
        },
      )
    return state ?? []
  })

/** Scans until no run shows more of the rows: one that masks keys, or has none, is recognised by the cells of the others. */
async function scanRuns(
  states: readonly RunState[],
  folders: readonly string[],
  { runsDir, cwd, key, tables, pipeline }: ForgetOptions,
): Promise<{ readonly scan: readonly ScannedRun[]; readonly rows: ReadonlySet<string> }> {
  const known = {
    fingerprints: new Set(states.map(({ plan }) => keyFingerprint(plan, key)).filter(text => text !== '')),
    rows: await rowsInAnswers(folders, key, isOfPipeline(pipeline)),
    ...{ companies: new Set<string>(), cells: new Set<string>() },
  }
  for (const path of tables) {
    const table = await openRowTable(path, cwd)
    for (const fingerprint of table === null ? [] : await findFingerprints(table, key)) known.fingerprints.add(fingerprint)
  }
  const sizeOfKnown = (): number => Object.values(known).reduce((sum, { size }) => sum + size, 0)
  for (;;) {
    const before = sizeOfKnown()
    const scan: ScannedRun[] = []
    for (const state of states) {
      const run = await rowsInRun(state, runDirectory(runsDir, state.runId), key, known)
      if (run !== null) scan.push({ state, ...run })
    }
    for (const { found } of scan)
      for (const what of ['fingerprints', 'companies', 'cells'] as const) for (const text of found[what]) known[what].add(text)
    for (const fingerprint of known.fingerprints) known.rows.add(rowDigest(fingerprint).toString('hex'))
    if (sizeOfKnown() === before) return { scan, rows: known.rows }
  }
}

const isOfPipeline = (pipeline: string | null): IsOfRun =>
  pipeline === null ? null : run => parseRunId(run)?.pipeline === pipeline

/** The folders of answers of the runs, or the one that was named: one for each scope. */
function listAnswerFolders(options: ForgetOptions): string[] {
  const { runsDir, cwd, answersDir } = options
  if (answersDir !== null) return scopeFolders(resolve(cwd, answersDir))
  const named = readStates(options).flatMap(({ args }) => (typeof args['answers-dir'] === 'string' ? [args['answers-dir']] : []))
  return [...new Set([join(runsDir, 'answers'), ...named].map(folder => resolve(cwd, folder)))].flatMap(scopeFolders)
}

/** The decisions files of the pipelines, and the tables that were named. */
async function scanTables(options: ForgetOptions, scan: readonly ScannedRun[]): Promise<FoundEntries[]> {
  const { cwd, key, tables } = options
  for (const path of tables)
    if (!existsSync(resolve(cwd, path))) throw new FettleError('FETTLE_USAGE', `there is no file ${path}`)
  const about = linesAbout(
    key,
    scan.map(({ found }) => found),
  )
  const decisions = scan.flatMap(({ state: { plan } }) => [
    plan.decisions ?? nameDecisionsFile(plan.name),
    ...(plan.screen?.decisions === undefined ? [] : [plan.screen.decisions]),
  ])
  const found: FoundEntries[] = []
  for (const path of new Set([...decisions, ...tables].map(path => resolve(cwd, path)))) {
    const table = await openRowTable(path, cwd)
    const entries = table === null ? 0 : await forgetInTable(table, about, false)
    if (entries > 0) found.push({ file: path, entries })
  }
  return found
}

/** Outputs that are still as a run with the row wrote them, and the jobs of the runs. */
async function listKept(scan: readonly ScannedRun[], cwd: string, key: string): Promise<Forgotten['kept']> {
  const kept: Forgotten['kept'][number][] = []
  const isKey = (cell: string): boolean => cell === key
  for (const { state, found } of scan) {
    const { runId } = state
    const companies = new Set(found.companies)
    const isCompany = (cell: string): boolean => cell.split('|').some(id => companies.has(id))
    const keep = (path: string): void => {
      if (!kept.some(({ what, name }) => what === 'output' && name === path)) kept.push({ what: 'output', name: path, runId })
    }
    for (const { kind, path, sha256 } of state.outputs.filter(({ kind }) => kind !== 'rejects')) {
      const file = resolve(cwd, path)
      if (isAddress(path) || (await fileDigest(file)) !== sha256) continue
      // Only some rows are in a file of unmatched rows or of those to review.
      if (kind === 'output' || !path.endsWith('.csv') || (await hasCell(file, isKey))) keep(path)
    }
    const written = [state.plan.events?.output, state.plan.screen?.alerts].filter(path => path !== undefined)
    // Events have the reference of the row, alerts its company.
    for (const path of written.flatMap(path => [path, ownEventsFile(path, runId)]))
      if (await hasCell(resolve(cwd, path), cell => isKey(cell) || isCompany(cell))) keep(path)
    // The jobs of the embedded service end with the run.
    const jobs = state.plan.service.kind === 'embedded' ? [] : state.jobs
    for (const { id } of jobs) if (id !== null) kept.push({ what: 'job', name: id, runId })
  }
  return kept
}

/** Files of rows that could not be read, whose text has the key. A run may have no other row of it. */
async function listRejected(states: readonly RunState[], cwd: string, key: string): Promise<Forgotten['kept']> {
  const kept: Forgotten['kept'][number][] = []
  for (const { runId, outputs } of states)
    for (const { kind, path, sha256 } of outputs) {
      const file = resolve(cwd, path)
      if (kind !== 'rejects' || kept.some(({ name }) => name === path) || (await fileDigest(file)) !== sha256) continue
      if (await hasCell(file, cell => cell.includes(key))) kept.push({ what: 'output', name: path, runId })
    }
  return kept
}

interface LinesAbout {
  readonly key: string
  readonly fingerprints: ReadonlySet<string>
  readonly companies: ReadonlySet<string>
}

const linesAbout = (key: string, runs: readonly RunRows[]): LinesAbout => ({
  key,
  fingerprints: new Set(runs.flatMap(run => run.fingerprints)),
  companies: new Set(runs.flatMap(run => run.companies)),
})

/** A decisions file, or a table of a review. `companyAt`: of decisions about hits, which have no fingerprints of rows; else -1. */
interface RowTable {
  readonly path: string
  readonly facts: InputFacts
  readonly fingerprintAt: number
  readonly companyAt: number
  readonly keyAt: number
}

/** Null for a file that is not there or has no rows. Throws FETTLE_DECISIONS for any other table. */
async function openRowTable(path: string, cwd: string): Promise<RowTable | null> {
  const place = resolve(cwd, path)
  if (!existsSync(place)) return null
  const { facts, issues } = await inspect({ ...AS_FOUND, path: place }, { root: cwd })
  const error = issues.find(({ severity, code }) => severity === 'error' && code !== 'FETTLE_INPUT_EMPTY')
  if (error !== undefined) throw new FettleError('FETTLE_DECISIONS', error.message, { at: error.at })
  if (facts === null || facts.rows === 0) return null
  const header = (facts.header ?? []).map(name => name.trim().toLowerCase())
  const fingerprintAt = header.indexOf('fingerprint')
  const companyAt = fingerprintAt === -1 && header.includes('digest') ? header.indexOf('company') : -1
  if (fingerprintAt === -1 && companyAt === -1)
    throw new FettleError('FETTLE_DECISIONS', `${path} has no column fingerprint, so its rows are not known`)
  return { path: place, facts, fingerprintAt, companyAt, keyAt: header.indexOf('key') }
}

/** Fingerprints of the lines that name the key. */
async function findFingerprints({ facts, fingerprintAt, keyAt }: RowTable, key: string): Promise<string[]> {
  const found = new Set<string>()
  if (keyAt !== -1) for await (const row of readRows(facts)) if (row[keyAt] === key) found.add(row[fingerprintAt] ?? '')
  return [...found].filter(fingerprint => fingerprint !== '')
}

/** The number of lines about the rows; with `isRemoved` the file is written without them. Throws FETTLE_DECISIONS for a file that is not a CSV, FETTLE_OUTPUT_WRITE. */
async function forgetInTable(
  { path, facts, fingerprintAt, companyAt, keyAt }: RowTable,
  { key, fingerprints, companies }: LinesAbout,
  isRemoved: boolean,
): Promise<number> {
  const kept: string[][] = []
  let gone = 0
  for await (const row of readRows(facts))
    if (fingerprints.has(row[fingerprintAt] ?? '') || companies.has(row[companyAt] ?? '') || (keyAt !== -1 && row[keyAt] === key))
      gone++
    else kept.push(row)
  if (gone === 0) return 0
  if (facts.packed != null || !/\.(csv|tsv|txt)$/i.test(path) || facts.encoding !== 'utf-8')
    throw new FettleError(
      'FETTLE_DECISIONS',
      `${path} has ${counted(gone, 'line')} about the key, and is not a CSV file in UTF-8`,
      { hint: 'Remove these lines yourself, or save the file as CSV in UTF-8; then run the same command again.' },
    )
  if (!isRemoved) return gone
  const header = facts.header ?? []
  const style = { delimiter: facts.delimiter, lineEnd: facts.lineEnd === 'crlf' ? '\r\n' : '\n', columns: header.length }
  const mark = facts.bom ? '\ufeff' : ''
  await writeAtomic(path, mark + csvText([header, ...kept], style), { isShared: true })
  return gone
}
