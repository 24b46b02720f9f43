/** Login, who the caller is and what the account may use: contract §4, §8 row 30, §11.1. */
import { z } from 'zod'
import { defineOperations, get, post } from './operation.ts'
import { fieldsOf, lazy, optionalTexts, orNull, written } from './schemas.ts'

/** Body of `POST /authenticate`; both are case-sensitive. */
export const credentials = lazy(() => z.strictObject({ username: z.string().min(1), password: z.string().min(1) }))

/** Its answer: a token and nothing else that is documented; opaque to a client, but a header has to hold it (RFC 6750 §2.1). */
export const tokenReply = lazy(() =>
  z.looseObject({
    token: z.string().regex(/^[\u0021-\u007e]+$/, 'must have no spaces and only ASCII characters, since a header carries it'),
  }),
)

const allowance = lazy(() =>
  z.looseObject({
    ...optionalTexts('countryName', 'name', 'countryIso2'),
    ...fieldsOf(z.string().nullish(), 'startDate', 'expireDate'),
    ...fieldsOf(z.number().int().optional(), 'paid', 'used'),
    templateName: z.string().nullish(),
  }),
)

const allowances = z.array(allowance).optional()

/** Answer of `GET /access`: per product, a row for every country. */
export const accessReply = lazy(() =>
  z.looseObject({
    correlationId: z.string().optional(),
    countryAccess: z.looseObject({
      ...fieldsOf(allowances, 'creditsafeConnectOnlineReports', 'creditsafeConnectOfflineReports', 'creditsafeConnectMonitoring'),
      ...fieldsOf(allowances, 'creditsafeConnectDirectorReports', 'creditsafeConnectImageDocuments'),
      ...fieldsOf(allowances, 'creditsafeConnectBankValidation', 'creditsafeConnectBankVerification'),
    }),
  }),
)

export const activeUsersReply = lazy(() =>
  z.looseObject({
    items: z.array(z.looseObject({ firstName: z.string().optional(), surname: z.string().optional(), userId: z.number().int() })),
    totalSize: z.number().int().nonnegative(),
  }),
)

export const ownUserReply = lazy(() =>
  z.looseObject({
    username: z.string(),
    emailAddress: z.string().nullish(),
    owningEntity: z.union([z.string(), z.number()]).nullish(),
    defaultLanguage: z.string().nullish(),
    primaryContact: z
      .looseObject({ title: z.string().nullish(), firstName: z.string().nullish(), surname: z.string().nullish() })
      .nullish(),
    ...fieldsOf(z.string().nullish(), 'ietfLanguage', 'countryCode'),
    // A text here, where event rules have a truth value.
    isActive: written(z.union([z.boolean(), z.string()]), { type: 'string' }).optional(),
    correlationId: z.string().optional(),
  }),
)

/** Answer of `GET /monitoring/user/details`: the caller alone. */
export const userDetailsReply = lazy(() =>
  z.array(
    z.looseObject({
      countryCode: z.string().nullish(),
      createdDate: z.string().nullish(),
      csCustomerId: z.number().int(),
      csUserId: z.number().int(),
      isAutoTracker: z.boolean().nullish(),
      languageCode: z.string().nullish(),
      ...fieldsOf(orNull(z.string()), 'lastAccessDate', 'modifiedDate', 'contractEndDate'),
      userId: z.number().int(),
    }),
  ),
)

/** The login comes first; it is the only operation without a token. */
export const ACCESS = defineOperations({
  authenticate: post('/authenticate', {
    request: credentials,
    reply: tokenReply,
    repeat: 'free',
    errors: [400, 401, 429],
    summary: 'Obtain an access token.',
  }),
  readAccess: get('/access', {
    reply: accessReply,
    errors: [400, 401],
    summary: 'Learn which products the account may use in which country, and how much of them is used.',
  }),
  listActiveUsers: get('/access/users/active', {
    reply: activeUsersReply,
    errors: [400, 401, 403],
    role: 'admin',
    summary: 'List the users of the account.',
  }),
  readOwnUser: get('/access/users/me', {
    reply: ownUserReply,
    errors: [400, 401, 403],
    summary: 'Read who the caller is.',
  }),
  readUserDetails: get('/monitoring/user/details', {
    reply: userDetailsReply,
    errors: [400, 401],
    summary: 'Read who the caller is to monitoring.',
  }),
})

export type Allowance = z.infer<typeof allowance>
