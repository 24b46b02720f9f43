/** What companies are searched, matched and reported by: contract §9.1 to §9.5. Defaults are ours (§14.3). */
import { z } from 'zod'
import { lazy } from '../lazy.ts'
import { countryList, fromOne, language, letters, maybe, oneOf, text, truth, whole } from '../query.ts'
import { fieldsOf, written } from '../written.ts'

/** The caller's own tag, and data for single countries: taken and not used here. */
const aside = fieldsOf(maybe(500), 'customData', 'callRef')

const criteria = {
  id: maybe(200),
  ...fieldsOf(maybe(60), 'safeNo', 'regNo', 'vatNo'),
  ...fieldsOf(maybe(500), 'name', 'tradeName'),
  acronym: maybe(100),
  exact: truth,
  address: maybe(500),
  street: maybe(300),
  houseNo: maybe(30),
  ...fieldsOf(maybe(200), 'city', 'province'),
  website: maybe(300),
  postCode: written(
    z
      .string()
      .max(20)
      .regex(/^[^*]*[A-Za-z0-9][^*]*\*?$/, 'must hold a letter or digit, with * at its end only'),
    { type: 'string', maxLength: 20, pattern: '^[^*]*[A-Za-z0-9][^*]*\\*?$' },
  ).optional(),
  officeType: oneOf([
    'registered',
    'trading',
    'headOffice',
    'branch',
    'subsidiary',
    'franchise',
    'franchisor',
    'singleOffice',
    'other',
  ]),
  phoneNo: written(z.union([z.string().transform(one => [one]), z.array(z.string())]).pipe(z.array(text(60)).max(10)), {
    type: 'array',
    items: { type: 'string', maxLength: 60 },
    maxItems: 10,
  }).optional(),
  status: oneOf(['Active', 'NonActive', 'Pending', 'Other']),
  type: oneOf(['NotSet', 'Ltd', 'NonLtd', 'NonLtdNonReg']),
}

/** Query of `GET /companies`. */
export const companiesQuery = lazy(() => z.looseObject({ countries: countryList, ...fromOne(), language, ...criteria, ...aside }))

/** Query of `GET /companies/global`: the same without a country (§9.6; only its name is documented). */
export const globalQuery = lazy(() => z.looseObject({ ...companiesQuery.shape, countries: countryList.optional() }))

/** Query of `GET /companies/match`; the threshold is 893 to 999. */
export const matchQuery = lazy(() =>
  z.looseObject({
    matchThreshold: whole(893, 999),
    country: letters,
    name: text(500),
    ...fieldsOf(maybe(60), 'regNo', 'vatNo'),
    street: maybe(300),
    houseNo: maybe(30),
    city: maybe(200),
    postCode: maybe(20),
    ...fieldsOf(maybe(200), 'province', 'state'),
    phoneNo: maybe(60),
    ...fieldsOf(maybe(500), 'reference1', 'reference2', 'reference3', 'callRef'),
  }),
)

/** Query of `GET /companies/{id}`. */
export const reportQuery = lazy(() =>
  z.looseObject({
    language: language.default('EN'),
    // Others need a subscription (contract §9.3).
    template: written(text(60), { type: 'string', enum: ['full'] }).default('full'),
    includeIndicators: truth.default(false),
    ...aside,
  }),
)

/** Query of `GET /companies/searchcriteria`. */
export const criteriaQuery = lazy(() => z.looseObject({ countries: countryList }))

/** Query of `GET /people/searchcriteria`. */
export const peopleCriteriaQuery = lazy(() => z.looseObject({ countries: countryList.optional() }))

/** Query of `GET /companies/schema/{countryCode}`. */
export const schemaQuery = lazy(() =>
  z.looseObject({
    section: z.enum(['CompanyReportResponse', 'DirectorReportResponse']).default('CompanyReportResponse'),
    template: maybe(60),
  }),
)

/** What a search may be narrowed by. */
export type CompaniesQuery = z.infer<typeof globalQuery>
export type MatchQuery = z.infer<typeof matchQuery>
