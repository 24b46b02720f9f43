/** Requires the custom data that the report of a country needs: Germany's reason (contract §9.3). */
import { badRequest } from '../refusal.ts'

const REASON = 'de_reason_code'

/** Reasons to order a report in Germany; the code is the position from 1. */
const REASONS = [
  'credit decision',
  'assessment of a future business connection',
  'assessment of an existing business connection',
  'collection of receivables',
  'purchase contract',
  'goods credit insurance',
  'lease or rent',
  'insurance contract',
]

export const customDataOf = (country: string) =>
  country === 'DE'
    ? [{ key: REASON, optional: false, allowedValues: REASONS.map((_, at) => String(at + 1)), description: REASONS }]
    : []

/** Throws a 400 when required custom data is missing. */
export function requireCustomData(country: string, customData = ''): void {
  for (const { key, allowedValues } of customDataOf(country)) {
    const value = /(?:^|[,;&|\s])de_reason_code::(\d+)(?=$|[,;&|\s])/.exec(customData)?.[1]
    if (value !== undefined && allowedValues.includes(value)) continue
    throw badRequest(
      'The report cannot be ordered',
      `customData: ${country} requires ${key}::n, where n is one of ${allowedValues.join(', ')}`,
    )
  }
}
