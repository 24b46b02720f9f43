/** Recognises a list's own id by its values alone: different in every row, and of one form. */
import type { SeenColumn } from './seen-column.ts'

/** Fewer rows prove nothing: the values of most columns differ. */
const LEAST_ROWS = 5
/** Distinct values of longer lists are estimated. */
const EXACT_ROWS = 10_000
const OF_ONE_FORM = 0.95

/** Digits and letters: a number alone may be an amount. */
const CODE = /^(?=.*\d)(?=.*\p{L})[\p{L}\p{N}:/_.-]{2,40}$/u

export function isOwnId({ filled, distinct, values }: SeenColumn, rows: number): boolean {
  const isDifferent = rows > EXACT_ROWS ? distinct >= rows * OF_ONE_FORM : distinct === rows
  return rows >= LEAST_ROWS && filled === rows && isDifferent && values.every(text => CODE.test(text)) && isOfOneForm(values)
}

/** One width, or numbers behind one prefix (`Q95`, `Q1047`). */
function isOfOneForm(values: readonly string[]): boolean {
  const isUsual = (formOf: (text: string) => string): boolean => {
    const counts = new Map<string, number>()
    for (const text of values) counts.set(formOf(text), (counts.get(formOf(text)) ?? 0) + 1)
    return Math.max(...counts.values()) >= values.length * OF_ONE_FORM
  }
  return isUsual(text => String(text.length)) || isUsual(text => text.replace(/(?<!\d)\d+$/, '9'))
}
