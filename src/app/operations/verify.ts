/**
 * Checks the files of a run against each other: the chain of checksums of its journal, the report against the journal, every other
 * file against the report, the sums of the rows, and the decisions that were applied. It changes nothing.
 */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { counted } from '../../counted.ts'
import { FettleError, type Issue, issue } from '../../errors.ts'
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
import { buildReport, RENDERERS, type Report, reportSchema } from '../../report/index.ts'
import { isForgetting } from '../forget/forget.ts'
import { findPruned } from '../runs/pruned-runs.ts'
import { isSealIntact } from '../runs/report-seal.ts'
import { findRunId, listRunIds, type RunDirectory, runDirectory } from '../runs/run-directory.ts'
import { parseRunId } from '../runs/run-id.ts'
import { type Findings, verifyDecisions, verifyOutputs, verifyRunFiles } from './verify-files.ts'
import { verifyPruned, verifyRecord } from './verify-pruned.ts'

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

function readSealed(directory: RunDirectory, { files, fault, notes }: Findings): Report | null {
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
