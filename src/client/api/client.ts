/** What `connect` returns. Types only. */
import type { JobRecord } from '../../contract/index.ts'
import type { CallOptions, CompanyRequests, HttpCounts, JobRequests } from '../../model/requests.ts'
import type { Api } from './api.ts'
import type { Request } from './request.ts'

/** The service over HTTP: the requests of a run, and `api` with one method for each operation. Requests are retried inside. */
export interface Client extends JobRequests, CompanyRequests {
  /** The whole interface: `client.api.readJob({ id })`. */
  readonly api: Api
  /** An operation that `api` does not have: `client.request('GET', '/images/{imageId}', { params: { imageId }, as: 'bytes' })`. */
  readonly request: Request
  /** One page of jobs, filtered as contract §5.10. */
  listJobs(query?: Readonly<Record<string, string | number | boolean>>, options?: CallOptions): Promise<readonly JobRecord[]>
  /** The link to the enriched file; throws FETTLE_NOT_FOUND, with the status, before the file exists. */
  enrichedFile(id: string, options?: CallOptions): Promise<{ readonly filePath: string }>
  /** Counts since the last call. */
  takeCounts(): HttpCounts
  /** Closes all connections. */
  close(): Promise<void>
}
