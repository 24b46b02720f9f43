/** The operations on companies: contract §9. `match`, `searchcriteria` and their like stand before `{id}`. */
import type { Operation } from '../operation.ts'
import { companySearchReply } from './company.ts'
import { criteriaReply, customDataReply, schemaReply } from './criteria.ts'
import { matchReply } from './match.ts'
import { companiesQuery, criteriaQuery, globalQuery, matchQuery, reportQuery, schemaQuery } from './query.ts'
import { reportReply } from './report.ts'

/** Search, match, order a report, and learn what may be asked. */
export const COMPANIES = {
  searchCompanies: {
    method: 'GET',
    path: '/companies',
    query: companiesQuery,
    request: null,
    reply: companySearchReply,
    repeat: 'free',
    errors: [400, 401],
    summary: 'Search companies.',
  },
  matchCompanies: {
    method: 'GET',
    path: '/companies/match',
    query: matchQuery,
    request: null,
    reply: matchReply,
    repeat: 'free',
    errors: [400, 401],
    summary: 'Find the companies that a name and what else is known may mean, with a confidence of 893 to 999.',
  },
  searchCompaniesGlobally: {
    method: 'GET',
    path: '/companies/global',
    query: globalQuery,
    request: null,
    reply: companySearchReply,
    repeat: 'free',
    errors: [400, 401],
    summary: 'Search companies of all countries.',
  },
  companySearchCriteria: {
    method: 'GET',
    path: '/companies/searchcriteria',
    query: criteriaQuery,
    request: null,
    reply: criteriaReply,
    repeat: 'free',
    errors: [400, 401, 403],
    summary: 'Learn what companies can be searched by.',
  },
  reportSchema: {
    method: 'GET',
    path: '/companies/schema/{countryCode}',
    query: schemaQuery,
    request: null,
    reply: schemaReply,
    repeat: 'free',
    errors: [400, 401],
    summary: 'Fetch the JSON schema of a report.',
  },
  readReport: {
    method: 'GET',
    path: '/companies/{id}',
    query: reportQuery,
    request: null,
    reply: reportReply,
    repeat: 'never',
    errors: [400, 401, 403, 404],
    summary: 'Order the credit report of a company, by connectId or Safe Number.',
  },
  reportCustomData: {
    method: 'GET',
    path: '/reportcustomdata/{country}',
    query: null,
    request: null,
    reply: customDataReply,
    repeat: 'free',
    errors: [400, 401],
    summary: 'Learn what customData a report of a country takes.',
  },
} as const satisfies Record<string, Operation>
