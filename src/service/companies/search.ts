/**
 * Companies that a query asks for: found by its most telling criterion, always through an index, then narrowed by all others.
 * The work of a search is bounded whatever the size of the register.
 */
import type { CompaniesQuery, SearchMessage } from '../../contract/index.ts'
import type { Company, Query } from '../matching/types.ts'
import { badRequest } from '../refusal.ts'
import type { Engine } from '../registers/engine.ts'
import { plainPostcode, type Search } from '../registers/search.ts'
import { isAskedFor, isNamed } from './narrow.ts'

/** What is found. */
export interface Found {
  readonly companies: readonly Company[]
  readonly messages: readonly SearchMessage[]
}

/** What a search needs. */
export interface SearchTools {
  readonly engine: Engine
  readonly search: Search
  /** Companies that are looked at, at most. */
  readonly most: number
}

/** Criteria that lead to companies; the others only narrow. */
export const LEADS = ['id', 'safeNo', 'regNo', 'vatNo', 'name', 'tradeName', 'acronym', 'phoneNo', 'website', 'postCode'] as const

const said = (type: string, code: string, text: string): SearchMessage => ({ type, code, text })

/** The message of a list that is empty. */
export const noResults = (text: string): SearchMessage => said('Information', 'NoResults', text)

/** The message of a list that may be longer. */
export const tooManyResults = (most: number): SearchMessage =>
  said('Warning', 'TooManyResults', `There may be more: the ${most} nearest were looked at. Narrow the search by more criteria.`)

/** What the engine is asked: by a number alone where there is one, since all else narrows anyway; by names else. */
function engineQueries(query: CompaniesQuery, held: readonly string[]): Query[] {
  const { name, tradeName, acronym, regNo, vatNo, phoneNo, website, countries = held } = query
  if (regNo !== undefined) return [{ orgNumber: regNo }]
  // Written without its country, a number is looked for in each.
  if (vatNo !== undefined) return countries.filter(code => held.includes(code)).map(country => ({ vatNumber: vatNo, country }))
  if (phoneNo !== undefined) return phoneNo.map(phone => ({ phone }))
  if (website !== undefined) return [{ email: website }]
  const [country, ...others] = countries
  const names = { name, tradingName: tradeName, aliasName: acronym, country: others.length === 0 ? country : undefined }
  return [Object.fromEntries(Object.entries(names).filter(([, value]) => value !== undefined)) as Query]
}

interface Candidates {
  readonly companies: readonly Company[]
  /** There may be more. */
  readonly isCut: boolean
}

async function selectCandidates(query: CompaniesQuery, { engine, search, most }: SearchTools): Promise<Candidates> {
  const id = query.id ?? query.safeNo
  if (id !== undefined) {
    const company = await search.find(id)
    return { companies: company === null ? [] : [company], isCut: false }
  }
  const others = LEADS.filter(lead => query[lead] !== undefined && lead !== 'postCode')
  if (query.postCode !== undefined) {
    const companies = await search.byPostcode(plainPostcode(query.postCode), most)
    const isCut = companies.length === most
    if (!isCut || others.length === 0) return { companies, isCut }
  }
  const found = new Map<string, Company>()
  let isCut = false
  for (const asked of engineQueries(query, engine.countries)) {
    const { candidates } = await engine.match(asked, most)
    for (const candidate of candidates) {
      const company = engine.at(candidate.company)
      found.set(company.connectId, company)
    }
    const named = candidates.filter(candidate => isNamed(engine.at(candidate.company), query))
    // The nearest by words and by letters are taken: when half of them bear the name, others may.
    if (named.length * 2 >= most) isCut = true
  }
  return { companies: [...found.values()], isCut }
}

/** Finds them, nearest first. Throws a 400 when nothing in the query leads to companies. */
export async function findCompanies(query: CompaniesQuery, tools: SearchTools): Promise<Found> {
  if (LEADS.every(lead => query[lead] === undefined)) {
    throw badRequest('The search is not acceptable', `needed is at least one of ${LEADS.join(', ')}; other criteria only narrow`)
  }
  const candidates = await selectCandidates(query, tools)
  const companies = candidates.companies.filter(company => isAskedFor(company, query))
  if (companies.length === 0) return { companies, messages: [noResults('No company of the register is like this.')] }
  return { companies, messages: candidates.isCut ? [tooManyResults(tools.most)] : [] }
}
