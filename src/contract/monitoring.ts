/**
 * Company events, notification events, rules, and the operations on them: contract §7.1, §7.3, §7.4. The operations on one portfolio are
 * in portfolios.ts. Answers keep unknown fields.
 */
import { z } from 'zod'
import { wireDate } from './dates.ts'
import { defineOperations, get, patch } from './operation.ts'
import { day, fromZero, off, truth, words } from './query.ts'
import { fieldsOf, lazy, orNull, wholeNumber, written } from './schemas.ts'

/** The block beside every paged list: page numbers, null where no such page exists. */
export const paging = lazy(() =>
  z.looseObject({
    size: wholeNumber().nullish(),
    prev: orNull(wholeNumber()),
    next: orNull(wholeNumber()),
    last: wholeNumber().nullish(),
  }),
)

export const monitoringPage = <T extends z.ZodType>(data: T) =>
  z.looseObject({
    correlationId: z.string().optional(),
    totalCount: z.number().int().nonnegative(),
    paging: paging.nullish(),
    data,
  })

export type Paging = z.infer<typeof paging>

/** First and last moment of what is wanted; a last day without a time counts whole. */
const dates = { startDate: day, endDate: day }

/** Declared a text; the service's samples hold numbers. */
const value = z.union([z.string(), z.number()]).nullish()

/** What happened to a company, once for each portfolio that holds it; `companyId` is a Safe Number. */
export const companyEvent = lazy(() =>
  z.looseObject({
    eventId: wholeNumber('int64'),
    companyId: z.string().optional(),
    portfolioId: wholeNumber('int64').optional(),
    ...fieldsOf(z.string().nullish(), 'ruleName', 'localEventCode', 'globalEventCode'),
    ...fieldsOf(value, 'newValue', 'oldValue'),
    eventDate: wireDate,
    createdDate: wireDate.optional(),
  }),
)

/** The same as a notice to the owner of one portfolio: `eventId` is the event's in all portfolios, `notificationEventId` this one's. */
export const notificationEvent = lazy(() =>
  z.looseObject({
    company: z.looseObject({
      id: z.string(),
      ...fieldsOf(orNull(z.string()), 'safeNumber', 'name', 'countryCode'),
      portfolioId: wholeNumber('int64'),
      portfolioName: z.string().nullish(),
    }),
    eventId: wholeNumber('int64').nullish(),
    notificationEventId: wholeNumber('int64'),
    notificationId: orNull(wholeNumber('int64')),
    eventDate: wireDate,
    processedDate: orNull(wireDate),
    ...fieldsOf(value, 'newValue', 'oldValue'),
    ruleCode: wholeNumber(),
    ruleName: z.string().nullish(),
    summary: orNull(z.string()),
    ruleText: z.string().nullish(),
    localEventCode: orNull(z.string()),
    isProcessed: z.boolean().optional(),
  }),
)

/** Page of `GET /monitoring/companies/{id}/events`. */
export const companyEventsReply = lazy(() => monitoringPage(z.array(companyEvent)))

export const notificationEventsReply = lazy(() => monitoringPage(z.array(notificationEvent)))

const order = {
  searchQuery: words,
  sortBy: z.enum(['companyName', 'countryCode', 'eventId', 'eventDate']).default('companyName'),
  sortDir: z.enum(['asc', 'desc']).default('asc'),
}

/** Query of notification events; the dates are of the event, or of its creation with `filterByCreatedDate`. */
export const notificationEventsQuery = lazy(() => z.looseObject({ ...dates, ...fromZero, ...order, filterByCreatedDate: off }))

export const companyNotificationsQuery = lazy(() => z.looseObject({ ...fromZero, ...order, isProcessed: truth }))

export const markBody = lazy(() => z.strictObject({ isProcessed: z.boolean() }))

export type CompanyEvent = z.infer<typeof companyEvent>
export type NotificationEvent = z.infer<typeof notificationEvent>

const param = z.union([z.string(), z.number()]).nullish()

/** A rule that the service offers, or that is set in a portfolio; `XX` is for companies of all countries. `0` and `1` are read as truth values, null as false. */
export const eventRule = lazy(() =>
  z.looseObject({
    isActive: z.union([z.boolean(), z.literal([0, 1]), z.enum(['0', '1'])]).nullish(),
    ruleCode: z.number().int(),
    ruleCountryCode: z.string().optional(),
    ruleType: wholeNumber().optional(),
    ruleTypeName: z.string().optional(),
    name: z.string().optional(),
    ...fieldsOf(param, 'param0', 'param1', 'param2'),
  }),
)

/** Answer of every list of rules: the bare array. */
export const eventRulesReply = z.array(eventRule)

/** Body that sets rules of a portfolio: the bare array; other rules stay unchanged. */
export const eventRulesBody = lazy(() =>
  z
    .array(
      z.strictObject({
        ruleCode: z.number().int(),
        isActive: written(z.union([z.literal([0, 1]), z.boolean()]), { type: ['boolean', 'integer'], minimum: 0, maximum: 1 }),
        ...fieldsOf(param, 'param0', 'param1', 'param2'),
      }),
    )
    .max(1000),
)

export type EventRule = z.infer<typeof eventRule>

export const MONITORING = defineOperations({
  listCompanyEvents: get('/monitoring/companies/{id}/events', {
    query: lazy(() => z.looseObject({ ...dates, ...fromZero })),
    reply: companyEventsReply,
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
    summary: 'The rules of a country, or with XX the rules of all countries.',
  }),
  listNotificationEvents: get('/monitoring/notificationEvents', {
    query: notificationEventsQuery,
    reply: notificationEventsReply,
    pages: { first: 0, items: 'data' },
    errors: [400, 401, 404],
    summary: 'Notification events of all your portfolios.',
  }),
  markAnyNotificationEvent: patch('/monitoring/notificationEvents/{notificationEventId}', {
    request: markBody,
    reply: null,
    success: 204,
    summary: 'Mark a notification event as processed, whichever portfolio it is of; the public descriptions do not have it.',
  }),
})
