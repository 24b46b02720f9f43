/**
 * Checks the files of a run against each other: the chain of checksums of its journal, the report against the journal, every other
 * file against the report, the sums of the rows, and the decisions that were applied. It changes nothing.
 */

import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { counted } from '../counted.ts'
import { FettleError, type Issue, issue } from '../errors.ts'
import { fileDigest } from '../files/file-chunks.ts'
import { readKeptText } from '../files/kept-files.ts'
import {
  contentsEnd,
  contentsPath,
  contentsSize,
  fold,
  type JournalContent,
  knownSum,
  type RunState,
  readJournal,
  rowsToAccountFor,
} from '../journal/index.ts'
import { isAddress } from '../pipeline/index.ts'
import { buildReport, RENDERERS, type Report, reportSchema } from '../report/index.ts'
import {
  APPLIED_FILE,
  CONTENTS_FILE,
  isEnrichedFile,
  JOURNAL_FILE,
  QUEUE_FILE,
  ROWS_FILE,
  receivedPath,
  reviewPath,
} from '../results/file-names.ts'
import { type Decision, isAsReceived, readReview, requireDecisions } from '../results/index.ts'
import { isForgetting } from './forget-intent.ts'
import { findPruned, prunedPath, type RunSpending, readPruned } from './pruned-runs.ts'
import { isSealIntact, isWorkFile } from './report-files.ts'
import { findRunId, listRunIds, parseRunId, type RunDirectory, readRun, runDirectory } from './run-directory.ts'

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

/** Throws FETTLE_RUN_UNKNOWN; everything else that is wrong is a fault. */
export async function verifyRun(wanted: string | undefined, options: VerifyOptions): Promise<Verified> {
  const removed = wanted === undefined ? null : await verifyRemoved(wanted, options)
  return removed ?? new Verification(options, findRunId(options.runsDir, wanted)).checkRun()
}

/** The result for a run that was removed; null for one that is here. A record that cannot be read may contain the run. */
async function verifyRemoved(wanted: string, options: VerifyOptions): Promise<Verified | null> {
  const { runsDir } = options
  const isHere = listRunIds(runsDir).some(id => id.startsWith(wanted) || parseRunId(id)?.line === wanted)
  const run = findPruned(runsDir, wanted)
  if (isHere && run?.runId !== wanted) return null
  const verification = new Verification(options, run?.runId ?? wanted)
  const isWhole = verification.checkRecord()
  if (run === null) return isHere || isWhole ? null : verification.result()
  return verification.checkPruned(run)
}

type Facts = Readonly<Record<string, unknown>>

const listFacts = ({ metadata, status, exitCode, totals, ledger, results: [result] }: Report): Facts => ({
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

/** The checks of one run, and what they find. */
class Verification {
  readonly #options: VerifyOptions
  readonly #directory: RunDirectory
  readonly #report: string
  readonly #files = new Set<string>()
  readonly #faults: Issue[] = []
  readonly #notes: string[] = []

  constructor(options: VerifyOptions, id: string) {
    this.#options = options
    this.#directory = runDirectory(options.runsDir, id)
    this.#report = join(this.#directory.path, RENDERERS.json.file)
  }

  result(rest: Partial<Verified> = {}): Verified {
    const found = { files: [...this.#files], faults: this.#faults, notes: this.#notes }
    return { runId: this.#directory.id, head: null, events: 0, removedAt: null, ...rest, ...found }
  }

  #fault(file: string, why: string, line: number | null = null): void {
    this.#faults.push(issue('FETTLE_VERIFY', `${file} ${why}`, { at: { file, line, column: null } }))
  }

  async checkRun(): Promise<Verified> {
    const journal = this.#readChain()
    const report = this.#readSealed()
    const state = journal === null ? null : fold(journal.events)
    const heads = journal?.sums.heads ?? []
    if (journal !== null) {
      this.#checkEnd(journal, report)
      this.#checkForgotten(state, heads)
    }
    if (state !== null) {
      if (report !== null) this.#compareFacts(state, report, heads)
      this.#checkSums(state)
      if (state.finished && report === null && !existsSync(this.#report))
        this.#fault(this.#report, 'is missing, and the run has finished')
      await this.#checkOutputs(state)
    }
    await this.#checkRunFiles(state, report)
    if (state !== null) await this.#checkDecisions(state)
    return this.result({ head: heads.at(-1) ?? null, events: heads.length })
  }

  #readChain(): JournalContent | null {
    const { journal, id } = this.#directory
    this.#files.add(journal)
    if (existsSync(contentsPath(journal))) this.#files.add(contentsPath(journal))
    try {
      const content = readJournal(journal)
      const state = fold(content.events)
      if (state === null) this.#fault(journal, 'has no whole line')
      else if (state.runId !== id) this.#fault(journal, `belongs to the run ${state.runId}`, 1)
      return content
    } catch (error) {
      if (!FettleError.is(error)) throw error
      if (error.code === 'FETTLE_RUN_UNKNOWN') this.#fault(journal, 'is missing')
      else this.#fault(error.at?.file ?? journal, `cannot be read: ${error.message}`, error.at?.line ?? null)
      return null
    }
  }

  #checkForgotten(state: RunState | null, heads: readonly string[]): void {
    const { runsDir, head } = this.#options
    for (const { at } of state?.forgotten ?? []) this.#notes.push(`a row of it was forgotten on ${at.slice(0, 10)}`)
    if (isForgetting(runsDir)) this.#notes.push('the removal of a row was interrupted: the same command completes it')
    if (head != null && !heads.includes(head)) this.#fault(this.#directory.journal, `has no line with the checksum ${head}`)
  }

  /** A torn last line is what a kill leaves behind, but not under the report of a finished run. */
  #checkEnd({ events: { length }, wholeBytes }: JournalContent, report: Report | null): void {
    const { journal } = this.#directory
    for (const [path, isWhole] of [
      [journal, statSync(journal).size === wholeBytes],
      [contentsPath(journal), contentsSize(journal) === contentsEnd(journal, length)],
    ] as const) {
      if (isWhole) continue
      if (report !== null && report.exitCode !== null)
        this.#fault(path, 'ends with a torn line', path === journal ? length + 1 : null)
      else this.#notes.push(`${path} ends with a torn line, which a resume drops`)
    }
  }

  #readSealed(): Report | null {
    if (!existsSync(this.#report)) return null
    this.#files.add(this.#report)
    try {
      const text = readKeptText(this.#report) ?? ''
      if (!isSealIntact(text)) throw new Error('its checksum does not match')
      return reportSchema.parse(JSON.parse(text))
    } catch (error) {
      const why = error instanceof Error && !('issues' in error) ? error.message : 'it is not a report'
      this.#fault(this.#report, `is not as it was written: ${why}`)
      return null
    }
  }

  #compareFacts(state: RunState, report: Report, heads: readonly string[]): void {
    const { events, head } = report.journal ?? { events: heads.length, head: heads.at(-1) }
    if (heads[events - 1] !== head) {
      const has = events > heads.length ? `, and the journal has ${heads.length}` : ''
      this.#fault(this.#directory.journal, `is not the one of its report: the checksum of line ${events} was ${head}${has}`)
      return
    }
    if (!state.finished) return
    if (events < heads.length) {
      this.#notes.push(`${this.#report} is older than the journal: a resume writes it again`)
      return
    }
    const generatedAt = new Date(report.metadata.generatedAt).toISOString()
    const expected = listFacts(buildReport(state, { generatedAt, elapsedMs: report.elapsedMs }))
    for (const [name, value] of Object.entries(listFacts(report)))
      if (JSON.stringify(value) !== JSON.stringify(expected[name]))
        this.#fault(this.#report, `differs from the journal in ${name}`)
  }

  /** Rows = the sum of the outcomes; outputs and received files have the rows that they must. */
  #checkSums({ finished, outcomes, plan, outputs, jobs, status }: RunState): void {
    if (!finished || status === 'error' || outcomes === null) return
    const fault = (why: string): void => this.#fault(this.#directory.journal, `does not add up: ${why}`)
    const sum = knownSum(outcomes)
    const isKnown = Object.values(outcomes).every(count => count !== null)
    const all = rowsToAccountFor(plan)
    if (isKnown ? sum !== all : sum > all) fault(`the input has ${counted(all, 'row')}, the outcomes are ${sum}`)
    const { unmatched, review } = outcomes
    const due = { output: plan.rows, unmatched, review, rejects: plan.input.rejected?.rows ?? 0 }
    for (const { kind, path, rows } of outputs)
      if (due[kind] !== null && due[kind] !== undefined && due[kind] !== rows)
        fault(`${path} has ${counted(rows, 'row')}, ${due[kind]} due`)
    const received = jobs.flatMap(job => (job.failure === null && job.received !== null ? [job.received.rows] : []))
    const sent = plan.sent ?? plan.rows
    if (received.length < jobs.length || jobs.length === 0 || plan.shard !== undefined) return
    const rows = received.reduce((all, count) => all + count, 0)
    if (rows !== sent) fault(`${counted(sent, 'row')} sent, ${rows} came back`)
  }

  /** Received files by the journal, the others by the report. Files that nothing records are named, and are not a fault. */
  async #checkRunFiles(state: RunState | null, report: Report | null): Promise<void> {
    const { path } = this.#directory
    const known = new Set<string>([JOURNAL_FILE, CONTENTS_FILE, RENDERERS.json.file])
    const compare = async (file: string, isWritten: Promise<boolean>): Promise<void> => {
      this.#files.add(file)
      if (!(await isWritten)) this.#fault(file, CHANGED)
    }
    for (const { part, received } of state?.jobs ?? []) {
      const file = receivedPath(path, part)
      known.add(file.slice(path.length + 1))
      if (received !== null && existsSync(file)) await compare(file, isAsReceived(file, received))
    }
    for (const { path: name, sha256 } of report?.files ?? []) {
      known.add(name)
      const file = join(path, name)
      if (existsSync(file)) await compare(file, hasDigest(file, sha256))
      else if (!isWorkFile(name)) this.#fault(file, 'is missing')
    }
    if (report === null || report.files.length === 0) return
    for (const entry of readdirSync(path, { withFileTypes: true }))
      if (entry.isFile() && !known.has(entry.name) && !mayWrite(state, entry.name))
        this.#notes.push(`${join(path, entry.name)} is not a file of the run`)
  }

  /** The outputs as this run wrote them, unless a later run replaced them. */
  async #checkOutputs({ outputs, forgotten }: Pick<RunState, 'outputs' | 'forgotten'>): Promise<void> {
    const { cwd } = this.#options
    let later: ReadonlySet<string> | null = null
    for (const { path, sha256 } of outputs) {
      if (isAddress(path)) {
        this.#notes.push(`${path} is not compared: it is not on this machine`)
        continue
      }
      const found = await fileDigest(resolve(cwd, path))
      if (found === sha256) {
        this.#files.add(path)
        continue
      }
      later ??= this.#outputsAfter()
      if (later.has(digestKey(path, found))) this.#notes.push(`${path} is not compared: a later run replaced it`)
      else if (found === null && isRunOutput(path, this.#directory.id) && forgotten.length > 0) continue
      else if (found === null) this.#fault(path, `is missing in ${cwd}`)
      else {
        this.#files.add(path)
        this.#fault(path, CHANGED)
      }
    }
  }

  /** What later runs recorded: a run counts whose journal is whole and its own. */
  #outputsAfter(): ReadonlySet<string> {
    const { runsDir } = this.#options
    // Ids begin with the time of their start.
    const isLater = (id: string): boolean => id.slice(0, 16) > this.#directory.id.slice(0, 16)
    const runs: Pick<RunSpending, 'outputs'>[] = readPruned(runsDir).runs.filter(({ runId }) => isLater(runId))
    for (const id of listRunIds(runsDir).filter(isLater))
      try {
        const run = readRun(runsDir, id)
        if (run.runId === id) runs.push(run)
      } catch {
        // A run that cannot be read is a fault of that run.
      }
    return new Set(runs.flatMap(({ outputs = [] }) => outputs.map(({ path, sha256 }) => digestKey(path, sha256))))
  }

  /** Every decision that was applied belongs to a row, and every decided row has its line. */
  async #checkDecisions({ decisions, plan }: RunState): Promise<void> {
    const { path } = this.#directory
    const file = join(path, APPLIED_FILE)
    const { accepted, rejected, overruled } = decisions ?? { accepted: 0, rejected: 0, overruled: 0 }
    const changed = accepted + rejected + overruled
    if (!existsSync(file)) {
      if (changed > 0) this.#fault(file, `is missing, and decisions changed ${counted(changed, 'row')}`)
      return
    }
    this.#files.add(file)
    let lines: readonly Decision[]
    try {
      lines = await requireDecisions(file)
    } catch (error) {
      if (!FettleError.is(error)) throw error
      return this.#fault(file, `cannot be read: ${error.message}`, error.at?.line ?? null)
    }
    const review = reviewPath(path)
    if (!existsSync(review) || plan.report.rows === 'none') return
    const keys = new Set(lines.map(decisionKey))
    try {
      for await (const { row, fingerprint, decision } of readReview(path))
        if (decision !== null && !keys.has(decisionKey({ ...decision, fingerprint })))
          this.#fault(file, `lacks the decision about row ${row}, which was applied`)
    } catch {
      this.#fault(review, 'cannot be read')
    }
  }

  /** Whether the record of removed runs can be read to its end. */
  checkRecord(): boolean {
    const { runsDir } = this.#options
    const path = prunedPath(runsDir)
    if (!existsSync(path)) return true
    this.#files.add(path)
    const { fault } = readPruned(runsDir)
    if (fault !== null) this.#fault(path, `is not as it was written: ${fault.why}`, fault.line)
    return fault === null
  }

  /** What the removal took is named, and is not a fault. */
  async checkPruned({ prunedAt = null, journal = null, outputs }: RunSpending): Promise<Verified> {
    const notes = this.#notes
    const { head } = this.#options
    notes.push(`it was removed on ${prunedAt?.slice(0, 10)}: its journal, reports and received rows are gone`)
    if (existsSync(this.#directory.path)) notes.push('its removal was interrupted: the next removal of runs completes it')
    if (head != null && head !== journal)
      notes.push(`${head} cannot be compared: its journal is gone, whose last head was ${journal}`)
    if (outputs === undefined) notes.push('it was removed by an earlier version: its outputs cannot be compared')
    // A result in the run directory went with it.
    await this.#checkOutputs({
      outputs: outputs?.filter(({ path }) => !isRunOutput(path, this.#directory.id)) ?? [],
      forgotten: [],
    })
    return this.result({ head: journal, removedAt: prunedAt })
  }
}

const CHANGED = 'has changed since the run wrote it: its SHA-256 differs'

const hasDigest = async (path: string, sha256: string): Promise<boolean> => (await fileDigest(path)) === sha256

const digestKey = (path: string, sha256: string | null): string => `${sha256 ?? ''} ${path}`

const decisionKey = ({ fingerprint, decision, company }: Pick<Decision, 'fingerprint' | 'decision' | 'company'>): string =>
  [fingerprint, decision, company].join('\0')

/** Whether a run writes a file of this name, which neither its jobs nor its report name. */
function mayWrite(state: RunState | null, name: string): boolean {
  if (state !== null && isEnrichedFile(name)) return false
  if (state !== null && name === QUEUE_FILE) return state.shardRuns.length > 0
  return isWorkFile(name) || (name === ROWS_FILE && state?.outputs.some(({ path }) => isRunOutput(path, state.runId)) !== false)
}

/** Whether an output is the result in the directory of the run. */
const isRunOutput = (path: string, runId: string): boolean => basename(path) === ROWS_FILE && basename(dirname(path)) === runId
