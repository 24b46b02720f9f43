/** Routes of company search and match and of their criteria: contract §9.1, §9.2, §9.4 to §9.6. */
import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { CompaniesQuery } from '../../contract/index.ts'
import type { AppDeps } from '../deps.ts'
import { pageOf, route } from '../http/route.ts'
import { requireCountry } from '../registers/countries.ts'
import { confidenceOf, matchedCompany, queryOf } from './confidence.ts'
import { companyCriteria, LANGUAGES, reportSchema } from './criteria.ts'
import { foundCompany } from './facts.ts'
import { customDataOf } from './report.ts'
import { findCompanies, KEY_CRITERIA } from './search.ts'

/** Spreads the work of many requests over turns of the event loop, so that other requests are answered in between. */
function makeTurns(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  return () => {
    last = last.then(() => setImmediate())
    return last
  }
}

export function companyRoutes(app: FastifyInstance, deps: AppDeps): void {
  const { engine, search, limits } = deps
  const turn = makeTurns()
  const tools = { engine, search, most: limits.searchCandidates }

  const answerSearch = async (query: CompaniesQuery, correlationId: string): Promise<object> => {
    for (const country of query.countries ?? []) requireCountry(country, 'countries', ['PLC'])
    await turn()
    const { companies, messages } = await findCompanies(query, tools)
    return { correlationId, totalSize: companies.length, companies: pageOf(companies, query).map(foundCompany), messages }
  }
  route(app, deps, 'searchCompanies', ({ query, request }) => answerSearch(query, request.id))
  route(app, deps, 'searchCompaniesGlobally', ({ query, request }) => answerSearch(query, request.id))

  route(app, deps, 'matchCompanies', async ({ query }) => {
    requireCountry(query.country, 'country')
    await turn()
    const { candidates } = engine.match(queryOf(query), limits.matchCompanies)
    const matchedCompanies = candidates
      .filter(({ chance }) => confidenceOf(chance) >= query.matchThreshold)
      .map(({ company, chance }) => matchedCompany(query, engine.at(company), chance))
    return { totalMatches: matchedCompanies.length, matchedCompanies }
  })

  route(app, deps, 'companySearchCriteria', ({ query, request }) => {
    const countries = query.countries.map(country => requireCountry(country, 'countries', ['PLC']))
    return { correlationId: request.id, countries, languages: [...LANGUAGES], criteriaSets: companyCriteria(KEY_CRITERIA) }
  })

  route(app, deps, 'reportSchema', ({ query, params }) => {
    requireCountry(params.countryCode ?? '', 'countryCode')
    return reportSchema(query.section)
  })

  route(app, deps, 'reportCustomData', ({ params }) => {
    const country = requireCountry(params.country ?? '', 'country')
    return { country, customData: customDataOf(country) }
  })
}
