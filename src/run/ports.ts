/** The interfaces that a run uses: the service, the input, the results, progress. app/execution/ports.ts provides them. */
import type { ColumnMapping, JobRecord, UploadRecord } from '../contract/index.ts'
import type {
  CallOptions,
  Clock,
  Download,
  Effect,
  EffectOptions,
  Portfolio,
  Screening,
  ScreenQuery,
  Upload,
} from '../model/requests.ts'
import type { FoundCompany, Outcomes, PublishedResults } from '../model/results.ts'

/** The service, one method for each operation of a run. Requests are retried inside. Options are the last argument of every method. */
export interface Service {
  /** Logs in unless a token is held. */
  authenticate(options: CallOptions): Promise<void>
  createJob(name: string, options: EffectOptions<JobRecord>): Promise<Effect<JobRecord>>
  /** All jobs whose name is exactly this one, oldest first; pages are followed. */
  findJobs(name: string, options: CallOptions): Promise<readonly JobRecord[]>
  readJob(id: string, options: CallOptions): Promise<JobRecord>
  upload(id: string, upload: Upload, options: EffectOptions<UploadRecord | null>): Promise<Effect<UploadRecord | null>>
  setMappings(id: string, mappings: readonly ColumnMapping[], options: CallOptions): Promise<void>
  submit(id: string, options: EffectOptions<string | null>): Promise<Effect<string | null>>
  setEnrichments(id: string, tags: readonly string[], options: CallOptions): Promise<void>
  enrich(id: string, options: EffectOptions<null>): Promise<Effect<null>>
  /** Reads the link to the enriched file and opens it; the token is not sent to another origin. */
  openEnrichedFile(id: string, options: CallOptions): Promise<Download>
}

/** Portfolios of the account (contract §8). */
export interface PortfolioService {
  findPortfolios(name: string, options: CallOptions): Promise<readonly Portfolio[]>
  readPortfolio(id: number, options: CallOptions): Promise<Portfolio>
  createPortfolio(name: string, options: EffectOptions<Portfolio>): Promise<Effect<Portfolio>>
  /** Adds a company; `present`: it was in it already. */
  addCompany(
    portfolio: number,
    company: { readonly id: string; readonly reference: string },
    options: CallOptions,
  ): Promise<'added' | 'present'>
}

/** AML searches for businesses (contract §6). */
export interface ScreenService {
  screenBusiness(query: ScreenQuery, options: EffectOptions<Screening>): Promise<Effect<Screening>>
  /** A search of this very query, made no earlier than `since` (UTC) and other than `other`; undefined when none exists. */
  findScreening(
    query: ScreenQuery,
    since: { readonly at: string; readonly other: string | null },
    options: CallOptions,
  ): Promise<Screening | undefined>
  /** Hits of a search by dataset; a hit in several counts in each. */
  readRisks(id: string, options: CallOptions): Promise<Readonly<Record<string, number>>>
}

export interface Source {
  /**
   * The rows of a part. Throws FETTLE_INPUT_CHANGED when the file is not the planned one any more. `sha256` is that of the bytes
   * last read to the end, null when they were not hashed.
   */
  upload(part: number): Promise<Upload & { readonly sha256: () => string | null }>
}

export interface Results {
  /**
   * Receives the file and checks that it is complete: announced length, no record cut short, `rows` records. Throws
   * FETTLE_DOWNLOAD_CUT for a file cut short, FETTLE_LEDGER for a complete file with other rows.
   */
  receive(
    part: number,
    download: Download,
    rows: number,
  ): Promise<{ readonly bytes: number; readonly rows: number; readonly sha256: string }>
  /**
   * Writes the output files of the plan, each complete or not at all, and none when `accept` throws for the outcomes of the rows
   * that were sent. Rows of `failed` parts have no result.
   */
  publish(accept: (outcomes: Outcomes) => void, failed: ReadonlySet<number>): Promise<PublishedResults>
  /** The `listed` companies that were found, from index `from` on. */
  companies(listed: number, from: number): AsyncIterable<FoundCompany>
}

/** Progress for displays; never recorded. `part` is the job it is about, absent for the run as a whole. */
export type ProgressEvent = { readonly part?: number } & (
  | { readonly type: 'upload'; readonly sent: number; readonly total: number }
  | { readonly type: 'download'; readonly received: number; readonly total: number | null }
  /** `nextMs`: time until the next poll. */
  | { readonly type: 'waiting'; readonly status: string; readonly forMs: number; readonly nextMs: number }
  /** Companies that a stage after the outputs is done with. */
  | { readonly type: 'companies'; readonly done: number; readonly total: number }
  | { readonly type: 'retry'; readonly message: string }
)

/** The amounts of a progress event, in the unit of the event; null when it has none. */
export function progressOf(event: ProgressEvent): { readonly done: number; readonly total: number | null } | null {
  if (event.type === 'upload') return { done: event.sent, total: event.total }
  if (event.type === 'download') return { done: event.received, total: event.total }
  return event.type === 'companies' ? { done: event.done, total: event.total } : null
}

/** Everything a stage may use. */
export interface Ports {
  readonly service: Service
  readonly portfolios: PortfolioService
  readonly screening: ScreenService
  readonly source: Source
  readonly results: Results
  readonly clock: Clock
  readonly tick: (event: ProgressEvent) => void
  /** Aborted by a signal or the time limit: everything that only waits or reads stops now. */
  readonly signal: AbortSignal
  /** Aborted ten seconds after `signal`: an effect in flight is awaited, so that its result need not be looked up later. */
  readonly grace: AbortSignal
}

export type StatusPorts = Pick<Ports, 'service' | 'clock' | 'signal' | 'grace'>

/** The same port; `more` is added to the options of each of its requests. */
export const withOptions = <Port extends object>(port: Port, more: CallOptions): Port =>
  new Proxy(port, {
    get(target, name) {
      const send: unknown = Reflect.get(target, name)
      if (typeof send !== 'function') return send
      return (...args: readonly unknown[]) =>
        send.apply(target, [...args.slice(0, -1), { ...(args.at(-1) as CallOptions), ...more }])
    },
  })
