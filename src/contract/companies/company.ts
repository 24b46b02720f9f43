/** A company, its address and the messages beside a list, as search, match and report write them: contract §9.1, §9.2. */
import { z } from 'zod'
import { wireDate } from '../dates.ts'
import { fieldsOf, lazy, optionalTexts, written } from '../schemas.ts'

export const companyAddress = lazy(() =>
  z.looseObject({
    ...optionalTexts('type', 'simpleValue', 'street', 'houseNumber', 'houseNo', 'city', 'postalCode', 'postCode', 'province'),
    ...optionalTexts('telephone'),
    ...fieldsOf(z.boolean().nullish(), 'directMarketingOptOut', 'directMarketingOptIn'),
    ...optionalTexts('country'),
  }),
)

export const activity = lazy(() => z.looseObject(optionalTexts('code', 'industrySector', 'description', 'classification')))

/** A company as a search finds it; `id` is its connectId. */
export const foundCompany = lazy(() =>
  z.looseObject({
    id: z.string().min(1),
    ...optionalTexts('country', 'regNo', 'safeNo', 'idType', 'name', 'type', 'officeType', 'status'),
    vatNo: z.union([z.array(z.string()), z.string()]).optional(),
    ...fieldsOf(z.array(z.string()).optional(), 'phoneNumbers', 'tradingNames'),
    statusDescription: z.string().nullish(),
    address: companyAddress.optional(),
    activity: activity.optional(),
    legalForm: z.string().optional(),
    additionalData: z.looseObject({}).optional(),
    ...fieldsOf(wireDate.nullish(), 'dateOfLatestAccounts', 'dateOfLatestChange'),
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

/** How a company was matched, a letter per field, A best. One key holds a space, exactly so. */
export const explainPlan = lazy(() =>
  z.looseObject({
    matchScore: z.number().int().optional(),
    ...optionalTexts('matchScoreAlpha', 'matchScoreLocal Id', 'matchScoreName', 'matchScoreHouseNo', 'matchScoreStreet'),
    ...optionalTexts('matchScorePoBox', 'matchScoreCity', 'matchScoreState', 'matchScorePostCode', 'matchScoreCountry'),
    ...optionalTexts('matchScoreVatNo', 'matchScoreRegNo', 'matchScorePhoneNo', 'matchScoreSimpleValue', 'matchScoreNum'),
  }),
)

/** A company that was matched; its address spells `postcode` and `state`. */
export const matchedCompany = lazy(() =>
  z.looseObject({
    matchScoreConfidence: z.number().int(),
    id: z.string().min(1),
    ...optionalTexts('country', 'regNo', 'safeNo', 'name'),
    phoneNumber: written(z.number().int(), { type: 'integer', format: 'int64' }).optional(),
    address: z.looseObject(optionalTexts('simpleValue', 'street', 'city', 'postcode', 'country', 'state')).optional(),
    ...optionalTexts('status', 'type', 'officeType'),
    ...fieldsOf(wireDate.nullish(), 'dateOfLatestAccounts', 'dateOfLatestChange'),
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

/** Countries that write the number before the street. */
const NUMBER_FIRST: ReadonlySet<string> = new Set(['AU', 'CA', 'FR', 'GB', 'IE', 'LU', 'NZ', 'US'])

/** `12 High Street` in GB, `Odensevej 19` in DK; a part that is empty is left out. */
export function streetLine(street: string, houseNumber: string, country: string): string {
  const parts = NUMBER_FIRST.has(country) ? [houseNumber, street] : [street, houseNumber]
  return parts.filter(part => part !== '').join(' ')
}
