/** Filters companies by the criteria of a search; all given criteria must hold. Text is compared in normalised spelling. */
import type { CompaniesQuery } from '../../contract/index.ts'
import { parseCompanyName } from '../../normalise/company-name.ts'
import { domainOf, normaliseOrgNumber, normaliseVat, phoneDigits } from '../../normalise/identifiers.ts'
import { normaliseText, splitWords } from '../../normalise/text.ts'
import { bigramSimilarity } from '../matching/similarity.ts'
import type { Company } from '../matching/types.ts'
import { plainPostcode } from '../registers/search.ts'
import { isPublic, OFFICE, splitStreet, statusOf, typeOf } from './facts.ts'

/** Least bigram similarity of two names that differ only by typing errors. */
const MIN_SIMILARITY = 0.7

export function containsWords(requested: string, text: string): boolean {
  const present = splitWords(text)
  return splitWords(requested).every(word => present.some(one => one.startsWith(word)))
}

const core = (name: string): string => parseCompanyName(name).words.join('')

const isName =
  (requested: string, exact: boolean) =>
  (name: string): boolean =>
    exact
      ? normaliseText(name) === normaliseText(requested)
      : containsWords(requested, name) || bigramSimilarity(core(requested), core(name)) >= MIN_SIMILARITY

const initialsOf = (name: string): string =>
  splitWords(name)
    .map(word => word.charAt(0))
    .join('')

export function isNamed(company: Company, { name, tradeName, acronym, exact = false }: CompaniesQuery): boolean {
  const { tradingNames, previousNames } = company
  if (name !== undefined && ![company.name, ...tradingNames, ...previousNames].some(isName(name, exact))) return false
  if (tradeName !== undefined && !tradingNames.some(isName(tradeName, exact))) return false
  if (acronym === undefined) return true
  const letters = normaliseText(acronym).replaceAll(' ', '')
  // The initials of the legal form may follow.
  return [company.name, ...tradingNames].some(one => core(one) === letters || initialsOf(one).startsWith(letters))
}

function isAt(company: Company, { address, street, houseNo, city, province, postCode }: CompaniesQuery): boolean {
  const { address1, address2, town, postcode } = company
  const fullAddress = [address1, address2, town, postcode].join(' ')
  if (address !== undefined && !containsWords(address, fullAddress)) return false
  if (street !== undefined && !containsWords(street, `${address1} ${address2}`)) return false
  if (houseNo !== undefined && normaliseText(splitStreet(address1).houseNumber) !== normaliseText(houseNo)) return false
  if (city !== undefined && !containsWords(city, town)) return false
  if (province !== undefined && !containsWords(province, `${address2} ${town}`)) return false
  if (postCode === undefined) return true
  const requested = plainPostcode(postCode)
  return postCode.endsWith('*') ? plainPostcode(postcode).startsWith(requested) : plainPostcode(postcode) === requested
}

/** Leading zeros are lost where numbers pass through a spreadsheet. */
export function isSameNumber(requested: string, { orgNumber, country }: Company): boolean {
  const [given, present] = [requested, orgNumber].map(text => normaliseOrgNumber(text, country).replace(/^0+(?=.)/, ''))
  return present !== '' && given === present
}

function hasNumbers(company: Company, { regNo, vatNo, phoneNo, website }: CompaniesQuery): boolean {
  const { country } = company
  if (regNo !== undefined && !isSameNumber(regNo, company)) return false
  const vat = normaliseVat(company.vatNumber, country)
  if (vatNo !== undefined && (vat === '' || normaliseVat(vatNo, country) !== vat)) return false
  const phone = phoneDigits(company.phone)
  if (phoneNo !== undefined && (phone === '' || !phoneNo.some(one => phoneDigits(one) === phone))) return false
  const domain = domainOf(company.website) || domainOf(company.email)
  return website === undefined || (domain !== '' && domainOf(website) === domain)
}

/** `PLC` among the countries means the public companies of any country. */
const isFrom = (company: Company, countries: readonly string[] | undefined): boolean =>
  countries === undefined || countries.includes(company.country) || (countries.includes('PLC') && isPublic(company))

export function matchesQuery(company: Company, query: CompaniesQuery): boolean {
  const { status, type, officeType } = query
  // As in matching, a company without a status counts as active.
  if (status !== undefined && (statusOf(company) || 'Active') !== status) return false
  if (type !== undefined && typeOf(company) !== type) return false
  if (officeType !== undefined && officeType !== OFFICE) return false
  return isFrom(company, query.countries) && hasNumbers(company, query) && isAt(company, query) && isNamed(company, query)
}
