/** The operations of data cleaning: contract §5.1. */
import { z } from 'zod'
import { lazy } from '../lazy.ts'
import { operationsOf } from '../operation.ts'
import * as wire from './job.ts'
import { fileQuery, jobsQuery } from './jobs-query.ts'

export const DATA_CLEANING = operationsOf({
  createJob: {
    method: 'POST',
    path: '/dataCleaning/jobs',
    request: wire.createJob,
    reply: wire.job,
    repeat: 'look',
    errors: [400, 401, 403],
    summary: 'Create a data-cleaning job.',
  },
  listJobs: {
    method: 'GET',
    path: '/dataCleaning/jobs',
    query: jobsQuery,
    reply: lazy(() => z.array(wire.job)),
    pages: { first: 1, items: null, complete: true },
    errors: [400, 401, 403],
    summary: 'List jobs, filtered and paged.',
  },
  readJob: {
    method: 'GET',
    path: '/dataCleaning/jobs/{id}',
    reply: wire.job,
    summary: 'Read a job, in particular its status.',
  },
  upload: {
    method: 'POST',
    path: '/dataCleaning/jobs/{id}/upload',
    request: 'multipart',
    form: { file: 'jobFile', fields: { hasHeader: true } },
    reply: wire.uploadedFile,
    repeat: 'look',
    summary: 'Upload the file of a job: multipart jobFile and hasHeader.',
  },
  setMappings: {
    method: 'PUT',
    path: '/dataCleaning/jobs/{id}/mappings',
    request: wire.mappingsBody,
    reply: wire.mappingsReply,
    summary: 'Replace the column mappings of a job.',
  },
  submit: {
    method: 'POST',
    path: '/dataCleaning/jobs/{id}/submit',
    request: wire.emptyBody,
    reply: wire.submitReply,
    repeat: 'look',
    summary: 'Start matching.',
  },
  setEnrichments: {
    method: 'PUT',
    path: '/dataCleaning/jobs/{id}/enrichments',
    request: wire.enrichmentsBody,
    reply: wire.enrichmentsReply,
    summary: 'Choose the enrichment tags of a job.',
  },
  enrich: {
    method: 'POST',
    path: '/dataCleaning/jobs/{id}/enrich',
    request: wire.emptyBody,
    reply: wire.enrichReply,
    repeat: 'look',
    summary: 'Start enriching; the job must be jobMatchingComplete.',
  },
  enrichedFile: {
    method: 'GET',
    path: '/dataCleaning/jobs/{id}/enrichedFile',
    query: fileQuery,
    reply: wire.enrichedFileReply,
    summary: 'Learn where the enriched file can be fetched.',
  },
  archive: {
    method: 'POST',
    path: '/dataCleaning/jobs/{id}/archive',
    request: wire.emptyBody,
    reply: wire.job,
    repeat: 'free',
    summary: 'Archive a job, at any stage.',
  },
})
