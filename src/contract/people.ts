/** People, their directorships and the operations on them: contract §11.2. Unknown fields are kept. */
import { z } from 'zod'
import { companyAddress, searchMessage } from './companies/company.ts'
import { peopleCriteriaReply } from './companies/criteria.ts'
import { peopleCriteriaQuery } from './companies/query.ts'
import { director } from './companies/report.ts'
import { zonedDate } from './dates.ts'
import { lazy } from './lazy.ts'
import { operationsOf } from './operation.ts'
import { countryList, fromOne, language, maybe } from './query.ts'

/** Query of `GET /people`. */
export const peopleQuery = lazy(() =>
  z.looseObject({
    countries: countryList,
    peopleId: maybe(60),
    firstName: maybe(200),
    lastName: maybe(200),
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

/** Dates of which only the month or year is known. */
const additionalData = z.looseObject({}).optional()

export const foundPerson = lazy(() =>
  z.looseObject({
    peopleId: z.string().min(1),
    firstName: z.string().optional(),
    lastName: z.string().optional(),
    country: z.string().optional(),
    dateOfBirth: zonedDate.optional(),
    position: z.string().optional(),
    company: z.looseObject({ id: z.string().optional() }).optional(),
    companyName: z.string().optional(),
    companyType: z.string().optional(),
    companyRegistrationNumber: z.string().optional(),
    status: z.string().optional(),
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

/** Query of `GET /people/{peopleId}`. */
export const personQuery = lazy(() => z.looseObject({ language: language.default('EN'), callRef: maybe(500) }))

/** An appointment of a person. */
const personDirectorship = lazy(() =>
  z.looseObject({
    id: z.string().optional(),
    companyName: z.string().optional(),
    companyNumber: z.string().optional(),
    companyRegistrationNumber: z.string().optional(),
    address: companyAddress.optional(),
    status: z.string().optional(),
    position: z
      .looseObject({
        positionName: z.string().optional(),
        dateAppointed: zonedDate.optional(),
        resignationDate: zonedDate.optional(),
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
        .looseObject({ currentAppointments: count, inactiveAppointments: count, previousAppointments: count })
        .optional(),
      directorDetails: director.optional(),
      directorships: z.looseObject({ current: directorships, inactive: directorships, previous: directorships }).optional(),
    }),
    messages: z.array(searchMessage).optional(),
  }),
)

export const PEOPLE = operationsOf({
  peopleSearchCriteria: {
    method: 'GET',
    path: '/people/searchcriteria',
    query: peopleCriteriaQuery,
    reply: peopleCriteriaReply,
    errors: [400, 401],
    summary: 'Learn what people can be searched by.',
  },
  searchPeople: {
    method: 'GET',
    path: '/people',
    query: peopleQuery,
    reply: peopleReply,
    pages: { first: 1, items: 'directors' },
    errors: [400, 401],
    summary: 'Search the directors of companies.',
  },
  readPerson: {
    method: 'GET',
    path: '/people/{peopleId}',
    query: personQuery,
    reply: personReply,
    repeat: 'never',
    summary: 'Order the report of a director.',
  },
})

export type FoundPerson = z.infer<typeof foundPerson>
