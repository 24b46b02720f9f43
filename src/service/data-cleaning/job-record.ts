/** A job and its file as wire records (contract §5.1 row 10, §5.2, §5.3), with the rules for absent fields. */
import type { JobRecord, UploadRecord } from '../../contract/index.ts'
import { findProduct } from '../enrichment/tags.ts'
import type { Play } from '../plays.ts'
import type { Job, RowCounts, Summary, Upload } from './jobs-store.ts'

/** The only customer of an embedded service. */
export const CUSTOMER = { id: 900_000_001, name: 'fettle' } as const

/** A job that is matching has counts of some of its rows. */
type ShownJob = Omit<Job, 'summary'> & { readonly summary: Summary | RowCounts | null }

/** The fields "available after enrichment". */
function enrichedFields(job: ShownJob, { enrichedAt, matchColumns }: Play) {
  const { status, countries, portfolioId, summary, enrichments, inRegister, companyNumbers, registers } = job
  const product = enrichments === null ? null : findProduct(enrichments)
  const [country, ...others] = countries
  const matched = matchColumns ? { inRegister, companyNumbers, registers } : {}
  const known = {
    countryCode: others.length > 0 ? undefined : country,
    portfolioId: portfolioId === undefined ? undefined : String(portfolioId),
    jobSummary: summary === null ? undefined : { ...summary, ...matched },
    jobEnrichmentSettings: product === null ? undefined : { creditType: product },
  }
  if (enrichedAt === null) return known
  const isKnown = enrichedAt.includes(status)
  return Object.fromEntries(Object.entries(known).map(([field, value]) => [field, isKnown ? (value ?? null) : null]))
}

const commonFields = (job: ShownJob, play: Play): JobRecord => ({
  id: job.id,
  name: job.name,
  createdAt: play.dateOf(job.createdAt),
  managingUserId: job.by,
  managingCustomerId: CUSTOMER.id,
  owningCustomerId: CUSTOMER.id,
  owningUserId: job.by,
  status: job.status,
  source: play.source,
  archived: job.archived,
  ...enrichedFields(job, play),
})

/** `details` is the reason of an error status. */
export const jobRecord = (job: ShownJob, play: Play, correlationId?: string): JobRecord => ({
  ...commonFields(job, play),
  modifiedAT: play.dateOf(job.modifiedAt),
  details: job.details ?? undefined,
  correlationId,
})

/** The reply of archive: a job with `modifiedAt` instead of `modifiedAT`, without portfolio and summary. */
export function archivedRecord(job: Job, play: Play): JobRecord {
  const { portfolioId: _, jobSummary: __, ...fields } = commonFields(job, play)
  return { ...fields, modifiedAt: play.dateOf(job.modifiedAt) }
}

export const uploadRecord = (job: Job, upload: Upload, play: Play, correlationId: string): UploadRecord => ({
  correlationId,
  id: upload.id,
  sourceFilename: upload.filename,
  hasHeader: upload.hasHeader,
  createdAt: play.dateOf(upload.createdAt),
  modifiedAt: play.dateOf(upload.createdAt),
  managingUserId: job.by,
  managingCustomerId: CUSTOMER.id,
  status: 'uploaded',
  active: true,
})
