/** What `connect` gives. Types only; run/ports.ts is fitted by shape. */
import type { ColumnMapping, JobRecord, UploadRecord } from '../../contract/index.ts'
import type { CallOptions, Download, Effect, EffectOptions, HttpCounts, Upload } from '../../model/requests.ts'
import type { Api } from './api.ts'
import type { CompanyActionsClient } from './company-actions.ts'

/** The service over HTTP: what a run needs of it, and `api` with one method per operation. Repeats are inside: what comes out is final. */
export interface Client extends CompanyActionsClient {
  /** The whole interface, made of its table: `client.api.readJob({ id })`. */
  readonly api: Api
  /** Logs in unless a token is held; requests do so by themselves. */
  authenticate(options?: CallOptions): Promise<void>
  createJob(name: string, options: EffectOptions<JobRecord>): Promise<Effect<JobRecord>>
  /** One page of jobs, filtered as contract §5.10. */
  listJobs(query?: Readonly<Record<string, string | number | boolean>>, options?: CallOptions): Promise<readonly JobRecord[]>
  /** All jobs whose name is exactly this one, oldest first; pages are followed. */
  findJobs(name: string, options?: CallOptions): Promise<readonly JobRecord[]>
  /** Waits first when the last answer about this job carried a `Retry-After` (contract §14.1). */
  readJob(id: string, options?: CallOptions): Promise<JobRecord>
  upload(id: string, upload: Upload, options: EffectOptions<UploadRecord | null>): Promise<Effect<UploadRecord | null>>
  setMappings(id: string, mappings: readonly ColumnMapping[], options?: CallOptions): Promise<void>
  /** Gives the service's messageId, null when it named none. */
  submit(id: string, options: EffectOptions<string | null>): Promise<Effect<string | null>>
  setEnrichments(id: string, tags: readonly string[], options?: CallOptions): Promise<void>
  enrich(id: string, options: EffectOptions<null>): Promise<Effect<null>>
  /** Where the enriched file can be fetched; FETTLE_NOT_FOUND, with its status, while there is none. */
  enrichedFile(id: string, options?: CallOptions): Promise<{ readonly filePath: string }>
  archive(id: string, options?: CallOptions): Promise<JobRecord>
  /** Asks where the enriched file is and opens it; a body that breaks off throws FETTLE_DOWNLOAD_CUT. */
  openEnrichedFile(id: string, options?: CallOptions): Promise<Download>
  /** Counts since the last call. */
  takeCounts(): HttpCounts
  /** Ends all connections. */
  close(): Promise<void>
}
