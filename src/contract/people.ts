/** People, their directorships and the operations on them: contract §11.2. Unknown fields are kept. */
import { z } from 'zod'
import { companyAddress, searchMessage } from './companies/company.ts'
import { peopleCriteriaReply } from './companies/operations.ts'
import { director } from './companies/report.ts'
import { zonedDate } from './dates.ts'
import { defineOperations, get } from './operation.ts'
import { countryList, fromOne, language, maybe } from './query.ts'
import { fieldsOf, lazy, optionalTexts } from './schemas.ts'

const peopleQuery = lazy(() =>
  z.looseObject({
    countries: countryList,
    peopleId: maybe(60),
    ...fieldsOf(maybe(200), 'firstName', 'lastName'),
    localDirectorNumber: maybe(60),
    companyName: maybe(500),
    regNo: maybe(60),
    city: maybe(200),
    dateOfBirth: z
      .string()
      .regex(/^\d{4}-\d{2}(?:-\d{2})?$/, 'must be YYYY-MM-DD or YYYY-MM')
      .optional(),
    ...fromOne(),
    callRef: maybe(500),
  }),
)

/** Dates with only the month or year. */
const additionalData = z.looseObject({}).optional()

export const foundPerson = lazy(() =>
  z.looseObject({
    peopleId: z.string().min(1),
    ...optionalTexts('firstName', 'lastName', 'country'),
    dateOfBirth: zonedDate.optional(),
    position: z.string().optional(),
    company: z.looseObject({ id: z.string().optional() }).optional(),
    ...optionalTexts('companyName', 'companyType', 'companyRegistrationNumber', 'status'),
    address: companyAddress.optional(),
    additionalData,
  }),
)

export const peopleReply = lazy(() =>
  z.looseObject({
    correlationId: z.string().optional(),
    totalSize: z.number().int().nonnegative().optional(),
    directors: z.array(foundPerson),
    messages: z.array(searchMessage).optional(),
  }),
)

/** An appointment of a person. */
const personDirectorship = lazy(() =>
  z.looseObject({
    ...optionalTexts('id', 'companyName', 'companyNumber', 'companyRegistrationNumber'),
    address: companyAddress.optional(),
    status: z.string().optional(),
    position: z
      .looseObject({
        positionName: z.string().optional(),
        ...fieldsOf(zonedDate.optional(), 'dateAppointed', 'resignationDate'),
        additionalData,
      })
      .optional(),
  }),
)

const directorships = z.array(personDirectorship).optional()

const count = z.number().int().nonnegative().optional()

export const personReply = lazy(() =>
  z.looseObject({
    correlationId: z.string().optional(),
    report: z.looseObject({
      directorId: z.string().optional(),
      directorSummary: z
        .looseObject(fieldsOf(count, 'currentAppointments', 'inactiveAppointments', 'previousAppointments'))
        .optional(),
      directorDetails: director.optional(),
      directorships: z.looseObject(fieldsOf(directorships, 'current', 'inactive', 'previous')).optional(),
    }),
    messages: z.array(searchMessage).optional(),
  }),
)

export const PEOPLE = defineOperations({
  peopleSearchCriteria: get('/people/searchcriteria', {
    query: lazy(() => z.looseObject({ countries: countryList.optional() })),
    reply: peopleCriteriaReply,
    errors: [400, 401],
    summary: 'Learn what people can be searched by.',
  }),
  searchPeople: get('/people', {
    query: peopleQuery,
    reply: peopleReply,
    pages: { first: 1, items: 'directors' },
    errors: [400, 401],
    summary: 'Search the directors of companies.',
  }),
  readPerson: get('/people/{peopleId}', {
    query: lazy(() => z.looseObject({ language: language.default('EN'), callRef: maybe(500) })),
    reply: personReply,
    repeat: 'never',
    summary: 'Order the report of a director.',
  }),
})

export type FoundPerson = z.infer<typeof foundPerson>
