/** Counts what was decided about rows whose right answers are known: precision, recall and review load, by evidence and by threshold. Pure. */
import { type ShareEstimate, shareInterval } from '../share-interval.ts'

/** What was decided about a row, compared with its right answers. */
export interface JudgedRow {
  readonly decision: 'matched' | 'review' | 'unmatched'
  readonly score: number
  /** A threshold decided, not a rule: a lower or higher one may decide otherwise. */
  readonly isByScore: boolean
  /** The evidence for the best company: `number+name+postcode`; '' for none. */
  readonly evidence: string
  /** The register has a right answer. */
  readonly isPresent: boolean
  /** The best company is a right answer. */
  readonly isRight: boolean
  /** A right answer is among the companies that a review shows. */
  readonly isShown: boolean
}

/** A share of counted rows with its 95 % interval; `share` is null where no row counts. */
type Share = { readonly found: number; readonly of: number } & Readonly<Record<keyof ShareEstimate, number | null>>

const shareOf = (found: number, of: number): Share =>
  of === 0 ? { found, of, share: null, low: null, high: null } : { found, of, ...shareInterval(found, of) }

export interface Figures {
  readonly rows: number
  readonly inRegister: number
  /** Of the matches, the right ones. */
  readonly precision: Share
  /** Of the rows that the register has, those that are matched rightly. */
  readonly recall: Share
  /** Of all rows, those in review. */
  readonly review: Share
  /** Of the rows that the register has, those that are matched rightly once a review is done. */
  readonly recallWithReview: Share
}

const isFound = (row: JudgedRow): boolean => row.decision === 'matched' && row.isRight

function figuresOf(rows: readonly JudgedRow[]): Figures {
  const present = rows.filter(row => row.isPresent)
  const right = present.filter(isFound).length
  const review = rows.filter(row => row.decision === 'review')
  return {
    rows: rows.length,
    inRegister: present.length,
    precision: shareOf(right, rows.filter(row => row.decision === 'matched').length),
    recall: shareOf(right, present.length),
    review: shareOf(review.length, rows.length),
    recallWithReview: shareOf(right + review.filter(row => row.isShown).length, present.length),
  }
}

/** A row that was decided wrongly, or left to a person: matched with a different company, not matched, in review. */
export type Miss = 'wrong' | 'missed' | 'review'

export function missOf({ decision, isRight, isPresent }: JudgedRow): Miss | null {
  if (decision === 'matched') return isRight ? null : 'wrong'
  if (decision === 'review') return 'review'
  return isPresent ? 'missed' : null
}

/**
 * The lowest score from which on the matches have this precision, if a row is matched from that score on, and is in review below it where
 * it is matched or in review now; what rules decided stays. Null where no score has it.
 */
function findThreshold(rows: readonly JudgedRow[], precision: number) {
  const scores = rows.filter(row => row.isByScore).sort((a, b) => b.score - a.score)
  const byRule = rows.filter(row => !row.isByScore && row.decision === 'matched')
  let [matched, right] = [byRule.length, byRule.filter(row => row.isRight).length]
  let lowest: number | null = null
  for (const [at, { score, isRight }] of scores.entries()) {
    matched++
    if (isRight) right++
    // Rows of one score are matched together.
    if (scores[at + 1]?.score !== score && right >= precision * matched) lowest = score
  }
  if (lowest === null) return null
  const score = lowest
  const decided = rows.map((row): JudgedRow => {
    if (!row.isByScore) return row
    return { ...row, decision: row.score >= score ? 'matched' : row.decision === 'unmatched' ? 'unmatched' : 'review' }
  })
  return { score, ...figuresOf(decided) }
}

/** `precision`: the wished one, of the threshold. */
export function measure(rows: readonly JudgedRow[], precision: number) {
  const kinds = [...new Set(rows.map(({ evidence }) => evidence))].map(evidence => ({
    evidence,
    ...figuresOf(rows.filter(row => row.evidence === evidence)),
  }))
  const misses = { wrong: 0, missed: 0, review: 0 }
  for (const row of rows) {
    const miss = missOf(row)
    if (miss !== null) misses[miss]++
  }
  return {
    ...figuresOf(rows),
    misses,
    evidence: kinds.sort((a, b) => b.rows - a.rows || (a.evidence < b.evidence ? -1 : 1)),
    threshold: { precision, at: findThreshold(rows, precision) },
  }
}
