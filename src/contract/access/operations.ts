/** The operations on the caller and the account: contract §4.3, §8 row 30, §11.1. */
import type { Operation } from '../operation.ts'
import { accessReply, activeUsersReply, ownUserReply, userDetailsReply } from './access.ts'

/** What may be used, and by whom. */
export const ACCESS = {
  readAccess: {
    method: 'GET',
    path: '/access',
    query: null,
    request: null,
    reply: accessReply,
    repeat: 'free',
    errors: [400, 401],
    summary: 'Learn which products the account may use in which country, and how much of them is used.',
  },
  listActiveUsers: {
    method: 'GET',
    path: '/access/users/active',
    query: null,
    request: null,
    reply: activeUsersReply,
    repeat: 'free',
    errors: [400, 401, 403],
    summary: 'List the users of the account.',
  },
  readOwnUser: {
    method: 'GET',
    path: '/access/users/me',
    query: null,
    request: null,
    reply: ownUserReply,
    repeat: 'free',
    errors: [400, 401, 403],
    summary: 'Read who the caller is.',
  },
  readUserDetails: {
    method: 'GET',
    path: '/monitoring/user/details',
    query: null,
    request: null,
    reply: userDetailsReply,
    repeat: 'free',
    errors: [400, 401],
    summary: 'Read who the caller is to monitoring.',
  },
} as const satisfies Record<string, Operation>
