/**
 * Checks the files of a run against each other: the chain of checksums of its journal, the report against the journal, every other
 * file against the report, the sums of the rows, and the decisions that were applied. It changes nothing.
 */

import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { counted } from '../../counted.ts'
import { FettleError, type Issue, issue } from '../../errors.ts'
import { fileDigest } from '../../files/file-chunks.ts'
import { readKeptText } from '../../files/kept-files.ts'
import {
  contentsEnd,
  contentsPath,
  contentsSize,
  fold,
  type JournalContent,
  knownSum,
  type RunState,
  readJournal,
} from '../../journal/index.ts'
import { isAddress, RUN_OUTPUT } from '../../pipeline/index.ts'
import { buildReport, RENDERERS, type Report, reportSchema } from '../../report/index.ts'
import {
  APPLIED_FILE,
  CONTENTS_FILE,
  isEnrichedFile,
  JOURNAL_FILE,
  QUEUE_FILE,
  ROWS_FILE,
  receivedPath,
  reviewPath,
} from '../../results/file-names.ts'
import { type Decision, isAsReceived, readReview, requireDecisions } from '../../results/index.ts'
import { isForgetting } from '../forget/forget.ts'
import { findPruned, prunedPath, type RunSpending, readPruned } from '../runs/pruned-runs.ts'
import { isSealIntact, isWorkFile } from '../runs/report-files.ts'
import { findRunId, listRunIds, parseRunId, type RunDirectory, readRun, runDirectory } from '../runs/run-directory.ts'

export interface Verified {
  readonly runId: string
  /** The checksum of the last line of the journal; null when the journal cannot be read. */
  readonly head: string | null
  readonly events: number
  /** When its files were removed; null while they are here. */
  readonly removedAt: string | null
  /** Files that were compared, relative to the run directory or the working directory. */
  readonly files: readonly string[]
  /** Each names a file, and the line where one is known. */
  readonly faults: readonly Issue[]
  readonly notes: readonly string[]
}

export interface VerifyOptions {
  readonly runsDir: string
  readonly cwd: string
  /** The head that a result line had; the journal must contain it. */
  readonly head?: string | null
}

function newFindings(): Findings {
  const faults: Issue[] = []
  const fault: Findings['fault'] = (file, why, line = null) => {
    faults.push(issue('FETTLE_VERIFY', `${file} ${why}`, { at: { file, line, column: null } }))
  }
  return { files: [], faults, notes: [], fault }
}

/** Throws FETTLE_RUN_UNKNOWN; everything else that is wrong is a fault. */
export async function verifyRun(
  wanted: string | undefined,
  { runsDir, cwd, head: expected = null }: VerifyOptions,
): Promise<Verified> {
  const findings = newFindings()
  const removed = await verifyRemoved(wanted, { runsDir, cwd, head: expected }, findings)
  if (removed !== null) return removed
  const directory = runDirectory(runsDir, findRunId(runsDir, wanted))
  const journal = readChain(directory, findings)
  const report = readSealed(directory, findings)
  const state = journal === null ? null : fold(journal.events)
  const heads = journal?.sums.heads ?? []
  if (journal !== null) {
    checkEnd(directory, journal, report, findings)
    checkForgotten({ directory, journal, runsDir, expected }, findings)
  }
  if (state !== null) {
    if (report !== null) compareFacts(directory, state, report, heads, findings)
    checkSums(directory, state, findings)
    if (state.finished && report === null && !existsSync(reportPath(directory)))
      findings.fault(reportPath(directory), 'is missing, and the run has finished')
    await verifyOutputs({ state, runsDir, cwd, id: directory.id }, findings)
  }
  await verifyRunFiles(directory, { state, report }, findings)
  if (state !== null) await verifyDecisions(directory, state, findings)
  return { runId: directory.id, head: heads.at(-1) ?? null, events: heads.length, removedAt: null, ...withoutAdder(findings) }
}

/** Of a run that was removed; null for one that is here. A record that cannot be read may be that of any other. */
async function verifyRemoved(
  wanted: string | undefined,
  place: { readonly runsDir: string; readonly cwd: string; readonly head: string | null },
  findings: Findings,
): Promise<Verified | null> {
  const { runsDir } = place
  if (wanted === undefined) return null
  const isHere = listRunIds(runsDir).some(id => id.startsWith(wanted) || parseRunId(id)?.line === wanted)
  const run = findPruned(runsDir, wanted)
  if (isHere && run?.runId !== wanted) return null
  const isWhole = verifyRecord(runsDir, findings)
  if (run === null && (isHere || isWhole)) return null
  if (run !== null) await verifyPruned(run, place, findings)
  const { runId = wanted, journal = null, prunedAt = null } = run ?? {}
  return { runId, head: journal, events: 0, removedAt: prunedAt, ...withoutAdder(findings) }
}

const withoutAdder = ({ files, faults, notes }: Findings) => ({ files: [...new Set(files)], faults, notes })

const reportPath = ({ path }: RunDirectory): string => join(path, RENDERERS.json.file)

function readChain({ journal, id }: RunDirectory, { files, fault }: Findings): JournalContent | null {
  files.push(journal, ...[contentsPath(journal)].filter(existsSync))
  try {
    const content = readJournal(journal)
    const state = fold(content.events)
    if (state === null) fault(journal, 'has no whole line')
    else if (state.runId !== id) fault(journal, `is that of the run ${state.runId}`, 1)
    return content
  } catch (error) {
    if (!FettleError.is(error)) throw error
    if (error.code === 'FETTLE_RUN_UNKNOWN') fault(journal, 'is missing')
    else fault(error.at?.file ?? journal, `cannot be read: ${error.message}`, error.at?.line ?? null)
    return null
  }
}

interface Chain {
  readonly directory: RunDirectory
  readonly journal: JournalContent
  readonly runsDir: string
  readonly expected: string | null
}

function checkForgotten({ directory, journal, runsDir, expected }: Chain, { fault, notes }: Findings): void {
  const forgotten = fold(journal.events)?.forgotten ?? []
  for (const { at } of forgotten) notes.push(`a row of it was forgotten on ${at.slice(0, 10)}`)
  if (isForgetting(runsDir)) notes.push('the removal of a row was interrupted: the same command completes it')
  if (expected !== null && !journal.sums.heads.includes(expected))
    fault(directory.journal, `has no line with the checksum ${expected}`)
}

/** A torn last line is what a kill leaves behind, but not under the report of a finished run. */
function checkEnd({ journal }: RunDirectory, content: JournalContent, report: Report | null, { fault, notes }: Findings): void {
  const { length } = content.events
  for (const [path, isWhole] of [
    [journal, statSync(journal).size === content.wholeBytes],
    [contentsPath(journal), contentsSize(journal) === contentsEnd(journal, length)],
  ] as const) {
    if (isWhole) continue
    if (report !== null && report.exitCode !== null) fault(path, 'ends with a torn line', path === journal ? length + 1 : null)
    else notes.push(`${path} ends with a torn line, which a resume drops`)
  }
}

function readSealed(directory: RunDirectory, { files, fault }: Findings): Report | null {
  const path = reportPath(directory)
  if (!existsSync(path)) return null
  files.push(path)
  try {
    const text = readKeptText(path) ?? ''
    if (!isSealIntact(text)) throw new Error('its checksum does not match')
    return reportSchema.parse(JSON.parse(text))
  } catch (error) {
    const why = error instanceof Error && !('issues' in error) ? error.message : 'it is not a report'
    fault(path, `is not as it was written: ${why}`)
    return null
  }
}

type Facts = Readonly<Record<string, unknown>>

const factsOf = ({ metadata, status, exitCode, totals, ledger, results: [result] }: Report): Facts => ({
  'metadata.runId': metadata.runId,
  status,
  exitCode,
  totals,
  ledger,
  'results[0].outputs': result?.outputs,
  'results[0].checks': result?.checks,
  'results[0].decisions': result?.decisions,
  'results[0].reasons': result?.reasons,
  'results[0].jobs': result?.jobs.map(({ part, id, name, status, correlationIds }) => ({
    ...{ part, id, name, status, correlationIds },
  })),
})

function compareFacts(
  directory: RunDirectory,
  state: RunState,
  report: Report,
  heads: readonly string[],
  { fault, notes }: Findings,
): void {
  const path = reportPath(directory)
  const { events, head } = report.journal ?? { events: heads.length, head: heads.at(-1) }
  if (heads[events - 1] !== head) {
    const has = events > heads.length ? `, and the journal has ${heads.length}` : ''
    fault(directory.journal, `is not the one of its report: the checksum of line ${events} was ${head}${has}`)
    return
  }
  if (!state.finished) return
  if (events < heads.length) {
    notes.push(`${path} is older than the journal: a resume writes it again`)
    return
  }
  const now = new Date(report.metadata.generatedAt).toISOString()
  const expected = factsOf(buildReport(state, { generatedAt: now, elapsedMs: report.elapsedMs }))
  for (const [name, value] of Object.entries(factsOf(report)))
    if (JSON.stringify(value) !== JSON.stringify(expected[name])) fault(path, `differs from the journal in ${name}`)
}

/** Rows = the sum of the outcomes; outputs and received files have the rows that they must. */
function checkSums({ journal }: RunDirectory, state: RunState, { fault }: Findings): void {
  const { outcomes, plan, outputs, jobs, status } = state
  if (!state.finished || status === 'error' || outcomes === null) return
  const sum = knownSum(outcomes)
  const isKnown = Object.values(outcomes).every(count => count !== null)
  if (isKnown ? sum !== plan.rows : sum > plan.rows)
    fault(journal, `does not add up: the input has ${counted(plan.rows, 'row')}, the outcomes are ${sum}`)
  const rowsOf = { output: plan.rows, unmatched: outcomes.unmatched, review: outcomes.review }
  for (const { kind, path, rows } of outputs)
    if (rowsOf[kind] !== null && rowsOf[kind] !== undefined && rowsOf[kind] !== rows)
      fault(journal, `does not add up: ${path} has ${counted(rows, 'row')}, ${rowsOf[kind]} due`)
  const received = jobs.flatMap(job => (job.failure === null && job.received !== null ? [job.received.rows] : []))
  const sent = plan.sent ?? plan.rows
  if (received.length === jobs.length && jobs.length > 0 && plan.shard === undefined) {
    const rows = received.reduce((all, one) => all + one, 0)
    if (rows !== sent) fault(journal, `does not add up: ${counted(sent, 'row')} sent, ${rows} came back`)
  }
}

/** What the checks find; they add to it. */
export interface Findings {
  readonly files: string[]
  readonly faults: Issue[]
  readonly notes: string[]
  readonly fault: (file: string, why: string, line?: number | null) => void
}

async function compare(path: string, isWritten: Promise<boolean>, { files, fault }: Findings): Promise<void> {
  files.push(path)
  if (!(await isWritten)) fault(path, 'is not as the run wrote it: its SHA-256 is another one')
}

const hasDigest = async (path: string, sha256: string): Promise<boolean> => (await fileDigest(path)) === sha256

/** Received files by the journal, the others by the report. Files that nothing records are named, and are no fault. */
async function verifyRunFiles(
  { path }: RunDirectory,
  { state, report }: { readonly state: RunState | null; readonly report: Report | null },
  findings: Findings,
): Promise<void> {
  const known = new Set<string>([JOURNAL_FILE, CONTENTS_FILE, RENDERERS.json.file])
  for (const { part, received } of state?.jobs ?? []) {
    const file = receivedPath(path, part)
    known.add(file.slice(path.length + 1))
    if (received !== null && existsSync(file)) await compare(file, isAsReceived(file, received), findings)
  }
  for (const { path: name, sha256 } of report?.files ?? []) {
    known.add(name)
    const file = join(path, name)
    if (existsSync(file)) await compare(file, hasDigest(file, sha256), findings)
    else if (!isWorkFile(name)) findings.fault(file, 'is missing')
  }
  if (report === null || report.files.length === 0) return
  for (const { name } of readdirSync(path, { withFileTypes: true }).filter(one => one.isFile()))
    if (!known.has(name) && !mayBeOf(state, name)) findings.notes.push(`${join(path, name)} is not a file of the run`)
}

/** Whether a run writes a file of this name, which neither its jobs nor its report name. */
function mayBeOf(state: RunState | null, name: string): boolean {
  if (state !== null && isEnrichedFile(name)) return false
  if (state !== null && name === QUEUE_FILE) return state.shardRuns.length > 0
  return isWorkFile(name) || (name === ROWS_FILE && state?.outputs.some(({ path }) => path === RUN_OUTPUT) !== false)
}

interface Place {
  readonly state: Pick<RunState, 'outputs' | 'forgotten'>
  readonly runsDir: string
  readonly cwd: string
  readonly id: string
}

/** The outputs as this run wrote them, unless a later run replaced them. */
async function verifyOutputs({ state, runsDir, cwd, id }: Place, findings: Findings): Promise<void> {
  let later: ReadonlySet<string> | null = null
  for (const { path, sha256 } of state.outputs) {
    if (isAddress(path)) {
      findings.notes.push(`${path} is not compared: it is not on this machine`)
      continue
    }
    const file = path === RUN_OUTPUT ? join(runDirectory(runsDir, id).path, ROWS_FILE) : resolve(cwd, path)
    const found = await fileDigest(file)
    if (found === sha256) {
      findings.files.push(path)
      continue
    }
    later ??= outputsAfter(runsDir, id)
    if (later.has(digestKey(path, found))) findings.notes.push(`${path} is not compared: a later run replaced it`)
    else if (found === null && path === RUN_OUTPUT && state.forgotten.length > 0) continue
    else if (found === null) findings.fault(path, `is missing in ${cwd}`)
    else {
      findings.files.push(path)
      findings.fault(path, 'is not as the run wrote it: its SHA-256 is another one')
    }
  }
}

const digestKey = (path: string, sha256: string | null): string => `${sha256 ?? ''} ${path}`

/** What later runs recorded: a run counts whose journal is whole and its own. */
function outputsAfter(runsDir: string, id: string): ReadonlySet<string> {
  const recorded = new Set<string>()
  // Ids begin with the time of their start.
  for (const other of listRunIds(runsDir).filter(one => one.slice(0, 16) > id.slice(0, 16)))
    try {
      const { runId, outputs } = readRun(runsDir, other)
      if (runId === other) for (const { path, sha256 } of outputs) recorded.add(digestKey(path, sha256))
    } catch {
      // A run that cannot be read is a fault of that run.
    }
  for (const { runId, outputs = [] } of readPruned(runsDir).runs)
    if (runId.slice(0, 16) > id.slice(0, 16)) for (const { path, sha256 } of outputs) recorded.add(digestKey(path, sha256))
  return recorded
}

/** Every decision that was applied is that of a row, and every decided row has its line. */
async function verifyDecisions({ path }: RunDirectory, state: RunState, { files, fault }: Findings): Promise<void> {
  const file = join(path, APPLIED_FILE)
  const { accepted, rejected, overruled } = state.decisions ?? { accepted: 0, rejected: 0, overruled: 0 }
  const changed = accepted + rejected + overruled
  if (!existsSync(file)) {
    if (changed > 0) fault(file, `is missing, and decisions changed ${counted(changed, 'row')}`)
    return
  }
  files.push(file)
  let lines: readonly Decision[]
  try {
    lines = await requireDecisions(file)
  } catch (error) {
    if (!FettleError.is(error)) throw error
    return fault(file, `cannot be read: ${error.message}`, error.at?.line ?? null)
  }
  const review = reviewPath(path)
  if (!existsSync(review) || state.plan.report.rows === 'none') return
  const keys = new Set(lines.map(keyOf))
  try {
    for await (const { row, fingerprint, decision } of readReview(path))
      if (decision !== null && !keys.has(keyOf({ ...decision, fingerprint })))
        fault(file, `lacks the decision about row ${row}, which was applied`)
  } catch {
    fault(review, 'cannot be read')
  }
}

const keyOf = ({ fingerprint, decision, company }: Pick<Decision, 'fingerprint' | 'decision' | 'company'>): string =>
  [fingerprint, decision, company].join('\0')

/** Whether the record can be read to its end. */
function verifyRecord(runsDir: string, { files, fault }: Findings): boolean {
  const path = prunedPath(runsDir)
  if (!existsSync(path)) return true
  files.push(path)
  const { fault: found } = readPruned(runsDir)
  if (found !== null) fault(path, `is not as it was written: ${found.why}`, found.line)
  return found === null
}

/** What the removal took is named, and is no fault. */
async function verifyPruned(
  run: RunSpending,
  { runsDir, cwd, head }: { readonly runsDir: string; readonly cwd: string; readonly head: string | null },
  findings: Findings,
): Promise<void> {
  const { runId, prunedAt, journal, outputs } = run
  const { notes } = findings
  notes.push(`it was removed on ${prunedAt?.slice(0, 10)}: its journal, reports and received rows are gone`)
  if (existsSync(runDirectory(runsDir, runId).path))
    notes.push('its removal was interrupted: the next removal of runs completes it')
  if (head !== null && head !== journal)
    notes.push(`${head} cannot be compared: its journal is gone, whose last head was ${journal}`)
  if (outputs === undefined) notes.push('it was removed by an earlier version: its outputs cannot be compared')
  // A result in the run directory went with it.
  const left = outputs?.filter(({ path }) => path !== RUN_OUTPUT) ?? []
  await verifyOutputs({ state: { outputs: left, forgotten: [] }, runsDir, cwd, id: runId }, findings)
}
