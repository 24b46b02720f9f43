/** The way back from a Safe Number to its company. It knows no operation. */
import type { Company } from '../matching/types.ts'
import { safeNumber } from './tags.ts'

const digitsOf = (text: string): number => Number(text.slice(2))

/**
 * Finds companies by Safe Number. The digits of all of them are made at the first question, a few microseconds each, and kept in order:
 * twelve bytes for a company.
 */
export function findBySafeNumber(companies: readonly Company[]): (wantedNumber: string) => Company | null {
  let digits: Float64Array | null = null
  let order = new Uint32Array()
  const build = (): Float64Array => {
    const plain = Float64Array.from(companies, company => digitsOf(safeNumber(company)))
    order = Uint32Array.from(companies.keys()).sort((a, b) => (plain[a] ?? 0) - (plain[b] ?? 0))
    return Float64Array.from(order, position => plain[position] ?? 0)
  }
  return wantedNumber => {
    if (!/^[A-Z]{2}\d{15}$/.test(wantedNumber)) return null
    digits ??= build()
    const wanted = digitsOf(wantedNumber)
    let [low, high] = [0, digits.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((digits[middle] ?? 0) < wanted) low = middle + 1
      else high = middle
    }
    for (; digits[low] === wanted; low++) {
      const company = companies[order[low] ?? 0]
      if (company !== undefined && safeNumber(company) === wantedNumber) return company
    }
    return null
  }
}
