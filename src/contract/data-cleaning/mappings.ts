/** The names a column of the uploaded file can be mapped to: contract §5.4. */

/** The service's 20 mapping names, the specification's ten first. `personalID` and `personalLimit` are spelled exactly so. */
export const MAPPINGS = [
  'companyId',
  'orgNumber',
  'name',
  'tradingName',
  'aliasName',
  'previousName',
  'phone',
  'email',
  'address1',
  'address2',
  'address3',
  'town',
  'postcode',
  'region',
  'country',
  'countryCode',
  'vatNumber',
  'taxCode',
  'personalID',
  'personalLimit',
] as const

export type Mapping = (typeof MAPPINGS)[number]

/** Mappings that identify a company by themselves; one of them or `name` is needed to match on anything (contract §14.1). */
export const IDENTIFIERS = ['companyId', 'orgNumber', 'vatNumber', 'taxCode'] as const satisfies readonly Mapping[]
