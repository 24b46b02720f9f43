/**
 * Routes of company search and match and of their criteria: contract §9.1, §9.2, §9.4 to §9.6. A match is graded in the interface's terms: a
 * confidence of 893 to 999 from the engine's score, and a letter per field, A best, F worst, Z where one side has no value (§14.3).
 */

import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { type CompaniesQuery, type ExplainPlan, type MatchedCompany, type MatchQuery, streetLine } from '../../contract/index.ts'
import { parseCompanyName } from '../../normalise/company-name.ts'
import { normaliseOrgNumber, normaliseVat, phoneDigits, postcodeArea } from '../../normalise/identifiers.ts'
import { normaliseText } from '../../normalise/text.ts'
import type { AppDeps } from '../deps.ts'
import { safeNumber } from '../enrichment/tags.ts'
import { createRouter, cutPage } from '../http/route.ts'
import { THRESHOLDS } from '../matching/index.ts'
import { bigramSimilarity } from '../matching/similarity.ts'
import type { Company, Query } from '../matching/types.ts'
import { requireCountry } from '../registers/countries.ts'
import { plainPostcode } from '../registers/search.ts'
import { companyCriteria, LANGUAGES, reportSchema } from './criteria.ts'
import { foundCompany, OFFICE, oneLine, readAddress, readStatus, readType, splitStreet, withoutEmpty } from './facts.ts'
import { listCustomData } from './report.ts'
import { findCompanies, KEY_CRITERIA } from './search.ts'

const [LOWEST, REVIEW, HIGHEST] = [893, 900, 999]
const REVIEW_FROM = THRESHOLDS.review

/** Converts the engine's chance of a company, from 0 to 1, to a confidence: never decreasing, with the boundary of review at 900. */
export const rateConfidence = (chance: number): number =>
  chance < REVIEW_FROM
    ? LOWEST + Math.floor((chance / REVIEW_FROM) * (REVIEW - LOWEST))
    : REVIEW + Math.floor(((chance - REVIEW_FROM) / (1 - REVIEW_FROM)) * (HIGHEST - REVIEW))

const ALPHA = [
  [990, 'A'],
  [960, 'B'],
  [930, 'C'],
  [REVIEW, 'D'],
] as const

export function makeQuery(query: MatchQuery): Query {
  const { name, country, regNo = '', vatNo = '', street = '', houseNo = '', city = '', postCode = '', phoneNo = '' } = query
  return {
    name,
    country,
    ...withoutEmpty({
      orgNumber: regNo,
      vatNumber: vatNo,
      address1: streetLine(street, houseNo, country),
      town: city,
      postcode: postCode,
      region: query.province ?? query.state ?? '',
      phone: phoneNo,
    }),
  }
}

const GRADES = [
  [1, 'A'],
  [0.85, 'B'],
  [0.7, 'C'],
  [0.5, 'D'],
] as const

const findGrade = (similarity: number): string => GRADES.find(([minimum]) => similarity >= minimum)?.[1] ?? 'F'

/** `Z` unless both values are given, else a letter by their similarity. */
function grade(requested: string, present: string, similarity: (a: string, b: string) => number): string {
  return requested === '' || present === '' ? 'Z' : findGrade(similarity(requested, present))
}

const same = (a: string, b: string): number => (a === b ? 1 : 0)
const bigrams = (a: string, b: string): number => (a === b ? 1 : Math.min(0.99, bigramSimilarity(a, b)))
const plain = (text: string | undefined): string => normaliseText(text ?? '').replaceAll(' ', '')
const nameSimilarity = (a: string, b: string): number =>
  plain(a) === plain(b) ? 1 : Math.min(0.99, bigrams(parseCompanyName(a).words.join(''), parseCompanyName(b).words.join('')))
const postcodeSimilarity = (a: string, b: string): number => (a === b ? 1 : postcodeArea(a) === postcodeArea(b) ? 0.7 : 0)

function explainPlan(query: MatchQuery, company: Company, confidence: number): ExplainPlan {
  const { country } = company
  const present = splitStreet(company.address1)
  const requested =
    query.houseNo === undefined ? splitStreet(query.street ?? '') : { street: query.street ?? '', houseNumber: query.houseNo }
  const names = [company.name, ...company.tradingNames, ...company.previousNames]
  const number = grade(normaliseOrgNumber(query.regNo ?? '', country), normaliseOrgNumber(company.orgNumber, country), same)
  const line = oneLine([
    streetLine(query.street ?? '', query.houseNo ?? '', query.country),
    query.city ?? '',
    query.postCode ?? '',
  ])
  return {
    matchScore: confidence,
    matchScoreAlpha: ALPHA.find(([minimum]) => confidence >= minimum)?.[1] ?? 'F',
    'matchScoreLocal Id': number,
    matchScoreName: findGrade(Math.max(...names.map(name => nameSimilarity(query.name, name)))),
    matchScoreHouseNo: grade(plain(requested.houseNumber), plain(present.houseNumber), same),
    matchScoreStreet: grade(plain(requested.street), plain(present.street), bigrams),
    matchScorePoBox: 'Z',
    matchScoreCity: grade(plain(query.city), plain(company.town), bigrams),
    matchScoreState: grade(plain(query.province ?? query.state), plain(company.address2), bigrams),
    matchScorePostCode: grade(plainPostcode(query.postCode ?? ''), plainPostcode(company.postcode), postcodeSimilarity),
    matchScoreCountry: grade(query.country, country, same),
    matchScoreVatNo: grade(normaliseVat(query.vatNo ?? '', country), normaliseVat(company.vatNumber, country), same),
    matchScoreRegNo: number,
    matchScorePhoneNo: grade(phoneDigits(query.phoneNo ?? ''), phoneDigits(company.phone), same),
    matchScoreSimpleValue: grade(plain(line), plain(readAddress(company).simpleValue), bigrams),
    matchScoreNum: String(confidence),
  }
}

export function matchedCompany(query: MatchQuery, company: Company, chance: number): MatchedCompany {
  const confidence = rateConfidence(chance)
  const { connectId: id, country, orgNumber, name, town, postcode, phone } = company
  const { simpleValue = '' } = readAddress(company)
  const digits = phone.replace(/\D+/g, '')
  return {
    matchScoreConfidence: confidence,
    id,
    ...withoutEmpty({ country, regNo: orgNumber, safeNo: safeNumber(company), name }),
    // A number on the wire, so one that a double cannot represent is omitted.
    phoneNumber: /^[1-9]\d{0,14}$/.test(digits.replace(/^0+/, '')) ? Number(digits) : undefined,
    address: withoutEmpty({
      simpleValue,
      // As its country writes it, with the house number first or last.
      street: company.address1,
      city: town,
      postcode,
      country,
    }),
    ...withoutEmpty({ status: readStatus(company), type: readType(company), officeType: OFFICE }),
    matchScoreExplainPlan: explainPlan(query, company, confidence),
  }
}

/** Spreads the work of many requests over turns of the event loop, so that other requests are answered in between. */
function makeTurns(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  return () => {
    last = last.then(() => setImmediate())
    return last
  }
}

export function companyRoutes(app: FastifyInstance, deps: AppDeps): void {
  const route = createRouter(app, deps)
  const { engine, search, limits } = deps
  const turn = makeTurns()
  const tools = { engine, search, most: limits.searchCandidates }

  const answerSearch = async (query: CompaniesQuery, correlationId: string): Promise<object> => {
    for (const country of query.countries ?? []) requireCountry(country, 'countries', ['PLC'])
    await turn()
    const { companies, messages } = await findCompanies(query, tools)
    return { correlationId, totalSize: companies.length, companies: cutPage(companies, query).map(foundCompany), messages }
  }
  route('searchCompanies', ({ query, request }) => answerSearch(query, request.id))
  route('searchCompaniesGlobally', ({ query, request }) => answerSearch(query, request.id))

  route('matchCompanies', async ({ query }) => {
    requireCountry(query.country, 'country')
    await turn()
    const { candidates } = engine.match(makeQuery(query), limits.matchCompanies)
    const matchedCompanies = candidates
      .filter(({ chance }) => rateConfidence(chance) >= query.matchThreshold)
      .map(({ company, chance }) => matchedCompany(query, engine.at(company), chance))
    return { totalMatches: matchedCompanies.length, matchedCompanies }
  })

  route('companySearchCriteria', ({ query, request }) => {
    const countries = query.countries.map(country => requireCountry(country, 'countries', ['PLC']))
    return { correlationId: request.id, countries, languages: [...LANGUAGES], criteriaSets: companyCriteria(KEY_CRITERIA) }
  })

  route('reportSchema', ({ query, params }) => {
    requireCountry(params.countryCode ?? '', 'countryCode')
    return reportSchema(query.section)
  })

  route('reportCustomData', ({ params }) => {
    const country = requireCountry(params.country ?? '', 'country')
    return { country, customData: listCustomData(country) }
  })
}
