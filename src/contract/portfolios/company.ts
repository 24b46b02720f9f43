/** A company in a portfolio and what is done with several: contract §8 rows 37 to 44. Answers keep unknown fields. */
import { z } from 'zod'
import { wireDate } from '../dates.ts'
import { lazy } from '../lazy.ts'
import { pageOf } from '../monitoring/paging.ts'
import { fromZero, words } from '../query.ts'
import { fieldsOf, orNull, wholeNumber } from '../written.ts'

/** Declared a text; the service's samples hold numbers. */
const textOrNumber = orNull(z.union([z.string(), z.number()]))
const correlationId = z.string().optional()

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
export const portfolioCompaniesReply = lazy(() => pageOf(z.array(z.looseObject({ id: z.string(), ...common }))))

/** A company read by itself; its connectId goes by its own name. */
export const portfolioCompanyReply = lazy(() => z.looseObject({ correlationId, connectId: z.string(), ...common }))

export const portfolioCompaniesQuery = lazy(() =>
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
