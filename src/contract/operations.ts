/**
 * The table of operations: name -> row. Client, embedded service, retry and docs read it; no path is written anywhere else. Its
 * groups are declared beside their records.
 */
import { ACCESS } from './access.ts'
import { COMPANIES } from './companies/operations.ts'
import { DATA_CLEANING } from './data-cleaning/operations.ts'
import { DECISION_ENGINE } from './decisions.ts'
import { MONITORING } from './monitoring.ts'
import { PEOPLE } from './people.ts'
import { PORTFOLIOS } from './portfolios.ts'
import { BUSINESSES, INDIVIDUALS, SCHEDULES } from './screening/operations.ts'

export const OPERATIONS = {
  ...ACCESS,
  ...DATA_CLEANING,
  ...COMPANIES,
  ...PEOPLE,
  ...BUSINESSES,
  ...INDIVIDUALS,
  ...SCHEDULES,
  ...MONITORING,
  ...PORTFOLIOS,
  ...DECISION_ENGINE,
} as const

export type OperationName = keyof typeof OPERATIONS
