/** How much of a long walk is done: a part in the quick and slow projects, all of it in the deep one (vitest.config.ts). */
const isDeep = process.env.FETTLE_DEEP === '1'

/** Rounds of a property. */
export const runs = (few: number, all: number): number => (isDeep ? all : few)

/** `count` of the cases, evenly spread, the first and the last among them. */
export function sampled<T>(cases: readonly T[], count: number): readonly T[] {
  if (isDeep || cases.length <= count) return cases
  return Array.from({ length: count }, (_, at) => cases[Math.round((at * (cases.length - 1)) / (count - 1))]!)
}

/** Every third of the cases, beginning at another of the first three by turns of `nth`; one at least. */
export function everyThird<T>(cases: readonly T[], nth: number): readonly T[] {
  if (isDeep || cases.length === 0) return cases
  return cases.filter((_, at) => at % 3 === nth % Math.min(3, cases.length))
}
