/** The monitored fields of a company, and the differences between two states of it. */
import type { Company } from '../matching/types.ts'
import { COMPARED, type ComparedField, figuresIn, formatActivities, formatAddress } from '../registers/changes.ts'

/** The monitored fields, in the order of their changes. */
export const FIELDS = COMPARED

export type Field = ComparedField

/** A company's state; '' for values that the register does not have. */
export type Facts = Readonly<Record<Field, string>>

export type Registered = Company & { readonly legalForm?: string; readonly directors?: readonly string[] }

export type Difference = { readonly field: Field; readonly old: string; readonly new: string }

export const NOTHING = Object.fromEntries(FIELDS.map(field => [field, ''])) as Record<Field, string>

export const GONE: Facts = { ...NOTHING, status: 'not in the register' }

/** The state of a company, with sorted directors. */
export const readFacts = (company: Registered): Facts => ({
  ...NOTHING,
  status: company.status,
  name: company.name,
  address: formatAddress(company),
  legalForm: company.legalForm ?? '',
  directors: [...(company.directors ?? [])].sort().join('; '),
  activities: formatActivities(company),
  ...figuresIn(company),
})

const plain = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, ' ').trim()

/**
 * The changed fields. A field without a value in the newer state is not a change: the company may have left the register, or the
 * register may have dropped the column.
 */
export const differences = (before: Facts, after: Facts): Difference[] =>
  FIELDS.filter(field => after[field] !== '' || before[field] === GONE.status)
    .filter(field => plain(after[field]) !== plain(before[field]))
    .map(field => ({ field, old: before[field], new: after[field] }))
