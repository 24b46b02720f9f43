/** Durations (`500ms`, `30s`, `5m`, `2h`, `1d`) and thresholds (`> 500`, `< 90%`) as people write them. */
import type { Threshold } from '../model/types.ts'

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

export const DURATION = /^(\d{1,9})(ms|s|m|h|d)$/

/** Milliseconds of a duration, null when it is not of the accepted form or is zero. */
export function parseDuration(text: string): number | null {
  const [, digits, unit] = DURATION.exec(text) ?? []
  if (digits === undefined) return null
  return Number(digits) * UNITS[unit as keyof typeof UNITS] || null
}

export function formatDuration(ms: number): string {
  const unit = (['d', 'h', 'm', 's'] as const).find(name => ms % UNITS[name] === 0) ?? 'ms'
  return `${ms / UNITS[unit]}${unit}`
}

export const THRESHOLD = /^\s*(<=|>=|<|>)\s*(\d{1,12}(?:\.\d{1,6})?)\s*(%?)\s*$/

/** A threshold, a share held as 0 to 1; null for another form, a share over 100 % or a count that is not whole. */
export function parseThreshold(text: string): Threshold | null {
  const [, operator, digits, percent] = THRESHOLD.exec(text) ?? []
  if (operator === undefined) return null
  const number = Number(digits)
  if (percent === '%' ? number > 100 : !Number.isInteger(number)) return null
  return {
    text: text.trim(),
    operator: operator as Threshold['operator'],
    // Read as a decimal, not divided: 12.3 / 100 is a little more than 123 of 1000 rows.
    value: percent === '%' ? Number(`${digits}e-2`) : number,
    unit: percent === '%' ? 'share' : 'rows',
  }
}
