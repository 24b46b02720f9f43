/**
 * Portfolios, who may see them, their companies, and the operations on both: contract §8, and §7.1 for the notification events of one
 * portfolio. 403 is documented wherever a portfolio may be shared with a user who lacks the permission. Answers keep unknown fields.
 */
import { z } from 'zod'
import { wireDate } from './dates.ts'
import {
  companyNotificationsQuery,
  eventRulesBody,
  eventRulesReply,
  markBody,
  monitoringPage,
  notificationEventsQuery,
  notificationEventsReply,
} from './monitoring.ts'
import { DOCUMENTED, defineOperations, get, patch, post, put, remove } from './operation.ts'
import { fromZero, off, PLAIN_TEXT, plainName, words } from './query.ts'
import { fieldsOf, lazy, orNull, wholeNumber, written } from './schemas.ts'

const correlationId = z.string().optional()
const portfolioId = written(z.number().int(), { type: 'integer', format: 'int64' })
const names = fieldsOf(z.string().nullish(), 'firstName', 'lastName')
const emailAddress = z.string().min(1).max(254)
const plain = (length: number) => z.string().max(length).regex(PLAIN_TEXT, 'must not hold control characters')
const personName = plain(100).optional()

/** One page of portfolios; here the key of an address is `email`, and `isDefault` is declared a text. */
export const portfolioListReply = lazy(() =>
  monitoringPage(
    z.looseObject({
      portfolios: z.array(
        z.looseObject({
          portfolioId,
          name: z.string(),
          isDefault: z.union([z.string(), z.boolean()]).optional(),
          emails: z.array(z.looseObject({ ...names, email: z.string().nullish() })).nullish(),
          isSharedPortfolio: wholeNumber().nullish(),
        }),
      ),
      sharedPortfolios: z.array(z.looseObject({ portfolioId, name: z.string() })).nullish(),
    }),
  ),
)

export const createdPortfolio = lazy(() =>
  z.looseObject({ correlationId, portfolioId, name: z.string(), isDefault: z.boolean().optional() }),
)

export const portfolioReply = lazy(() =>
  z.looseObject({
    correlationId,
    portfolioId,
    name: z.string(),
    isDefault: z.boolean().optional(),
    emailSubject: z.string().nullish(),
    emails: z.array(z.looseObject({ ...names, emailAddress: z.string().nullish() })).nullish(),
  }),
)

const bodyWith = <Address extends z.ZodType>(address: Address) =>
  z.strictObject({
    name: plainName(200),
    isDefault: z.boolean().optional(),
    emails: z
      .array(z.strictObject({ firstName: personName, lastName: personName, emailAddress: address }))
      .max(100)
      .optional(),
    emailSubject: plain(200).optional(),
    emailLanguage: plain(10).optional(),
    frequency: plain(20).optional(),
  })

/** Body of create. Mail goes out only with frequency `"1"`. */
export const createPortfolioBody = lazy(() => bodyWith(emailAddress.optional()))

/** Body of change: here an address is required. */
export const portfolioBody = lazy(() => bodyWith(emailAddress))

/** `{message}`: what was done. */
export const messageReply = lazy(() => z.looseObject({ correlationId, message: z.string() }))

export const countriesReply = z.array(z.string())

/** Answer of import and sync; the status ends in the number of the import. */
export const importReply = lazy(() => z.looseObject({ correlationId, status: z.string() }))

/** How many companies there are in each international score band, and which part of all that is in percent. */
export const riskSummaryReply = lazy(() =>
  z.looseObject({
    correlationId,
    totalCompanies: wholeNumber(),
    bandACount: wholeNumber(),
    bandApc: z.number(),
    bandBCount: wholeNumber(),
    bandBpc: z.number(),
    bandCCount: wholeNumber(),
    bandCpc: z.number(),
    bandDCount: wholeNumber(),
    bandDpc: z.number(),
    bandECount: wholeNumber(),
    bandEpc: z.number(),
  }),
)

/** What a user may do in a portfolio of another user. */
export const PERMISSIONS = ['View', 'Add', 'Edit', 'Remove'] as const

export type Permission = (typeof PERMISSIONS)[number]

/** Here an id is a text; earlier versions wrote a number. */
const sharedId = z.union([z.string(), z.number().int()])

/** Who else may do what. */
export const sharingReply = lazy(() =>
  z.looseObject({
    correlationId,
    data: z.looseObject({
      portfolioId: sharedId,
      customerId: wholeNumber().optional(),
      userPermission: z.array(
        z.looseObject({ csUserId: wholeNumber(), userName: orNull(z.string()), permission: z.string().nullish() }),
      ),
    }),
  }),
)

/** Body that shares a portfolio; permissions are words separated by commas, none of them ends the sharing with this user. */
export const sharingBody = lazy(() =>
  z.strictObject({
    revokeAll: z.enum(['true', 'false']).optional(),
    userPermissions: z
      .array(
        z.strictObject({
          csUserId: z.number().int(),
          permissions: z
            .string()
            .regex(/^(?:(?:View|Add|Edit|Remove)(?:, ?(?:View|Add|Edit|Remove))*)?$/, 'must be of View, Add, Edit, Remove'),
        }),
      )
      .max(1000)
      .optional(),
  }),
)

export const sharedReply = lazy(() =>
  z.looseObject({
    correlationId,
    data: z.looseObject({ portfolioId: sharedId, customerId: wholeNumber().optional(), status: z.string().optional() }),
  }),
)

export type PortfolioBody = z.infer<typeof createPortfolioBody>

/** Declared a text; the service's samples hold numbers. */
const textOrNumber = orNull(z.union([z.string(), z.number()]))

const common = {
  portfolioId: wholeNumber('int64').nullish(),
  ...fieldsOf(z.string().nullish(), 'safeNumber', 'name', 'address', 'countryCode'),
  creditLimit: orNull(z.number()),
  dateLastEvent: orNull(wireDate),
  freeText: orNull(z.string()),
  personalLimit: textOrNumber,
  ...fieldsOf(orNull(z.string()), 'personalReference', 'ratingCommon'),
  ...fieldsOf(textOrNumber, 'ratingLocal', 'companyStatus'),
  ...fieldsOf(wireDate.nullish(), 'dateAdded', 'dateModified'),
}

/** A company in a list; its connectId goes by `id` here. */
export const portfolioCompaniesReply = lazy(() => monitoringPage(z.array(z.looseObject({ id: z.string(), ...common }))))

/** A company read by itself; its connectId goes by its own name. */
export const portfolioCompanyReply = lazy(() => z.looseObject({ correlationId, connectId: z.string(), ...common }))

const portfolioCompaniesQuery = lazy(() =>
  z.looseObject({
    searchQuery: words,
    countryCode: z
      .string()
      .regex(/^[A-Za-z]{2}$/, 'must be a two-letter code')
      .transform(code => code.toUpperCase())
      .optional(),
    ...fromZero,
  }),
)

const companyId = z.string().min(1).max(200)
const text = z.string().max(1000).nullable()
const personal = {
  personalReference: text,
  freeText: text,
  personalLimit: z.union([z.string().max(1000), z.number()]).nullable(),
}

/** Body that adds a company: connectId or Safe Number, and three texts of one's own, which may be empty but not absent. */
export const addCompanyBody = lazy(() => z.strictObject({ id: companyId, ...personal }))

export const companyBody = lazy(() => z.strictObject(personal))

/** Body of copy and remove. With `copyAll` or `removeAll` there are no companies in it. */
export const copyBody = lazy(() =>
  z.strictObject({
    portfolios: z.array(z.number().int()).min(1).max(100),
    companies: z
      .array(z.strictObject({ id: companyId }))
      .max(10_000)
      .default([]),
  }),
)

/** Answer of copy and remove: pairs of a company and a portfolio. */
export const copyReply = lazy(() =>
  z.looseObject({
    correlationId,
    data: z.looseObject({
      ...fieldsOf(z.number().int(), 'totalPortfoliosCompanies', 'successfulPortfoliosCompanies', 'failedPortfoliosCompanies'),
      reason: z.string().nullish(),
    }),
  }),
)

/** Body of clear. With `clearAll` there are no companies in it. */
export const clearBody = lazy(() => z.strictObject({ companies: z.array(companyId).max(10_000).default([]) }))

export type Personal = z.infer<typeof companyBody>

const READ = [400, 401, 404] as const

export const PORTFOLIOS = defineOperations({
  listPortfolios: get('/monitoring/portfolios', {
    query: lazy(() => z.looseObject({ searchQuery: words, ...fromZero })),
    reply: portfolioListReply,
    pages: { first: 0, items: 'data.portfolios', complete: true },
    errors: [400, 401, 404],
    summary: 'List your portfolios and those shared with you.',
  }),
  createPortfolio: post('/monitoring/portfolios', {
    request: createPortfolioBody,
    reply: createdPortfolio,
    repeat: 'look',
    errors: [400, 401, 409],
    summary: 'Create a portfolio; it has no active rule.',
  }),
  readPortfolio: get('/monitoring/portfolios/{portfolioId}', {
    reply: portfolioReply,
    errors: READ,
    summary: 'Read a portfolio.',
  }),
  changePortfolio: patch('/monitoring/portfolios/{portfolioId}', {
    request: portfolioBody,
    reply: null,
    success: 204,
    summary: 'Change the settings of a portfolio.',
  }),
  deletePortfolio: remove('/monitoring/portfolios/{portfolioId}', {
    reply: messageReply,
    summary: 'Delete a portfolio with its companies, rules and events.',
  }),
  listPortfolioCountries: get('/monitoring/portfolios/{portfolioId}/countries', {
    reply: countriesReply,
    errors: READ,
    summary: 'Countries of the companies of a portfolio.',
  }),
  copyCompanies: post('/monitoring/portfolios/{portfolioId}/companies/copy', {
    query: lazy(() => z.looseObject({ copyAll: off })),
    request: copyBody,
    reply: copyReply,
    repeat: 'free',
    summary: 'Copy companies to other portfolios.',
  }),
  moveCompanies: post('/monitoring/portfolios/{portfolioId}/companies/remove', {
    query: lazy(() => z.looseObject({ removeAll: off })),
    request: copyBody,
    reply: copyReply,
    repeat: 'look',
    summary: 'Move companies to other portfolios.',
  }),
  clearCompanies: patch('/monitoring/portfolios/{portfolioId}/companies/clear', {
    query: lazy(() => z.looseObject({ clearAll: off })),
    request: clearBody,
    reply: messageReply,
    summary: 'Take companies, or all, out of a portfolio.',
  }),
  listPortfolioCompanies: get('/monitoring/portfolios/{portfolioId}/companies', {
    query: portfolioCompaniesQuery,
    reply: portfolioCompaniesReply,
    pages: { first: 0, items: 'data' },
    errors: READ,
    summary: 'List the companies of a portfolio.',
  }),
  addCompany: post('/monitoring/portfolios/{portfolioId}/companies', {
    request: addCompanyBody,
    reply: messageReply,
    repeat: 'free',
    errors: [...DOCUMENTED, 409],
    summary: 'Add a company; 409 when it is there already.',
  }),
  readPortfolioCompany: get('/monitoring/portfolios/{portfolioId}/companies/{companyId}', {
    reply: portfolioCompanyReply,
    errors: READ,
    summary: 'Read a company of a portfolio.',
  }),
  changeCompany: patch('/monitoring/portfolios/{portfolioId}/companies/{companyId}', {
    request: companyBody,
    reply: messageReply,
    summary: 'Change the texts of your own at a company.',
  }),
  removeCompany: remove('/monitoring/portfolios/{portfolioId}/companies/{companyId}', {
    reply: messageReply,
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
    reply: importReply,
    repeat: 'free',
    summary: 'Add the companies of a file: multipart importcsv.',
  }),
  syncCompanies: post('/monitoring/portfolios/{portfolioId}/sync', {
    request: 'multipart',
    form: { file: 'importcsv', fields: { email: false } },
    reply: importReply,
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
    reply: riskSummaryReply,
    errors: READ,
    summary: 'Companies of a portfolio by international score band.',
  }),
  readSharing: get('/monitoring/portfolios/{portfolioId}/sharingPermissions', {
    reply: sharingReply,
    summary: 'With whom a portfolio is shared.',
  }),
  changeSharing: patch('/monitoring/portfolios/{portfolioId}/sharingPermissions', {
    request: sharingBody,
    reply: sharedReply,
    summary: 'Share a portfolio, or end that.',
  }),
})
