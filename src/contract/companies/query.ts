/** What companies are searched, matched and reported by: contract §9.1 to §9.5. Defaults are ours (§14.3). */
import { z } from 'zod'
import { lazy } from '../lazy.ts'
import { countryList, fromOne, letters, text, truth, whole } from '../query.ts'

/** The caller's own tag, and data for single countries: taken and not used here. */
const aside = { customData: text(500).optional(), callRef: text(500).optional() }

const criteria = {
  id: text(200).optional(),
  safeNo: text(60).optional(),
  regNo: text(60).optional(),
  vatNo: text(60).optional(),
  name: text(500).optional(),
  tradeName: text(500).optional(),
  acronym: text(100).optional(),
  exact: truth.optional(),
  address: text(500).optional(),
  street: text(300).optional(),
  houseNo: text(30).optional(),
  city: text(200).optional(),
  province: text(200).optional(),
  website: text(300).optional(),
  postCode: z
    .string()
    .max(20)
    .regex(/^[^*]*[\p{L}\p{N}][^*]*\*?$/u, 'must hold a letter or digit, with * at its end only')
    .optional(),
  officeType: z
    .enum(['registered', 'trading', 'headOffice', 'branch', 'subsidiary', 'franchise', 'franchisor', 'singleOffice', 'other'])
    .optional(),
  phoneNo: z.union([text(60).transform(one => [one]), z.array(text(60)).min(1).max(10)]).optional(),
  status: z.enum(['Active', 'NonActive', 'Pending', 'Other']).optional(),
  type: z.enum(['NotSet', 'Ltd', 'NonLtd', 'NonLtdNonReg']).optional(),
}

/** Query of `GET /companies`. */
export const companiesQuery = lazy(() =>
  z.looseObject({
    countries: countryList,
    ...fromOne(),
    language: letters.optional(),
    ...criteria,
    ...aside,
  }),
)

/** Query of `GET /companies/global`: the same without a country (§9.6; only its name is documented). */
export const globalQuery = lazy(() => z.looseObject({ ...companiesQuery.shape, countries: countryList.optional() }))

/** Query of `GET /companies/match`; the threshold is 893 to 999. */
export const matchQuery = lazy(() =>
  z.looseObject({
    matchThreshold: whole(893, 999),
    country: letters,
    name: text(500),
    regNo: text(60).optional(),
    vatNo: text(60).optional(),
    street: text(300).optional(),
    houseNo: text(30).optional(),
    city: text(200).optional(),
    postCode: text(20).optional(),
    province: text(200).optional(),
    state: text(200).optional(),
    phoneNo: text(60).optional(),
    reference1: text(500).optional(),
    reference2: text(500).optional(),
    reference3: text(500).optional(),
    callRef: text(500).optional(),
  }),
)

/** Query of `GET /companies/{id}`. */
export const reportQuery = lazy(() =>
  z.looseObject({
    language: letters.default('EN'),
    template: text(60).default('full'),
    includeIndicators: truth.default(false),
    ...aside,
  }),
)

/** Query of `GET /companies/searchcriteria`, and of that of people. */
export const criteriaQuery = lazy(() => z.looseObject({ countries: countryList }))

/** Query of `GET /companies/schema/{countryCode}`. */
export const schemaQuery = lazy(() =>
  z.looseObject({
    section: z.enum(['CompanyReportResponse', 'DirectorReportResponse']).default('CompanyReportResponse'),
    template: text(60).optional(),
  }),
)

/** What a search may be narrowed by. */
export type CompaniesQuery = z.infer<typeof globalQuery>
export type MatchQuery = z.infer<typeof matchQuery>
