/** A company, its address and the messages beside a list, as search, match and report write them: contract §9.1, §9.2. */
import { z } from 'zod'
import { wireDate } from '../dates.ts'
import { lazy } from '../lazy.ts'
import { written } from '../written.ts'

export const companyAddress = lazy(() =>
  z.looseObject({
    type: z.string().optional(),
    simpleValue: z.string().optional(),
    street: z.string().optional(),
    houseNumber: z.string().optional(),
    houseNo: z.string().optional(),
    city: z.string().optional(),
    postalCode: z.string().optional(),
    postCode: z.string().optional(),
    province: z.string().optional(),
    telephone: z.string().optional(),
    directMarketingOptOut: z.boolean().nullish(),
    directMarketingOptIn: z.boolean().nullish(),
    country: z.string().optional(),
  }),
)

export const activity = lazy(() =>
  z.looseObject({
    code: z.string().optional(),
    industrySector: z.string().optional(),
    description: z.string().optional(),
    classification: z.string().optional(),
  }),
)

/** A company as a search finds it; `id` is its connectId. */
export const foundCompany = lazy(() =>
  z.looseObject({
    id: z.string().min(1),
    country: z.string().optional(),
    regNo: z.string().optional(),
    safeNo: z.string().optional(),
    idType: z.string().optional(),
    name: z.string().optional(),
    type: z.string().optional(),
    officeType: z.string().optional(),
    status: z.string().optional(),
    vatNo: z.union([z.array(z.string()), z.string()]).optional(),
    phoneNumbers: z.array(z.string()).optional(),
    tradingNames: z.array(z.string()).optional(),
    statusDescription: z.string().nullish(),
    address: companyAddress.optional(),
    activity: activity.optional(),
    legalForm: z.string().optional(),
    additionalData: z.looseObject({}).optional(),
    dateOfLatestAccounts: wireDate.nullish(),
    dateOfLatestChange: wireDate.nullish(),
    activityCode: z.string().nullish(),
  }),
)

/** A message of the service beside a list; `code` is an open set (`NoResults`, `TooManyResults` …). */
export const searchMessage = lazy(() => z.looseObject({ type: z.string(), code: z.string(), text: z.string().optional() }))

/** Answer of a company search; without a result the schema types `companies` as an object (contract §9.1). */
export const companySearchReply = lazy(() =>
  z.looseObject({
    correlationId: z.string().optional(),
    totalSize: z.number().int().nonnegative(),
    companies: z.union([z.array(foundCompany), z.looseObject({})]),
    messages: z.array(searchMessage).optional(),
  }),
)

const grade = z.string().optional()

/** How a company was matched, a letter per field, A best. One key holds a space, exactly so. */
export const explainPlan = lazy(() =>
  z.looseObject({
    matchScore: z.number().int().optional(),
    matchScoreAlpha: grade,
    'matchScoreLocal Id': grade,
    matchScoreName: grade,
    matchScoreHouseNo: grade,
    matchScoreStreet: grade,
    matchScorePoBox: grade,
    matchScoreCity: grade,
    matchScoreState: grade,
    matchScorePostCode: grade,
    matchScoreCountry: grade,
    matchScoreVatNo: grade,
    matchScoreRegNo: grade,
    matchScorePhoneNo: grade,
    matchScoreSimpleValue: grade,
    matchScoreNum: grade,
  }),
)

/** A company that was matched; its address spells `postcode` and `state`. */
export const matchedCompany = lazy(() =>
  z.looseObject({
    matchScoreConfidence: z.number().int(),
    id: z.string().min(1),
    country: z.string().optional(),
    regNo: z.string().optional(),
    safeNo: z.string().optional(),
    name: z.string().optional(),
    phoneNumber: written(z.number().int(), { type: 'integer', format: 'int64' }).optional(),
    address: z
      .looseObject({
        simpleValue: z.string().optional(),
        street: z.string().optional(),
        city: z.string().optional(),
        postcode: z.string().optional(),
        country: z.string().optional(),
        state: z.string().optional(),
      })
      .optional(),
    status: z.string().optional(),
    type: z.string().optional(),
    officeType: z.string().optional(),
    dateOfLatestAccounts: wireDate.nullish(),
    dateOfLatestChange: wireDate.nullish(),
    matchScoreExplainPlan: explainPlan.optional(),
  }),
)

/** Answer of `GET /companies/match`, best first. It has no correlationId. */
export const matchReply = lazy(() =>
  z.looseObject({
    totalMatches: z.number().int().nonnegative(),
    matchedCompanies: z.array(matchedCompany),
  }),
)

export type MatchedCompany = z.infer<typeof matchedCompany>
export type ExplainPlan = z.infer<typeof explainPlan>
export type FoundCompany = z.infer<typeof foundCompany>
export type Activity = z.infer<typeof activity>
export type CompanyAddress = z.infer<typeof companyAddress>
export type SearchMessage = z.infer<typeof searchMessage>
