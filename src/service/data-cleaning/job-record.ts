/** A job and its file as wire records (contract §5.1 row 10, §5.2, §5.3), with the rules for absent fields. */
import { formatWireDate, type JobRecord, type UploadRecord } from '../../contract/index.ts'
import { productOf } from '../enrichment/tags.ts'
import type { Job, Upload } from './jobs-store.ts'

/** The only customer of an embedded service. */
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

/** `details` is the reason of an error status. */
export const jobRecord = (job: Job, correlationId?: string): JobRecord => ({
  ...common(job),
  modifiedAT: formatWireDate(job.modifiedAt),
  ...(job.summary === null ? {} : { jobSummary: { ...job.summary } }),
  ...(job.details === null ? {} : { details: job.details }),
  ...(correlationId === undefined ? {} : { correlationId }),
})

/** The reply of archive: a job with `modifiedAt` instead of `modifiedAT`, and without the summary. */
export const archivedRecord = (job: Job): JobRecord => ({ ...common(job), modifiedAt: formatWireDate(job.modifiedAt) })

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
