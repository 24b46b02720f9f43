/**
 * Searches companies by the most selective criterion that has an index, then narrows them by all others. The work is bounded for
 * any size of the register.
 */
import type { CompaniesQuery, SearchMessage } from '../../contract/index.ts'
import type { Company, Query } from '../matching/types.ts'
import type { Engine } from '../registers/engine.ts'
import type { Search } from '../registers/search.ts'
import { isNamed, matchesQuery } from './narrow.ts'

export interface SearchTools {
  readonly engine: Engine
  readonly search: Search
  readonly most: number
}

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

/** Criteria by the start of which companies are found when no key is given. */
const STARTS = [
  ['city', 'town'],
  ['street', 'street'],
] as const

const message = (type: string, code: string, text: string): SearchMessage => ({ type, code, text })

export const noResults = (text: string): SearchMessage => message('Information', 'NoResults', text)

export const tooManyResults = (most: number): SearchMessage =>
  message(
    'Warning',
    'TooManyResults',
    `The search examined only the nearest ${most} entries; there may be more. Narrow it by more criteria.`,
  )

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
  [...new Map(companies.toReversed().map(one => [one.connectId, one])).values()].reverse()

/** By the start of town or street, or by country alone. */
async function withoutKey(query: CompaniesQuery, { engine, search, most }: SearchTools) {
  const fits = (company: Company): boolean => matchesQuery(company, query)
  for (const [criterion, field] of STARTS) {
    const text = query[criterion]
    if (text === undefined) continue
    const { companies, isTruncated } = await search.byStart(field, text, most, fits)
    return { companies: distinct(companies), isTruncated }
  }
  const { countries = engine.countries } = query
  const codes = countries.includes('PLC') ? engine.countries : countries
  const { companies, isTruncated } = await search.byCountry(codes, most, fits)
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
