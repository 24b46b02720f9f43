/** Descriptions of searches and reports by the service: criteria, schemas, country data: contract §9.4, §9.5. */
import { z } from 'zod'
import { lazy } from '../lazy.ts'
import { fieldsOf } from '../written.ts'
import { searchMessage } from './company.ts'

/** What one criterion takes; only `required` or `optional` is there always. */
export const criterion = lazy(() =>
  z.looseObject({
    ...fieldsOf(z.boolean().optional(), 'required', 'optional'),
    ...fieldsOf(z.number().int().optional(), 'minLength', 'maxLength'),
    allowedValues: z.array(z.string()).optional(),
    validationRegExp: z.string().optional(),
  }),
)

const criteria = <Name extends string>(...names: readonly Name[]) => fieldsOf(criterion.optional(), ...names)

const companyCriteria = lazy(() =>
  z.looseObject({
    ...criteria('id', 'safeNo', 'regNo', 'vatNo', 'name', 'tradeName', 'acronym', 'type', 'officeType', 'status'),
    address: z.looseObject(criteria('simpleValue', 'street', 'houseNo', 'city', 'postCode', 'province')).optional(),
    ...criteria('phoneNumber', 'website'),
  }),
)

/** Answer of `GET /companies/searchcriteria`: which criteria may be used together; those of an address are nested. */
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
    ...criteria('id', 'localDirectorNumber', 'firstName', 'lastName', 'dateOfBirth', 'companyName', 'companyRegistrationNumber'),
    address: z.looseObject(criteria('city')).optional(),
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

export type Criterion = z.infer<typeof criterion>
