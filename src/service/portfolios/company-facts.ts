/** What is watched of a company, and how two states of it differ. Pure; it knows no rule and no portfolio. */
import type { Company } from '../matching/types.ts'

/** What can change of a company, in the order in which changes are told. */
export const FIELDS = ['status', 'name', 'address', 'legalForm', 'directors'] as const

/** One of them. */
export type Field = (typeof FIELDS)[number]

/** A company's state; '' where the register does not say. */
export type Facts = Readonly<Record<Field, string>>

/** A company as a register may hold it: not every one knows legal forms and directors. */
export type Registered = Company & { readonly legalForm?: string; readonly directors?: readonly string[] }

/** A field that is not as it was. */
export interface Difference {
  readonly field: Field
  readonly old: string
  readonly new: string
}

/** A company whose register does not have it any more. */
export const GONE: Facts = { status: 'not in the register', name: '', address: '', legalForm: '', directors: '' }

/** A company's address in one line. */
const addressOf = ({ address1, address2, town, postcode }: Company): string =>
  [address1, address2, town, postcode].filter(part => part !== '').join(', ')

/** The state of a company; directors in one order, whatever the register's. */
export const factsOf = (company: Registered): Facts => ({
  status: company.status,
  name: company.name,
  address: addressOf(company),
  legalForm: company.legalForm ?? '',
  directors: [...(company.directors ?? [])].sort().join('; '),
})

/** Spaces and case alone are no change. */
const plain = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, ' ').trim()

/**
 * What is not as it was. A field the newer state says nothing of is not known to have changed: a company that leaves the register,
 * or a register that gives up a column, makes no change of it.
 */
export const differences = (before: Facts, after: Facts): Difference[] =>
  FIELDS.filter(field => after[field] !== '' || before[field] === GONE.status)
    .filter(field => plain(after[field]) !== plain(before[field]))
    .map(field => ({ field, old: before[field], new: after[field] }))
