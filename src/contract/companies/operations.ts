/** The operations on companies: contract §9. `match`, `searchcriteria` and their like stand before `{id}`. */
import { get, operationsOf } from '../operation.ts'
import { companySearchReply, matchReply } from './company.ts'
import { criteriaReply, customDataReply, schemaReply } from './criteria.ts'
import { companiesQuery, criteriaQuery, globalQuery, matchQuery, reportQuery, schemaQuery } from './query.ts'
import { reportReply } from './report.ts'

export const COMPANIES = operationsOf({
  searchCompanies: get('/companies', {
    query: companiesQuery,
    reply: companySearchReply,
    pages: { first: 1, items: 'companies' },
    errors: [400, 401],
    summary: 'Search companies.',
  }),
  matchCompanies: get('/companies/match', {
    query: matchQuery,
    reply: matchReply,
    // It may be charged (contract §3, row 51).
    repeat: 'never',
    errors: [400, 401],
    summary: 'Find the companies that a name and what else is known may mean, with a confidence of 893 to 999.',
  }),
  searchCompaniesGlobally: get('/companies/global', {
    query: globalQuery,
    reply: companySearchReply,
    pages: { first: 1, items: 'companies' },
    errors: [400, 401],
    summary: 'Search companies of all countries.',
  }),
  companySearchCriteria: get('/companies/searchcriteria', {
    query: criteriaQuery,
    reply: criteriaReply,
    errors: [400, 401, 403],
    summary: 'Learn what companies can be searched by.',
  }),
  reportSchema: get('/companies/schema/{countryCode}', {
    query: schemaQuery,
    reply: schemaReply,
    errors: [400, 401],
    summary: 'Fetch the JSON schema of a report.',
  }),
  readReport: get('/companies/{id}', {
    query: reportQuery,
    reply: reportReply,
    repeat: 'never',
    summary: 'Order the credit report of a company, by connectId or Safe Number.',
  }),
  reportCustomData: get('/reportcustomdata/{country}', {
    reply: customDataReply,
    errors: [400, 401],
    summary: 'Learn what customData a report of a country takes.',
  }),
})
