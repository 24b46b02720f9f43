/** The operations of data cleaning: contract §5.1. */

import { z } from 'zod'
import { defineOperations, get, post, put } from '../operation.ts'
import { fromOne, maybe, truth, whole } from '../query.ts'
import { lazy, written } from '../schemas.ts'
import * as wire from './job.ts'
import { JOB_STATUSES } from './job-status.ts'

const date = written(
  z
    .string()
    .regex(
      /^(?:\d{10,14}|\d{4}-\d{2}-\d{2}(?:[T ][0-9:.]{5,18}(?:Z|[+-]\d{2}:?\d{2})?)?)$/,
      'must be ISO 8601 or epoch milliseconds',
    ),
  { type: 'string', format: 'date-time' },
).optional()

const LONGEST_ID = 999_999_999_999_999

/** Groups of statuses that the job list is filtered by. */
const JOB_GROUPS = ['pending', 'processing', 'completed', 'failed'] as const

/** Query of `GET /dataCleaning/jobs`; defaults and limits are ours (contract §14.1). */
const jobsQuery = lazy(() =>
  z.looseObject({
    countries: written(maybe(2000), { type: 'string', pattern: '^[A-Za-z]{2}(?:,[A-Za-z]{2})*$', maxLength: 2000 }),
    status: written(maybe(60), { type: 'string', enum: [...JOB_GROUPS, ...JOB_STATUSES] }),
    jobName: maybe(200),
    companyName: maybe(200),
    customerId: whole(0, LONGEST_ID).optional(),
    userId: whole(0, LONGEST_ID).optional(),
    fromDate: date,
    toDate: date,
    archived: truth,
    ...fromOne({ size: 50, most: 1000 }),
  }),
)

export const DATA_CLEANING = defineOperations({
  createJob: post('/dataCleaning/jobs', {
    request: wire.createJob,
    reply: wire.job,
    repeat: 'look',
    errors: [400, 401, 403],
    summary: 'Create a data-cleaning job.',
  }),
  listJobs: get('/dataCleaning/jobs', {
    query: jobsQuery,
    reply: lazy(() => z.array(wire.job)),
    pages: { first: 1, items: null, complete: true },
    errors: [400, 401, 403],
    summary: 'List jobs, filtered and paged.',
  }),
  readJob: get('/dataCleaning/jobs/{id}', {
    reply: wire.job,
    summary: 'Read a job, in particular its status.',
  }),
  upload: post('/dataCleaning/jobs/{id}/upload', {
    request: 'multipart',
    form: { file: 'jobFile', fields: { hasHeader: true } },
    reply: wire.uploadedFile,
    repeat: 'look',
    summary: 'Upload the file of a job: multipart jobFile and hasHeader.',
  }),
  setMappings: put('/dataCleaning/jobs/{id}/mappings', {
    request: wire.mappingsBody,
    reply: wire.mappingsReply,
    summary: 'Replace the column mappings of a job.',
  }),
  submit: post('/dataCleaning/jobs/{id}/submit', {
    request: wire.emptyBody,
    reply: wire.submitReply,
    repeat: 'look',
    summary: 'Start matching.',
  }),
  setEnrichments: put('/dataCleaning/jobs/{id}/enrichments', {
    request: wire.enrichmentsBody,
    reply: wire.enrichmentsReply,
    summary: 'Choose the enrichment tags of a job.',
  }),
  enrich: post('/dataCleaning/jobs/{id}/enrich', {
    request: wire.emptyBody,
    reply: wire.enrichReply,
    repeat: 'look',
    summary: 'Start enriching; the job must be jobMatchingComplete.',
  }),
  enrichedFile: get('/dataCleaning/jobs/{id}/enrichedFile', {
    // Absent means csv (contract §14.1).
    query: lazy(() => z.looseObject({ fileType: z.enum(['csv', 'json']).default('csv') })),
    reply: wire.enrichedFileReply,
    summary: 'Learn where the enriched file can be fetched.',
  }),
  archive: post('/dataCleaning/jobs/{id}/archive', {
    request: wire.emptyBody,
    reply: wire.job,
    repeat: 'free',
    summary: 'Archive a job, at any stage.',
  }),
})
