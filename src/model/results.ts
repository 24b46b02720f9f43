/** The results of a run: outcomes of rows, written files, companies found, decisions, and what changed since an earlier run. */
import type { Director } from './directors.ts'
import type { Hit } from './hit-facts.ts'

export const CHANGE_KINDS = [
  'new',
  'gone',
  'matched',
  'lost',
  'moved',
  'changed',
  'outcome',
  'decided',
  'undone',
  'ruled',
] as const
/**
 * `matched`: the row has a company now; `lost`: it has none now; `moved`: another company; `changed`: the same company with other
 * data; `outcome`: it has no company before and after, and another outcome, such as review after unmatched; `decided`: a person decided about it;
 * `undone`: a decision applied to it before and does not now; such a row is also of another kind. `ruled`: the decision table decides
 * otherwise, or by another rule; such a row may be of another kind, too.
 */
export type ChangeKind = (typeof CHANGE_KINDS)[number]

/** Whether the cells of the row, the answer of the service, the data of the company, a person's decision or the decision table made the difference. */
export type ChangeCause = 'list' | 'answer' | 'company' | 'decision' | 'rule'

export type ChangeCounts = Record<ChangeKind, number>

export const noChanges = (): ChangeCounts => Object.fromEntries(CHANGE_KINDS.map(kind => [kind, 0])) as ChangeCounts

interface RowPlace {
  readonly outcome: string
  /** Empty texts without a company. */
  readonly company: { readonly id: string; readonly name: string }
  /** What the decision table decided, and its rule: `decline inactive`; absent without one. */
  readonly ruled?: string | undefined
}

export interface RowChange {
  readonly kind: ChangeKind
  readonly cause: ChangeCause
  /** Data row from 1 of the later list; null when it is gone. */
  readonly row: number | null
  readonly key: string | null
  readonly name: string
  readonly before: RowPlace | null
  readonly after: RowPlace | null
  /** Of `changed`: the columns that differ. */
  readonly columns: readonly { readonly name: string; readonly before: string; readonly after: string }[]
}

/** What a run changed against an earlier one; the rows are the first of each kind. */
export interface RunChanges {
  /** The earlier run. */
  readonly against: string
  readonly counts: ChangeCounts
  readonly rows: readonly RowChange[]
}

const OUTCOME_NAMES = ['matched', 'manualMatched', 'review', 'unmatched', 'duplicates', 'failed', 'skipped'] as const
export type OutcomeName = (typeof OUTCOME_NAMES)[number]

/** Rows by outcome; null where the count is unknown, never 0. */
export type Outcomes = Readonly<Record<OutcomeName, number | null>>

export const byOutcome = <T>(of: (name: OutcomeName) => T): Record<OutcomeName, T> =>
  Object.fromEntries(OUTCOME_NAMES.map(name => [name, of(name)])) as Record<OutcomeName, T>

/** An event as reports show it. */
export interface ReportedEvent {
  readonly at: string
  readonly company: { readonly id: string; readonly name: string }
  /** The key of its row, or its reference in the portfolio; empty if neither is known. */
  readonly key: string
  readonly rule: string
  readonly old: string
  readonly new: string
}

export interface OutputFile {
  readonly kind: 'output' | 'unmatched' | 'review' | 'rejects'
  readonly path: string
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
}

/** A row as a report may show it; cells of masked columns are already `***`. */
export interface RowSample {
  /** Data row from 1. */
  readonly row: number
  /** Line of the file on which the row starts, null where it is unknown. */
  readonly line: number | null
  /** The file of the row, for an input of several files. */
  readonly file?: string
  readonly key: string | null
  /** `manualMatched`: a decision gave the row its company. */
  readonly outcome: 'review' | 'unmatched' | 'manualMatched'
  readonly score: number | null
  readonly why: string
  /** Why it has no company: an unmatched reason, or the service's reason for a review. */
  readonly reason: string
  /** Mapped cells: mapping name -> text. */
  readonly cells: Readonly<Record<string, string>>
  /** The best company found, empty when none. */
  readonly candidate: { readonly id: string; readonly name: string }
  /** Identifies the row in a file of decisions. */
  readonly fingerprint: string
  /** Best first. */
  readonly candidates: readonly RowCandidate[]
  readonly decision: RowDecision | null
}

/** Why a row has no company: the reasons of the service, or `unknown-number` where the row has a number that no company has. */
export const UNMATCHED_REASONS = [
  'below-threshold',
  'unknown-number-and-name',
  'wrong-country',
  'no-candidate',
  'unknown-number',
  'no-name',
  'not-accepted',
  'rejected',
  'not-given',
] as const
export type UnmatchedReason = (typeof UNMATCHED_REASONS)[number]

/** What happens to a match of the service, by its band and pattern. */
export const PLACEMENTS = ['matched', 'review', 'unmatched'] as const
export type Placement = (typeof PLACEMENTS)[number]

/** A row that shows what a band or a pattern is like. */
export interface MatchExample {
  /** Data row from 1. */
  readonly row: number
  readonly key: string | null
  readonly name: string
  readonly company: { readonly id: string; readonly name: string }
}

/** Rows for which the service found a company, of one band or one pattern, before decisions. */
export interface MatchGroup extends Readonly<Record<Placement, number>> {
  /** The band or the pattern. */
  readonly value: string
  readonly rows: number
  readonly examples: readonly MatchExample[]
}

/** The bands and patterns of the matches of the service, most rows first, as far as they are listed. */
export interface MatchGroups {
  /** `moves`: rows that change their outcome when the pipeline accepts the band, leaves it for review, or does neither. */
  readonly bands: readonly (MatchGroup & { readonly moves: Readonly<Record<Placement, number>> })[]
  readonly patterns: readonly MatchGroup[]
  /** Rows of bands and of patterns that are not listed. */
  readonly others: { readonly bands: number; readonly patterns: number }
  /** Rows in review that would be matched without `accept.pattern`. */
  readonly byPattern: number
}

/** A row whose company an earlier row has. */
export interface DuplicateRow extends MatchExample {
  /** The first row of that company, null if unknown. */
  readonly first: number | null
}

/** A company that the service proposes for a row. */
export interface RowCandidate {
  readonly id: string
  readonly name: string
  readonly score: number | null
  readonly why: string
  /** What each kind of evidence adds to the score, in log-odds. */
  readonly parts: Readonly<Record<string, number>>
  /** Mapping name -> text. */
  readonly fields: Readonly<Record<string, string>>
}

export interface RowDecision {
  readonly decision: 'accept' | 'reject'
  readonly company: string
  readonly companyName: string
  readonly by: string
  readonly at: string
  readonly expires: string
}

/** The lowest score that the service matched in this run, and the lowest that it left for review. */
export interface LowestScores {
  readonly matched: number | null
  readonly review: number | null
}

/**
 * Rows by the effect of their decision; `expired` decisions, `unused` ones, whose rows are not in the input, and `undone` ones, which
 * applied in the last good run and do not although their row is in the input.
 */
export interface DecisionCounts {
  readonly accepted: number
  readonly rejected: number
  /** The service matched the same company. */
  readonly agreed: number
  /** The service matched another company. */
  readonly overruled: number
  /** Matched because a row of nearly the same name was accepted. */
  readonly learned: number
  readonly expired: number
  readonly unused: number
  readonly undone: number
}

/**
 * Rows to look up, and how many of them have an earlier answer. The others are sent: `sent` are the different ones among them, by
 * reason, and `repeated` have the question of one of these.
 */
export interface ReuseCounts {
  readonly asked: number
  readonly known: number
  readonly sent: number
  readonly repeated: number
  /** Its question was never asked before. */
  readonly fresh: number
  /** The row of this key had another question. */
  readonly changed: number
  readonly tooOld: number
  /** The earlier answer lacks tags that are asked for now. */
  readonly lacking: number
  /** Asked again as requested. */
  readonly refreshed: number
}

/** A search that an earlier run paid, and when. */
export interface EarlierSearch<Answer> {
  readonly at: string
  readonly answer: Answer
  /** The lists that were searched, at a service that names them. */
  readonly listsKey?: string | undefined
}

/**
 * A search that an earlier run paid and that is made again: an entry of the lists that may concern it changed, or it is not known what
 * changed.
 */
export interface SearchAgain {
  readonly again: 'changed' | 'unknown'
}

/** A company found, with the first row that found it. */
export interface FoundCompany {
  /** Data row from 1. */
  readonly row: number
  /** connectId, or the Safe Number where the service returns no other. */
  readonly id: string
  readonly name: string
  /** The cell of the column that names it in a portfolio, empty without such a column. */
  readonly reference: string
  /** How many directors its answer has; absent where they are not searched for. */
  readonly directors?: number | undefined
}

/** What is searched for: a company, or a director of it. */
export type Subject = FoundCompany & Partial<Director>

/** `listed`: different companies found; `nameless`: rows whose company has no id; `directors`: of all companies, where they are searched for. */
export interface CompanyCounts {
  readonly listed: number
  readonly nameless: number
  readonly directors?: number | undefined
}

/** A question to the service about rows without a certain match; equal rows are one question. */
export interface Question {
  /** A digest of the query. */
  readonly id: string
  readonly query: Readonly<Record<string, string>>
}

/** `listed`: different questions; `left`: rows beyond `candidates.limit`; `incomplete`: rows without a name or a known country. */
export interface QuestionCounts {
  readonly listed: number
  readonly left: number
  readonly incomplete: number
}

/** A company that a person accepted for a row, with missing tags. */
export interface AcceptedCompany {
  readonly id: string
  readonly name: string
  /** Code of the row's country; '' if unknown. */
  readonly country: string
}

/** A company by its id, with its filled tags. */
export interface FetchedCompany {
  readonly id: string
  readonly tags: Readonly<Record<string, string>>
}

/** Accepted companies that the registers of a run do not have; `why`: the registers cannot be opened. */
export interface UnknownCompanies {
  readonly ids: readonly string[]
  readonly why: string | null
}

/** Tags by the id of a company. */
export type FetchedTags = ReadonlyMap<string, FetchedCompany['tags']>

/** Cells of an output that the type of their column cannot hold: they are left empty. `rows`: the first ones, from 1. */
export interface UnfitColumn {
  readonly path: string
  readonly column: string
  readonly type: string
  readonly count: number
  readonly rows: readonly number[]
}

/** A row whose company may be a different one, and what differs: `name`, `postcode`. */
export interface DoubtfulExample extends MatchExample {
  readonly differs: readonly string[]
}

/** What a second look at the matches found. */
export interface AuditCounts {
  readonly agreed: number
  readonly doubtful: number
  /** Neither names nor numbers can be compared. */
  readonly notComparable: number
  /** The first doubtful rows. */
  readonly examples: readonly DoubtfulExample[]
}

/** What each rule of a decision table decided. */
export interface DecideCounts extends Readonly<Record<'accept' | 'refer' | 'decline', number>> {
  /** The file of the table, or the name of the decision tree. */
  readonly path: string
  /** The day of the decisions. */
  readonly asOf: string
  /** In the order of the table. `missing`: the field that a rule needed and lacked; the rows are then referred. */
  readonly rules: readonly {
    readonly rule: string
    readonly decision: 'accept' | 'refer' | 'decline'
    readonly missing: string | null
    readonly rows: number
    readonly examples: readonly MatchExample[]
  }[]
  /** Rules that neither a row nor a test of the table reached. */
  readonly unreached: readonly string[]
}

/** What a decision tree of the service is asked about a company; equal questions are one. */
export interface TreeQuestion {
  /** A digest of the company and its inputs. */
  readonly id: string
  readonly company: string
  readonly inputs: Readonly<Record<string, string | number>>
}

/** What it decided. */
export interface TreeAnswer {
  readonly decision: 'accept' | 'refer' | 'decline'
  readonly rule: string
  readonly why: string
}

/** What a search found about a company: hits, and hits by dataset. */
export interface ScreenedHits {
  readonly id: string
  readonly hits: number
  readonly risks: Readonly<Record<string, number>>
}

/** `found`: the hits with their facts; absent where no decisions about them are applied. */
export interface FoundHits extends ScreenedHits {
  readonly name: string
  /** The director who was searched for; absent for the company itself. */
  readonly person?: string | undefined
  /** Of the company itself: how many directors it has; absent where they are not searched for. */
  readonly directors?: number | undefined
  readonly found?: readonly Hit[] | undefined
  /** Made by an earlier run, before the time that the check `screened` allows. */
  readonly isTooOld?: boolean | undefined
}

/** A company that was not searched for, and the word for the cause. */
export interface UnscreenedCompany {
  readonly id: string
  /** The director who was not searched for; absent for the company itself. */
  readonly person?: string | undefined
  readonly state: string
}

/** `back`: a decision was made about it, and something changed since. */
export type HitState = 'open' | 'back' | 'cleared' | 'confirmed'

/** The company of a hit, and its director if the hit is about one. */
export interface HitSubject {
  readonly id: string
  readonly name: string
  readonly person?: string | undefined
}

/** `Ann Holt, director of Holt Steel Ltd`, or the name of the company alone. */
export const subjectText = ({ name, person }: Omit<HitSubject, 'id'>): string =>
  person === undefined ? name : `${person}, director of ${name}`

/** A hit as a person decides about it. */
export interface HitToDecide {
  readonly company: HitSubject
  readonly hit: Hit
  /** Of its facts. */
  readonly digest: string
  readonly state: HitState
  /** What changed since the decision. */
  readonly changed: readonly string[]
  /** Such as `cleared by ann, 2026-11-21`; empty without a decision. */
  readonly decided: string
}

/** What a search found, and what people decided about it: `hits` and `risks` are of the hits that are not cleared. */
export interface JudgedHits extends ScreenedHits {
  /** Absent where no decisions about hits are applied. */
  readonly toDecide?: readonly HitToDecide[] | undefined
  readonly cleared: number
  readonly confirmed: number
  /** Hits that were decided about, and changed since. */
  readonly back: number
  readonly state: string
  /** What changed, of the hits that came back. */
  readonly why: string
}

/** What a run records of its hits and of the decisions about them. */
export interface HitCounts {
  readonly open: number
  readonly back: number
  readonly cleared: number
  readonly confirmed: number
  /** The first hits that came back, are open or confirmed. */
  readonly listed: readonly ListedHit[]
}

export interface ListedHit {
  readonly id: string
  /** Of the company. */
  readonly name: string
  /** The director whom the hit is about. */
  readonly person?: string | undefined
  readonly entry: string
  readonly state: string
  /** The decision that was made, and what changed since; '' for none. */
  readonly why: string
}

/** What happened to a company of the portfolio since the last run, as numbers of events. */
export interface CompanyEvents {
  readonly id: string
  readonly counts: Readonly<Record<string, number>>
}

export interface PublishedResults {
  readonly files: readonly OutputFile[]
  /** A check failed, and the files have separate names, next to the files of the plan. */
  readonly isRejected?: boolean
  readonly outcomes: Outcomes
  /** Null without an earlier run to compare with. */
  readonly changes: RunChanges | null
  /** Rows by outcome, for earlier answers and for answers of this run; null where earlier answers are not used. */
  readonly reused: { readonly known: Outcomes; readonly sent: Outcomes } | null
  readonly samples: readonly RowSample[]
  /** Unmatched rows by reason. */
  readonly reasons: Readonly<Record<string, number>>
  /** The first duplicates. */
  readonly duplicates: readonly DuplicateRow[]
  /** Twenty buckets of 0.05: how many rows have a match score in each. Empty when the enriched file has no scores. */
  readonly scores: readonly number[]
  readonly lowestScores: LowestScores
  /** Chosen columns that the service did not deliver: they are empty. */
  readonly missing: readonly string[]
  readonly unfit: readonly UnfitColumn[]
  /** Words in the chosen columns of matched rows that may stand for no value, and in how many cells. */
  readonly words: readonly { readonly word: string; readonly cells: number }[]
  /** Null when the service gives neither bands nor patterns. */
  readonly matches: MatchGroups | null
  /** Null where matches are not audited. */
  readonly audit: AuditCounts | null
  /** Null without a decision table, and before the searches that it reads. */
  readonly decide: DecideCounts | null
  /** Null when the run applies no decisions. */
  readonly decisions: DecisionCounts | null
  /** Rows of the input with undone decisions, and how many decisions may be undone: their row was renamed, or left the list. */
  readonly undone: { readonly rows: readonly number[]; readonly unclear: number }
  /** The decisions file that decides about most rows, of those that the run does not apply; null for none. */
  readonly otherDecisions: { readonly path: string; readonly rows: number } | null
  /** Null when the service is asked for no candidates, or has been asked. */
  readonly questions: QuestionCounts | null
  /** Accepted companies with missing tags; null when none are fetched. */
  readonly accepted: number | null
  /** Null when no stage uses the companies. */
  readonly companies: CompanyCounts | null
  /** Different questions to a decision tree; null without one, and once it has answered. */
  readonly treeQuestions: number | null
  /** Null when the registers of the run have every company that people accepted, and for a remote service. */
  readonly unknown?: UnknownCompanies | null
}
