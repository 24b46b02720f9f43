/** What the report of a country needs to be told beside the company: Germany's reason (contract §9.3). */
import { badRequest } from '../refusal.ts'

const REASON = 'de_reason_code'

/** Reasons for which a report may be had in Germany, by their codes. */
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

/** What `customData` may and must hold for a country. */
export const customDataOf = (country: string) =>
  country === 'DE'
    ? [{ key: REASON, optional: false, allowedValues: REASONS.map((_, at) => String(at + 1)), description: REASONS }]
    : []

/** Throws a 400 when the report of this country needs customData that is not there. */
export function requireCustomData(country: string, customData = ''): void {
  for (const { key, allowedValues } of customDataOf(country)) {
    const value = /(?:^|[,;&|\s])de_reason_code::(\d+)(?=$|[,;&|\s])/.exec(customData)?.[1]
    if (value !== undefined && allowedValues.includes(value)) continue
    throw badRequest(
      'The report cannot be ordered',
      `customData: ${key}::n is needed for ${country}, n being ${allowedValues.join(', ')}`,
    )
  }
}
