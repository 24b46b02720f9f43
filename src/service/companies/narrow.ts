/**
 * Which companies a search keeps: every criterion that is given must hold. Text is compared as the matching engine reads it:
 * without case, accents and punctuation. Pure; it finds nothing by itself.
 */
import type { CompaniesQuery } from '../../contract/index.ts'
import { parseCompanyName } from '../../normalise/company-name.ts'
import { domainOf, normaliseOrgNumber, normaliseVat, phoneDigits } from '../../normalise/identifiers.ts'
import { normaliseText, splitWords } from '../../normalise/text.ts'
import { bigramSimilarity } from '../matching/similarity.ts'
import type { Company } from '../matching/types.ts'
import { plainPostcode } from '../registers/search.ts'
import { isPublic, OFFICE, splitStreet, statusOf, typeOf } from './facts.ts'

/** Two names that share so many letter pairs differ by slips of the keyboard. */
const ALIKE = 0.7

/** Whether every word asked for begins a word of the text. */
function saysAll(asked: string, text: string): boolean {
  const there = splitWords(text)
  return splitWords(asked).every(word => there.some(one => one.startsWith(word)))
}

const core = (name: string): string => parseCompanyName(name).words.join('')

const isName =
  (asked: string, exact: boolean) =>
  (name: string): boolean =>
    exact
      ? normaliseText(name) === normaliseText(asked)
      : saysAll(asked, name) || bigramSimilarity(core(asked), core(name)) >= ALIKE

const initialsOf = (name: string): string =>
  splitWords(name)
    .map(word => word.charAt(0))
    .join('')

/** Whether the company bears the names asked for: now, in trade, or earlier. */
export function isNamed(company: Company, { name, tradeName, acronym, exact = false }: CompaniesQuery): boolean {
  const { tradingNames, previousNames } = company
  if (name !== undefined && ![company.name, ...tradingNames, ...previousNames].some(isName(name, exact))) return false
  if (tradeName !== undefined && !tradingNames.some(isName(tradeName, exact))) return false
  if (acronym === undefined) return true
  const letters = normaliseText(acronym).replaceAll(' ', '')
  // The legal form's initials may follow.
  return [company.name, ...tradingNames].some(one => core(one) === letters || initialsOf(one).startsWith(letters))
}

function isAt(company: Company, { address, street, houseNo, city, province, postCode }: CompaniesQuery): boolean {
  const { address1, address2, town, postcode } = company
  const whole = [address1, address2, town, postcode].join(' ')
  if (address !== undefined && !saysAll(address, whole)) return false
  if (street !== undefined && !saysAll(street, `${address1} ${address2}`)) return false
  if (houseNo !== undefined && normaliseText(splitStreet(address1).houseNumber) !== normaliseText(houseNo)) return false
  if (city !== undefined && !saysAll(city, town)) return false
  if (province !== undefined && !saysAll(province, `${address2} ${town}`)) return false
  if (postCode === undefined) return true
  const asked = plainPostcode(postCode)
  return postCode.endsWith('*') ? plainPostcode(postcode).startsWith(asked) : plainPostcode(postcode) === asked
}

function hasNumbers(company: Company, { regNo, vatNo, phoneNo, website }: CompaniesQuery): boolean {
  const { country } = company
  const number = normaliseOrgNumber(company.orgNumber, country)
  if (regNo !== undefined && (number === '' || normaliseOrgNumber(regNo, country) !== number)) return false
  const vat = normaliseVat(company.vatNumber, country)
  if (vatNo !== undefined && (vat === '' || normaliseVat(vatNo, country) !== vat)) return false
  const phone = phoneDigits(company.phone)
  if (phoneNo !== undefined && (phone === '' || !phoneNo.some(one => phoneDigits(one) === phone))) return false
  const domain = domainOf(company.website) || domainOf(company.email)
  return website === undefined || (domain !== '' && domainOf(website) === domain)
}

/** Whether the company is of one of the countries; `PLC` stands for the public companies of all of them. */
const isFrom = (company: Company, countries: readonly string[] | undefined): boolean =>
  countries === undefined || countries.includes(company.country) || (countries.includes('PLC') && isPublic(company))

/** Whether a company is what the query asks for. */
export function isAskedFor(company: Company, query: CompaniesQuery): boolean {
  const { status, type, officeType } = query
  // As in matching, a register that says nothing of the status does not speak against a company.
  if (status !== undefined && (statusOf(company) || 'Active') !== status) return false
  if (type !== undefined && typeOf(company) !== type) return false
  if (officeType !== undefined && officeType !== OFFICE) return false
  return isFrom(company, query.countries) && hasNumbers(company, query) && isAt(company, query) && isNamed(company, query)
}
