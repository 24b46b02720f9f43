/** The pipeline's `checks:` judged against what became of the rows. Pure; it decides no exit code. */
import type { CheckResult, Outcomes } from '../journal/events.ts'
import { matchRate } from '../journal/outcomes.ts'
import type { CheckName, PlannedCheck, Threshold } from '../pipeline/types.ts'

interface Measure {
  readonly rows: number | null
  readonly share: number | null
}

function measure(name: CheckName, outcomes: Outcomes, rows: number, previousRate: number | null): Measure {
  if (name === 'drift') {
    const rate = matchRate(outcomes, rows)
    return { rows: null, share: rate === null || previousRate === null ? null : Math.abs(rate - previousRate) }
  }
  if (name === 'matched') {
    const rate = matchRate(outcomes, rows)
    return { rows: rate === null ? null : Math.round(rate * rows), share: rate }
  }
  const count = outcomes[name]
  return { rows: count, share: count === null || rows === 0 ? null : count / rows }
}

const compare = (value: number, { operator, value: limit }: Threshold): boolean => {
  if (operator === '<') return value < limit
  if (operator === '<=') return value <= limit
  if (operator === '>') return value > limit
  return value >= limit
}

const percent = (share: number): string => `${(share * 100).toFixed(1)}%`

const inWords = (name: CheckName, { rows: count, share }: Measure, rows: number): string => {
  if (name === 'drift') return share === null ? 'unknown: no earlier good run, or no counts' : percent(share)
  return count === null || share === null ? 'unknown: the service gave no such count' : `${count} of ${rows} (${percent(share)})`
}

/**
 * The results of all checks, warn before fail. A threshold names the bad case: `matched: { fail: "< 80%" }` fails below 80 %.
 * What cannot be measured fails its check, since nobody can say that it holds; only drift passes without an earlier run to
 * compare with. `previousRate` is the match rate of the last good run of this pipeline.
 */
export function judge(
  checks: readonly PlannedCheck[],
  outcomes: Outcomes,
  rows: number,
  previousRate: number | null,
): CheckResult[] {
  return checks.flatMap(check => {
    const found = measure(check.name, outcomes, rows, previousRate)
    const severities = [
      ['warn', check.warn],
      ['fail', check.fail],
    ] as const
    return severities.flatMap(([severity, threshold]) => {
      if (threshold === null) return []
      const value = threshold.unit === 'share' ? found.share : found.rows
      const success = value === null ? check.name === 'drift' && previousRate === null : !compare(value, threshold)
      return [
        { assertion: check.name, success, severity, expected: `not ${threshold.text}`, actual: inWords(check.name, found, rows) },
      ]
    })
  })
}
