/** The operations on people: contract §11.2. */
import { criteriaReply } from '../companies/criteria.ts'
import { criteriaQuery } from '../companies/query.ts'
import type { Operation } from '../operation.ts'
import { peopleQuery, peopleReply, personQuery, personReply } from './person.ts'

/** Search people and order director reports. */
export const PEOPLE = {
  peopleSearchCriteria: {
    method: 'GET',
    path: '/people/searchcriteria',
    query: criteriaQuery,
    request: null,
    reply: criteriaReply,
    repeat: 'free',
    errors: [400, 401],
    summary: 'Learn what people can be searched by.',
  },
  searchPeople: {
    method: 'GET',
    path: '/people',
    query: peopleQuery,
    request: null,
    reply: peopleReply,
    repeat: 'free',
    errors: [400, 401],
    summary: 'Search the directors of companies.',
  },
  readPerson: {
    method: 'GET',
    path: '/people/{peopleId}',
    query: personQuery,
    request: null,
    reply: personReply,
    repeat: 'never',
    errors: [400, 401, 403, 404],
    summary: 'Order the report of a director.',
  },
} as const satisfies Record<string, Operation>
