/** Counts outcomes and scores of all rows, selects the few rows that a report shows, and stores those for review. */
import { locateRowLines } from '../input/table/record-offsets.ts'
import { isAudited } from '../model/audit.ts'
import { rejectedRows } from '../model/list.ts'
import {
  type DecisionCounts,
  type DuplicateRow,
  type LowestScores,
  type MatchExample,
  type MatchGroup,
  type MatchGroups,
  type Outcomes,
  PLACEMENTS,
  type Placement,
  type PublishedResults,
  type RowDecision,
  type UnmatchedReason,
} from '../model/results.ts'
import type { Plan, PlannedAccept } from '../pipeline/model/types.ts'
import { acceptMatch, type Evidence, hasAcceptedPattern } from './accept.ts'
import { evidenceOf } from './answers.ts'
import { AuditCounter } from './audit.ts'
import { readScore } from './candidates.ts'
import type { Undone } from './changes/undone.ts'
import { DecisionCounter, dayOf, exampleOf } from './decide-rows.ts'
import { cellOf, type Effect, firstCell, type RowResult } from './decisions/apply-decisions.ts'
import type { Decision } from './decisions/decision.ts'
import type { Decisions } from './decisions/decisions.ts'
import type { EnrichedColumns } from './enriched-columns.ts'
import { COMPANY_TAGS, NAME_TAGS, NO_VALUE, type RowOutcome } from './enriched-file.ts'
import { type ReviewRow, reviewWriter, shownCandidate, shownCells, shownKey, shownName } from './output/report-row.ts'
import type { JoinedRow, RowSink } from './row-sink.ts'

const MAX_SAMPLES = 50
/** Unmatched rows that a run keeps for a person who decides about them. */
const MAX_UNMATCHED = 10_000
const BUCKETS = 20
/** Characters of a band or a pattern that are kept: the service may write anything there. */
const LONGEST = 200
/** Companies remembered with their first row until enough duplicates are listed. */
const MAX_FIRST_ROWS = 50_000

/** Mappings that identify a company by a number. */
const NUMBERS = ['companyId', 'orgNumber', 'vatNumber', 'taxCode'] as const

type Counts = Record<RowOutcome, number>
type TotalledRow = Pick<JoinedRow, 'number' | 'result' | 'inputRow' | 'fingerprints' | 'audit' | 'ruled'>
const toOutcomes = ({ duplicate, ...others }: Counts): Outcomes => ({ ...others, duplicates: duplicate })

const noRows = (): Counts => ({ matched: 0, manualMatched: 0, review: 0, unmatched: 0, duplicate: 0, failed: 0, skipped: 0 })

export class RowTotals implements RowSink {
  /** Throws FETTLE_OUTPUT_WRITE. */
  readonly #review: ReturnType<typeof reviewWriter>
  /** Decisions files that the run does not apply, by row; null where it applies one. */
  readonly #otherFiles: ReadonlyMap<string, string> | null
  readonly #samples: ReviewRow[] = []
  /** How many of them have each outcome. */
  readonly #sampled = noRows()
  #unmatched = 0
  readonly #plan: Plan
  /** `#sent`: uploaded rows by the service's outcome; `#all`: all rows by their final outcome. */
  readonly #sent = noRows()
  readonly #all = noRows()
  /** Rows with an earlier answer by their final outcome. */
  readonly #reused = noRows()
  readonly #reasons: Partial<Record<UnmatchedReason, number>> = {}
  readonly #duplicates: DuplicateRow[] = []
  readonly #firstRows = new Map<string, number>()
  readonly #effects: Record<Effect, number> = { accepted: 0, rejected: 0, agreed: 0, overruled: 0, narrowed: 0 }
  readonly #decided = new Set<string>()
  #learned = 0
  readonly #others = new Map<string, number>()
  /** Rows that a decision changed. */
  readonly changed = new Set<string>()
  readonly #scores = new Array<number>(BUCKETS).fill(0)
  #lowest: LowestScores = { matched: null, review: null }
  readonly #matches: MatchCounter
  readonly #ruled: DecisionCounter | null
  #hasScores = false
  readonly #audit = new AuditCounter()
  /** The places of the chosen columns in the last row. */
  #chosen: { readonly columns: EnrichedColumns; readonly places: readonly number[] } | null = null
  readonly #words = new Map<string, number>()

  constructor(plan: Plan, workDir: string, otherFiles: ReadonlyMap<string, string> | null, isWaiting = false) {
    this.#plan = plan
    this.#review = reviewWriter(workDir)
    this.#otherFiles = otherFiles
    this.#matches = new MatchCounter(plan.accept ?? null)
    const { decide, tree } = plan
    const [table, path] = [decide?.table ?? null, decide?.path ?? tree?.name]
    this.#ruled = path === undefined || isWaiting ? null : new DecisionCounter(table, path, dayOf(plan))
  }

  begin(columns: EnrichedColumns): void {
    this.#hasScores ||= columns.find('match.score') !== -1
  }

  /** Counts the row, and stores it for review when it needs one, has a decision, or has no company. */
  add(joined: TotalledRow): void | Promise<void> {
    const { number, result, inputRow, fingerprints, audit, ruled } = joined
    const { outcome, serviceOutcome, row, columns, given, raw } = result
    if (raw !== null) this.#sent[serviceOutcome]++
    this.#all[outcome]++
    if (given.reused) this.#reused[outcome]++
    if (audit !== null) this.#audit.add(audit, () => exampleOf(this.#plan, joined))
    if (ruled !== null) this.#ruled?.add(ruled, () => exampleOf(this.#plan, joined))
    this.#countDecision(result, fingerprints)
    if (result.learned !== null) this.#learned++
    if (serviceOutcome === 'matched' || serviceOutcome === 'duplicate') this.#countMatch(number, result, inputRow)
    const score = readScore(row[columns.find('match.score')] ?? '')
    if (score !== null) this.#addScore(score, serviceOutcome)
    let reason: string = cellOf(result, 'match.reason')
    if (outcome === 'unmatched') {
      const why = this.#unmatchedReason(reason, result, inputRow)
      this.#reasons[why] = (this.#reasons[why] ?? 0) + 1
      reason = why
    }
    if (this.#plan.report.rows === 'all') this.#addFound(joined)
    return this.#selectRow(joined, reason)
  }

  publish = (): Promise<void> => this.#review.publish()
  discard = (): Promise<void> => this.#review.discard()

  #countDecision({ decided }: RowResult, fingerprints: readonly string[]): void {
    if (decided !== null) {
      const { fingerprint } = decided.line
      this.#effects[decided.effect]++
      this.#decided.add(fingerprint)
      if (decided.effect !== 'agreed') this.changed.add(fingerprint)
    }
    if (this.#otherFiles === null) return
    const path = fingerprints.map(fingerprint => this.#otherFiles?.get(fingerprint)).find(file => file !== undefined)
    if (path !== undefined) this.#others.set(path, (this.#others.get(path) ?? 0) + 1)
  }

  /** Keeps the row as a sample of its outcome, and stores it for review. */
  #selectRow({ number, result, inputRow, fingerprints }: TotalledRow, reason: string): void | Promise<void> {
    const { outcome, decided } = result
    const { rows } = this.#plan.report
    const isForReview = outcome === 'review' || (decided !== null && decided.effect !== 'agreed')
    if (rows === 'none' || !(isForReview || (rows === 'all' && outcome === 'unmatched'))) return
    const isKept = isForReview || this.#unmatched++ < MAX_UNMATCHED
    if (outcome !== 'review' && outcome !== 'unmatched' && outcome !== 'manualMatched') return
    const isSample = outcome !== 'manualMatched' && this.#sampled[outcome] < MAX_SAMPLES
    if (!isKept && !isSample) return
    const candidates = result.candidates.map(candidate => shownCandidate(this.#plan, candidate))
    const [best] = candidates
    const sample: ReviewRow = {
      row: number,
      line: null,
      key: shownKey(this.#plan, inputRow),
      outcome,
      score: readScore(cellOf(result, 'match.score')),
      why: cellOf(result, 'match.why'),
      reason,
      cells: shownCells(this.#plan, inputRow),
      candidate: { id: best?.id ?? '', name: best?.name ?? '' },
      fingerprint: decided?.line.fingerprint ?? fingerprints[0]!,
      candidates,
      decision: decided === null ? null : shownDecision(decided.line),
    }
    if (isSample) {
      this.#sampled[outcome]++
      this.#samples.push(sample)
    }
    return isKept ? this.#review.add(sample) : undefined
  }

  #countMatch(number: number, { row, columns }: RowResult, inputRow: readonly string[]): void {
    if (this.#chosen?.columns !== columns) {
      const names = this.#plan.output?.columns ?? []
      this.#chosen = { columns, places: names.map(columns.find).filter(at => at !== -1) }
    }
    for (const at of this.#chosen.places) {
      const cell = (row[at] ?? '').trim()
      if (cell.length < 12 && NO_VALUE.test(cell)) this.#words.set(cell, (this.#words.get(cell) ?? 0) + 1)
    }
    const read = (names: readonly string[]): string =>
      names.map(name => row[columns.find(name)] ?? '').find(cell => cell !== '') ?? ''
    const { banding, pattern } = evidenceOf({ row, columns })
    const evidence = { banding: banding.trim().slice(0, LONGEST), pattern: pattern.trim().slice(0, LONGEST) }
    this.#matches.add(evidence, () =>
      this.#plan.report.rows !== 'all'
        ? null
        : {
            row: number,
            key: shownKey(this.#plan, inputRow),
            name: shownName(this.#plan, inputRow),
            company: { id: read(COMPANY_TAGS), name: read(NAME_TAGS) },
          },
    )
  }

  /** Without a match no company has the number of the row: an equal number alone leads to a review. */
  #unmatchedReason(reason: string, { decided }: RowResult, inputRow: readonly string[]): UnmatchedReason {
    if (decided !== null) return 'rejected'
    if (reason !== 'no-name' && reason !== 'no-candidate' && reason !== 'below-threshold')
      return reason === 'wrong-country' || reason === 'not-accepted' ? reason : 'not-given'
    const hasNumber = this.#plan.mappings.some(
      ({ mapping, index }) => (NUMBERS as readonly string[]).includes(mapping) && /\d/.test(inputRow[index] ?? ''),
    )
    if (!hasNumber) return reason
    return reason === 'no-name' ? 'unknown-number' : 'unknown-number-and-name'
  }

  #addFound({ number, result, inputRow }: TotalledRow): void {
    const { outcome } = result
    if (this.#duplicates.length === MAX_SAMPLES || (outcome !== 'matched' && outcome !== 'duplicate')) return
    const id = firstCell(result, COMPANY_TAGS)
    if (outcome === 'matched') {
      if (id !== '' && this.#firstRows.size < MAX_FIRST_ROWS) this.#firstRows.set(id, number)
      return
    }
    this.#duplicates.push({
      row: number,
      key: shownKey(this.#plan, inputRow),
      name: shownName(this.#plan, inputRow),
      company: { id, name: cellOf(result, 'general.companyName') },
      first: this.#firstRows.get(id) ?? null,
    })
  }

  #addScore(score: number, serviceOutcome: RowOutcome): void {
    // The sum 1e-9 keeps 0.15 * 20 from falling below 3 in binary.
    this.#scores[Math.min(BUCKETS - 1, Math.floor(score * BUCKETS + 1e-9))]!++
    if (serviceOutcome === 'matched' || serviceOutcome === 'review')
      this.#lowest = { ...this.#lowest, [serviceOutcome]: Math.min(score, this.#lowest[serviceOutcome] ?? score) }
  }

  /** Counts over all rows; those that could not be read count as failed. */
  outcomes(): Outcomes {
    return toOutcomes({ ...this.#all, failed: this.#all.failed + rejectedRows(this.#plan) })
  }

  sent(): Outcomes {
    return toOutcomes(this.#sent)
  }

  decisions(decisions: Decisions, { same, renewed }: Undone): DecisionCounts {
    const { accepted, rejected, agreed, overruled } = this.#effects
    const unused = decisions.rows - this.#decided.size
    const counts = { accepted, rejected, agreed, overruled, learned: this.#learned }
    return { ...counts, expired: decisions.expired, unused, undone: same.length + renewed.length }
  }

  /** What the report has of the rows. */
  results() {
    const [most] = [...this.#others].sort(([, a], [, b]) => b - a)
    return {
      outcomes: this.outcomes(),
      reused: this.#plan.known === undefined ? null : this.#reusedApart(),
      reasons: this.#reasons,
      duplicates: this.#duplicates,
      scores: this.#hasScores ? this.#scores : [],
      lowestScores: this.#lowest,
      matches: this.#matches.groups(),
      decide: this.#ruled?.counts() ?? null,
      audit: isAudited(this.#plan) ? this.#audit.counts() : null,
      words: [...this.#words].map(([word, cells]) => ({ word, cells })).sort((first, other) => other.cells - first.cells),
      otherDecisions: most === undefined ? null : { path: most[0], rows: most[1] },
    } satisfies Partial<PublishedResults>
  }

  /** Rows with an earlier answer, and the others; their sum is the number of all rows that could be read. */
  #reusedApart() {
    const others = noRows()
    for (const name of Object.keys(others) as RowOutcome[]) others[name] = this.#all[name] - this.#reused[name]
    return { known: toOutcomes(this.#reused), sent: toOutcomes(others) }
  }

  async samples(root = ''): Promise<readonly ReviewRow[]> {
    const rows = this.#samples.map(({ row }) => row)
    const places = await locateRowLines(this.#plan, rows, root)
    return this.#samples.map((sample, at) => ({ ...sample, ...(places[at] ?? { line: null }) }))
  }
}

function shownDecision({ decision, company, companyName, by, at, expires }: Decision): RowDecision {
  return { decision: decision === 'accept' ? 'accept' : 'reject', company, companyName, by, at, expires }
}

/** Different values that are counted; a service may write another pattern for every row. */
const MOST_VALUES = 1000
const LISTED = 20
const EXAMPLES = 3

const noPlacements = (): Record<Placement, number> => ({ matched: 0, review: 0, unmatched: 0 })
const newGroupCounts = () => ({ rows: 0, ...noPlacements(), moves: noPlacements(), examples: [] as MatchExample[] })
type GroupCounts = ReturnType<typeof newGroupCounts>

/** Counts the service's matches by band and by pattern, and how many rows each choice in `accept` would move. */
export class MatchCounter {
  readonly #rules: PlannedAccept | null
  readonly #bands = new Map<string, GroupCounts>()
  readonly #patterns = new Map<string, GroupCounts>()
  #rows = 0
  #byPattern = 0
  #isGiven = false

  constructor(rules: PlannedAccept | null) {
    this.#rules = rules
  }

  /** Counts a match of the service; `example` is asked for while examples are wanted, and gives null to show none. */
  add({ banding, pattern }: Evidence, example: () => MatchExample | null): void {
    const { outcome, reason } = acceptMatch(this.#rules, { banding, pattern })
    this.#isGiven ||= banding !== '' || pattern !== ''
    this.#rows++
    if (reason === 'pattern-differs') this.#byPattern++
    const band = countIn(this.#bands, banding, outcome, example)
    const isAccepted = hasAcceptedPattern(this.#rules, pattern)
    for (const choice of band === null ? [] : PLACEMENTS)
      if ((choice === 'matched' && !isAccepted ? 'review' : choice) !== outcome) band!.moves[choice]++
    countIn(this.#patterns, pattern, outcome, example)
  }

  /** Null when no row has a band or a pattern, and no rule asks for one. */
  groups(): MatchGroups | null {
    if (this.#rows === 0 || (!this.#isGiven && this.#rules === null)) return null
    const bands = largest(this.#bands)
    const patterns = largest(this.#patterns)
    const others = (groups: readonly MatchGroup[]): number => this.#rows - groups.reduce((sum, { rows }) => sum + rows, 0)
    return { bands, patterns, others: { bands: others(bands), patterns: others(patterns) }, byPattern: this.#byPattern }
  }
}

function countIn(groups: Map<string, GroupCounts>, value: string, outcome: Placement, example: () => MatchExample | null) {
  let counts = groups.get(value)
  if (counts === undefined) {
    if (groups.size === MOST_VALUES) return null
    counts = newGroupCounts()
    groups.set(value, counts)
  }
  counts.rows++
  counts[outcome]++
  if (counts.examples.length < EXAMPLES) counts.examples.push(...[example()].filter(cells => cells !== null))
  return counts
}

const largest = (groups: ReadonlyMap<string, GroupCounts>): (MatchGroup & { moves: Record<Placement, number> })[] =>
  [...groups]
    .map(([value, counts]) => ({ value, ...counts }))
    .sort((a, b) => b.rows - a.rows || (a.value < b.value ? -1 : 1))
    .slice(0, LISTED)
