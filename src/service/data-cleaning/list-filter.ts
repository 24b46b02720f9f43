/** Converts the query of the job list to a filter of the store (contract §5.10, §14.1). */
import type { z } from 'zod'
import { type OPERATIONS, parseWireDate } from '../../contract/index.ts'
import { windowOf } from '../http/paging.ts'
import { badRequest } from '../refusal.ts'
import { CUSTOMER } from './job-record.ts'
import { statusesOf } from './job-transitions.ts'
import type { JobFilter } from './jobs-store.ts'

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

function countryCodes(text: string | undefined): string[] | null {
  if (text === undefined) return null
  const codes = text.split(',').map(code => code.trim())
  if (!codes.every(code => /^[A-Za-z]{2}$/.test(code))) throw refuse('countries: must be two-letter codes separated by commas')
  return codes.map(code => code.toUpperCase())
}

function statuses(text: string | undefined): readonly string[] | null {
  if (text === undefined) return null
  const found = statusesOf(text)
  if (found === null) throw refuse('status: must be pending, processing, completed, failed or a job status')
  return found
}

/** The filter; null when it selects jobs of another customer, which do not exist here. Throws a 400 with the field. */
export function filterOf(query: Query): JobFilter | null {
  const filter: JobFilter = {
    statuses: statuses(query.status),
    name: query.jobName ?? null,
    countries: countryCodes(query.countries),
    from: instant(query.fromDate, 'fromDate'),
    to: instant(query.toDate, 'toDate'),
    archived: query.archived ?? null,
    by: query.userId ?? null,
    ...windowOf(query, 1),
  }
  const mine =
    (query.customerId ?? CUSTOMER.id) === CUSTOMER.id && CUSTOMER.name.includes((query.companyName ?? '').toLowerCase())
  return mine ? filter : null
}
