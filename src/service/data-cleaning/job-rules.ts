/** Which operation each job status allows (contract §5.6, §14.1), and which jobs the query of the job list selects (contract §5.10). */

import type { z } from 'zod'
import { JOB_STATUSES, type KnownStatus, type OPERATIONS, parseWireDate } from '../../contract/index.ts'
import { findWindow } from '../http/route.ts'
import { badRequest } from '../refusal.ts'
import { CUSTOMER } from './job-record.ts'
import type { JobFilter } from './jobs-store.ts'

export type Call = 'upload' | 'setMappings' | 'submit' | 'setEnrichments' | 'enrich'

const UPLOADED = ['uploaded', 'ready'] as const
const MATCHING = ['matching', 'matched', 'aggregating', 'aggregatingComplete'] as const

const NEEDED: Readonly<Record<Call, readonly KnownStatus[]>> = {
  upload: ['created', ...UPLOADED, 'uploadError'],
  setMappings: UPLOADED,
  submit: ['ready'],
  setEnrichments: [...UPLOADED, ...MATCHING, 'jobMatchingComplete'],
  enrich: ['jobMatchingComplete'],
}

/** Statuses in which the enriched file can be fetched. */
export const ENRICHED: readonly KnownStatus[] = [
  'enrichmentComplete',
  'addingToPortfolio',
  'addedToPortfolio',
  'addedToPortfolioError',
]

/** Throws a 400 with the current and the required status when the status does not allow the operation. */
export function requireStatus(call: Call, present: KnownStatus): void {
  const needed = NEEDED[call]
  if (needed.includes(present)) return
  throw badRequest('The job is not in a status that allows this', `status is ${present}; needed is ${needed.join(' or ')}`)
}

const GROUPED: Readonly<Record<string, readonly string[]>> = {
  pending: ['created', 'uploading', 'uploaded', 'ready'],
  completed: ['jobMatchingComplete', 'enrichmentComplete', 'addedToPortfolio'],
  failed: JOB_STATUSES.filter(status => status.endsWith('Error')),
}
/** The job statuses of a `status` filter: of a group, or one alone. */
const STATUSES: ReadonlyMap<string, readonly string[]> = new Map([
  ...Object.entries(GROUPED),
  ['processing', JOB_STATUSES.filter(status => !Object.values(GROUPED).flat().includes(status))],
  ...JOB_STATUSES.map(status => [status, [status]] as const),
])

type Query = z.infer<(typeof OPERATIONS)['listJobs']['query']>

const refuse = (details: string): Error => badRequest('The filter is not acceptable', details)

/** Parses a time of a query to milliseconds; null without one. Throws a 400 with the field. */
export function instant(text: string | undefined, name: string): number | null {
  if (text === undefined) return null
  if (/^\d+$/.test(text)) return Number(text)
  // A date alone means midnight; seconds are optional.
  const full = text.length === 10 ? `${text}T00:00:00` : text.replace(/([T ]\d{2}:\d{2})(Z|[+-].*)?$/, '$1:00$2')
  const millis = parseWireDate(full)
  if (millis === null) throw refuse(`${name}: is not a date`)
  return millis
}

function readCountries(text: string | undefined): string[] | null {
  if (text === undefined) return null
  const codes = text.split(',').map(code => code.trim())
  if (!codes.every(code => /^[A-Za-z]{2}$/.test(code))) throw refuse('countries: must be two-letter codes separated by commas')
  return codes.map(code => code.toUpperCase())
}

function readStatuses(text: string | undefined): readonly string[] | null {
  if (text === undefined) return null
  const statuses = STATUSES.get(text)
  if (statuses === undefined) throw refuse('status: must be pending, processing, completed, failed or a job status')
  return statuses
}

/** The filter; null when it selects jobs of another customer, which do not exist here. Throws a 400 with the field. */
export function readFilter(query: Query): JobFilter | null {
  const filter: JobFilter = {
    statuses: readStatuses(query.status),
    name: query.jobName ?? null,
    countries: readCountries(query.countries),
    from: instant(query.fromDate, 'fromDate'),
    to: instant(query.toDate, 'toDate'),
    archived: query.archived ?? null,
    by: query.userId ?? null,
    ...findWindow(query, 1),
  }
  const mine =
    (query.customerId ?? CUSTOMER.id) === CUSTOMER.id && CUSTOMER.name.includes((query.companyName ?? '').toLowerCase())
  return mine ? filter : null
}
