/** The answer of the confidence match search: contract §9.2. It has no correlationId. */
import { z } from 'zod'
import { wireDate } from '../dates.ts'

const grade = z.string().optional()

/** How a company was matched, a letter per field, A best. One key holds a space, exactly so. */
export const explainPlan = z.looseObject({
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
})

/** A company that was matched; its address spells `postcode` and `state`. */
export const matchedCompany = z.looseObject({
  matchScoreConfidence: z.number().int(),
  id: z.string().min(1),
  country: z.string().optional(),
  regNo: z.string().optional(),
  safeNo: z.string().optional(),
  name: z.string().optional(),
  phoneNumber: z.number().int().optional(),
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
})

/** Answer of `GET /companies/match`, best first. */
export const matchReply = z.looseObject({
  totalMatches: z.number().int().nonnegative(),
  matchedCompanies: z.array(matchedCompany),
})

export type MatchedCompany = z.infer<typeof matchedCompany>
/** A letter per field. */
export type ExplainPlan = z.infer<typeof explainPlan>
