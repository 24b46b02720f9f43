/**
 * Searches companies by the most selective criterion that has an index, then narrows them by all others. The work is bounded for
 * any size of the register. Text is compared in normalised spelling.
 */
import type { CompaniesQuery, SearchMessage } from '../../contract/index.ts'
import { parseCompanyName } from '../../normalise/company-name.ts'
import { domainOf, normaliseOrgNumber, normaliseVat, phoneDigits } from '../../normalise/identifiers.ts'
import { normaliseText, splitWords } from '../../normalise/text.ts'
import { bigramSimilarity } from '../matching/similarity.ts'
import type { Company, Query } from '../matching/types.ts'
import type { Engine } from '../registers/engine.ts'
import { plainPostcode, type Search } from '../registers/search.ts'
import { isPublic, OFFICE, readStatus, readType, splitStreet } from './facts.ts'

/** Least bigram similarity of two names that differ only by typing errors. */
const MIN_SIMILARITY = 0.7

export function containsWords(requested: string, text: string): boolean {
  const present = splitWords(text)
  return splitWords(requested).every(word => present.some(other => other.startsWith(word)))
}

const core = (name: string): string => parseCompanyName(name).words.join('')

const isName =
  (requested: string, exact: boolean) =>
  (name: string): boolean =>
    exact
      ? normaliseText(name) === normaliseText(requested)
      : containsWords(requested, name) || bigramSimilarity(core(requested), core(name)) >= MIN_SIMILARITY

const readInitials = (name: string): string =>
  splitWords(name)
    .map(word => word.charAt(0))
    .join('')

function isNamed(company: Company, { name, tradeName, acronym, exact = false }: CompaniesQuery): boolean {
  const { tradingNames, previousNames } = company
  if (name !== undefined && ![company.name, ...tradingNames, ...previousNames].some(isName(name, exact))) return false
  if (tradeName !== undefined && !tradingNames.some(isName(tradeName, exact))) return false
  if (acronym === undefined) return true
  const letters = normaliseText(acronym).replaceAll(' ', '')
  // The initials of the legal form may follow.
  return [company.name, ...tradingNames].some(text => core(text) === letters || readInitials(text).startsWith(letters))
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
  if (phoneNo !== undefined && (phone === '' || !phoneNo.some(number => phoneDigits(number) === phone))) return false
  const domain = domainOf(company.website) || domainOf(company.email)
  return website === undefined || (domain !== '' && domainOf(website) === domain)
}

function matchesQuery(company: Company, query: CompaniesQuery): boolean {
  const { status, type, officeType } = query
  // As in matching, a company without a status counts as active.
  if (status !== undefined && (readStatus(company) || 'Active') !== status) return false
  if (type !== undefined && readType(company) !== type) return false
  if (officeType !== undefined && officeType !== OFFICE) return false
  const { countries = [company.country] } = query
  // `PLC` means the public companies of any country.
  if (!countries.includes(company.country) && !(countries.includes('PLC') && isPublic(company))) return false
  return hasNumbers(company, query) && isAt(company, query) && isNamed(company, query)
}

type SearchTools = { readonly engine: Engine; readonly search: Search; readonly most: number }

/** Criteria with an index. */
export const KEY_CRITERIA = [
  'id',
  'safeNo',
  'regNo',
  'vatNo',
  'name',
  'tradeName',
  'acronym',
  'phoneNo',
  'website',
  'postCode',
] as const

export const noResults = (text: string): SearchMessage => ({ type: 'Information', code: 'NoResults', text })

export const tooManyResults = (most: number): SearchMessage => ({
  ...{ type: 'Warning', code: 'TooManyResults' },
  text: `The search examined only the nearest ${most} entries; there may be more. Narrow it by more criteria.`,
})

/** Queries for the engine: by a number alone when one is given, because the other criteria narrow the result anyway; else by names. */
function engineQueries(query: CompaniesQuery, available: readonly string[]): Query[] {
  const { name, tradeName, acronym, regNo, vatNo, phoneNo, website, countries = available } = query
  if (regNo !== undefined) return [{ orgNumber: regNo }]
  // A number without a country is searched in each.
  if (vatNo !== undefined)
    return countries.filter(code => available.includes(code)).map(country => ({ vatNumber: vatNo, country }))
  if (phoneNo !== undefined) return phoneNo.map(phone => ({ phone }))
  if (website !== undefined) return [{ email: website }]
  const [country, ...others] = countries
  const names = { name, tradingName: tradeName, aliasName: acronym, country: others.length === 0 ? country : undefined }
  return [Object.fromEntries(Object.entries(names).filter(([, value]) => value !== undefined)) as Query]
}

const distinct = (companies: readonly Company[]): Company[] =>
  [...new Map(companies.toReversed().map(company => [company.connectId, company])).values()].reverse()

/** By the start of town or street, or by country alone. */
async function withoutKey(query: CompaniesQuery, { engine, search, most }: SearchTools) {
  const fits = (company: Company): boolean => matchesQuery(company, query)
  const { city, street, countries = engine.countries } = query
  const codes = countries.includes('PLC') ? engine.countries : countries
  const { companies, isTruncated } =
    city !== undefined
      ? await search.byStart('town', city, most, fits)
      : street !== undefined
        ? await search.byStart('street', street, most, fits)
        : await search.byCountry(codes, most, fits)
  return { companies: distinct(companies), isTruncated }
}

/** `isTruncated`: further companies may exist. */
async function selectCandidates(query: CompaniesQuery, { engine, search, most }: SearchTools) {
  const id = query.id ?? query.safeNo
  if (id !== undefined) {
    const company = await search.find(id)
    return { companies: company === null ? [] : [company], isTruncated: false }
  }
  const others = KEY_CRITERIA.filter(key => query[key] !== undefined && key !== 'postCode')
  if (query.postCode !== undefined) {
    const { companies, isTruncated } = await search.byStart('postcode', query.postCode, most)
    // Registers may share companies.
    if (!isTruncated || others.length === 0) return { companies: distinct(companies), isTruncated }
  }
  if (query.postCode === undefined && others.length === 0) return withoutKey(query, { engine, search, most })
  const found = new Map<string, Company>()
  let isTruncated = false
  for (const engineQuery of engineQueries(query, engine.countries)) {
    const { candidates } = engine.match(engineQuery, most)
    for (const candidate of candidates) {
      const company = engine.at(candidate.company)
      found.set(company.connectId, company)
    }
    const named = candidates.filter(candidate => isNamed(engine.at(candidate.company), query))
    // Only the nearest names are examined: when half of them fit, further ones may fit too.
    if (named.length * 2 >= most) isTruncated = true
  }
  return { companies: [...found.values()], isTruncated }
}

/** Returns the companies, nearest first. */
export async function findCompanies(query: CompaniesQuery, tools: SearchTools) {
  const candidates = await selectCandidates(query, tools)
  const companies = candidates.companies.filter(company => matchesQuery(company, query))
  if (companies.length === 0) return { companies, messages: [noResults('No company of the register is like this.')] }
  return { companies, messages: candidates.isTruncated ? [tooManyResults(tools.most)] : [] }
}
