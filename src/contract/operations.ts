/**
 * THE table of operations: name -> method, path, request, reply, and whether a request that may have reached the service can be
 * sent again (contract §3). Client, embedded service, retry and docs all read it; none of them holds a path of its own.
 */
import { z } from 'zod'
import { credentials, tokenReply } from './authenticate.ts'
import * as wire from './job.ts'
import { fileQuery, jobsQuery } from './jobs-query.ts'

/** `free` may be sent again · `look` read the state first, then decide · `never` not automatically (contract §3). */
export type Repeat = 'free' | 'look' | 'never'

/** One operation of the interface. Paths are relative to the base address, which ends in `/v1`. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: `/${string}`
  /** Schema of the query, null when it takes none. */
  readonly query: z.ZodType | null
  /** Schema of the JSON body, `multipart` for the upload, null when there is no body. */
  readonly request: z.ZodType | 'multipart' | null
  readonly reply: z.ZodType
  readonly repeat: Repeat
  /** Error statuses the contract documents. */
  readonly errors: readonly number[]
  /** One line for documentation. */
  readonly summary: string
}

const DOCUMENTED = [400, 401, 403, 404] as const

/** Every operation this version speaks. */
export const OPERATIONS = {
  authenticate: {
    method: 'POST',
    path: '/authenticate',
    query: null,
    request: credentials,
    reply: tokenReply,
    repeat: 'free',
    errors: [400, 401, 429],
    summary: 'Obtain an access token.',
  },
  createJob: {
    method: 'POST',
    path: '/dataCleaning/jobs',
    query: null,
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
    request: null,
    reply: z.array(wire.job),
    repeat: 'free',
    errors: [400, 401, 403],
    summary: 'List jobs, filtered and paged.',
  },
  readJob: {
    method: 'GET',
    path: '/dataCleaning/jobs/{id}',
    query: null,
    request: null,
    reply: wire.job,
    repeat: 'free',
    errors: DOCUMENTED,
    summary: 'Read a job, in particular its status.',
  },
  upload: {
    method: 'POST',
    path: '/dataCleaning/jobs/{id}/upload',
    query: null,
    request: 'multipart',
    reply: wire.uploadedFile,
    repeat: 'look',
    errors: DOCUMENTED,
    summary: 'Upload the file of a job: multipart jobFile and hasHeader.',
  },
  setMappings: {
    method: 'PUT',
    path: '/dataCleaning/jobs/{id}/mappings',
    query: null,
    request: wire.mappingsBody,
    reply: wire.mappingsReply,
    repeat: 'free',
    errors: DOCUMENTED,
    summary: 'Replace the column mappings of a job.',
  },
  submit: {
    method: 'POST',
    path: '/dataCleaning/jobs/{id}/submit',
    query: null,
    request: wire.emptyBody,
    reply: wire.submitReply,
    repeat: 'look',
    errors: DOCUMENTED,
    summary: 'Start matching.',
  },
  setEnrichments: {
    method: 'PUT',
    path: '/dataCleaning/jobs/{id}/enrichments',
    query: null,
    request: wire.enrichmentsBody,
    reply: wire.enrichmentsReply,
    repeat: 'free',
    errors: DOCUMENTED,
    summary: 'Choose the enrichment tags of a job.',
  },
  enrich: {
    method: 'POST',
    path: '/dataCleaning/jobs/{id}/enrich',
    query: null,
    request: wire.emptyBody,
    reply: wire.enrichReply,
    repeat: 'look',
    errors: DOCUMENTED,
    summary: 'Start enriching; the job must be jobMatchingComplete.',
  },
  enrichedFile: {
    method: 'GET',
    path: '/dataCleaning/jobs/{id}/enrichedFile',
    query: fileQuery,
    request: null,
    reply: wire.enrichedFileReply,
    repeat: 'free',
    errors: DOCUMENTED,
    summary: 'Learn where the enriched file can be fetched.',
  },
  archive: {
    method: 'POST',
    path: '/dataCleaning/jobs/{id}/archive',
    query: null,
    request: wire.emptyBody,
    reply: wire.job,
    repeat: 'free',
    errors: DOCUMENTED,
    summary: 'Archive a job, at any stage.',
  },
} as const satisfies Record<string, Operation>

/** The name of an operation. */
export type OperationName = keyof typeof OPERATIONS

/** The path of an operation with its `{…}` filled in and escaped. */
export const pathOf = (operation: Operation, params: Readonly<Record<string, string>>): string =>
  operation.path.replace(/\{([a-zA-Z]+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
