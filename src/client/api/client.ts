/** What `connect` returns. Types only. */
import type { ColumnMapping, JobRecord, UploadRecord } from '../../contract/index.ts'
import type { CallOptions, Download, Effect, EffectOptions, HttpCounts, Upload } from '../../model/requests.ts'
import type { Api } from './api.ts'
import type { CompanyActionsClient } from './company-actions.ts'

/** The service over HTTP: the requests of a run, and `api` with one method for each operation. Requests are retried inside. */
export interface Client extends CompanyActionsClient {
  /** The whole interface: `client.api.readJob({ id })`. */
  readonly api: Api
  /** Logs in unless a token is held; requests do that by themselves. */
  authenticate(options?: CallOptions): Promise<void>
  createJob(name: string, options: EffectOptions<JobRecord>): Promise<Effect<JobRecord>>
  /** One page of jobs, filtered as contract §5.10. */
  listJobs(query?: Readonly<Record<string, string | number | boolean>>, options?: CallOptions): Promise<readonly JobRecord[]>
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
  /** The link to the enriched file; throws FETTLE_NOT_FOUND, with the status, before the file exists. */
  enrichedFile(id: string, options?: CallOptions): Promise<{ readonly filePath: string }>
  archive(id: string, options?: CallOptions): Promise<JobRecord>
  /** Reads the link to the enriched file and opens it; a body that breaks off throws FETTLE_DOWNLOAD_CUT. */
  openEnrichedFile(id: string, options?: CallOptions): Promise<Download>
  /** Counts since the last call. */
  takeCounts(): HttpCounts
  /** Closes all connections. */
  close(): Promise<void>
}
