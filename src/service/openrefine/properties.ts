/** The properties of a company that a reconciliation client may give as evidence or ask to be told. Knows no request. */
import type { Company, Query } from '../matching/index.ts'

/** A property: what it is called, which evidence of the engine it is, and its values of a company. */
export interface Property {
  readonly name: string
  /** Null where the engine does not compare it: it can only be asked for. */
  readonly asks: keyof Query | null
  readonly values: (company: Company) => readonly string[]
}

const field = (
  name: string,
  key: 'orgNumber' | 'vatNumber' | 'country' | 'town' | 'postcode' | 'phone' | 'email' | 'address1' | 'address2',
): Property => ({
  name,
  asks: key,
  values: company => [company[key]],
})

const told = (name: string, values: Property['values']): Property => ({ name, asks: null, values })

/** Every property by its id: mapping names of data cleaning where there is one (contract §5.4). */
export const PROPERTIES: Readonly<Record<string, Property>> = {
  name: { name: 'Name', asks: 'name', values: company => [company.name] },
  country: field('Country', 'country'),
  orgNumber: field('Registration number', 'orgNumber'),
  vatNumber: field('VAT number', 'vatNumber'),
  address1: field('Address', 'address1'),
  address2: field('Address, second line', 'address2'),
  town: field('City', 'town'),
  postcode: field('Postcode', 'postcode'),
  phone: field('Phone', 'phone'),
  email: field('E-mail', 'email'),
  tradingName: { name: 'Trading name', asks: 'tradingName', values: company => company.tradingNames },
  previousName: { name: 'Previous name', asks: 'previousName', values: company => company.previousNames },
  companyId: { name: 'Id in the register', asks: 'companyId', values: company => [company.id] },
  connectId: told('connectId', company => [company.connectId]),
  website: told('Website', company => [company.website]),
  status: told('Status', company => [company.status]),
  legalForm: told('Legal form', company => [company.legalForm ?? '']),
}

/** The one type of entity there is. */
export const COMPANY = { id: 'company', name: 'Company' } as const

/** A company in a line: what tells it from others of its name. */
export const lineOf = ({ orgNumber, town, country, status }: Company): string =>
  [orgNumber, town, country, /^(?:active)?$/i.test(status) ? '' : status].filter(text => text !== '').join(' · ')
