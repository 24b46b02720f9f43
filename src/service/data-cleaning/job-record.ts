/** A job and its file as the wire shows them: contract §5.2, §5.3, §5.1 row 10. Pure; it alone knows which field is absent when. */
import { formatWireDate, type JobRecord, type UploadRecord } from '../../contract/index.ts'
import { productOf } from '../enrichment/tags.ts'
import type { Job, Upload } from './jobs-store.ts'

/** The one customer of an embedded service. */
export const CUSTOMER = { id: 900_000_001, name: 'fettle' } as const

const common = (job: Job): JobRecord => {
  const product = job.enrichments === null ? null : productOf(job.enrichments)
  const [country, ...others] = job.countries
  return {
    id: job.id,
    name: job.name,
    createdAt: formatWireDate(job.createdAt),
    managingUserId: job.owner,
    managingCustomerId: CUSTOMER.id,
    owningCustomerId: CUSTOMER.id,
    owningUserId: job.owner,
    status: job.status,
    source: 'dataCleaning',
    archived: job.archived,
    ...(country === undefined || others.length > 0 ? {} : { countryCode: country }),
    ...(product === null ? {} : { jobEnrichmentSettings: { creditType: product } }),
  }
}

/** The job record. `details` says why a job is in an error status. */
export const jobRecord = (job: Job, correlationId?: string): JobRecord => ({
  ...common(job),
  modifiedAT: formatWireDate(job.modifiedAt),
  ...(job.summary === null ? {} : { jobSummary: { ...job.summary } }),
  ...(job.details === null ? {} : { details: job.details }),
  ...(correlationId === undefined ? {} : { correlationId }),
})

/** The answer of archive: like a job, with `modifiedAt` spelled so, and without the summary. */
export const archivedRecord = (job: Job): JobRecord => ({ ...common(job), modifiedAt: formatWireDate(job.modifiedAt) })

/** The record of an uploaded file. */
export const uploadRecord = (job: Job, upload: Upload, correlationId: string): UploadRecord => ({
  correlationId,
  id: upload.id,
  sourceFilename: upload.filename,
  hasHeader: upload.hasHeader,
  createdAt: formatWireDate(upload.createdAt),
  modifiedAt: formatWireDate(upload.createdAt),
  managingUserId: job.owner,
  managingCustomerId: CUSTOMER.id,
  status: 'uploaded',
  active: true,
})
