/** What became of all rows, summed up as they pass: outcomes, scores, and the few rows a report may show. It writes nothing. */
import type { Plan } from '../pipeline/types.ts'
import type { Answer } from './answers.ts'
import type { EnrichedColumns, RowOutcome } from './enriched.ts'
import { linesOf } from './lines.ts'

const MAX_SAMPLES = 50
const BUCKETS = 20

/** How many rows came to which end; null where the file does not tell. */
export interface OutcomeCounts {
  readonly matched: number | null
  readonly manualMatched: number | null
  readonly review: number | null
  readonly unmatched: number | null
  readonly duplicates: number | null
  readonly failed: number | null
  readonly skipped: number | null
}

/** A row for a report; cells of masked columns are `***`. */
export interface SampleRow {
  readonly row: number
  /** Line of the file it begins on, null where quotes may mean anything. */
  readonly line: number | null
  readonly key: string | null
  readonly outcome: 'review' | 'unmatched'
  readonly score: number | null
  readonly why: string
  readonly cells: Readonly<Record<string, string>>
  readonly candidate: { readonly id: string; readonly name: string }
}

type Counts = Record<RowOutcome, number>

const noRows = (): Counts => ({ matched: 0, manualMatched: 0, review: 0, unmatched: 0, duplicate: 0, failed: 0 })

/** Sums up rows. */
export class Tally {
  readonly #samples: SampleRow[] = []
  readonly #plan: Plan
  /** Of rows that went up, and of those that were given the answer of another. */
  readonly #sent = noRows()
  readonly #repeats = noRows()
  readonly #scores = new Array<number>(BUCKETS).fill(0)
  #hasScores = false
  #isTold = true
  #hasDuplicates = true

  constructor(plan: Plan) {
    this.#plan = plan
  }

  /** Notes what a part's file can tell. */
  begin(columns: EnrichedColumns, isTold: boolean): void {
    this.#isTold &&= isTold
    this.#hasDuplicates &&= isTold || columns.find('general.duplicate') !== -1
    this.#hasScores ||= columns.find('match.score') !== -1
  }

  /** Counts row `number`; `cells` are the input's own, and a repeat was given the answer of another row. */
  add(number: number, { outcome, row: enriched, columns }: Answer, cells: readonly string[], isRepeat: boolean): void {
    if (isRepeat) this.#repeats[outcome]++
    else this.#sent[outcome]++
    const read = (name: string): string => enriched[columns.find(name)] ?? ''
    const score = scoreOf(read('match.score'))
    // The sum 1e-9 keeps 0.15 * 20 from falling below 3 in binary.
    if (score !== null) this.#scores[Math.min(BUCKETS - 1, Math.floor(score * BUCKETS + 1e-9))]!++
    if ((outcome !== 'review' && outcome !== 'unmatched') || !this.#wants(outcome)) return
    const sample = {
      row: number,
      line: null,
      key: this.#key(cells),
      outcome,
      score,
      why: read('match.why'),
      cells: this.#mapped(cells),
      candidate: { id: read('match.candidateId'), name: read('match.candidateName') },
    }
    this.#samples.push(sample)
  }

  /** The sums over all rows; `skipped` is 0, since every row of the plan was asked for. */
  outcomes(): OutcomeCounts {
    const all = noRows()
    for (const outcome of Object.keys(all) as RowOutcome[]) all[outcome] = this.#sent[outcome] + this.#repeats[outcome]
    return this.#countsOf(all)
  }

  /** The sums over the rows that went up. */
  sent(): OutcomeCounts {
    return this.#countsOf(this.#sent)
  }

  #countsOf({ matched, manualMatched, review, unmatched, duplicate, failed }: Counts): OutcomeCounts {
    const told = (count: number): number | null => (this.#isTold ? count : null)
    return {
      matched,
      manualMatched: told(manualMatched),
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
  async samples(root = ''): Promise<readonly SampleRow[]> {
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

  #wants(outcome: 'review' | 'unmatched'): boolean {
    const { rows } = this.#plan.report
    if (rows === 'none' || (rows === 'review' && outcome === 'unmatched')) return false
    return this.#samples.filter(one => one.outcome === outcome).length < MAX_SAMPLES
  }

  #key(cells: readonly string[]): string | null {
    const { key } = this.#plan
    if (key === null) return null
    const mappings = this.#plan.mappings.filter(one => one.index === key.index).map(one => one.mapping)
    return this.#masked([key.header, ...mappings]) ? '***' : (cells[key.index] ?? '')
  }

  #mapped(cells: readonly string[]): Record<string, string> {
    const shown = this.#plan.mappings.map(({ mapping, header, index }) => {
      const cell = cells[index] ?? ''
      return [mapping, cell !== '' && this.#masked([mapping, header]) ? '***' : cell] as const
    })
    return Object.fromEntries(shown)
  }

  #masked(names: readonly (string | null)[]): boolean {
    return names.some(name => name !== null && this.#plan.report.mask.includes(name))
  }
}

function scoreOf(cell: string): number | null {
  const score = Number(cell)
  return cell.trim() === '' || !(score >= 0 && score <= 1) ? null : score
}
