/** What a request to the service takes and returns, as the run core and the client share it. */
import type { ColumnMapping, JobRecord, UploadRecord } from '../contract/index.ts'
import type { Hit } from './hit-facts.ts'
import type { RowCandidate, TreeAnswer, TreeQuestion } from './results.ts'
import type { StageName } from './stages.ts'

/** How long a run waits for a service that was reached before and is away now. */
export const OUTAGE_MS = 5 * 60_000

/** What every request takes. */
export interface CallOptions {
  readonly signal?: AbortSignal
  /** Attempts for this request instead of the client's; 1 for a poll, which the next poll repeats. */
  readonly attempts?: number
  /** Longest wait in milliseconds before the request, when the previous answer asked for one. */
  readonly withinMs?: number
  /** Called when the service answers this request with a request to pause. */
  readonly onThrottled?: () => void
  /** Called with the service's id of this request, when it changed something and the service returns one. */
  readonly onCorrelation?: (correlation: Correlation) => void
  /** Counts what is sent for this request, besides the client's own counts. */
  readonly meter?: Meter
  /** Sent as Idempotency-Key: a service that supports it answers a repeated request with its first answer. */
  readonly idempotencyKey?: string
  /** The stage of a run that sends the request; spans are drawn under it. */
  readonly stage?: StageName
}

/** Why an effect is looked for: the request was refused (400, 409, 422), not handled (503), or its answer does not show what it did. */
export type Doubt = 'refused' | 'unavailable' | 'lost'

/** What a request takes that must not take effect twice. */
export interface EffectOptions<T> extends Omit<CallOptions, 'idempotencyKey'> {
  /**
   * Reads the state after an answer was lost or refused. A value means that the request took effect, and replaces the answer;
   * undefined means that it may be sent again. Throws when it must not be, because the outcome is unknown.
   */
  readonly look: (doubt: Doubt) => Promise<T | undefined>
  /** Sent as Idempotency-Key: the same over attempts and resumes. */
  readonly key: string
}

/** The result of such a request; `adopted`: the effect was found, not caused. */
export interface Effect<T> {
  readonly value: T
  readonly adopted: boolean
}

/** The service's id of a request that changed something. */
export interface Correlation {
  readonly operation: string
  readonly correlationId: string
}

/** Counts of requests, retries included, and how long pauses delayed them. */
export interface HttpCounts {
  readonly requests: number
  readonly retries: number
  readonly throttledMs: number
}

/** Counts that grow as requests are sent. */
export type Meter = { -readonly [name in keyof HttpCounts]: HttpCounts[name] }

/** A file to send; every attempt opens it again. */
export interface FormFile {
  readonly filename: string
  readonly bytes: number
  open(): AsyncIterable<Uint8Array>
  /** Called as bytes are sent. */
  readonly onProgress?: (sent: number) => void
}

/** The file of a job. */
export interface Upload extends FormFile {
  readonly hasHeader: boolean
}

/** A file being received; `bytes` is the announced length, null when none is announced; `charset` is the one in its Content-Type. */
export interface Download {
  readonly bytes: number | null
  readonly charset?: string | null
  readonly body: AsyncIterable<Uint8Array>
}

export interface Portfolio {
  readonly id: number
  readonly name: string
}

/** What an AML search is made for. */
export interface ScreenQuery {
  readonly name: string
  /** Of a search for a person: the date of birth, '' where it is not known; absent for a business. */
  readonly person?: { readonly born: string } | undefined
  readonly threshold: number
  readonly datasets: readonly string[]
  readonly countries: readonly string[]
}

/** An AML search that was made and paid. */
export interface Screening {
  readonly id: string
  /** As the service writes it, null when it does not. */
  readonly createdAt: string | null
  /** Null when the service gives no count. */
  readonly hits: number | null
  /** The lists that were searched, at a service that names them; '' where this answer does not. */
  readonly listsKey?: string | undefined
}

/** What changed in the lists of a service since an earlier state of them. */
export interface ListChanges {
  /** The lists now. */
  readonly listsKey: string
  /** Places of the searches that may find something else; null where it is not known what changed. */
  readonly changed: readonly number[] | null
}

/** What puts an AML search under monitoring. */
export interface Schedule extends ScreenQuery {
  readonly id: string
  readonly searchId: string
}

/** A hit of a search under monitoring. */
export interface Alert {
  readonly id: string
  readonly scheduleId: string
  readonly searchId: string
  /** As the service writes it, empty when it does not; so are the others. */
  readonly at: string
  readonly name: string
  readonly match: string
  readonly score: number
  readonly datasets: readonly string[]
  readonly countries: readonly string[]
  readonly decision: string
}

export interface CompanyAlert extends Alert {
  /** Ids: several, where they have one name. */
  readonly companies: readonly string[]
  /** The director whom the hit is about; '' for the company itself. */
  readonly person: string
  /** The name that was searched. */
  readonly searched: string
}

/** A decision tree of the service. */
export interface DecisionTree {
  readonly id: string
  readonly name: string
}

/** A field that a decision tree takes. */
export interface TreeField {
  readonly name: string
  readonly isMandatory: boolean
}

/** The requests of a run about its jobs. */
export interface JobRequests {
  /** Logs in unless a token is held; requests do that by themselves. */
  authenticate(options?: CallOptions): Promise<void>
  createJob(name: string, options: EffectOptions<JobRecord>): Promise<Effect<JobRecord>>
  /** All jobs whose name is exactly this one, oldest first; pages are followed. */
  findJobs(name: string, options?: CallOptions): Promise<readonly JobRecord[]>
  /** Waits first when the last reply about this job had a `Retry-After` (contract §14.1). */
  readJob(id: string, options?: CallOptions): Promise<JobRecord>
  upload(id: string, upload: Upload, options: EffectOptions<UploadRecord | null>): Promise<Effect<UploadRecord | null>>
  setMappings(id: string, mappings: readonly ColumnMapping[], options?: CallOptions): Promise<void>
  /** Returns the service's messageId, null when it sent none. */
  submit(id: string, options: EffectOptions<string | null>): Promise<Effect<string | null>>
  setEnrichments(id: string, tags: readonly string[], options?: CallOptions): Promise<void>
  enrich(id: string, options: EffectOptions<null>): Promise<Effect<null>>
  /**
   * Reads the link to the enriched file and opens it; the token is not sent to another origin. A body that breaks off throws
   * FETTLE_DOWNLOAD_CUT.
   */
  openEnrichedFile(id: string, options?: CallOptions): Promise<Download>
  /** Archiving a job again does no harm. */
  archive(id: string, options?: CallOptions): Promise<JobRecord>
}

/** A company in a portfolio, with the texts of its owner. */
export interface PortfolioEntry {
  readonly id: string
  /** Absent when it is not known. */
  readonly safeNumber?: string
  readonly reference: string
  readonly freeText: string
  readonly personalLimit: string
}

/** A rule of a portfolio; parameters as the service has them. */
export interface PortfolioRule {
  readonly code: number
  readonly active: boolean
  readonly params: readonly [string, string, string]
}

/** What happened to a company of a portfolio. */
export interface CompanyEvent {
  readonly id: number
  /** Date of the event, as the service writes it. */
  readonly at: string
  readonly company: { readonly id: string; readonly name: string; readonly country: string }
  /** The code is null when the service gives none. */
  readonly rule: { readonly code: number | null; readonly name: string }
  readonly old: string
  readonly new: string
  readonly processed: boolean
}

export interface KeyedEvent extends CompanyEvent {
  /** The company's reference in the portfolio, or the key of its row; empty if neither is known. */
  readonly reference: string
}

/** The requests of a run about portfolios (contract §8). */
export interface PortfolioRequests {
  /** All portfolios of exactly this name; pages are followed. */
  findPortfolios(name: string, options?: CallOptions): Promise<readonly Portfolio[]>
  readPortfolio(id: number, options?: CallOptions): Promise<Portfolio>
  createPortfolio(name: string, options: EffectOptions<Portfolio>): Promise<Effect<Portfolio>>
  /** `present`: the service answered 409, since the company is in the portfolio already (contract §8). */
  addCompany(
    portfolio: number,
    company: { readonly id: string; readonly reference: string },
    options?: CallOptions,
  ): Promise<'added' | 'present'>
  /** All rules of a country, or of `XX`, as they are set in the portfolio. */
  readRules(portfolio: number, country: string, options?: CallOptions): Promise<readonly PortfolioRule[]>
  /** Sets the rules named. */
  setRules(portfolio: number, country: string, rules: readonly PortfolioRule[], options?: CallOptions): Promise<void>
  countCompanies(portfolio: number, options?: CallOptions): Promise<number>
  /** All of them; pages are followed. */
  listCompanies(portfolio: number, options?: CallOptions): Promise<readonly PortfolioEntry[]>
  /**
   * Sends companies as a file: `import` adds them, `sync` makes the portfolio hold them and no other. Returns the status text; the
   * service applies the file later. Null when the service has no such operation.
   */
  sendCompanies(
    portfolio: number,
    kind: 'import' | 'sync',
    companies: readonly PortfolioEntry[],
    options?: CallOptions,
  ): Promise<string | null>
  /** Events that were created at this time or later, each once, oldest first; all for null. */
  listEvents(portfolio: number, since: string | null, options?: CallOptions): Promise<readonly CompanyEvent[]>
  /** Marks an event as processed; false when the service has no such operation. */
  markEvent(portfolio: number, event: number, options?: CallOptions): Promise<boolean>
}

/** The requests of a run about AML searches (contract §6). */
export interface ScreenRequests {
  /** Costs a credit; repeated only when `look` finds that it has not happened. */
  startScreening(query: ScreenQuery, options: EffectOptions<Screening>): Promise<Effect<Screening>>
  /** The newest search of this query made no earlier than `since.at` (UTC), except `since.other`. */
  findScreening(
    query: ScreenQuery,
    since: { readonly at: string; readonly other: string | null },
    options?: CallOptions,
  ): Promise<Screening | undefined>
  /** What changed in the lists of a service that names them since a search. At most 500 searches; at none, whether that is known. */
  readListChanges(
    listsKey: string,
    searches: readonly (Pick<ScreenQuery, 'name' | 'person' | 'threshold'> & { readonly hasHits: boolean })[],
    options?: CallOptions,
  ): Promise<ListChanges>
  /** How many hits a search has, and by dataset: a hit in several counts in each. */
  readRisks(
    id: string,
    query: Pick<ScreenQuery, 'person'>,
    options?: CallOptions,
  ): Promise<{ readonly hits: number; readonly risks: Readonly<Record<string, number>> }>
  /** The schedules of all searches; pages are followed. */
  listSchedules(options?: CallOptions): Promise<readonly Schedule[]>
  /** Puts searches under monitoring; repeated only when `look` finds that it has not happened. Returns why some were refused, by search. */
  createSchedules(
    searches: readonly { readonly searchId: string; readonly query: ScreenQuery }[],
    options: EffectOptions<Readonly<Record<string, string>>>,
  ): Promise<Effect<Readonly<Record<string, string>>>>
  /** Ends the monitoring of a search; one that has ended does no harm. */
  removeSchedule(id: string, options?: CallOptions): Promise<void>
  /** The hits of all searches under monitoring, each once; pages are followed. */
  listAlerts(options?: CallOptions): Promise<readonly Alert[]>
  /** The hits of a search with their facts; a request for each. */
  readHits(id: string, query: Pick<ScreenQuery, 'person'>, options?: CallOptions): Promise<readonly Hit[]>
}

/** The requests of a run about a decision tree. */
export interface TreeRequests {
  /** The trees with this id, else with this name. */
  findTrees(name: string, options?: CallOptions): Promise<readonly DecisionTree[]>
  readTreeFields(tree: string, options?: CallOptions): Promise<readonly TreeField[]>
  /** A digest of what the tree is, '' if the service does not show it. */
  readTreeVersion(tree: string, options?: CallOptions): Promise<string>
  /** Costs a credit; never repeated unless `look` finds that it has not happened. Its log has `key`. */
  runTree(tree: string, question: TreeQuestion, options: EffectOptions<TreeAnswer>): Promise<Effect<TreeAnswer>>
  /** What the tree decided about a company under this `key`. */
  findRun(tree: string, question: TreeQuestion, key: string, options?: CallOptions): Promise<TreeAnswer | undefined>
}

/** What is known of a row: the parameters of `GET /companies/match` (contract §9.2), `name` and `country` among them. */
export type CandidateQuery = Readonly<Record<string, string>>

/** A company that the service proposes for a row. */
export interface ProposedCompany extends RowCandidate {
  /** Enrichment tags that follow from the answer. */
  readonly tags: Readonly<Record<string, string>>
}

/** The requests of a run for companies that a row may be (contract §9.1, §9.2). */
export interface CandidateRequests {
  /**
   * Best first. `match` may cost a credit and is not repeated after a lost answer; `search` asks `/companies`, where an account has
   * no `match`.
   */
  findCandidates(query: CandidateQuery, by: 'match' | 'search', options?: CallOptions): Promise<readonly ProposedCompany[]>
}

/** The requests of a run about single companies (contract §9.3). */
export interface ReportRequests {
  /** The tags that the report of a company has; may cost a credit, and is not repeated after a lost answer. */
  readTags(id: string, options?: CallOptions): Promise<Readonly<Record<string, string>>>
}

export interface CompanyRequests extends PortfolioRequests, ScreenRequests, CandidateRequests, ReportRequests, TreeRequests {}

/** Time and randomness, so that tests can control both. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds on a clock that never steps. */
  monotonic(): number
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** A number in [0, 1), for jitter. */
  random(): number
}
