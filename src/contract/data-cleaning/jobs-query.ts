/** The filters of the job list: contract §5.10. Everything is optional and arrives as text. */
import { z } from 'zod'
import { lazy } from '../lazy.ts'
import { fromOne, maybe, truth, whole } from '../query.ts'
import { written } from '../written.ts'
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
export const jobsQuery = lazy(() =>
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

/** Query of `GET …/enrichedFile`: absent means csv (contract §14.1). */
export const fileQuery = lazy(() => z.looseObject({ fileType: z.enum(['csv', 'json']).default('csv') }))
