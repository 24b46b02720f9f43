/** Search and match of companies, and what may be asked: contract §9.1, §9.2, §9.4 to §9.6. */
import type { FastifyInstance } from 'fastify'
import type { CompaniesQuery, SearchMessage } from '../../contract/index.ts'
import type { Context } from '../context.ts'
import { pageOf } from '../http/paging.ts'
import { route } from '../http/route.ts'
import { makeTurns } from '../http/take-turns.ts'
import { requireCountry } from '../registers/countries.ts'
import { confidenceOf, matchedCompany, queryOf } from './confidence.ts'
import { companyCriteria, LANGUAGES, reportSchema } from './criteria.ts'
import { customDataOf } from './custom-data.ts'
import { foundCompany } from './facts.ts'
import { findCompanies, LEADS } from './search.ts'

/** Registers the operations. */
export function companyRoutes(app: FastifyInstance, context: Context): void {
  const { engine, search, limits } = context
  const turn = makeTurns()
  const tools = { engine, search, most: limits.searchCandidates }

  const answerSearch = async (query: CompaniesQuery, correlationId: string): Promise<object> => {
    for (const country of query.countries ?? []) requireCountry(country, 'countries', ['PLC'])
    await turn()
    const { companies, messages } = await findCompanies(query, tools)
    const told: readonly SearchMessage[] = messages
    return { correlationId, totalSize: companies.length, companies: pageOf(companies, query).map(foundCompany), messages: told }
  }
  route(app, context, 'searchCompanies', ({ query, request }) => answerSearch(query, request.id))
  route(app, context, 'searchCompaniesGlobally', ({ query, request }) => answerSearch(query, request.id))

  route(app, context, 'matchCompanies', async ({ query }) => {
    requireCountry(query.country, 'country')
    await turn()
    const { candidates } = engine.match(queryOf(query), limits.matchCompanies)
    const matchedCompanies = candidates
      .filter(({ chance }) => confidenceOf(chance) >= query.matchThreshold)
      .map(({ company, chance }) => matchedCompany(query, engine.at(company), chance))
    return { totalMatches: matchedCompanies.length, matchedCompanies }
  })

  route(app, context, 'companySearchCriteria', ({ query, request }) => {
    const countries = query.countries.map(country => requireCountry(country, 'countries', ['PLC']))
    return { correlationId: request.id, countries, languages: [...LANGUAGES], criteriaSets: companyCriteria(LEADS) }
  })

  route(app, context, 'reportSchema', ({ query, params }) => {
    requireCountry(params.countryCode ?? '', 'countryCode')
    return reportSchema(query.section)
  })

  route(app, context, 'reportCustomData', ({ params }) => {
    const country = requireCountry(params.country ?? '', 'country')
    return { country, customData: customDataOf(country) }
  })
}
