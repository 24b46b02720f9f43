/** The properties of a company that a reconciliation client may send as evidence or request as values. */
import type { Company, Query } from '../matching/index.ts'

export interface Property {
  readonly name: string
  /** The field of the query it fills; null when the engine does not compare it. */
  readonly queryField: keyof Query | null
  readonly values: (company: Company) => readonly string[]
}

const field = (
  name: string,
  key: 'orgNumber' | 'vatNumber' | 'country' | 'town' | 'postcode' | 'phone' | 'email' | 'address1' | 'address2',
): Property => ({
  name,
  queryField: key,
  values: company => [company[key]],
})

const returnedOnly = (name: string, values: Property['values']): Property => ({ name, queryField: null, values })

/** Properties by id, where possible the mapping name of data cleaning (contract §5.4). */
export const PROPERTIES: Readonly<Record<string, Property>> = {
  name: { name: 'Name', queryField: 'name', values: company => [company.name] },
  country: field('Country', 'country'),
  orgNumber: field('Registration number', 'orgNumber'),
  vatNumber: field('VAT number', 'vatNumber'),
  address1: field('Address', 'address1'),
  address2: field('Address, second line', 'address2'),
  town: field('City', 'town'),
  postcode: field('Postcode', 'postcode'),
  phone: field('Phone', 'phone'),
  email: field('E-mail', 'email'),
  tradingName: { name: 'Trading name', queryField: 'tradingName', values: company => company.tradingNames },
  previousName: { name: 'Previous name', queryField: 'previousName', values: company => company.previousNames },
  companyId: { name: 'Id in the register', queryField: 'companyId', values: company => [company.id] },
  connectId: returnedOnly('connectId', company => [company.connectId]),
  website: returnedOnly('Website', company => [company.website]),
  status: returnedOnly('Status', company => [company.status]),
  legalForm: returnedOnly('Legal form', company => [company.legalForm ?? '']),
}

/** The only entity type. */
export const COMPANY = { id: 'company', name: 'Company' } as const

export const lineOf = ({ orgNumber, town, country, status }: Company): string =>
  [orgNumber, town, country, /^(?:active)?$/i.test(status) ? '' : status].filter(text => text !== '').join(' · ')
