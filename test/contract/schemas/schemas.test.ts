/** Every schema of the contract against examples: `valid/` bodies are accepted unchanged, `invalid/` ones rejected at the path they name. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import * as contract from '../../../src/contract/index.ts'
import { COMPANY_SCHEMAS } from './companies.ts'

const { credentials, tokenReply, createJob, job, uploadedFile, columnMapping, mappingsBody, mappingsReply, emptyBody } = contract
const { submitReply, enrichmentsBody, enrichmentsReply, enrichReply, enrichedFileReply } = contract
const { faultBody, unauthorisedBody, messageBody, OPERATIONS } = contract

const screening: Readonly<Record<string, z.ZodType>> = {
  ...{ businessSearch: contract.businessSearch, individualSearch: contract.individualSearch },
  ...{ createBusinessSearch: contract.createBusinessSearch, createIndividualSearch: contract.createIndividualSearch },
  ...{ updateBusinessSearch: contract.updateBusinessSearch, updateIndividualSearch: contract.updateIndividualSearch },
  ...{ businessSearchBatch: contract.businessSearchBatch, individualSearchBatch: contract.individualSearchBatch },
  ...{ businessSearchPage: contract.businessSearchPage, individualSearchPage: contract.individualSearchPage },
  ...{ businessHit: contract.businessHit, individualHit: contract.individualHit, updateSearches: contract.updateSearches },
  ...{ businessHitFull: contract.businessHitFull, individualHitFull: contract.individualHitFull },
  ...{ businessHitBatch: contract.businessHitBatch, individualHitBatch: contract.individualHitBatch },
  ...{ businessHitPage: contract.businessHitPage, individualHitPage: contract.individualHitPage },
  ...{ decideHit: contract.decideHit, decideHits: contract.decideHits, noteHit: contract.noteHit },
  ...{ createSchedules: contract.createSchedules, createdSchedules: contract.createdSchedules, schedule: contract.schedule },
  ...{ updateSchedules: contract.updateSchedules, updatedSchedules: contract.updatedSchedules },
  ...{ deleteSchedules: contract.deleteSchedules, deletedSchedules: contract.deletedSchedules },
  ...{ updateSchedule: contract.updateSchedule, schedulePage: contract.schedulePage },
  scheduleAlertPage: contract.scheduleAlertPage,
  schedulesQuery: OPERATIONS.listSchedules.query,
  hitDownload: contract.hitDownload,
  searchesQuery: OPERATIONS.listBusinessSearches.query,
  hitsQuery: OPERATIONS.listBusinessHits.query,
}

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  ...{
    credentials,
    tokenReply,
    createJob,
    job,
    uploadedFile,
    columnMapping,
    mappingsBody,
    mappingsReply,
    emptyBody,
    submitReply,
  },
  ...{ enrichmentsBody, enrichmentsReply, enrichReply, enrichedFileReply, faultBody, unauthorisedBody, messageBody },
  ...screening,
  ...{
    portfolioListReply: contract.portfolioListReply,
    createdPortfolio: contract.createdPortfolio,
    portfolioReply: contract.portfolioReply,
    createPortfolioBody: contract.createPortfolioBody,
    portfolioBody: contract.portfolioBody,
    messageReply: contract.messageReply,
    countriesReply: contract.countriesReply,
    portfolioCompaniesReply: contract.portfolioCompaniesReply,
    portfolioCompanyReply: contract.portfolioCompanyReply,
    addCompanyBody: contract.addCompanyBody,
    companyBody: contract.companyBody,
    copyBody: contract.copyBody,
    copyReply: contract.copyReply,
    clearBody: contract.clearBody,
    importReply: contract.importReply,
    riskSummaryReply: contract.riskSummaryReply,
    sharingReply: contract.sharingReply,
    sharingBody: contract.sharingBody,
    sharedReply: contract.sharedReply,
  },
  ...{
    companyEvent: contract.companyEvent,
    companyEventsReply: contract.companyEventsReply,
    notificationEvent: contract.notificationEvent,
    notificationEventsReply: contract.notificationEventsReply,
    notificationEventsQuery: contract.notificationEventsQuery,
    companyNotificationsQuery: contract.companyNotificationsQuery,
    markBody: contract.markBody,
    eventRule: contract.eventRule,
    eventRulesReply: contract.eventRulesReply,
    eventRulesBody: contract.eventRulesBody,
  },
  ...{
    decisionInstancesReply: contract.decisionInstancesReply,
    decisionInstance: contract.decisionInstance,
    decisionInstanceBody: contract.decisionInstanceBody,
    decisionTreesReply: contract.decisionTreesReply,
    decisionFieldsReply: contract.decisionFieldsReply,
    decisionInputs: contract.decisionInputs,
    decisionReply: contract.decisionReply,
    decisionLogsReply: contract.decisionLogsReply,
    decisionLog: contract.decisionLog,
    decisionLogBody: contract.decisionLogBody,
    decisionOutcomeReply: contract.decisionOutcomeReply,
    decisionOutcomeBody: contract.decisionOutcomeBody,
    decisionMessage: contract.decisionMessage,
    decisionInstancesQuery: OPERATIONS.listDecisionInstances.query,
    decisionTreesQuery: OPERATIONS.listDecisionTrees.query,
    runDecisionQuery: OPERATIONS.runDecision.query,
    decisionLogsQuery: OPERATIONS.listDecisionLogs.query,
  },
  jobList: OPERATIONS.listJobs.reply,
  jobsQuery: OPERATIONS.listJobs.query,
  fileQuery: OPERATIONS.enrichedFile.query,
  ...COMPANY_SCHEMAS,
}

function examples(kind: 'valid' | 'invalid'): { schema: string; name: string; content: unknown }[] {
  const folder = new URL(`${kind}/`, import.meta.url)
  return readdirSync(folder).map(name => ({
    schema: name.split('.', 1)[0]!,
    name: name.replace(/\.json$/, ''),
    content: JSON.parse(readFileSync(new URL(name, folder), 'utf8')),
  }))
}

test.each(examples('valid'))('valid: $name', ({ schema, content }) => {
  const found = SCHEMAS[schema]?.safeParse(content)
  expect(found?.error?.issues ?? []).toEqual([])
  // Queries change text into numbers and fill in defaults; everything else comes out as it went in, unknown fields included.
  if (!schema.endsWith('Query')) expect(found?.data).toEqual(content)
})

test.each(examples('invalid'))('invalid: $name', ({ schema, content }) => {
  const { path, body } = content as { path: string; body: unknown }
  const found = SCHEMAS[schema]?.safeParse(body)
  expect(found?.error?.issues.map(one => one.path.join('.'))).toEqual([path])
})

test('every schema has valid and invalid examples, and operations use only those schemas', () => {
  for (const kind of ['valid', 'invalid'] as const)
    expect([...new Set(examples(kind).map(one => one.schema))].sort()).toEqual(Object.keys(SCHEMAS).sort())
  const used = Object.values(OPERATIONS).flatMap(({ query, request, reply }) => [query, request, reply])
  for (const schema of used) if (schema instanceof z.ZodType) expect(Object.values(SCHEMAS)).toContain(schema)
})

test('queries are read as numbers and truth values, with the defaults of the contract', () => {
  expect(OPERATIONS.listJobs.query.parse({})).toEqual({ page: 1, pageSize: 50 })
  expect(OPERATIONS.listJobs.query.parse({ page: '2', archived: 'true', userId: '9' })).toEqual({
    page: 2,
    pageSize: 50,
    archived: true,
    userId: 9,
  })
  expect(OPERATIONS.enrichedFile.query.parse({})).toEqual({ fileType: 'csv' })
})

test('pages of monitoring begin at 0', () => {
  const first = { page: 0, pageSize: 50 }
  expect(OPERATIONS.listPortfolios.query.parse({})).toEqual(first)
  expect(OPERATIONS.listCompanyEvents.query.parse({})).toEqual(first)
  const order = { sortBy: 'companyName', sortDir: 'asc' }
  expect(OPERATIONS.listNotificationEvents.query.parse({})).toEqual({ ...first, ...order, filterByCreatedDate: false })
  expect(OPERATIONS.listCompanyNotificationEvents.query.parse({ isProcessed: 'true' })).toEqual({
    ...first,
    ...order,
    isProcessed: true,
  })
  expect(OPERATIONS.listPortfolioCompanies.query.parse({ countryCode: 'gb', pageSize: '9' })).toEqual({
    page: 0,
    pageSize: 9,
    countryCode: 'GB',
  })
  expect(OPERATIONS.copyCompanies.query.parse({ copyAll: 'true' })).toEqual({ copyAll: true })
})

test('the date of the last change is read under either spelling', () => {
  const record = { id: '1', name: 'a', status: 'created' }
  expect(contract.modifiedAt({ ...record, modifiedAT: 'A', modifiedAt: 'b' })).toBe('A')
  expect(contract.modifiedAt({ ...record, modifiedAt: 'b' })).toBe('b')
  expect(contract.modifiedAt(record)).toBeNull()
})

describe('the table of operations', () => {
  test('has login and data cleaning with the documented repeat rules', () => {
    const { authenticate } = OPERATIONS
    const rows = Object.entries({ authenticate, ...contract.DATA_CLEANING }).map(
      ([name, one]) => `${name}: ${one.method} ${one.path} ${one.repeat}`,
    )
    expect(rows).toEqual([
      'authenticate: POST /authenticate free',
      'createJob: POST /dataCleaning/jobs look',
      'listJobs: GET /dataCleaning/jobs free',
      'readJob: GET /dataCleaning/jobs/{id} free',
      'upload: POST /dataCleaning/jobs/{id}/upload look',
      'setMappings: PUT /dataCleaning/jobs/{id}/mappings free',
      'submit: POST /dataCleaning/jobs/{id}/submit look',
      'setEnrichments: PUT /dataCleaning/jobs/{id}/enrichments free',
      'enrich: POST /dataCleaning/jobs/{id}/enrich look',
      'enrichedFile: GET /dataCleaning/jobs/{id}/enrichedFile free',
      'archive: POST /dataCleaning/jobs/{id}/archive free',
    ])
  })

  test('has monitoring and portfolios: contract §7 and §8, and the mark that left the public descriptions', () => {
    const rows = Object.values({ ...contract.MONITORING, ...contract.PORTFOLIOS } as Record<string, contract.Operation>)
    const root = '/monitoring/portfolios'
    expect(rows.map(one => `${one.method} ${one.path.replace(root, '…')} ${one.success ?? 200}`)).toEqual([
      'GET /monitoring/companies/{id}/events 200',
      'GET /monitoring/eventRules 200',
      'GET /monitoring/eventRules/{countryCode} 200',
      'GET /monitoring/notificationEvents 200',
      'PATCH /monitoring/notificationEvents/{notificationEventId} 204',
      'GET … 200',
      'POST … 200',
      'GET …/{portfolioId} 200',
      'PATCH …/{portfolioId} 204',
      'DELETE …/{portfolioId} 200',
      'GET …/{portfolioId}/countries 200',
      'POST …/{portfolioId}/companies/copy 200',
      'POST …/{portfolioId}/companies/remove 200',
      'PATCH …/{portfolioId}/companies/clear 200',
      'GET …/{portfolioId}/companies 200',
      'POST …/{portfolioId}/companies 200',
      'GET …/{portfolioId}/companies/{companyId} 200',
      'PATCH …/{portfolioId}/companies/{companyId} 200',
      'DELETE …/{portfolioId}/companies/{companyId} 200',
      'GET …/{portfolioId}/companies/{companyId}/notificationEvents 200',
      'POST …/{portfolioId}/import 200',
      'POST …/{portfolioId}/sync 200',
      'GET …/{portfolioId}/eventRules 200',
      'PUT …/{portfolioId}/eventRules/setDefault 204',
      'GET …/{portfolioId}/eventRules/{countryCode} 200',
      'PUT …/{portfolioId}/eventRules/{countryCode} 204',
      'GET …/{portfolioId}/notificationEvents 200',
      'PATCH …/{portfolioId}/notificationEvents/{notificationEventId} 204',
      'GET …/{portfolioId}/riskSummary 200',
      'GET …/{portfolioId}/sharingPermissions 200',
      'PATCH …/{portfolioId}/sharingPermissions 200',
    ])
  })

  test('escapes the values in its paths', () => {
    expect(contract.pathOf(OPERATIONS.readJob, { id: 'a/../b?c=d #é' })).toBe('/dataCleaning/jobs/a%2F..%2Fb%3Fc%3Dd%20%23%C3%A9')
  })
})
