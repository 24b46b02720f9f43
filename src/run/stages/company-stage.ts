/** What the stages about companies share: which refusals are about a single company, and the warning that counts them. */
import { type ErrorCode, FettleError, type Issue, issue } from '../../errors.ts'
import type { RefusedCompany } from '../../journal/index.ts'

/** How the service refuses a single company (contract §2.5). */
const COMPANY_REFUSALS: readonly (number | null)[] = [400, 404, 422]

/** Why the service refused a company; null for an error that is not about a single company. */
export const refusalReason = (error: unknown): string | null =>
  FettleError.is(error) && COMPANY_REFUSALS.includes(error.status) ? error.message : null

export const refusalIssue = (
  code: ErrorCode,
  summary: string,
  count: number,
  example: RefusedCompany | null | undefined,
): Issue =>
  issue(code, example == null ? summary : `${summary}, such as ${example.id}: ${example.why}`, { severity: 'warn', count })
