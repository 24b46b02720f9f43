/** When matches are audited, and the tags of a service about the company itself, which are compared with the row. */

interface Asks {
  readonly audit?: true
  readonly output: { readonly columns: readonly string[] } | null
  readonly checks: readonly { readonly name: string }[]
}

/** The key, a column or a check of the plan asks for it. */
export const isAudited = ({ audit, output, checks }: Asks): boolean =>
  audit === true || output?.columns.includes('match.doubt') === true || checks.some(({ name }) => name === 'doubtful')

const general = (names: string): string[] => names.split(' ').map(name => `general.${name}`)
const contact = (names: string): string[] => names.split(' ').map(name => `contact.${name}`)

/** `otherNumbers`: of kinds that show only that they are the row's. */
export const EVIDENCE_TAGS = {
  name: general('companyName legalName'),
  otherNames: general('legalNameAlt tradingName tradeName aliasName acronym companyNameKanji companyNameKana'),
  orgNumber: general('companyNumber organisationNumber legalRegistrationNumber siren siret kvkNumber'),
  otherNumbers: general('companyId tradeNumber rsin taxCode federalTaxId'),
  vatNumber: general('vatNumber'),
  address: contact('addressLine1 addressLine2 addressLine3 streetName houseNumber'),
  town: contact('city'),
  postcode: contact('postalCode eircode'),
  country: contact('country'),
  phone: contact('contactPhone'),
  email: contact('email'),
  website: general('website'),
}
