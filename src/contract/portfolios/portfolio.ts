/** A portfolio, who may see it, and what it holds in sum: contract §8 rows 31 to 36, 45, 49, 49a. Answers keep unknown fields. */
import { z } from 'zod'
import { lazy } from '../lazy.ts'
import { pageOf } from '../monitoring/paging.ts'
import { fromZero, off, PLAIN_TEXT, plainName, words } from '../query.ts'
import { fieldsOf, orNull, wholeNumber, written } from '../written.ts'

const correlationId = z.string().optional()
const portfolioId = written(z.number().int(), { type: 'integer', format: 'int64' })
const names = fieldsOf(z.string().nullish(), 'firstName', 'lastName')
const emailAddress = z.string().min(1).max(254)
const plain = (length: number) => z.string().max(length).regex(PLAIN_TEXT, 'must not hold control characters')
const personName = plain(100).optional()

/** One page of portfolios; here the key of an address is `email`, and `isDefault` is declared a text. */
export const portfolioListReply = lazy(() =>
  pageOf(
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

export const portfoliosQuery = lazy(() => z.looseObject({ searchQuery: words, ...fromZero }))

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

/** Query of copy: all companies of the portfolio, or those of the body. */
export const copyQuery = lazy(() => z.looseObject({ copyAll: off }))
/** Query of remove, which moves: all companies, or those of the body. */
export const removeQuery = lazy(() => z.looseObject({ removeAll: off }))
/** Query of clear: all companies, or those of the body. */
export const clearQuery = lazy(() => z.looseObject({ clearAll: off }))

export type PortfolioBody = z.infer<typeof createPortfolioBody>
