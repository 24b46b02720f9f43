/** The operations on events, and on the rules there are: contract §7.1. Those of one portfolio stand with the portfolios. */
import type { Operation } from '../operation.ts'
import * as wire from './events.ts'
import { eventRulesReply } from './rules.ts'

export const MONITORING = {
  listCompanyEvents: {
    method: 'GET',
    path: '/monitoring/companies/{id}/events',
    query: wire.companyEventsQuery,
    request: null,
    reply: wire.companyEventsReply,
    pages: { first: 0, items: 'data' },
    repeat: 'free',
    errors: [400, 401],
    summary: 'Events of a company that is in one of your portfolios.',
  },
  listEventRules: {
    method: 'GET',
    path: '/monitoring/eventRules',
    query: null,
    request: null,
    reply: eventRulesReply,
    repeat: 'free',
    errors: [400, 401, 404],
    summary: 'All rules there are.',
  },
  listCountryEventRules: {
    method: 'GET',
    path: '/monitoring/eventRules/{countryCode}',
    query: null,
    request: null,
    reply: eventRulesReply,
    repeat: 'free',
    errors: [400, 401, 404],
    summary: 'The rules of a country, or with XX those of all countries.',
  },
  listNotificationEvents: {
    method: 'GET',
    path: '/monitoring/notificationEvents',
    query: wire.notificationEventsQuery,
    request: null,
    reply: wire.notificationEventsReply,
    pages: { first: 0, items: 'data' },
    repeat: 'free',
    errors: [400, 401, 404],
    summary: 'Notification events of all your portfolios.',
  },
} as const satisfies Record<string, Operation>
