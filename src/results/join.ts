/**
 * Joins the enriched files with the input, row by row, and writes the outputs. Input cells are written unchanged; memory is constant.
 *
 * A run passes over the input four times: `inspect` scans it, `upload-source` sends its bytes, `join` reads its rows, and
 * `record-offsets` finds the lines of the sampled rows. `collapse` adds two: `countRows` for the plan, and `prepareCopy`
 * for the upload without repeated rows. Through the files of this folder one row is called, in order: `inputRow`, `uploadRow` (cells
 * as sent), `dedupeKey`, the enriched row with its `serviceOutcome`, `rowResult` (after decisions), and the row of a report.
 */

import { join as pathJoin } from 'node:path'
import { FettleError } from '../errors.ts'
import { removeFile } from '../files/atomic-file.ts'
import { DigestIndex } from '../files/digest-index.ts'
import { digestOf } from '../files/file-chunks.ts'
import { emptyRowsOf } from '../input/table/empty-row.ts'
import { planRows, readRows } from '../input/table/records.ts'
import { verifyPlanned } from '../input/table/verify-unchanged.ts'
import { rowMaker } from '../input/upload/upload-row.ts'
import type { RunChanges } from '../model/changes.ts'
import type { Download, ProposedCompany } from '../model/requests.ts'
import type { FetchedCompany, FetchedTags, Outcomes, PublishedResults } from '../model/results.ts'
import type { Plan } from '../pipeline/model/types.ts'
import { choicePath, hasMostlyKnown } from '../reuse/files/choice.ts'
import { AcceptedLister, readAccepted, readFetched, storeFetched } from './accepted.ts'
import { answerReader } from './answer-reader.ts'
import { type Answer, type AnsweredJob, type AnswerPlace, Answers, NOT_GIVEN, type RowSink } from './answers.ts'
import { compareStates } from './changes/compare.ts'
import { headOf, type RowStates, readStates, StatesWriter, stateMaker } from './changes/row-states.ts'
import { type Undone, UndoneFinder } from './changes/undone.ts'
import { applyDecision, foundIds, type RowResult } from './decisions/apply-decisions.ts'
import type { Decision } from './decisions/decision.ts'
import { type Decisions, writeDecisions } from './decisions/decisions.ts'
import { reviewWriter } from './decisions/review-rows.ts'
import { type EnrichedColumns, NO_COLUMNS } from './enriched-columns.ts'
import { describeHeader, marksDuplicates } from './enriched-file.ts'
import { specialParts } from './file-form.ts'
import { APPLIED_FILE } from './file-names.ts'
import { CompanyLister, readCompanies, removeCompanies } from './output/companies.ts'
import { missingColumns } from './output/layout.ts'
import { shownKey } from './output/report-row.ts'
import { type Baseline, type ResultsOptions, Writers } from './output/writers.ts'
import { type Proposals, QuestionLister, questionMaker, readProposals, readQuestions, storeProposals } from './questions.ts'
import { Receiver } from './receive.ts'
import { exactFingerprinter, fingerprinter, keyFingerprint } from './row-fingerprint.ts'
import { RowTotals } from './row-totals.ts'

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
    companies: (listed: number, from?: number) => readCompanies(workDir, listed, from),
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
  const decisions = (await options.decisions?.()) ?? null
  const writers = plan.output === null ? null : await Writers.open(plan, plan.output, from.workDir, options)
  const review = reviewWriter(from.workDir)
  const companies = plan.portfolio == null && plan.screen == null ? null : new CompanyLister(plan, from.workDir)
  const proposals = plan.candidates == null ? null : await readProposals(from.workDir)
  const questions = plan.candidates == null || proposals !== null ? null : new QuestionLister(plan.candidates, from.workDir)
  const fetched = plan.candidates?.fetch == null ? null : await readFetched(from.workDir)
  const accepted = fetched && new AcceptedLister(plan, fetched, from.workDir)
  const states = plan.output === null || plan.shard !== undefined ? null : new StatesWriter(from.workDir, headOf(plan))
  const keeper = options.answerSink?.(from.jobs ?? []) ?? null
  const totals = new RowTotals(plan)
  const before = options.baseline == null ? null : await readStates(options.baseline.workDir)
  const undone =
    states === null || decisions === null || options.baseline == null
      ? null
      : await UndoneFinder.open(options.baseline.workDir, before, decisions)
  const others = decisions === null || decisions.rows === 0 ? ((await options.otherDecisions?.()) ?? null) : null
  const missing = new Set<string>()
  let header = ''
  const answers = new Answers(plan, from, async columns => {
    await writers?.begin(columns)
    if (columns === NO_COLUMNS) return
    header = describeHeader(columns)
    totals.begin(columns)
    if (plan.output !== null) for (const name of missingColumns(plan, plan.output, columns)) missing.add(name)
  })
  try {
    const consumers = {
      ...{ totals, writers, review, states, companies, questions, proposals, decisions, fetched, accepted, keeper },
      ...{ undone, others },
    }
    await join(plan, from.workDir, answers, consumers, options)
    await answers.finish()
    const samples = await totals.samples(options.root)
    // After the last read of the input: outputs get their names only if the planned rows were joined.
    await verifyUnchanged('read')
    accept(totals.sent(), header)
    await review.publish()
    await states?.publish()
    await companies?.publish()
    await keeper?.publish()
    await questions?.publish()
    const acceptedCount = (await accepted?.publish()) ?? null
    await keepApplied(from.workDir, decisions?.linesAbout(totals.changed) ?? [])
    const compared = await changesSince(options.baseline ?? null, before, from.workDir, plan)
    const found = undone?.find(compared !== null) ?? NOTHING_UNDONE
    const changes = compared && withRenewed(compared, found, plan)
    const counts = decisions === null ? null : totals.decisions(decisions, found)
    const isRejected = options.isRejected?.(totals.outcomes(), changes?.counts ?? null, counts) === true
    const files = (await writers?.publish(isRejected)) ?? []
    return {
      files,
      isRejected,
      outcomes: totals.outcomes(),
      changes,
      reused: plan.known === undefined ? null : totals.reused(),
      samples,
      reasons: totals.reasons(),
      duplicates: totals.duplicates(),
      scores: totals.scores(),
      lowestScores: totals.lowestScores(),
      matches: totals.matches(),
      missing: [...missing],
      unfit: writers?.unfit() ?? [],
      words: totals.words(),
      decisions: counts,
      undone: {
        rows: [...found.same, ...found.renewed].map(({ row }) => row!).sort((a, b) => a - b),
        unclear: compared === null || compared.counts.new > 0 ? found.unclear : 0,
      },
      otherDecisions: totals.otherDecisions(),
      questions: questions?.counts() ?? null,
      accepted: acceptedCount,
      companies: companies?.counts() ?? null,
    }
  } catch (error) {
    // Answers that do not fit may be due to a changed input: report that first.
    await verifyUnchanged('read')
    throw error
  } finally {
    await answers.close()
    await writers?.discard()
    await review.discard()
    await states?.discard()
    await companies?.discard()
    await keeper?.discard()
  }
}

/** Rows listed of each kind in the journal. */
const MAX_CHANGES = 20

/** Null without an earlier run to compare with. */
async function changesSince(
  baseline: Baseline | null,
  before: RowStates | null,
  workDir: string,
  { report }: Plan,
): Promise<RunChanges | null> {
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
  const path = pathJoin(workDir, APPLIED_FILE)
  if (lines.length > 0) await writeDecisions(path, lines, { isShared: false })
  else await removeFile(path)
}

interface Consumers {
  readonly totals: RowTotals
  readonly writers: Writers | null
  readonly review: ReturnType<typeof reviewWriter>
  readonly states: StatesWriter | null
  readonly companies: CompanyLister | null
  readonly questions: QuestionLister | null
  readonly proposals: Proposals | null
  readonly decisions: Decisions | null
  readonly fetched: FetchedTags | null
  readonly accepted: AcceptedLister | null
  readonly keeper: RowSink | null
  readonly undone: UndoneFinder | null
  readonly others: ReadonlyMap<string, string> | null
}

/** The result of a row that was not sent. */
const SKIPPED: RowResult = {
  row: [],
  columns: NO_COLUMNS,
  outcome: 'skipped',
  serviceOutcome: 'skipped',
  reason: '',
  proposed: [],
  given: NOT_GIVEN,
  raw: null,
  overrideCell: null,
  candidates: [],
  decided: null,
}

async function join(
  plan: Plan,
  workDir: string,
  answers: Answers,
  {
    totals,
    writers,
    review,
    states,
    companies,
    questions,
    proposals,
    decisions,
    fetched,
    accepted,
    keeper,
    undone,
    others,
  }: Consumers,
  { root, signal }: ResultsOptions,
): Promise<void> {
  const toUploadRow = rowMaker(plan.mappings)
  const answerTo = await answerReader(plan, answers, workDir)
  const fingerprintOf = fingerprinter(plan)
  const stateOf = stateMaker(plan)
  const questionAbout = questionMaker(plan)
  const correctedOf = duplicateChecker(plan)
  const assertOneRow = sharedDecisionChecker(plan)
  const isSkipped = emptyRowsOf(plan.input)
  let number = 0
  if (plan.rows === 0) return
  for await (const inputRow of readRows(plan.input, root, hasMostlyKnown(plan) ? 'here' : 'aside')) {
    if (++number % 1000 === 0) signal?.throwIfAborted()
    if (isSkipped(inputRow)) {
      if (!(await answers.begin())) return
      totals.skip()
      await writers?.add(inputRow, SKIPPED, false)
      if (number === plan.rows) return
      continue
    }
    const uploadRow = toUploadRow(inputRow)
    const answered = await answerTo(uploadRow)
    if (answered === null) return
    const { answer: found, isRepeat } = answered
    await keeper?.add(found, inputRow, uploadRow)
    const answer = proposals === null ? found : withProposals(found, proposals.get(questionAbout(uploadRow)?.id ?? ''))
    const isDecidable = decisions !== null || others !== null || answer.outcome === 'review' || answer.outcome === 'unmatched'
    const fingerprint = states !== null || isDecidable ? fingerprintOf(uploadRow) : ''
    const byKey = isDecidable ? keyFingerprint(plan, inputRow[plan.key?.index ?? 0] ?? '') : ''
    const fingerprints = byKey === '' ? [fingerprint] : [byKey, fingerprint]
    const corrected = correctedOf(answer)
    const decided = applyDecision(answer, fingerprints, decisions, fetched)
    if (decided.decided !== null) assertOneRow(decided.decided.line, number, inputRow, uploadRow)
    const rowResult = corrected !== null && decided.outcome === answer.outcome ? { ...decided, ...corrected } : decided
    const isDuplicate = rowResult !== decided && rowResult.outcome === 'duplicate'
    const reviewRow = totals.add(number, rowResult, inputRow, decided.decided?.line.fingerprint ?? fingerprints[0]!)
    if (reviewRow !== null) await review.add(reviewRow)
    if (others !== null) totals.addOther(fingerprints, others)
    if (states !== null) {
      const state = stateOf(number, rowResult, inputRow, fingerprint)
      await states.add(state)
      undone?.see(state, fingerprints, decided.decided !== null)
    }
    await companies?.add(number, rowResult, inputRow)
    accepted?.add(rowResult, uploadRow)
    if (questions !== null && isOpen(rowResult)) questions.add(rowResult.outcome, questionAbout(uploadRow))
    await writers?.add(inputRow, rowResult, isRepeat || isDuplicate)
    if (number === plan.rows) return
  }
}

/**
 * Returns what replaces the outcome of a match, or null. A service reports duplicates within one job only, and only in a column that
 * is asked for; with this the result depends neither on that nor on how rows were split into jobs. And the first row of a company may
 * not be accepted: the next one is its first match.
 */
function duplicateChecker({
  known,
  accept,
  ...plan
}: Plan): (answer: Answer) => Pick<RowResult, 'outcome' | 'overrideCell'> | null {
  const { parts } = known ?? plan
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

/** A row without a company is for a person to decide about once the service proposes some. */
function withProposals(answer: Answer, proposed: Answer['proposed'] = []): Answer {
  const { outcome, reason } = answer
  if (proposed.length === 0 || (outcome !== 'review' && outcome !== 'unmatched')) return answer
  return { ...answer, proposed, outcome: 'review', reason: outcome === 'review' ? reason : 'companies-proposed' }
}

/** No decision was made about it, and the service listed no candidates by itself. */
const isOpen = ({ row, columns, decided }: RowResult): boolean =>
  decided === null && !(row[columns.find('match.candidates')] ?? '').startsWith('[{')

const cellOfFirst = (column: string): string | undefined =>
  column === 'general.duplicate' ? 'N' : column === 'general.duplicateId' ? '' : undefined
