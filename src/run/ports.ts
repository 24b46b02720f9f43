/**
 * What a run needs from the world, as interfaces owned here: the service, the input, the results, the clock. `client/` and
 * `input/` fit them by shape and do not know this file; compose.ts is where the compiler proves the fit.
 */

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

/** The service, one method per operation a run needs. Repeats are inside; what comes out is final. */
export interface Service {
  /** Makes sure of a token. */
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
  /** Asks where the enriched file is and opens it; the token is not sent to another origin. */
  openEnrichedFile(id: string, options: CallOptions): Promise<Download>
}

/** Portfolios of the account (contract §8). */
export interface PortfolioService {
  /** All portfolios of exactly this name. */
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
  /** One credit. */
  screenBusiness(query: ScreenQuery, options: EffectOptions<Screening>): Promise<Effect<Screening>>
  /** A search of this very query, made no earlier than `since` (UTC) and other than `other`; undefined when there is none. */
  findScreening(
    query: ScreenQuery,
    since: { readonly at: string; readonly other: string | null },
    options: CallOptions,
  ): Promise<Screening | undefined>
  /** Hits of a search by dataset; a hit in several counts in each. */
  readRisks(id: string, options: CallOptions): Promise<Readonly<Record<string, number>>>
}

/** The input, ready to send. */
export interface Source {
  /**
   * The rows of a part. Throws FETTLE_INPUT_CHANGED when the file is no longer the planned one. `sha256` is of the bytes of the
   * last whole opening, null where nobody counted them.
   */
  upload(part: number): Promise<Upload & { readonly sha256: () => string | null }>
}

/** Where the enriched file is received and the outputs are made of it. */
export interface Results {
  /**
   * Receives the file and checks that it is whole: announced length, no record cut short, `rows` records. Throws
   * FETTLE_DOWNLOAD_CUT for a file cut short, FETTLE_LEDGER for one that is whole but has other rows.
   */
  receive(
    part: number,
    download: Download,
    rows: number,
  ): Promise<{ readonly bytes: number; readonly rows: number; readonly sha256: string }>
  /**
   * Writes the output files of the plan, each whole or not at all, and none when `accept` throws at what became of the rows that
   * went up. Rows of `failed` parts have no answer.
   */
  publish(accept: (outcomes: Outcomes) => void, failed: ReadonlySet<number>): Promise<PublishedResults>
  /** The companies that were found, `listed` of them, from number `from` (from 0) on. */
  companies(listed: number, from: number): AsyncIterable<FoundCompany>
}

/** A passing remark for whoever watches; never recorded. `part` is the job it is about, absent for the run as a whole. */
export type ProgressEvent = { readonly part?: number } & (
  | { readonly type: 'upload'; readonly sent: number; readonly total: number }
  | { readonly type: 'download'; readonly received: number; readonly total: number | null }
  /** `nextMs`: the next look comes after so long. */
  | { readonly type: 'waiting'; readonly status: string; readonly forMs: number; readonly nextMs: number }
  /** Companies gone through by a stage after the outputs. */
  | { readonly type: 'companies'; readonly done: number; readonly total: number }
  | { readonly type: 'retry'; readonly message: string }
)

/** How far what a sign is about has come, in units of its own; null for a sign that is about no amount. */
export function progressOf(tick: ProgressEvent): { readonly done: number; readonly total: number | null } | null {
  if (tick.type === 'upload') return { done: tick.sent, total: tick.total }
  if (tick.type === 'download') return { done: tick.received, total: tick.total }
  return tick.type === 'companies' ? { done: tick.done, total: tick.total } : null
}

/** Everything a stage may use. */
export interface Ports {
  readonly service: Service
  readonly portfolios: PortfolioService
  readonly screening: ScreenService
  readonly source: Source
  readonly results: Results
  readonly clock: Clock
  readonly tick: (tick: ProgressEvent) => void
  /** Aborted by a signal or the time limit: everything that only waits or reads stops now. */
  readonly signal: AbortSignal
  /** Aborted ten seconds after `signal`: an effect in flight is heard out, so that nobody need ask for it again. */
  readonly grace: AbortSignal
}

/** What looking at a job takes. */
export type StatusPorts = Pick<Ports, 'service' | 'clock' | 'signal' | 'grace'>

/** The same port; `more` joins the options of each of its requests. */
export const withOptions = <Port extends object>(port: Port, more: CallOptions): Port =>
  new Proxy(port, {
    get(target, name) {
      const send: unknown = Reflect.get(target, name)
      if (typeof send !== 'function') return send
      return (...args: readonly unknown[]) =>
        send.apply(target, [...args.slice(0, -1), { ...(args.at(-1) as CallOptions), ...more }])
    },
  })
