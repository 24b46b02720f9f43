/** Thresholds of `checks:`: a comparison with a count or a share, as in `> 500` or `< 90%`. */
import type { Threshold } from '../model/types.ts'

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
