/** People, their directorships and the operations on them: contract §11.2. Unknown fields are kept. */
import { z } from 'zod'
import { companyAddress, searchMessage } from './companies/company.ts'
import { criteriaReply } from './companies/criteria.ts'
import { criteriaQuery } from './companies/query.ts'
import { lazy } from './lazy.ts'
import { operationsOf } from './operation.ts'
import { countryList, fromOne, letters, text } from './query.ts'

/** Query of `GET /people`. */
export const peopleQuery = lazy(() =>
  z.looseObject({
    countries: countryList,
    peopleId: text(60).optional(),
    firstName: text(200).optional(),
    lastName: text(200).optional(),
    localDirectorNumber: text(60).optional(),
    dateOfBirth: z
      .string()
      .regex(/^\d{4}-\d{2}(?:-\d{2})?$/, 'must be YYYY-MM-DD or YYYY-MM')
      .optional(),
    ...fromOne(),
    callRef: text(500).optional(),
  }),
)

export const foundPerson = lazy(() =>
  z.looseObject({
    peopleId: z.string().min(1),
    firstName: z.string().optional(),
    lastName: z.string().optional(),
    country: z.string().optional(),
    company: z.looseObject({ id: z.string().optional() }).optional(),
    companyName: z.string().optional(),
    companyType: z.string().optional(),
    companyRegistrationNumber: z.string().optional(),
    status: z.string().optional(),
    address: companyAddress.optional(),
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
export const personQuery = lazy(() => z.looseObject({ language: letters.default('EN'), callRef: text(500).optional() }))

const count = z.number().int().nonnegative().optional()

export const personReply = lazy(() =>
  z.looseObject({
    correlationId: z.string().optional(),
    report: z.looseObject({
      directorId: z.string().optional(),
      directorSummary: z
        .looseObject({ currentAppointments: count, inactiveAppointments: count, previousAppointments: count })
        .optional(),
      directorDetails: z.looseObject({}).optional(),
    }),
    messages: z.array(searchMessage).optional(),
  }),
)

export const PEOPLE = operationsOf({
  peopleSearchCriteria: {
    method: 'GET',
    path: '/people/searchcriteria',
    query: criteriaQuery,
    reply: criteriaReply,
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
