/**
 * The operations on companies, their queries, and the service's descriptions of searches and reports: contract §9. Defaults are ours
 * (§14.3). `match`, `searchcriteria` and their like stand before `{id}`.
 */
import { z } from 'zod'
import { defineOperations, get } from '../operation.ts'
import { countryList, fromOne, language, letters, maybe, oneOf, text, truth, whole } from '../query.ts'
import { fieldsOf, lazy, written } from '../schemas.ts'
import { companySearchReply, matchReply, searchMessage } from './company.ts'
import { reportReply } from './report.ts'

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
  phoneNo: written(z.union([z.string().transform(number => [number]), z.array(z.string())]).pipe(z.array(text(60)).max(10)), {
    type: 'array',
    items: { type: 'string', maxLength: 60 },
    maxItems: 10,
  }).optional(),
  status: oneOf(['Active', 'NonActive', 'Pending', 'Other']),
  type: oneOf(['NotSet', 'Ltd', 'NonLtd', 'NonLtdNonReg']),
}

const companiesQuery = lazy(() => z.looseObject({ countries: countryList, ...fromOne(), language, ...criteria, ...aside }))

/** The same without a country (§9.6; only its name is documented). */
const globalQuery = lazy(() => z.looseObject({ ...companiesQuery.shape, countries: countryList.optional() }))

const matchQuery = lazy(() =>
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

const reportQuery = lazy(() =>
  z.looseObject({
    language: language.default('EN'),
    // Others need a subscription (contract §9.3).
    template: written(text(60), { type: 'string', enum: ['full'] }).default('full'),
    includeIndicators: truth.default(false),
    ...aside,
  }),
)

const schemaQuery = lazy(() =>
  z.looseObject({
    section: z.enum(['CompanyReportResponse', 'DirectorReportResponse']).default('CompanyReportResponse'),
    template: maybe(60),
  }),
)

/** What one criterion takes; only `required` or `optional` is there always. */
export const criterion = lazy(() =>
  z.looseObject({
    ...fieldsOf(z.boolean().optional(), 'required', 'optional'),
    ...fieldsOf(z.number().int().optional(), 'minLength', 'maxLength'),
    allowedValues: z.array(z.string()).optional(),
    validationRegExp: z.string().optional(),
  }),
)

const criterionFields = <Name extends string>(...names: readonly Name[]) => fieldsOf(criterion.optional(), ...names)

const companyCriteria = lazy(() =>
  z.looseObject({
    ...criterionFields('id', 'safeNo', 'regNo', 'vatNo', 'name', 'tradeName', 'acronym', 'type', 'officeType', 'status'),
    address: z.looseObject(criterionFields('simpleValue', 'street', 'houseNo', 'city', 'postCode', 'province')).optional(),
    ...criterionFields('phoneNumber', 'website'),
  }),
)

/** Answer of `GET /companies/searchcriteria`: which criteria may be used together; the criteria of an address are nested. */
export const criteriaReply = lazy(() =>
  z.looseObject({
    correlationId: z.string().optional(),
    countries: z.array(z.string()),
    languages: z.array(z.string()),
    criteriaSets: z.array(companyCriteria),
  }),
)

const customDataField = { key: z.string(), optional: z.boolean(), allowedValues: z.array(z.string()).optional() }

const personCriteria = lazy(() =>
  z.looseObject({
    ...criterionFields(
      'id',
      'localDirectorNumber',
      'firstName',
      'lastName',
      'dateOfBirth',
      'companyName',
      'companyRegistrationNumber',
    ),
    address: z.looseObject(criterionFields('city')).optional(),
  }),
)

/** Answer of `GET /people/searchcriteria`: the same for each country. */
export const peopleCriteriaReply = lazy(() =>
  z.looseObject({
    correlationId: z.string().optional(),
    countriesCriteria: z.array(z.looseObject({ country: z.string(), schemas: z.array(personCriteria) })),
    customData: z.array(z.looseObject({ ...customDataField, description: z.string().optional() })).optional(),
    messages: z.array(searchMessage).optional(),
  }),
)

/** Answer of `GET /companies/schema/{countryCode}`: a JSON schema. */
export const schemaReply = lazy(() => z.looseObject({}))

/** Answer of `GET /reportcustomdata/{country}`: what `customData` may or must hold there; published as an object of any keys. */
export const customDataReply = lazy(() =>
  z.looseObject({
    country: z.string().optional(),
    customData: z.array(z.looseObject({ ...customDataField, description: z.array(z.string()).optional() })).optional(),
  }),
)

/** What a search may be narrowed by. */
export type CompaniesQuery = z.infer<typeof globalQuery>
export type MatchQuery = z.infer<typeof matchQuery>
export type Criterion = z.infer<typeof criterion>

export const COMPANIES = defineOperations({
  searchCompanies: get('/companies', {
    query: companiesQuery,
    reply: companySearchReply,
    pages: { first: 1, items: 'companies' },
    errors: [400, 401],
    summary: 'Search companies.',
  }),
  matchCompanies: get('/companies/match', {
    query: matchQuery,
    reply: matchReply,
    // It may be charged (contract §3, row 51).
    repeat: 'never',
    errors: [400, 401],
    summary: 'Find the companies that a name and what else is known may mean, with a confidence of 893 to 999.',
  }),
  searchCompaniesGlobally: get('/companies/global', {
    query: globalQuery,
    reply: companySearchReply,
    pages: { first: 1, items: 'companies' },
    errors: [400, 401],
    summary: 'Search companies of all countries.',
  }),
  companySearchCriteria: get('/companies/searchcriteria', {
    query: lazy(() => z.looseObject({ countries: countryList })),
    reply: criteriaReply,
    errors: [400, 401, 403],
    summary: 'Learn what companies can be searched by.',
  }),
  reportSchema: get('/companies/schema/{countryCode}', {
    query: schemaQuery,
    reply: schemaReply,
    errors: [400, 401],
    summary: 'Fetch the JSON schema of a report.',
  }),
  readReport: get('/companies/{id}', {
    query: reportQuery,
    reply: reportReply,
    repeat: 'never',
    summary: 'Order the credit report of a company, by connectId or Safe Number.',
  }),
  reportCustomData: get('/reportcustomdata/{country}', {
    reply: customDataReply,
    errors: [400, 401],
    summary: 'Learn what customData a report of a country takes.',
  }),
})
