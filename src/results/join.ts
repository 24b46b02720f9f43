/**
 * Joins the enriched files with the input, row by row, and writes the outputs. Input cells are written unchanged; memory is constant.
 *
 * A run passes over the input four times: `inspect` scans it, `upload-source` sends its bytes, `join` reads its rows, and
 * `record-offsets` finds the lines of the sampled rows. `collapse` adds two: `countRows` for the plan, and `prepareCopy`
 * for the upload without repeated rows. Through the files of this folder one row is called, in order: `inputRow`, `uploadRow` (cells
 * as sent), `dedupeKey`, the enriched row with its `serviceOutcome`, `rowResult` (after decisions), and the row of a report.
 */
import { join } from 'node:path'
import { FettleError } from '../errors.ts'
import { removeFile } from '../files/atomic-file.ts'
import { DigestIndex } from '../files/digest-index.ts'
import { digestOf } from '../files/file-chunks.ts'
import { planRows, readRows } from '../input/table/records.ts'
import { verifyPlanned } from '../input/table/verify-unchanged.ts'
import { rowMaker, skippedRows } from '../input/upload/upload-row.ts'
import type { Download, ProposedCompany } from '../model/requests.ts'
import type {
  CompanyCounts,
  CompanyEvents,
  FetchedCompany,
  FetchedTags,
  FoundHits,
  Outcomes,
  PublishedResults,
  RunChanges,
  TreeAnswer,
  UnscreenedCompany,
} from '../model/results.ts'
import { doOutputsReadHits } from '../model/stages.ts'
import type { Plan } from '../pipeline/model/types.ts'
import { choicePath, hasMostlyKnown } from '../reuse/files/choice.ts'
import { AcceptedLister, readAccepted, readFetched, storeFetched } from './accepted.ts'
import {
  type Answer,
  type AnsweredJob,
  type AnsweredRow,
  type AnswerPlace,
  type AnswerReader,
  Answers,
  answerReader,
} from './answers.ts'
import { type AuditRegister, auditorOf } from './audit.ts'
import { compareStates } from './changes/compare.ts'
import { headOf, type RowStates, readStates, StatesWriter, stateMaker } from './changes/row-states.ts'
import { type Undone, UndoneFinder } from './changes/undone.ts'
import { type Findings, findCompany, NO_HITS, readEvents, readHits, rowDecider, storeEvents } from './decide-rows.ts'
import { applyDecision, foundIds, isFound, learn, type RowResult, SKIPPED } from './decisions/apply-decisions.ts'
import type { Decision } from './decisions/decision.ts'
import { type Decisions, writeDecisions } from './decisions/decisions.ts'
import { LearnedNames } from './decisions/learned-names.ts'
import { type EnrichedColumns, NO_COLUMNS } from './enriched-columns.ts'
import { describeHeader, marksDuplicates } from './enriched-file.ts'
import { specialParts } from './file-form.ts'
import { APPLIED_FILE } from './file-names.ts'
import { judgeAndStore } from './hits/screened-hits.ts'
import { CompanyLister, readCompanies, readSubjects, removeCompanies } from './output/companies.ts'
import { shownKey } from './output/report-row.ts'
import { type Baseline, type CompanyTags, type ResultsOptions, Writers } from './output/writers.ts'
import { type Proposals, QuestionLister, questionMaker, readProposals, readQuestions, storeProposals } from './questions.ts'
import { Receiver } from './receive.ts'
import { exactFingerprinter, fingerprinter, keyFingerprint } from './row-fingerprint.ts'
import type { JoinedRow, RowSink } from './row-sink.ts'
import { RowTotals } from './row-totals.ts'
import { readRuled, readTreeQuestions, storeRuled, type TreeAnswers, TreeLister, treeDecider } from './tree-questions.ts'

/** The results of a plan; enriched files are stored in `workDir`, outputs must be inside `options.root`. */
export function openResults(plan: Plan, workDir: string, options: ResultsOptions = {}) {
  const receiver = new Receiver(workDir, () => specialCells(plan, options.root))
  return {
    receive: (part: number, download: Download, rows: number) => receiver.receive(part, download, rows),
    publish: (accept: Accept = () => {}, failed: ReadonlySet<number> = new Set(), jobs: readonly AnsweredJob[] = []) =>
      publish(plan, { workDir, failed, jobs }, options, accept),
    questions: (listed: number, from?: number) => readQuestions(workDir, listed, from),
    propose: (answers: Readonly<Record<string, readonly ProposedCompany[]>>) => storeProposals(workDir, answers),
    accepted: (from: number) => readAccepted(workDir, from),
    keepFetched: (found: Readonly<Record<string, FetchedCompany['tags']>>) => storeFetched(workDir, found),
    keepHits: (screened: readonly FoundHits[], unscreened: readonly UnscreenedCompany[]) =>
      judgeAndStore(workDir, screened, unscreened, options),
    keepEvents: (companies: readonly CompanyEvents[]) => storeEvents(workDir, companies),
    treeQuestions: (listed: number, from?: number) => readTreeQuestions(workDir, listed, from),
    keepRuled: (answers: readonly (readonly [string, TreeAnswer])[]) => storeRuled(workDir, answers),
    companies: (listed: number, from?: number) => readCompanies(workDir, listed, from),
    subjects: (counts: CompanyCounts, from?: number) => readSubjects(workDir, counts, from),
    removeCompanies: () => removeCompanies(workDir),
    remove: async () => {
      await receiver.remove()
      await removeFile(choicePath(workDir))
    },
  }
}

/** Throws when the outcomes of the rows that were sent cannot be right; `header`: the columns of the enriched file in words. */
type Accept = (uploaded: Outcomes, header?: string) => void

/** Enough to show an encoding. */
const MAX_SPECIAL = 10_000

async function specialCells(plan: Plan, root?: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for await (const row of planRows(plan, root, 'here')) {
    for (const cell of row) for (const part of specialParts(cell)) found.add(part)
    if (found.size >= MAX_SPECIAL) break
  }
  return found
}

async function publish(plan: Plan, from: AnswerPlace, options: ResultsOptions, accept: Accept): Promise<PublishedResults> {
  const verifyUnchanged = await verifyPlanned(plan.input, options)
  const facts = await readFacts(plan, from.workDir, options)
  const { decisions, before } = facts
  const sinks = await openSinks(plan, from, options, facts)
  const { totals, writers, undone } = sinks
  const all: readonly RowSink[] = Object.values(sinks).flatMap(sink => sink ?? [])
  let header = ''
  const answers = new Answers(plan, from, async columns => {
    for (const sink of all) await sink.begin?.(columns)
    if (columns !== NO_COLUMNS) header = describeHeader(columns)
  })
  let auditRegister: AuditRegister | null = null
  try {
    const answerTo = await answerReader(plan, answers, from.workDir)
    auditRegister = await openAuditRegister(plan, options)
    await joinRows({ plan, answers, answerTo, joinRow: rowJoiner(plan, facts, auditRegister), sinks: all }, options)
    await answers.finish()
    const samples = await totals.samples(options.root)
    // After the last read of the input: outputs get their names only if the planned rows were joined.
    await verifyUnchanged('read')
    accept(totals.sent(), header)
    for (const sink of all) await sink.publish?.()
    await keepApplied(from.workDir, decisions?.linesAbout(totals.changed) ?? [])
    const compared = await changesSince(options.baseline ?? null, before, from.workDir, plan)
    const found = undone?.find(compared !== null) ?? NOTHING_UNDONE
    const changes = compared && withRenewed(compared, found, plan)
    const counts = decisions === null ? null : totals.decisions(decisions, found)
    const counted = totals.results()
    const { outcomes, audit, decide } = counted
    const judged = { changes: changes?.counts ?? null, decisions: counts, audit, decide }
    const isRejected = options.isRejected?.(outcomes, judged) === true
    return {
      ...counted,
      files: (await writers?.publishFiles(isRejected)) ?? [],
      isRejected,
      changes,
      samples,
      missing: writers?.missing() ?? [],
      unfit: writers?.unfit() ?? [],
      decisions: counts,
      undone: {
        rows: [...found.same, ...found.renewed].map(({ row }) => row!).sort((a, b) => a - b),
        unclear: compared === null || compared.counts.new > 0 ? found.unclear : 0,
      },
      questions: sinks.questions?.counts() ?? null,
      accepted: sinks.accepted?.count ?? null,
      companies: sinks.companies?.counts() ?? null,
      treeQuestions: sinks.tree?.count() ?? null,
      unknown: facts.known?.unknown() ?? null,
    }
  } catch (error) {
    // Answers that do not fit may be due to a changed input: report that first.
    await verifyUnchanged('read')
    throw error
  } finally {
    auditRegister?.close()
    await answers.close()
    facts.known?.close()
    for (const sink of all) await sink.discard?.()
  }
}

async function openAuditRegister(plan: Plan, { auditRegister }: ResultsOptions): Promise<AuditRegister | null> {
  if (plan.auditRegister === undefined) return null
  if (auditRegister === undefined) throw new FettleError('FETTLE_BUG', 'nothing opens the register of the audit')
  return auditRegister(plan)
}

interface Facts {
  readonly decisions: Decisions | null
  /** Decisions files that the run does not apply, by row; null where it applies one. */
  readonly otherFiles: ReadonlyMap<string, string> | null
  /** Null before the service was asked for candidates. */
  readonly proposals: Proposals | null
  readonly fetched: FetchedTags | null
  readonly known: CompanyTags | null
  /** The rows of the run to compare with. */
  readonly before: RowStates | null
  readonly keepsStates: boolean
  /** What the table reads besides the rows; searches are null before they were made. */
  readonly findings: Findings
  /** Null before the decision tree of the plan was asked. */
  readonly ruled: TreeAnswers | null
  /** What decides reads searches or answers of a tree that are not there yet: the outputs are written after them. */
  readonly isWaiting: boolean
}

async function readFacts(plan: Plan, workDir: string, options: ResultsOptions): Promise<Facts> {
  const { candidates } = plan
  const readsHits = doOutputsReadHits(plan)
  const found = readsHits ? await readHits(workDir) : NO_HITS
  const events = plan.decide?.events === true ? await readEvents(workDir) : null
  const ruled = plan.tree === undefined ? null : await readRuled(workDir)
  const decisions = (await options.decisions?.()) ?? null
  const hasAccepted = decisions?.lines().some(({ decision }) => decision === 'accept') === true
  const otherFiles = decisions === null || decisions.rows === 0 ? ((await options.otherDecisions?.()) ?? null) : null
  return {
    decisions,
    otherFiles,
    proposals: candidates == null ? null : await readProposals(workDir),
    fetched: candidates?.fetch == null ? null : await readFetched(workDir),
    known: (hasAccepted && candidates?.fetch == null && (await options.companyTags?.())) || null,
    before: options.baseline == null ? null : await readStates(options.baseline.workDir),
    keepsStates: plan.output !== null && plan.shard === undefined,
    findings: { ...found, events },
    ruled,
    isWaiting: (readsHits && found.hits === null) || (plan.tree !== undefined && ruled === null),
  }
}

/** All that takes rows, in the order in which it is published; the outputs come last. */
async function openSinks(plan: Plan, from: AnswerPlace, options: ResultsOptions, facts: Facts) {
  const { workDir, jobs = [] } = from
  const { decisions, proposals, fetched, before, keepsStates, isWaiting } = facts
  const { candidates, output } = plan
  const undone =
    keepsStates && decisions !== null && options.baseline != null
      ? await UndoneFinder.open(options.baseline.workDir, before, decisions)
      : null
  const writers = output === null || isWaiting ? null : await Writers.open(plan, output, workDir, options)
  return {
    totals: new RowTotals(plan, workDir, facts.otherFiles, isWaiting),
    states: keepsStates ? new StatesWriter(workDir, headOf(plan)) : null,
    undone,
    companies: plan.portfolio == null && plan.screen == null ? null : new CompanyLister(plan, workDir),
    tree: plan.tree === undefined || !isWaiting ? null : new TreeLister(plan, workDir),
    answers: options.answerSink?.(jobs) ?? null,
    questions: candidates == null || proposals !== null ? null : new QuestionLister(candidates, plan, workDir),
    accepted: fetched && new AcceptedLister(plan, fetched, workDir),
    writers,
  }
}

/** Rows listed of each kind in the journal. */
const MAX_CHANGES = 20

/** Null without an earlier run to compare with. */
async function changesSince(baseline: Baseline | null, before: RowStates | null, workDir: string, { report }: Plan) {
  const now = before === null ? null : await readStates(workDir)
  if (baseline === null || before === null || now === null) return null
  const found = await compareStates(before, now, report.rows === 'all' ? MAX_CHANGES : 0)
  return found && { against: baseline.runId, ...found }
}

const NOTHING_UNDONE: Undone = { same: [], renewed: [], unclear: 0 }

/** A row with other cells is a new one in the comparison of the lists, so that its decision is added. */
const withRenewed = ({ against, counts, rows }: RunChanges, { renewed }: Undone, { report }: Plan): RunChanges => ({
  against,
  counts: { ...counts, undone: counts.undone + renewed.length },
  rows: report.rows === 'all' ? [...rows, ...renewed.slice(0, MAX_CHANGES)] : rows,
})

async function keepApplied(workDir: string, lines: readonly Decision[]): Promise<void> {
  const path = join(workDir, APPLIED_FILE)
  if (lines.length > 0) await writeDecisions(path, lines, { isShared: false })
  else await removeFile(path)
}

interface Joining {
  readonly plan: Plan
  readonly answers: Answers
  readonly answerTo: AnswerReader
  readonly joinRow: RowJoiner
  readonly sinks: readonly RowSink[]
}

async function joinRows({ plan, answers, answerTo, joinRow, sinks }: Joining, { root, signal }: ResultsOptions): Promise<void> {
  const toUploadRow = rowMaker(plan.mappings)
  const isSkipped = skippedRows(plan.input)
  let number = 0
  if (plan.rows === 0) return
  for await (const inputRow of readRows(plan.input, root, hasMostlyKnown(plan) ? 'here' : 'aside')) {
    if (++number % 1000 === 0) signal?.throwIfAborted()
    let row: JoinedRow
    if (isSkipped(inputRow, number)) {
      if (!(await answers.begin())) return
      row = { number, inputRow, ...SKIPPED_ROW }
    } else {
      const uploadRow = toUploadRow(inputRow)
      const answered = await answerTo(uploadRow)
      if (answered === null) return
      row = joinRow(number, inputRow, uploadRow, answered)
    }
    for (const sink of sinks) {
      const added = sink.add(row)
      if (added !== undefined) await added
    }
    if (number === plan.rows) return
  }
}

const SKIPPED_ROW = {
  ...{ uploadRow: [], result: SKIPPED, isRepeat: false, audit: null, fingerprints: [], state: null, ruled: null },
  ...{ screened: null, unscreened: null },
}

type RowJoiner = (number: number, inputRow: readonly string[], uploadRow: readonly string[], answered: AnsweredRow) => JoinedRow

/** Returns what makes the row that all sinks get. It throws FETTLE_DECISIONS. */
function rowJoiner(
  plan: Plan,
  { decisions, otherFiles, proposals, fetched, known, keepsStates, findings, ruled, isWaiting }: Facts,
  auditRegister: AuditRegister | null,
): RowJoiner {
  // Every row, not only those that a person may decide about.
  const identifiesAll = otherFiles !== null || decisions !== null
  const fingerprintOf = fingerprinter(plan)
  const makeState = stateMaker(plan)
  const questionAbout = questionMaker(plan)
  const correctDuplicate = duplicateCorrector(plan)
  const assertOneRow = sharedDecisionChecker(plan)
  const audit = auditorOf(plan, auditRegister)
  const decide = isWaiting ? null : ruled === null ? rowDecider(plan, findings) : treeDecider(plan, ruled)
  const nameAt = plan.mappings.findLast(({ mapping }) => mapping === 'name')?.index ?? -1
  const names = decisions === null ? null : new LearnedNames(decisions, plan.precision)
  return (number, inputRow, uploadRow, { answer: found, isRepeat }) => {
    const answer = proposals === null ? found : withProposals(found, proposals.get(questionAbout(uploadRow)?.id ?? ''))
    const isDecidable = identifiesAll || answer.outcome === 'review' || answer.outcome === 'unmatched'
    const fingerprint = keepsStates || isDecidable ? fingerprintOf(uploadRow) : ''
    const byKey = isDecidable ? keyFingerprint(plan, inputRow[plan.key?.index ?? 0] ?? '') : ''
    const fingerprints = byKey === '' ? [fingerprint] : [byKey, fingerprint]
    const corrected = correctDuplicate(answer)
    const own = applyDecision(answer, fingerprints, decisions, fetched ?? known)
    const decided = (names && learn(own, inputRow[nameAt] ?? '', names)) ?? own
    if (decided.decided !== null) assertOneRow(decided.decided.line, number, inputRow, uploadRow)
    const isCorrected = corrected !== null && decided.outcome === answer.outcome
    const result = isCorrected ? { ...decided, ...corrected } : decided
    const decision = decide?.({ inputRow, result }) ?? null
    return {
      number,
      inputRow,
      uploadRow,
      result,
      isRepeat: isRepeat || (isCorrected && result.outcome === 'duplicate'),
      // What a person decided about is not doubted.
      audit: isFound(result) && result.decided === null ? audit(uploadRow, result) : null,
      fingerprints,
      state: keepsStates ? makeState(number, result, inputRow, fingerprint, decision) : null,
      ruled: decision,
      screened: findCompany(result, findings.hits) ?? null,
      unscreened: findCompany(result, findings.unscreened ?? null) ?? null,
    }
  }
}

/** A row without a company is for a person to decide about once the service proposes some. */
function withProposals(answer: Answer, proposed: Answer['proposed'] = []): Answer {
  const { outcome, reason } = answer
  if (proposed.length === 0 || (outcome !== 'review' && outcome !== 'unmatched')) return answer
  return { ...answer, proposed, outcome: 'review', reason: outcome === 'review' ? reason : 'companies-proposed' }
}

/**
 * Returns what replaces the outcome of a match, or null. A service reports duplicates within one job only, and only in a column that
 * is asked for; with this the result depends neither on that nor on how rows were split into jobs. And the first row of a company may
 * not be accepted: the next one is its first match.
 */
function duplicateCorrector(plan: Plan): (answer: Answer) => Pick<RowResult, 'outcome' | 'overrideCell'> | null {
  const { accept } = plan
  const { parts } = plan.known ?? plan
  const isAlone = parts.length === 1 && accept == null
  let seen: DigestIndex | null = null
  let last: EnrichedColumns | null = null
  let isMarked = false
  return answer => {
    const { outcome, columns } = answer
    if (outcome !== 'matched' && outcome !== 'duplicate') return null
    if (columns !== last) {
      last = columns
      isMarked = marksDuplicates(columns)
    }
    if (isAlone && isMarked) return null
    seen ??= new DigestIndex(plan.rows)
    const [id] = foundIds(answer)
    if (id === undefined) return null
    const { size } = seen
    const isNew = seen.add(digestOf(id)) === size
    if (!isNew && outcome === 'matched') return { outcome: 'duplicate', overrideCell: null }
    if (isNew && outcome === 'duplicate' && accept != null) return { outcome: 'matched', overrideCell: cellOfFirst }
    return null
  }
}

/** Throws FETTLE_DECISIONS where a decision about one row would also apply to a row with other mapped cells. */
function sharedDecisionChecker(plan: Plan) {
  const exactFingerprint = exactFingerprinter(plan)
  const first = new Map<string, { readonly cells: string; readonly shown: string }>()
  return ({ fingerprint }: Decision, number: number, inputRow: readonly string[], uploadRow: readonly string[]): void => {
    const cells = exactFingerprint(uploadRow)
    const key = plan.key === null ? '' : ` (key ${JSON.stringify(shownKey(plan, inputRow))})`
    const row = { cells, shown: `row ${number}${key}` }
    const before = first.get(fingerprint)
    if (before === undefined) first.set(fingerprint, row)
    else if (before.cells !== cells)
      throw new FettleError(
        'FETTLE_DECISIONS',
        `the decision about ${fingerprint} would apply to ${before.shown} and ${row.shown}, which have different cells`,
        {
          hint: 'Add a line `undo` for this fingerprint and resume the run. Rows need keys that differ in more than leading zeros and blanks, or mapped cells that do; see docs/review.md.',
        },
      )
  }
}

const cellOfFirst = (column: string): string | undefined =>
  column === 'general.duplicate' ? 'N' : column === 'general.duplicateId' ? '' : undefined
