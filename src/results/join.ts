/**
 * The results of a run: the enriched files are received whole, then read side by side with the input, row by row, and the output
 * files are made of both. The cells of the input stand in the output as they were, whatever went up. Memory is constant.
 */

import { readRows } from '../input/table/records.ts'
import { verifyPlanned } from '../input/table/verify-unchanged.ts'
import { DigestIndex } from '../input/upload/row-dedupe.ts'
import { dedupeKeyOf, rowMaker } from '../input/upload/upload-row.ts'
import type { Download } from '../model/requests.ts'
import type { FoundCompany, Outcomes, PublishedResults } from '../model/results.ts'
import type { Plan } from '../pipeline/model/types.ts'
import { type AnswerPlace, Answers } from './answers.ts'
import { crossJobDuplicates } from './cross-job-duplicates.ts'
import { applyDecision } from './decisions/apply-decisions.ts'
import type { Decisions } from './decisions/decisions.ts'
import { reviewWriter } from './decisions/review-rows.ts'
import { NO_COLUMNS } from './enriched-columns.ts'
import type { ResultsOptions } from './options.ts'
import { CompanyLister, readCompanies, removeCompanies } from './output/companies.ts'
import { missingColumns } from './output/layout.ts'
import { Writers } from './output/writers.ts'
import { type ReceivedFile, Receiver } from './receive.ts'
import { fingerprinter } from './row-fingerprint.ts'
import { RowTotals } from './row-totals.ts'

/** Where enriched files are received and outputs are made of them. */
interface FileResults {
  /** Throws FETTLE_DOWNLOAD_CUT for a file cut short, FETTLE_LEDGER for one that is whole but has other rows. */
  receive(part: number, download: Download, rows: number): Promise<ReceivedFile>
  /**
   * Writes the output files, each whole or not at all; a second time it writes the same bytes. None gets its name when `accept`
   * throws at what became of the rows that went up. Rows of `failed` parts stand in the output without an answer.
   */
  publish(accept?: (sent: Outcomes) => void, failed?: ReadonlySet<number>): Promise<PublishedResults>
  /** The companies found, `listed` of them, from number `from` (from 0) on. Throws FETTLE_OUTPUT_WRITE when they are not there. */
  companies(listed: number, from?: number): AsyncIterable<FoundCompany>
  /** Removes the list of companies: nothing is left to be done with them. */
  removeCompanies(): Promise<void>
  /** Removes the enriched files: their rows stand in the outputs. */
  remove(): Promise<void>
}

/** The results of a plan; enriched files are kept in `workDir`, outputs must lie in `extra.root`. */
export function openResults(plan: Plan, workDir: string, extra: ResultsOptions = {}): FileResults {
  const receiver = new Receiver(workDir)
  return {
    receive: (part, download, rows) => receiver.receive(part, download, rows),
    publish: (accept = () => {}, failed = new Set()) => publish(plan, { workDir, failed }, extra, accept),
    companies: (listed, from) => readCompanies(workDir, listed, from),
    removeCompanies: () => removeCompanies(workDir),
    remove: () => receiver.remove(),
  }
}

async function publish(
  plan: Plan,
  from: AnswerPlace,
  extra: ResultsOptions,
  accept: (sent: Outcomes) => void,
): Promise<PublishedResults> {
  const stillPlanned = await verifyPlanned(plan.input, extra)
  const decisions = (await extra.decisions?.()) ?? null
  const writers = plan.output === null ? null : await Writers.open(plan, plan.output, from.workDir, extra)
  const review = reviewWriter(from.workDir)
  const companies = plan.portfolio == null && plan.screen == null ? null : new CompanyLister(plan, from.workDir)
  const tally = new RowTotals(plan)
  const missing = new Set<string>()
  const answers = new Answers(plan, from, async (columns, isTold) => {
    await writers?.begin(columns)
    if (columns === NO_COLUMNS) return
    tally.begin(columns, isTold)
    if (plan.output !== null) for (const name of missingColumns(plan.output, columns)) missing.add(name)
  })
  try {
    await join(plan, answers, { tally, writers, review, companies, decisions }, extra)
    await answers.finish()
    // The last that is read of the input: what was joined to the answers are the planned rows, or nothing gets its name.
    const samples = await tally.samples(extra.root)
    await stillPlanned('read')
    accept(tally.sent())
    await review.publish()
    await companies?.publish()
    const files = (await writers?.publish()) ?? []
    return {
      files,
      outcomes: tally.outcomes(),
      samples,
      scores: tally.scores(),
      lowestScores: tally.lowestScores(),
      missing: [...missing],
      decisions: decisions === null ? null : tally.decisions(decisions),
      companies: companies?.counts() ?? null,
    }
  } catch (error) {
    // Rows that do not fit their answers may be those of another file.
    await stillPlanned('read')
    throw error
  } finally {
    await answers.close()
    await writers?.discard()
    await review.discard()
    await companies?.discard()
  }
}

/** Who is given each row. */
interface Takers {
  readonly tally: RowTotals
  readonly writers: Writers | null
  readonly review: ReturnType<typeof reviewWriter>
  readonly companies: CompanyLister | null
  readonly decisions: Decisions | null
}

/** Joins the answers to the rows of the input: to each its own, or that of the first row that asked the same. */
async function join(
  plan: Plan,
  answers: Answers,
  { tally, writers, review, companies, decisions }: Takers,
  { root, signal }: ResultsOptions,
): Promise<void> {
  const make = rowMaker(plan.mappings)
  const question = dedupeKeyOf(plan.mappings)
  const fingerprintOf = fingerprinter(plan)
  const fold = plan.collapse ? new DigestIndex() : null
  const isRepeated = crossJobDuplicates(plan)
  let number = 0
  if (plan.rows === 0) return
  for await (const own of readRows(plan.input, root)) {
    const sent = make(own)
    const first = fold === null ? answers.count : fold.add(question(sent))
    const isRepeat = first < answers.count
    const answer = isRepeat ? await answers.again(first) : await answers.next(sent)
    if (answer === null) return
    if (++number % 1000 === 0) signal?.throwIfAborted()
    const isPlain = decisions === null && answer.outcome !== 'review' && answer.outcome !== 'unmatched'
    const fingerprint = isPlain ? '' : fingerprintOf(sent)
    const isKnown = isRepeated(answer)
    const { outcome, ...rest } = applyDecision(answer, fingerprint, decisions)
    const judged = { ...rest, outcome: isKnown && outcome === 'matched' ? ('duplicate' as const) : outcome }
    const shown = tally.add(number, judged, own, isRepeat, fingerprint)
    if (shown !== null) await review.add(shown)
    await companies?.add(number, judged, own)
    await writers?.add(own, judged, isRepeat || isKnown)
    if (number === plan.rows) return
  }
}
