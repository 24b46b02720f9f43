/** The operations on events, and on the rules there are: contract §7.1. Those of one portfolio stand with the portfolios. */
import { get, operationsOf, patch } from '../operation.ts'
import * as wire from './events.ts'
import { eventRulesReply } from './events.ts'

export const MONITORING = operationsOf({
  listCompanyEvents: get('/monitoring/companies/{id}/events', {
    query: wire.companyEventsQuery,
    reply: wire.companyEventsReply,
    pages: { first: 0, items: 'data' },
    errors: [400, 401],
    summary: 'Events of a company that is in one of your portfolios.',
  }),
  listEventRules: get('/monitoring/eventRules', {
    reply: eventRulesReply,
    errors: [400, 401, 404],
    summary: 'All rules there are.',
  }),
  listCountryEventRules: get('/monitoring/eventRules/{countryCode}', {
    reply: eventRulesReply,
    errors: [400, 401, 404],
    summary: 'The rules of a country, or with XX those of all countries.',
  }),
  listNotificationEvents: get('/monitoring/notificationEvents', {
    query: wire.notificationEventsQuery,
    reply: wire.notificationEventsReply,
    pages: { first: 0, items: 'data' },
    errors: [400, 401, 404],
    summary: 'Notification events of all your portfolios.',
  }),
  markAnyNotificationEvent: patch('/monitoring/notificationEvents/{notificationEventId}', {
    request: wire.markBody,
    reply: null,
    success: 204,
    summary: 'Mark a notification event as processed, whichever portfolio it is of; the public descriptions do not have it.',
  }),
})
