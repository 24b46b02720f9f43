/** What became of all rows, summed up as they pass: outcomes, scores, and the few rows a report may show. It writes nothing. */

import { linesOf } from '../input/table/record-offsets.ts'
import type { DecisionCounts, LowestScores, Outcomes, RowDecision } from '../model/results.ts'
import type { Plan } from '../pipeline/model/types.ts'
import { scoreOf } from './candidates.ts'
import type { Effect, RowResult } from './decisions/apply-decisions.ts'
import type { Decision, Decisions } from './decisions/decisions.ts'
import type { ReviewRow } from './decisions/review-rows.ts'
import type { EnrichedColumns } from './enriched-columns.ts'
import type { RowOutcome } from './enriched-file.ts'
import { ReportRowBuilder } from './output/report-row.ts'

const MAX_SAMPLES = 50
const BUCKETS = 20

type Counts = Record<RowOutcome, number>

const noRows = (): Counts => ({ matched: 0, manualMatched: 0, review: 0, unmatched: 0, duplicate: 0, failed: 0 })

/** Sums up rows. */
export class RowTotals {
  readonly #samples: ReviewRow[] = []
  readonly #shower: ReportRowBuilder
  readonly #plan: Plan
  /** Of the rows that went up by what the service says, and of all rows by what became of them. */
  readonly #sent = noRows()
  readonly #all = noRows()
  readonly #effects: Record<Effect, number> = { accepted: 0, rejected: 0, agreed: 0, overruled: 0, narrowed: 0 }
  readonly #decided = new Set<string>()
  readonly #scores = new Array<number>(BUCKETS).fill(0)
  #lowest: LowestScores = { matched: null, review: null }
  #hasScores = false
  #isTold = true
  #hasDuplicates = true

  constructor(plan: Plan) {
    this.#plan = plan
    this.#shower = new ReportRowBuilder(plan)
  }

  /** Notes what a part's file can tell. */
  begin(columns: EnrichedColumns, isTold: boolean): void {
    this.#isTold &&= isTold
    this.#hasDuplicates &&= isTold || columns.find('general.duplicate') !== -1
    this.#hasScores ||= columns.find('match.score') !== -1
  }

  /**
   * Counts row `number`; `cells` are the input's own, and a repeat was given the answer of another row. Gives the row as a report
   * may show it, when a person is to look at it or has decided about it.
   */
  add(number: number, judged: RowResult, cells: readonly string[], isRepeat: boolean, fingerprint: string): ReviewRow | null {
    const { outcome, told, row: enriched, columns, decided } = judged
    if (!isRepeat) this.#sent[told]++
    this.#all[outcome]++
    if (decided !== null) {
      this.#effects[decided.effect]++
      this.#decided.add(fingerprint)
    }
    const read = (name: string): string => judged.instead?.(name) ?? enriched[columns.find(name)] ?? ''
    const score = scoreOf(enriched[columns.find('match.score')] ?? '')
    if (score !== null) this.#addScore(score, told)
    const { rows } = this.#plan.report
    const isForReview = outcome === 'review' || (decided !== null && decided.effect !== 'agreed')
    if (rows === 'none' || !(isForReview || (rows === 'all' && outcome === 'unmatched'))) return null
    if (outcome !== 'review' && outcome !== 'unmatched' && outcome !== 'manualMatched') return null
    const candidates = judged.candidates.map(one => this.#shower.candidate(one))
    const [best] = candidates
    const sample: ReviewRow = {
      row: number,
      line: null,
      key: this.#shower.key(cells),
      outcome,
      score: scoreOf(read('match.score')),
      why: read('match.why'),
      cells: this.#shower.cells(cells),
      candidate: { id: best?.id ?? '', name: best?.name ?? '' },
      fingerprint,
      candidates,
      decision: decided === null ? null : shownDecision(decided.line),
    }
    if (outcome !== 'manualMatched' && this.#samples.filter(one => one.outcome === outcome).length < MAX_SAMPLES)
      this.#samples.push(sample)
    return isForReview ? sample : null
  }

  #addScore(score: number, told: RowOutcome): void {
    // The sum 1e-9 keeps 0.15 * 20 from falling below 3 in binary.
    this.#scores[Math.min(BUCKETS - 1, Math.floor(score * BUCKETS + 1e-9))]!++
    if (told === 'matched' || told === 'review')
      this.#lowest = { ...this.#lowest, [told]: Math.min(score, this.#lowest[told] ?? score) }
  }

  /** The sums over all rows; `skipped` is 0, since every row of the plan was asked for. */
  outcomes(): Outcomes {
    return this.#countsOf(this.#all)
  }

  /** The sums over the rows that went up, as the service sees them. */
  sent(): Outcomes {
    return this.#countsOf(this.#sent)
  }

  /** What the decisions came to. */
  decisions(decisions: Decisions): DecisionCounts {
    const { accepted, rejected, agreed, overruled } = this.#effects
    const unused = decisions.rows - this.#decided.size
    return { accepted, rejected, agreed, overruled, expired: decisions.expired, unused }
  }

  #countsOf({ matched, manualMatched, review, unmatched, duplicate, failed }: Counts): Outcomes {
    const told = (count: number): number | null => (this.#isTold ? count : null)
    return {
      matched,
      // A row that a person decided about is known, whether or not the service tells of others.
      manualMatched: manualMatched > 0 ? manualMatched : told(manualMatched),
      review: told(review),
      unmatched,
      // A row known to repeat another is a duplicate whether or not the service tells of others.
      duplicates: this.#hasDuplicates || duplicate > 0 ? duplicate : null,
      // Rows of a job that failed are known to have, whether or not the service tells of others.
      failed: failed > 0 ? failed : told(failed),
      skipped: 0,
    }
  }

  /** The rows a report may show, with the lines they begin on. */
  async samples(root = ''): Promise<readonly ReviewRow[]> {
    const lines = await linesOf(
      this.#plan,
      this.#samples.map(({ row }) => row),
      root,
    )
    return this.#samples.map((sample, at) => ({ ...sample, line: lines[at] ?? null }))
  }

  /** Rows by score, in buckets of 0.05; empty when the file has no scores. */
  scores(): readonly number[] {
    return this.#hasScores ? this.#scores : []
  }

  /** By what the service said of the rows, whatever people decided. */
  lowestScores(): LowestScores {
    return this.#lowest
  }
}

const shownDecision = ({ decision, company, companyName, by, at, expires }: Decision): RowDecision => ({
  decision: decision === 'accept' ? 'accept' : 'reject',
  company,
  companyName,
  by,
  at,
  expires,
})
