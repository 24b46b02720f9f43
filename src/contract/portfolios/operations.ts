/**
 * The operations of portfolios: contract §8, and the notification events of one portfolio of §7.1. 403 is documented
 * wherever a portfolio may be shared with a user who lacks the permission.
 */
import {
  companyNotificationsQuery,
  eventRulesBody,
  eventRulesReply,
  markBody,
  notificationEventsQuery,
  notificationEventsReply,
} from '../monitoring/events.ts'
import { DOCUMENTED, get, operationsOf, patch, post, put, remove } from '../operation.ts'
import * as company from './company.ts'
import * as wire from './portfolio.ts'

const READ = [400, 401, 404] as const

export const PORTFOLIOS = operationsOf({
  listPortfolios: get('/monitoring/portfolios', {
    query: wire.portfoliosQuery,
    reply: wire.portfolioListReply,
    pages: { first: 0, items: 'data.portfolios', complete: true },
    errors: [400, 401, 404],
    summary: 'List your portfolios and those shared with you.',
  }),
  createPortfolio: post('/monitoring/portfolios', {
    request: wire.createPortfolioBody,
    reply: wire.createdPortfolio,
    repeat: 'look',
    errors: [400, 401, 409],
    summary: 'Create a portfolio; it has no active rule.',
  }),
  readPortfolio: get('/monitoring/portfolios/{portfolioId}', {
    reply: wire.portfolioReply,
    errors: READ,
    summary: 'Read a portfolio.',
  }),
  changePortfolio: patch('/monitoring/portfolios/{portfolioId}', {
    request: wire.portfolioBody,
    reply: null,
    success: 204,
    summary: 'Change the settings of a portfolio.',
  }),
  deletePortfolio: remove('/monitoring/portfolios/{portfolioId}', {
    reply: wire.messageReply,
    summary: 'Delete a portfolio with its companies, rules and events.',
  }),
  listPortfolioCountries: get('/monitoring/portfolios/{portfolioId}/countries', {
    reply: wire.countriesReply,
    errors: READ,
    summary: 'Countries of the companies of a portfolio.',
  }),
  copyCompanies: post('/monitoring/portfolios/{portfolioId}/companies/copy', {
    query: wire.copyQuery,
    request: company.copyBody,
    reply: company.copyReply,
    repeat: 'free',
    summary: 'Copy companies to other portfolios.',
  }),
  moveCompanies: post('/monitoring/portfolios/{portfolioId}/companies/remove', {
    query: wire.removeQuery,
    request: company.copyBody,
    reply: company.copyReply,
    repeat: 'look',
    summary: 'Move companies to other portfolios.',
  }),
  clearCompanies: patch('/monitoring/portfolios/{portfolioId}/companies/clear', {
    query: wire.clearQuery,
    request: company.clearBody,
    reply: wire.messageReply,
    summary: 'Take companies, or all, out of a portfolio.',
  }),
  listPortfolioCompanies: get('/monitoring/portfolios/{portfolioId}/companies', {
    query: company.portfolioCompaniesQuery,
    reply: company.portfolioCompaniesReply,
    pages: { first: 0, items: 'data' },
    errors: READ,
    summary: 'List the companies of a portfolio.',
  }),
  addCompany: post('/monitoring/portfolios/{portfolioId}/companies', {
    request: company.addCompanyBody,
    reply: wire.messageReply,
    repeat: 'free',
    errors: [...DOCUMENTED, 409],
    summary: 'Add a company; 409 when it is there already.',
  }),
  readPortfolioCompany: get('/monitoring/portfolios/{portfolioId}/companies/{companyId}', {
    reply: company.portfolioCompanyReply,
    errors: READ,
    summary: 'Read a company of a portfolio.',
  }),
  changeCompany: patch('/monitoring/portfolios/{portfolioId}/companies/{companyId}', {
    request: company.companyBody,
    reply: wire.messageReply,
    summary: 'Change the texts of your own at a company.',
  }),
  removeCompany: remove('/monitoring/portfolios/{portfolioId}/companies/{companyId}', {
    reply: wire.messageReply,
    summary: 'Take a company out of a portfolio.',
  }),
  listCompanyNotificationEvents: get('/monitoring/portfolios/{portfolioId}/companies/{companyId}/notificationEvents', {
    query: companyNotificationsQuery,
    reply: notificationEventsReply,
    pages: { first: 0, items: 'data' },
    errors: READ,
    summary: 'Notification events of a company of a portfolio.',
  }),
  importCompanies: post('/monitoring/portfolios/{portfolioId}/import', {
    request: 'multipart',
    form: { file: 'importcsv', fields: { email: false } },
    reply: wire.importReply,
    repeat: 'free',
    summary: 'Add the companies of a file: multipart importcsv.',
  }),
  syncCompanies: post('/monitoring/portfolios/{portfolioId}/sync', {
    request: 'multipart',
    form: { file: 'importcsv', fields: { email: false } },
    reply: wire.importReply,
    repeat: 'free',
    summary: 'Make a portfolio hold the companies of a file and no other: multipart importcsv.',
  }),
  listPortfolioEventRules: get('/monitoring/portfolios/{portfolioId}/eventRules', {
    reply: eventRulesReply,
    errors: READ,
    summary: 'All rules, as they are set in a portfolio.',
  }),
  resetEventRules: put('/monitoring/portfolios/{portfolioId}/eventRules/setDefault', {
    reply: null,
    success: 204,
    summary: 'Switch all rules of a portfolio off.',
  }),
  listPortfolioCountryEventRules: get('/monitoring/portfolios/{portfolioId}/eventRules/{countryCode}', {
    reply: eventRulesReply,
    errors: READ,
    summary: 'The rules of a country as they are set in a portfolio.',
  }),
  setEventRules: put('/monitoring/portfolios/{portfolioId}/eventRules/{countryCode}', {
    request: eventRulesBody,
    reply: null,
    success: 204,
    summary: 'Set rules of a country in a portfolio: a bare array.',
  }),
  listPortfolioNotificationEvents: get('/monitoring/portfolios/{portfolioId}/notificationEvents', {
    query: notificationEventsQuery,
    reply: notificationEventsReply,
    pages: { first: 0, items: 'data' },
    errors: READ,
    summary: 'Notification events of a portfolio.',
  }),
  markNotificationEvent: patch('/monitoring/portfolios/{portfolioId}/notificationEvents/{notificationEventId}', {
    request: markBody,
    reply: null,
    success: 204,
    summary: 'Mark a notification event as processed; the public descriptions left it out in 2023.',
  }),
  readRiskSummary: get('/monitoring/portfolios/{portfolioId}/riskSummary', {
    reply: wire.riskSummaryReply,
    errors: READ,
    summary: 'Companies of a portfolio by international score band.',
  }),
  readSharing: get('/monitoring/portfolios/{portfolioId}/sharingPermissions', {
    reply: wire.sharingReply,
    summary: 'With whom a portfolio is shared.',
  }),
  changeSharing: patch('/monitoring/portfolios/{portfolioId}/sharingPermissions', {
    request: wire.sharingBody,
    reply: wire.sharedReply,
    summary: 'Share a portfolio, or end that.',
  }),
})
