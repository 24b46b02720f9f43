/** The interfaces that a run uses: the service, the input, the results, progress. execution/ports.ts provides them. */
import type { JobState } from '../journal/state.ts'
import type { Hit } from '../model/hit-facts.ts'
import type {
  CallOptions,
  CandidateRequests,
  Clock,
  CompanyAlert,
  Download,
  JobRequests,
  KeyedEvent,
  PortfolioRequests,
  ProposedCompany,
  ReportRequests,
  ScreenRequests,
  TreeRequests,
  Upload,
} from '../model/requests.ts'
import type {
  AcceptedCompany,
  CompanyCounts,
  CompanyEvents,
  EarlierSearch,
  FetchedCompany,
  FoundCompany,
  FoundHits,
  HitCounts,
  Outcomes,
  PublishedResults,
  Question,
  SearchAgain,
  Subject,
  TreeAnswer,
  TreeQuestion,
  UnscreenedCompany,
} from '../model/results.ts'

/** The same requests; options are the last argument of every one, for `withOptions`. */
type WithOptions<Requests> = {
  readonly [N in keyof Requests]: Requests[N] extends (...args: infer Args) => infer Reply
    ? (...args: Required<Args>) => Reply
    : never
}

export type Service = WithOptions<JobRequests>
export type PortfolioService = WithOptions<PortfolioRequests>
export type ScreenService = WithOptions<ScreenRequests>

export type CandidateService = WithOptions<CandidateRequests>
export type ReportService = WithOptions<ReportRequests>
export type TreeService = WithOptions<TreeRequests>

export interface Source {
  /**
   * The rows of a part. Throws FETTLE_INPUT_CHANGED when the file is not the planned one any more. `sha256` is the digest of the bytes
   * last read to the end, null when they were not hashed.
   */
  upload(part: number): Promise<Upload & { readonly sha256: () => string | null }>
}

export interface Results {
  /**
   * Receives the file and checks that it is complete: announced length, no record cut short, `rows` records. Throws
   * FETTLE_DOWNLOAD_CUT for a file cut short, FETTLE_LEDGER for a complete file with other rows.
   */
  receive(part: number, download: Download, rows: number): Promise<NonNullable<JobState['received']>>
  /**
   * Writes the output files of the plan, each complete or not at all, and none when `accept` throws for the outcomes of the rows
   * that were sent. Rows of `failed` parts have no result; `jobs` are the jobs of the parts, and when they answered.
   */
  publish(
    accept: (outcomes: Outcomes, header?: string) => void,
    failed: ReadonlySet<number>,
    jobs: readonly { readonly id: string; readonly at: string }[],
  ): Promise<PublishedResults>
  /** The `listed` questions about rows, from index `from` on. */
  questions(listed: number, from: number): AsyncIterable<Question>
  /** Stores the answers by question; `publish` proposes them from then on. */
  propose(answers: Readonly<Record<string, readonly ProposedCompany[]>>): Promise<void>
  /** The accepted companies without tags, from index `from` on. */
  accepted(from: number): AsyncIterable<AcceptedCompany>
  /** Stores tags by the id of the company; `publish` writes them from then on. */
  keepFetched(found: Readonly<Record<string, FetchedCompany['tags']>>): Promise<void>
  /** Applies decisions to what searches found about companies, and stores it; `publish` decides by it from then on. Throws FETTLE_DECISIONS. */
  keepHits(screened: readonly FoundHits[], unscreened: readonly UnscreenedCompany[]): Promise<HitCounts>
  /** Stores the events of each company of the portfolio; `publish` decides by them from then on. */
  keepEvents(companies: readonly CompanyEvents[]): Promise<void>
  /** The `listed` questions to a decision tree, from index `from` on. */
  treeQuestions(listed: number, from: number): AsyncIterable<TreeQuestion>
  /** Stores what the tree decided by question; `publish` decides by it from then on. */
  keepRuled(answers: readonly (readonly [question: string, answer: TreeAnswer])[]): Promise<void>
  /** The `listed` companies that were found, from index `from` on. */
  companies(listed: number, from: number): AsyncIterable<FoundCompany>
  /** What is searched for: the companies, then their directors, from index `from` on. */
  subjects(counts: CompanyCounts, from: number): AsyncIterable<Subject>
}

/** What a search found about a company. */
export interface Screened {
  readonly found?: readonly Hit[] | undefined
  readonly searchId: string
  readonly hits: number
  readonly risks: Readonly<Record<string, number>>
}

/** What asks the service about lists, as a stage does. */
export type ListPorts = Pick<Ports, 'screening' | 'signal'>

/** What earlier runs paid and may be used again. Its methods throw FETTLE_OUTPUT_WRITE. */
export interface EarlierSearches {
  screened(subject: Subject, ports: ListPorts): Promise<EarlierSearch<Screened> | SearchAgain | null>
  proposed(question: Question): Promise<EarlierSearch<readonly ProposedCompany[]> | null>
  ruled(question: TreeQuestion): Promise<EarlierSearch<TreeAnswer> | null>
  /** Puts what this run paid where later runs find it, and returns how many searches that are. */
  keep(what: 'screen' | 'candidates' | 'decide'): Promise<number>
}

/** Whether AML searches of earlier runs still hold, at a service that names its lists. */
export interface SearchProof {
  /** Asks the service about all that `find` returns for the run. */
  prove(find: (key: Buffer) => EarlierSearch<Screened> | null, ports: ListPorts): Promise<void>
  /** Why a search is made again; null where it holds. */
  whyAgain(key: Buffer, search: EarlierSearch<unknown>): SearchAgain['again'] | null
}

/** A file of events in the run directory and at its path; and, beside the runs, which events earlier runs wrote. */
export interface EventStore {
  /** What earlier runs of the pipeline wrote, and when they asked. */
  known(portfolio: number): Promise<{ readonly since: string | null; readonly ids: ReadonlySet<number> }>
  /** Row keys by connectId, of the last good run. */
  keys(ids: ReadonlySet<string>): Promise<ReadonlyMap<string, string>>
  /** Stores what the run has read. */
  stage(asked: string, events: readonly KeyedEvent[]): Promise<void>
  /** Writes the events that no other run has written, and records them as written; null where what was stored is gone. */
  deliver(portfolio: number): Promise<EventFile | null>
  /** Writes a file without events, where there is no portfolio yet. */
  deliverNone(): Promise<EventFile>
  /** Written events that are not marked as processed. */
  unmarked(portfolio: number): Promise<readonly number[]>
  marked(portfolio: number, ids: readonly number[]): Promise<void>
}

/** `own`: the file of this run alone; `path`: the copy of it under the fixed name. */
export interface EventFile {
  readonly path: string
  readonly own: string
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
}

/** A search under monitoring that this pipeline follows. */
export interface Followed {
  /** Ids of the companies that it is about: several, where they have one name; none, where they left and it stays for another pipeline. */
  readonly companies: readonly string[]
  /** The pipeline put it under monitoring, and may end that. */
  readonly isOwn: boolean
  /** It is about a director of them. */
  readonly isDirector?: true | undefined
}

/** What the runs of a pipeline have put under monitoring, beside the runs, and the file of alerts. */
export interface MonitorStore {
  readonly run: string
  read(): MonitorLedger
  write(ledger: MonitorLedger): Promise<void>
  /** The schedules that other pipelines of the same runs and account follow, and the searches for which they requested one. */
  listReliedOn(): ReadonlySet<string>
  /** Writes a file of these alerts, and a copy under the fixed name. */
  writeAlerts(alerts: readonly CompanyAlert[]): Promise<EventFile>
}

export interface MonitorLedger {
  /** By schedule. */
  readonly followed: Readonly<Record<string, Followed>>
  /** The companies of searches for which a schedule was requested, whose answer is not recorded yet. */
  readonly requested: Readonly<Record<string, readonly string[]>>
  /** By the id of a hit, the run whose file has it. */
  readonly hits: Readonly<Record<string, string>>
}

/** Progress for displays; never recorded. `part` is the job it is about, absent for the run as a whole. */
export type ProgressEvent = { readonly part?: number } & (
  | { readonly type: 'upload'; readonly sent: number; readonly total: number }
  | { readonly type: 'download'; readonly received: number; readonly total: number | null }
  /** `nextMs`: time until the next poll; `done` of `total` rows, where the service counts them while it works. */
  | {
      readonly type: 'waiting'
      readonly status: string
      readonly forMs: number
      readonly nextMs: number
      readonly done?: number
      readonly total?: number
    }
  /** Companies that a stage after the outputs is done with. */
  | { readonly type: 'companies'; readonly done: number; readonly total: number }
  | { readonly type: 'retry'; readonly message: string }
)

export function progressOf(event: ProgressEvent): { readonly done: number; readonly total: number | null } | null {
  if (event.type === 'upload') return { done: event.sent, total: event.total }
  if (event.type === 'download') return { done: event.received, total: event.total }
  return event.type === 'companies' ? { done: event.done, total: event.total } : null
}

export interface FetchedByJob {
  /** The remote job. */
  readonly job: string | null
  /** Rows with a company, which cost a credit each. */
  readonly paid: number
  /** Those that the service gave under the same id. */
  readonly companies: readonly FetchedCompany[]
}

export interface Ports {
  readonly service: Service
  readonly portfolios: PortfolioService
  readonly screening: ScreenService
  readonly candidates: CandidateService
  readonly reports: ReportService
  readonly trees: TreeService
  /** Fetches companies by their ids in a separate job; the same companies again continue it. */
  readonly fetchByJob: (companies: readonly AcceptedCompany[]) => Promise<FetchedByJob>
  readonly source: Source
  readonly results: Results
  /** Absent where no events are read. */
  readonly events?: EventStore
  /** Absent where no search is monitored. */
  readonly monitor?: MonitorStore
  /** Puts the answers of the run where later runs find them, and returns the number of files; absent where they are not kept. */
  readonly keepAnswers?: () => Promise<number>
  /** Absent where earlier searches are not used. */
  readonly earlier?: EarlierSearches
  readonly clock: Clock
  readonly tick: (event: ProgressEvent) => void
  /** Aborted by a signal or the time limit: everything that only waits or reads stops now. */
  readonly signal: AbortSignal
  /** Aborted ten seconds after `signal`: an effect in flight is awaited, so that its result need not be looked up later. */
  readonly grace: AbortSignal
}

export type StatusPorts = Pick<Ports, 'service' | 'clock' | 'signal' | 'grace'>

export const withOptions = <Port extends object>(port: Port, more: CallOptions): Port =>
  new Proxy(port, {
    get(target, name) {
      const send: unknown = Reflect.get(target, name)
      if (typeof send !== 'function') return send
      return (...args: readonly unknown[]) =>
        send.apply(target, [...args.slice(0, -1), { ...(args.at(-1) as CallOptions), ...more }])
    },
  })
