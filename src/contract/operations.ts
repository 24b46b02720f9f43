/**
 * The table of operations: name -> row. Client, embedded service, retry and docs read it; no path is written anywhere else. Its
 * groups are declared beside their records.
 */
import { ACCESS } from './access/operations.ts'
import { credentials, tokenReply } from './authenticate.ts'
import { COMPANIES } from './companies/operations.ts'
import { DATA_CLEANING } from './data-cleaning/operations.ts'
import { MONITORING } from './monitoring/operations.ts'
import type { Operation } from './operation.ts'
import { PEOPLE } from './people/operations.ts'
import { PORTFOLIOS } from './portfolios/operations.ts'
import { BUSINESSES } from './screening/businesses.ts'
import { INDIVIDUALS } from './screening/individuals.ts'

const AUTHENTICATION = {
  authenticate: {
    method: 'POST',
    path: '/authenticate',
    query: null,
    request: credentials,
    reply: tokenReply,
    repeat: 'free',
    errors: [400, 401, 429],
    summary: 'Obtain an access token.',
  },
} as const satisfies Record<string, Operation>

export const OPERATIONS = {
  ...AUTHENTICATION,
  ...ACCESS,
  ...DATA_CLEANING,
  ...COMPANIES,
  ...PEOPLE,
  ...BUSINESSES,
  ...INDIVIDUALS,
  ...MONITORING,
  ...PORTFOLIOS,
} as const satisfies Record<string, Operation>

/** The name of an operation. */
export type OperationName = keyof typeof OPERATIONS
