/** The steps from the answer to the result of a row: companies proposed since, decisions of people, duplicates in all jobs. */
import { FettleError } from '../errors.ts'
import { DigestIndex } from '../files/digest-index.ts'
import { digestOf } from '../files/file-chunks.ts'
import type { FetchedTags } from '../model/results.ts'
import type { Plan } from '../pipeline/model/types.ts'
import type { AnsweredRow } from './answer-reader.ts'
import type { Answer } from './answers.ts'
import { stateMaker } from './changes/row-states.ts'
import { applyDecision, foundIds, type RowResult } from './decisions/apply-decisions.ts'
import type { Decision } from './decisions/decision.ts'
import type { Decisions } from './decisions/decisions.ts'
import type { EnrichedColumns } from './enriched-columns.ts'
import { marksDuplicates } from './enriched-file.ts'
import { shownKey } from './output/report-row.ts'
import { type Proposals, questionMaker } from './questions.ts'
import { exactFingerprinter, fingerprinter, keyFingerprint } from './row-fingerprint.ts'
import type { JoinedRow } from './row-sink.ts'

export interface StepFacts {
  readonly decisions: Decisions | null
  /** Null before the service was asked for candidates. */
  readonly proposals: Proposals | null
  readonly fetched: FetchedTags | null
  /** Every row is identified, not only those that a person may decide about. */
  readonly identifiesAll: boolean
  readonly keepsStates: boolean
}

export type RowJoiner = (
  number: number,
  inputRow: readonly string[],
  uploadRow: readonly string[],
  answered: AnsweredRow,
) => JoinedRow

/** Returns what makes the row that all sinks get. It throws FETTLE_DECISIONS. */
export function rowJoiner(plan: Plan, facts: StepFacts): RowJoiner {
  const { decisions, proposals, fetched, keepsStates } = facts
  const identifiesAll = facts.identifiesAll || decisions !== null
  const fingerprintOf = fingerprinter(plan)
  const makeState = stateMaker(plan)
  const questionAbout = questionMaker(plan)
  const correctDuplicate = duplicateCorrector(plan)
  const assertOneRow = sharedDecisionChecker(plan)
  return (number, inputRow, uploadRow, { answer: found, isRepeat }) => {
    const answer = proposals === null ? found : withProposals(found, proposals.get(questionAbout(uploadRow)?.id ?? ''))
    const isDecidable = identifiesAll || answer.outcome === 'review' || answer.outcome === 'unmatched'
    const fingerprint = keepsStates || isDecidable ? fingerprintOf(uploadRow) : ''
    const byKey = isDecidable ? keyFingerprint(plan, inputRow[plan.key?.index ?? 0] ?? '') : ''
    const fingerprints = byKey === '' ? [fingerprint] : [byKey, fingerprint]
    const corrected = correctDuplicate(answer)
    const decided = applyDecision(answer, fingerprints, decisions, fetched)
    if (decided.decided !== null) assertOneRow(decided.decided.line, number, inputRow, uploadRow)
    const isCorrected = corrected !== null && decided.outcome === answer.outcome
    const result = isCorrected ? { ...decided, ...corrected } : decided
    return {
      number,
      inputRow,
      uploadRow,
      result,
      isRepeat: isRepeat || (isCorrected && result.outcome === 'duplicate'),
      fingerprints,
      state: keepsStates ? makeState(number, result, inputRow, fingerprint) : null,
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
function duplicateCorrector({
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

const cellOfFirst = (column: string): string | undefined =>
  column === 'general.duplicate' ? 'N' : column === 'general.duplicateId' ? '' : undefined
