/**
 * Exact blocking keys: identifiers in canonical spelling that select candidates. The features decide whether a shared key counts
 * as evidence.
 */
import {
  domainOf,
  normaliseOrgNumber,
  normalisePostcode,
  normaliseVat,
  orgNumberOfVat,
  phoneDigits,
} from '../../../normalise/identifiers.ts'
import type { Company } from '../types.ts'

export const readIdentifiers = (company: Company) => ({
  id: company.id,
  orgNumber: normaliseOrgNumber(company.orgNumber, company.country),
  vatNumber: normaliseVat(company.vatNumber, company.country),
  domain: domainOf(company.website) || domainOf(company.email),
  phone: phoneDigits(company.phone),
  postcode: normalisePostcode(company.postcode),
})

/** Canonical identifiers of a company or a query; '' for a missing one. */
export type Identifiers = Readonly<ReturnType<typeof readIdentifiers>>

/** The key of an organisation number: without country and leading zeros, because a row may lack both. */
export const makeNumberKey = (orgNumber: string): string => `n${orgNumber.replace(/^0+/, '')}`

/** The keys of a set of identifiers. */
export function listBlockingKeys(identifiers: Identifiers, country: string): string[] {
  const { id, orgNumber, vatNumber, domain, phone, postcode } = identifiers
  const keys: string[] = []
  if (id !== '') keys.push(`i${id}`)
  const ofVat = orgNumberOfVat(vatNumber)
  if (orgNumber !== '') keys.push(makeNumberKey(orgNumber))
  if (ofVat !== '' && ofVat !== orgNumber) keys.push(makeNumberKey(ofVat))
  // The country is not known, but the number may begin with it.
  if (country === '' && /^[A-Z]{2}[A-Z]?\d/.test(orgNumber)) keys.push(makeNumberKey(orgNumber.slice(2)))
  if (vatNumber !== '') keys.push(`v${vatNumber}`)
  if (domain !== '') keys.push(`d${domain}`)
  if (phone !== '') keys.push(`p${phone}`)
  if (postcode !== '') keys.push(`z${country}${postcode}`)
  return keys
}
