/** The records of a data-cleaning job on the wire: contract §5.2 to §5.4, §5.8. Answers keep unknown fields. */
import { z } from 'zod'
import { wireDate } from '../dates.ts'
import { DOCUMENTED, type Operation } from '../operation.ts'
import { plainName } from '../query.ts'
import { fieldsOf, lazy, optionalTexts, written } from '../schemas.ts'
import { MAPPINGS } from './mappings.ts'

/** Whether the company numbers of a list are relied on: `unreliable`: a number alone does not match where the name differs. */
export const COMPANY_NUMBERS = ['reliable', 'unreliable'] as const

export type CompanyNumbers = (typeof COMPANY_NUMBERS)[number]

const share = z.number().min(0).max(1)

const odds = z.number().min(-20).max(20)

/** What a service estimated of a list: the share that is in the register, at least and at most, and what it adds to the evidence for a company. */
const inRegister = z.object({ from: share, to: share, startingOdds: odds, matchingOdds: odds, wholeNameOdds: odds.optional() })

export type InRegister = z.infer<typeof inRegister>

/** The share of the matches that should be right. */
const precision = z.number().gt(0.5).max(0.999)

const count = z.number().int().nonnegative().nullish()
const nullable = z.string().nullable().meta({ isNullWritten: true })

/** Counts of a job after matching, or of the rows that are matched so far; each may be absent or null, which is unknown and not 0 (contract §5.2, §14.1). */
export const jobSummary = lazy(() =>
  z.looseObject({
    ...fieldsOf(count, 'totalRows', 'matched', 'manualMatched', 'unmatched', 'duplicates'),
    registers: z
      .array(z.looseObject({ name: z.string(), snapshotDate: nullable, sha256: nullable }))
      .nullish()
      .describe(
        "The registers that the rows were matched against, with date and digest of the snapshot (null for the sample). fettle's own service adds them; the interface does not know them.",
      ),
    inRegister: inRegister
      .nullish()
      .describe(
        "The share of the list that is in the register, at least and at most, from 0 to 1, and the log-odds that the list adds to the evidence for a company, in the score and in the decision, as they were estimated or named. fettle's own service adds it; the interface does not know it.",
      ),
    companyNumbers: z
      .enum(COMPANY_NUMBERS)
      .nullish()
      .describe(
        "Whether the company numbers of the list were relied on. fettle's own service adds it; the interface does not know it.",
      ),
  }),
)

/** An id is part of paths and terminal output: no `..`, and of limited length. */
const id = written(
  z
    .string()
    .min(1)
    .max(200)
    .regex(/^(?!\.{1,2}$)[^\u0000-\u001f\u007f-\u009f]*$/, 'must not be a path or hold control characters'),
  { type: 'string' },
)

/**
 * A job. `modifiedAT` is the specification's spelling, `modifiedAt` the one of the vendor's create and archive answers: both
 * are read (contract §5.2). `status` is an open set, see job-status.ts.
 */
export const job = lazy(() =>
  z.looseObject({
    id,
    name: z.string(),
    status: z.string().min(1),
    ...fieldsOf(wireDate.optional(), 'createdAt', 'modifiedAT', 'modifiedAt'),
    ...fieldsOf(z.number().int().optional(), 'managingUserId', 'managingCustomerId', 'owningCustomerId', 'owningUserId'),
    ...fieldsOf(z.string().nullish(), 'countryCode', 'portfolioId'),
    source: z.string().optional(),
    jobSummary: jobSummary.nullish(),
    jobEnrichmentSettings: z.looseObject({ creditType: z.string().optional() }).nullish(),
    archived: z.boolean().optional(),
    ...optionalTexts('details', 'correlationId'),
  }),
)

/** When the job was last modified, under either spelling; null when the answer has neither. */
export const modifiedAt = (record: JobRecord): string | null => record.modifiedAT ?? record.modifiedAt ?? null

/** Body of create: 1 to 200 characters, no control characters (contract §14.1). */
export const createJob = lazy(() =>
  z.strictObject({
    name: plainName(200),
    addToPortfolio: z
      .union([z.string().min(1).max(200), z.number().int().nonnegative()])
      .optional()
      .describe(
        "Id of a portfolio that takes the companies found. fettle's own service reads it; the interface does not show how to ask for it.",
      ),
    inRegister: inRegister
      .optional()
      .describe(
        "What POST /listFacts answered to a sample of the whole list: estimated from the file if absent, and needed for one of several parts of a list. fettle's own service reads it; the interface does not know it.",
      ),
    precision: precision
      .optional()
      .describe(
        "The share of the matches that should be right, above 0.5 and up to 0.999; 0.98 if absent. fettle's own service reads it; the interface does not know it.",
      ),
    companyNumbers: z
      .enum(COMPANY_NUMBERS)
      .optional()
      .describe(
        "Whether the company numbers of the list are relied on: judged from the file if absent. fettle's own service reads it; the interface does not know it.",
      ),
  }),
)

/** What `POST /listFacts` answers to a sample of a list, as `createJob` takes it. */
export const listFacts = lazy(() => z.looseObject({ inRegister, companyNumbers: z.enum(COMPANY_NUMBERS) }))

/**
 * Estimates facts of a list that is sent in parts from a sample of its rows, with cells by mapping. Only fettle's own service has it, and
 * shows that by a header of the login: the interface does not know it.
 */
export const LIST_FACTS = {
  method: 'POST',
  path: '/listFacts',
  query: lazy(() => z.looseObject({ precision: z.coerce.number().pipe(precision).optional() })),
  request: lazy(() => z.array(z.record(z.string(), z.string()))),
  reply: listFacts,
  repeat: 'free',
  errors: DOCUMENTED,
  summary: 'Estimate how much of a list is in the registers',
} as const satisfies Operation

/** The header of a login at a service that has it; of one that takes a wished precision it is LIST_FACTS_PRECISION. */
export const LIST_FACTS_HEADER = 'x-list-facts'
export const LIST_FACTS_PRECISION = '2'

/** The record of an uploaded file: its `id` is the file's own, not the job's (contract §5.3). */
export const uploadedFile = lazy(() =>
  z.looseObject({
    id: z.string(),
    sourceFilename: z.string().optional(),
    hasHeader: z.boolean().optional(),
    ...fieldsOf(wireDate.optional(), 'createdAt', 'modifiedAt'),
    ...fieldsOf(z.number().int().optional(), 'managingUserId', 'managingCustomerId'),
    status: z.string().optional(),
    active: z.boolean().optional(),
    correlationId: z.string().optional(),
  }),
)

/** One column mapping; `value` is the zero-based column index written as a string (contract §5.4). */
export const columnMapping = lazy(() =>
  z.strictObject({
    mapping: z.enum(MAPPINGS),
    value: z.string().regex(/^(?:0|[1-9][0-9]{0,4})$/, 'must be a zero-based column index written as a string'),
  }),
)

/** Body of the mappings operation: it replaces the whole set. */
export const mappingsBody = lazy(() => z.strictObject({ mappings: z.array(columnMapping) }))

/** Answer of the mappings operation: the bare list. */
export const mappingsReply = lazy(() => z.array(z.looseObject({ mapping: z.string(), value: z.string() })))

/** `{}`: the body that submit, enrich and archive require (contract §2.1); the service does without. */
export const emptyBody = lazy(() => z.strictObject({}))

export const submitReply = lazy(() => z.looseObject({ messageId: z.string().optional() }))

/** Body and answer of the enrichments operation (contract §5.7). */
export const enrichmentsBody = lazy(() =>
  z.strictObject({
    enrichments: z.array(
      z.strictObject({ enrichment: written(z.string().min(1), { $ref: '#/components/schemas/EnrichmentTag' }) }),
    ),
  }),
)

/** Answer of the enrichments operation: the list echoed. */
export const enrichmentsReply = lazy(() =>
  z.looseObject({ enrichments: z.array(z.looseObject({ enrichment: z.string() })).optional() }),
)

/** Answer of enrich: an array of objects without fields, sample `[{}]`. */
export const enrichReply = lazy(() => z.array(z.looseObject({})))

/** Answer of enrichedFile: where the file can be fetched, absolute or relative (contract §5.8). */
export const enrichedFileReply = lazy(() => z.looseObject({ correlationId: z.string().optional(), filePath: z.string().min(1) }))

/** A job record of the wire, unknown fields kept. */
export type JobRecord = z.infer<typeof job>
export type JobSummary = z.infer<typeof jobSummary>
export type UploadRecord = z.infer<typeof uploadedFile>
export type ColumnMapping = z.infer<typeof columnMapping>
